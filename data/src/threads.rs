//! The threads that all crates share (rayon's global pool), and those of polars. Both start at their first use, and
//! panic where the system refuses: under `ulimit -u`, `ulimit -v`, or the limit of a container.

use rayon::ThreadPoolBuilder;

use crate::error::{DataError, Result};

/// Starts the shared threads, and checks whether polars will get its own. Programs call it once, before other work.
///
/// # Errors
/// The system refuses; the message has the number.
pub fn start() -> Result<()> {
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    start_of(threads, threads)
}

fn start_of(threads: usize, others: usize) -> Result<()> {
    let refused = |error: rayon::ThreadPoolBuildError| DataError::Threads { threads, reason: error.to_string() };
    let begin = |count| ThreadPoolBuilder::new().num_threads(count).build();
    // As many as polars starts: they end immediately, so that polars can have their places.
    begin(others).map(drop).map_err(refused)?;
    match ThreadPoolBuilder::new().num_threads(threads).build_global() {
        // If the pool exists already, so do its threads.
        Err(error) if std::error::Error::source(&error).is_some() => Err(refused(error)),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_start_once_and_a_refusal_has_a_name() {
        assert!(start().is_ok());
        assert!(start().is_ok(), "a second call finds them");
        let error = DataError::Threads { threads: 64, reason: "no room".to_owned() }.to_string();
        assert!(error.contains("64 threads") && error.contains("ulimit -u"), "{error}");
    }
}
