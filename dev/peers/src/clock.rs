//! Processor time of one thread or process: what a bench compares on a machine that does other things too.

use std::fs;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// Processor time since it was started, where Linux tells it; else wall-clock time.
pub struct CpuClock {
    threads: PathBuf,
    before: Option<Duration>,
    wall: Instant,
}

impl CpuClock {
    /// Of the calling thread.
    pub fn of_this_thread() -> CpuClock {
        CpuClock::start("/proc/thread-self".into())
    }

    /// Of another process, all its threads together.
    pub fn of_process(id: u32) -> CpuClock {
        CpuClock::start(format!("/proc/{id}/task").into())
    }

    /// Processor time of one call of `work` by this thread, on average over enough calls to fill a fifth of a second,
    /// and what it returned last.
    pub fn average<T>(mut work: impl FnMut() -> T) -> (T, Duration) {
        let clock = CpuClock::of_this_thread();
        for calls in 1.. {
            let result = work();
            let elapsed = clock.elapsed();
            if elapsed >= Duration::from_millis(200) {
                return (result, elapsed / calls);
            }
        }
        unreachable!("time passes")
    }

    fn start(threads: PathBuf) -> CpuClock {
        CpuClock { before: used(&threads), threads, wall: Instant::now() }
    }

    /// Processor time used since the start.
    pub fn elapsed(&self) -> Duration {
        match (self.before, used(&self.threads)) {
            (Some(before), Some(now)) => now.saturating_sub(before),
            _ => self.wall.elapsed(),
        }
    }
}

/// Time on a processor, in the first field (nanoseconds) of a thread's `schedstat`, or of each thread in a `task`
/// folder.
fn used(threads: &PathBuf) -> Option<Duration> {
    // Linux updates the account of a running thread when the thread yields, else only every few milliseconds.
    std::thread::yield_now();
    let of = |folder: PathBuf| -> Option<u64> {
        fs::read_to_string(folder.join("schedstat")).ok()?.split_whitespace().next()?.parse().ok()
    };
    if let Some(nanoseconds) = of(threads.clone()) {
        return Some(Duration::from_nanos(nanoseconds));
    }
    let each: Option<Vec<u64>> = fs::read_dir(threads).ok()?.map(|entry| of(entry.ok()?.path())).collect();
    Some(Duration::from_nanos(each?.iter().sum()))
}
