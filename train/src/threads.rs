//! Threads inside training and measurements. The system may refuse one, under a limit of processes or memory, and then it
//! is an error with the thread's task and no panic.

use crate::error::{Result, TrainError};
use std::thread::{Builder, Scope, ScopedJoinHandle};

/// Starts a thread in a scope. `task` says what it does, as a verb: "trains". It is also the thread's name.
///
/// # Errors
/// The system refuses.
pub(crate) fn start<'scope, T: Send + 'scope>(
    scope: &'scope Scope<'scope, '_>,
    task: &'static str,
    work: impl FnOnce() -> T + Send + 'scope,
) -> Result<ScopedJoinHandle<'scope, T>> {
    start_by(Builder::new(), scope, task, work)
}

fn start_by<'scope, T: Send + 'scope>(
    builder: Builder,
    scope: &'scope Scope<'scope, '_>,
    task: &'static str,
    work: impl FnOnce() -> T + Send + 'scope,
) -> Result<ScopedJoinHandle<'scope, T>> {
    let started = builder.name(task.to_owned()).spawn_scoped(scope, work);
    started.map_err(|source| TrainError::NoThread { task, source })
}

/// A pool of so many threads.
///
/// # Errors
/// The system refuses.
pub(crate) fn pool(threads: usize, task: &'static str) -> Result<rayon::ThreadPool> {
    let built = rayon::ThreadPoolBuilder::new().num_threads(threads).thread_name(|_| task.to_owned()).build();
    built.map_err(|error| TrainError::NoThread { task, source: std::io::Error::other(error) })
}

/// The result of a thread; one that has panicked is an error with its task.
///
/// # Errors
/// The thread's own, or it has panicked.
pub(crate) fn joined<T>(task: &'static str, thread: ScopedJoinHandle<'_, Result<T>>) -> Result<T> {
    thread.join().unwrap_or(Err(TrainError::Thread(task)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_that_is_refused_is_named() {
        // No system has room for this stack.
        let builder = Builder::new().stack_size(1 << 60);
        let refused = std::thread::scope(|scope| start_by(builder, scope, "trains", || ()).map(drop));
        let message = refused.unwrap_err().to_string();
        assert!(message.starts_with("cannot start the thread that trains: "), "{message}");
        let name = || Ok(std::thread::current().name().map(str::to_owned));
        let started = std::thread::scope(|scope| joined("measures", start(scope, "measures", name)?));
        assert_eq!(started.unwrap().as_deref(), Some("measures"));
    }
}
