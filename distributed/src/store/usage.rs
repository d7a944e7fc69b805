//! Usage of a store.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Requests made and time spent in them, since the store was opened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// Requests, repeated ones included.
    pub requests: u64,
    /// Time inside them, pauses included.
    pub time: Duration,
    /// Bytes of objects read and uploaded.
    pub bytes: u64,
}

/// [`Usage`] while it is counted.
#[derive(Debug, Default)]
pub(crate) struct Counters {
    requests: AtomicU64,
    nanos: AtomicU64,
    bytes: AtomicU64,
}

impl Counters {
    /// Adds requests that began at this time and have ended.
    pub fn asked(&self, requests: u64, since: Instant) {
        self.requests.fetch_add(requests, Ordering::Relaxed);
        self.nanos.fetch_add(since.elapsed().as_nanos() as u64, Ordering::Relaxed);
    }

    /// Adds bytes of objects.
    pub fn moved(&self, bytes: usize) {
        self.bytes.fetch_add(bytes as u64, Ordering::Relaxed);
    }

    /// The counts so far.
    pub fn usage(&self) -> Usage {
        Usage {
            requests: self.requests.load(Ordering::Relaxed),
            time: Duration::from_nanos(self.nanos.load(Ordering::Relaxed)),
            bytes: self.bytes.load(Ordering::Relaxed),
        }
    }
}
