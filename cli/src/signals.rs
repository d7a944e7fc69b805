//! Ctrl-C and SIGTERM: the first asks for a clean stop, the second stops at once.

use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;
use std::io;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// Exit code of a program that SIGINT ended, as shells give it.
const INTERRUPTED: i32 = 130;

/// Installs the handlers and returns the flag that the first signal sets.
///
/// # Errors
/// The system refuses the handlers.
pub fn stop_flag() -> io::Result<Arc<AtomicBool>> {
    let stop = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM] {
        // In this order: the second signal finds the flag already set and ends the program.
        flag::register_conditional_shutdown(signal, INTERRUPTED, Arc::clone(&stop))?;
        flag::register(signal, Arc::clone(&stop))?;
    }
    Ok(stop)
}
