//! Ctrl-C: the first asks for a clean stop, a second ends the program immediately. Windows has no other such signal.

use signal_hook::consts::SIGINT;
use signal_hook::flag;
use std::io;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// Exit code of a program that Ctrl-C ended, as on Unix.
const INTERRUPTED: i32 = 130;

/// Listens for Ctrl-C, and returns the flag that the first one sets.
///
/// # Errors
/// The system refuses to report it.
pub fn stop_flag() -> io::Result<Arc<AtomicBool>> {
    listen().map_err(|error| io::Error::new(error.kind(), format!("cannot listen for Ctrl-C: {error}")))
}

fn listen() -> io::Result<Arc<AtomicBool>> {
    let stop = Arc::new(AtomicBool::new(false));
    // The actions are taken in this order, so only a Ctrl-C that finds the flag set ends the program.
    flag::register_conditional_shutdown(SIGINT, INTERRUPTED, Arc::clone(&stop))?;
    flag::register(SIGINT, Arc::clone(&stop))?;
    Ok(stop)
}

/// Does nothing: Windows has no limit on the size of files that sends a signal.
///
/// # Errors
/// None.
pub fn let_large_writes_fail() -> io::Result<()> {
    Ok(())
}
