//! Batches made while the step before is being trained.

use crate::dataset::Dataset;
use crate::sample::Batch;
use rules::Variant;
use std::ops::Range;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::Scope;

/// Batches that may wait in each thread.
const AHEAD: usize = 2;

/// Makes the batches of a range of steps in `threads` threads; they come out in the order of the steps whatever
/// the number of threads. Ends early when it is dropped.
pub(crate) struct Prefetch {
    lanes: Vec<Receiver<Batch>>,
    next: usize,
}

impl Prefetch {
    pub fn start<'scope, V: Variant>(
        scope: &'scope Scope<'scope, '_>,
        dataset: &'scope Dataset<V>,
        steps: Range<u64>,
        size: usize,
        threads: usize,
        progress: impl Fn(u64) -> f64 + Copy + Send + 'scope,
    ) -> Prefetch {
        let lanes = (0..threads.max(1)).map(|lane| {
            let (sender, receiver): (SyncSender<Batch>, _) = sync_channel(AHEAD);
            let mine = steps.clone().skip(lane).step_by(threads.max(1));
            scope.spawn(move || {
                for step in mine {
                    // A closed channel is the end of training, not an error.
                    if sender.send(dataset.batch(step, size, progress(step))).is_err() {
                        return;
                    }
                }
            });
            receiver
        });
        Prefetch { lanes: lanes.collect(), next: 0 }
    }

    /// The batch of the next step; `None` after the last, or if its thread has died.
    pub fn next(&mut self) -> Option<Batch> {
        let lane = self.next % self.lanes.len();
        self.next += 1;
        self.lanes[lane].recv().ok()
    }
}
