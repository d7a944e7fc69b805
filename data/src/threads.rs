//! The threads that all crates share (rayon's global pool), and those of polars. Both start at their first use, and
//! panic where the system refuses: under `ulimit -u`, `ulimit -v`, or the limit of a container.

use std::panic::catch_unwind;
use std::sync::{Mutex, OnceLock, PoisonError};
use std::thread::{Builder, scope};
use std::{io, thread};

use polars::prelude::*;
use rayon::ThreadPoolBuilder;

use crate::error::{DataError, Result};

/// Starts the shared threads, and checks whether polars will get its own. Programs call it once, before other work.
///
/// # Errors
/// The system refuses; the message has the number.
pub fn start() -> Result<()> {
    let threads = thread::available_parallelism().map_or(1, usize::from);
    start_of(threads, threads)
}

fn start_of(threads: usize, others: usize) -> Result<()> {
    let refused = |reason: String| DataError::Threads { threads, reason };
    // As many as polars starts: they end immediately, so that polars can have their places.
    try_threads(others).map_err(|error| refused(error.to_string()))?;
    match ThreadPoolBuilder::new().num_threads(threads).build_global() {
        // If the pool exists already, so do its threads.
        Err(error) if std::error::Error::source(&error).is_some() => Err(refused(error.to_string())),
        _ => Ok(()),
    }
}

/// Starts the threads of polars, and those of the runtime with which it plans queries, unless they are there. Polars panics or
/// waits for ever where the system refuses one, so that many are started before, and the first query comes right after them.
///
/// # Errors
/// The system refuses; the message has the number.
pub(crate) fn start_polars() -> Result<()> {
    static STARTED: OnceLock<()> = OnceLock::new();
    if STARTED.get().is_some() {
        return Ok(());
    }
    // Each of the two has a thread for each core; and one that waits for them.
    let threads = 2 * thread::available_parallelism().map_or(1, usize::from) + 1;
    let refused = |reason: String| DataError::Threads { threads, reason };
    try_threads(threads).map_err(|error| refused(error.to_string()))?;
    let query = || df!("one" => [1u32])?.lazy().group_by([col("one")]).agg([len()]).collect();
    match catch_unwind(query) {
        Ok(Ok(_)) => {
            STARTED.get_or_init(|| ());
            Ok(())
        }
        Ok(Err(error)) => Err(refused(error.to_string())),
        Err(_) => Err(refused("polars could not start them".to_owned())),
    }
}

/// Starts so many threads at the same time, and ends them.
fn try_threads(count: usize) -> io::Result<()> {
    let gate = Mutex::new(());
    let wait = || drop(gate.lock().unwrap_or_else(PoisonError::into_inner));
    scope(|scope| {
        let closed = gate.lock().unwrap_or_else(PoisonError::into_inner);
        let started = (0..count).try_for_each(|_| Builder::new().spawn_scoped(scope, wait).map(drop));
        drop(closed);
        started
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_start_once_and_a_refusal_has_a_name() {
        assert!(start().is_ok());
        assert!(start().is_ok(), "a second call finds them");
        assert!(start_polars().is_ok() && start_polars().is_ok());
        let error = DataError::Threads { threads: 64, reason: "no room".to_owned() }.to_string();
        assert!(error.contains("64 threads") && error.contains("ulimit -u"), "{error}");
    }
}
