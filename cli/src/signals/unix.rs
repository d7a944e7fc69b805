//! Ctrl-C, SIGTERM and SIGHUP: the first asks for a clean stop; a second Ctrl-C ends the program immediately.
//!
//! A second SIGTERM or SIGHUP asks for nothing new, nor does the first Ctrl-C after them. SLURM's `scancel` signals every
//! process of a job, and the job's shell forwards the signal, so that the program gets it twice; so it is below `make` and
//! other parents. Signals that come close together may be handled in another order by different threads.

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGXFSZ};
use signal_hook::iterator::Signals;
use signal_hook::low_level;
use std::fs;
use std::io::{self, IsTerminal};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

/// Exit code of a program that SIGINT ended, as shells give it.
const INTERRUPTED: i32 = 130;

/// Listens for the signals, and returns the flag that the first of them sets.
///
/// # Errors
/// The system refuses to report signals.
pub fn stop_flag() -> io::Result<Arc<AtomicBool>> {
    listen().map_err(|error| io::Error::new(error.kind(), format!("cannot listen for signals: {error}")))
}

fn listen() -> io::Result<Arc<AtomicBool>> {
    let mut signals = Signals::new([SIGINT, SIGTERM])?;
    if !outlives_its_terminal() {
        signals.add_signal(SIGHUP)?;
    }
    let stop = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&stop);
    thread::Builder::new().name("signals".to_owned()).spawn(move || {
        let mut is_interrupted = false;
        for signal in signals.forever() {
            flag.store(true, Ordering::Relaxed);
            if signal == SIGINT && std::mem::replace(&mut is_interrupted, true) {
                // The shell's prompt begins a line of its own, whatever was being drawn.
                if io::stderr().is_terminal() {
                    eprintln!();
                }
                low_level::exit(INTERRUPTED);
            }
        }
    })?;
    Ok(stop)
}

/// Makes a write beyond the file size limit (`ulimit -f`) an error, which names the file. The signal that comes with it
/// would end the program without a message. Programs that are started keep the original handling.
///
/// # Errors
/// The system refuses to handle the signal.
pub fn let_large_writes_fail() -> io::Result<()> {
    signal_hook::flag::register(SIGXFSZ, Arc::default()).map(|_| ())
}

/// Whether SIGHUP is ignored, as `nohup` has it; then it stays so. Where the system does not tell, nothing is changed.
fn outlives_its_terminal() -> bool {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    mask.is_none_or(|mask| mask & (1 << (SIGHUP - 1)) != 0)
}
