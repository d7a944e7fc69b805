//! Batches made while the step before is being trained.

use crate::sample::Batch;
use std::ops::Range;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::Scope;

/// Batches that may wait in each thread.
const AHEAD: usize = 2;

/// Makes the batches of a range of steps in threads of its own, or when they are asked for where it has none. The
/// batches are the same whatever the number of threads. Ends early when it is dropped.
pub(crate) struct Prefetch<F> {
    make: F,
    first: u64,
    lanes: Vec<Receiver<Batch>>,
}

impl<F: Fn(u64) -> Batch + Clone + Send> Prefetch<F> {
    pub fn start<'scope>(scope: &'scope Scope<'scope, '_>, steps: Range<u64>, threads: usize, make: F) -> Prefetch<F>
    where
        F: 'scope,
    {
        let lanes = (0..threads).map(|lane| {
            let (sender, receiver): (SyncSender<Batch>, _) = sync_channel(AHEAD);
            let mine = steps.clone().skip(lane).step_by(threads);
            let make = make.clone();
            scope.spawn(move || {
                for step in mine {
                    // A closed channel is the end of training, not an error.
                    if sender.send(make(step)).is_err() {
                        return;
                    }
                }
            });
            receiver
        });
        Prefetch { first: steps.start, lanes: lanes.collect(), make }
    }

    /// The batch of a step; steps are asked for in order. `None` if the thread that makes it has died.
    pub fn next(&mut self, step: u64) -> Option<Batch> {
        match self.lanes.len() as u64 {
            0 => Some((self.make)(step)),
            lanes => self.lanes[((step - self.first) % lanes) as usize].recv().ok(),
        }
    }
}
