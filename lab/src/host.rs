//! The program around a run.

use crate::observer::Observer;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// The program that works on a run: its name in the run's files, the observer of its events, and the flag that stops it.
#[derive(Clone)]
pub struct Host {
    /// Version of the program, as its package has it.
    pub version: &'static str,
    /// The revision of the source that it was built from.
    pub revision: &'static str,
    /// Receives everything that happens.
    pub observer: Arc<dyn Observer>,
    /// When this becomes true, the stage in progress ends soon and keeps all finished games.
    pub stop: Arc<AtomicBool>,
}

impl Host {
    /// Whether a stop was asked for.
    pub fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }
}
