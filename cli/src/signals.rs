//! Ctrl-C and SIGTERM: the first asks for a clean stop, the second ends the program at once.

use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use signal_hook::low_level;
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
    let mut signals = Signals::new([SIGINT, SIGTERM])?;
    let stop = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&stop);
    thread::spawn(move || {
        for _ in signals.forever() {
            if flag.swap(true, Ordering::Relaxed) {
                // The shell's prompt begins a line of its own, whatever was being drawn.
                if io::stderr().is_terminal() {
                    eprintln!();
                }
                low_level::exit(INTERRUPTED);
            }
        }
    });
    Ok(stop)
}
