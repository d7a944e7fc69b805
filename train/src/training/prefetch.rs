//! Batches that are made in advance, during the steps before theirs.

use crate::error::Result;
use crate::threads;
use std::ops::Range;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::Scope;

/// Batches that each thread may have ready.
const AHEAD: usize = 2;

/// Makes the batches of a range of steps on threads of its own, or on demand if it has none. The batches do not depend
/// on the number of threads. The threads end when it is dropped.
pub(crate) struct Prefetch<T, F> {
    make: F,
    first: u64,
    lanes: Vec<Receiver<T>>,
}

impl<T: Send, F: Fn(u64) -> T + Clone + Send> Prefetch<T, F> {
    /// # Errors
    /// The system refuses a thread; those that were started end.
    pub fn start<'scope>(
        scope: &'scope Scope<'scope, '_>,
        steps: Range<u64>,
        threads: usize,
        make: F,
    ) -> Result<Prefetch<T, F>>
    where
        T: 'scope,
        F: 'scope,
    {
        let lanes = (0..threads).map(|lane| {
            let (sender, receiver): (SyncSender<T>, _) = sync_channel(AHEAD);
            let mine = steps.clone().skip(lane).step_by(threads);
            let make = make.clone();
            threads::start(scope, "makes batches", move || {
                tch::set_num_threads(1);
                for step in mine {
                    // A closed channel is the end of training, not an error.
                    if sender.send(make(step)).is_err() {
                        return;
                    }
                }
            })?;
            Ok(receiver)
        });
        Ok(Prefetch { first: steps.start, lanes: lanes.collect::<Result<_>>()?, make })
    }

    /// The batch of a step. Steps must be asked for in order. `None` if the thread that makes it has panicked.
    pub fn next(&mut self, step: u64) -> Option<T> {
        match self.lanes.len() as u64 {
            0 => Some((self.make)(step)),
            lanes => self.lanes[((step - self.first) % lanes) as usize].recv().ok(),
        }
    }
}
