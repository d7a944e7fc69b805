//! Meeting deadlines: signals that reach a search while it runs, and an evaluator that watches the clock.

use rules::encode::Features;
use rules::{Game, MoveList, Variant};
use search::{EvaluationError, Evaluations, Evaluator, LeafBatch};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// A signal to a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Signal {
    /// The expected move was played; the clock has been running since then.
    PonderHit(Instant),
    /// Stop and answer.
    Stop,
}

/// Signals to a search that runs in another thread.
#[derive(Debug, Default)]
pub(super) struct SearchSignals {
    interrupt: AtomicBool,
    signal: Mutex<Option<Signal>>,
    arrived: Condvar,
}

impl SearchSignals {
    /// A new search begins, to which no signal was sent.
    pub fn begin(&self) {
        *self.signal() = None;
        self.interrupt.store(false, Ordering::Relaxed);
    }

    /// Sends `stop`.
    pub fn stop(&self) {
        *self.signal() = Some(Signal::Stop);
        self.wake();
    }

    /// Sends `ponderhit`, which has no effect after `stop`.
    pub fn ponder_hit(&self, at: Instant) {
        self.signal().get_or_insert(Signal::PonderHit(at));
        self.wake();
    }

    /// Waits for a signal. After `ponderhit` the search may continue and is not interrupted any more.
    pub fn wait(&self) -> Signal {
        let mut signal = self.signal();
        loop {
            match *signal {
                Some(Signal::Stop) => return Signal::Stop,
                Some(hit) => {
                    *signal = None;
                    self.interrupt.store(false, Ordering::Relaxed);
                    return hit;
                }
                None => signal = self.arrived.wait(signal).unwrap_or_else(PoisonError::into_inner),
            }
        }
    }

    /// The flag that interrupts a search.
    pub fn interrupt(&self) -> &AtomicBool {
        &self.interrupt
    }

    fn wake(&self) {
        // Under the lock, so that it cannot fall between the two steps of accepting a `ponderhit`.
        let _signal = self.signal();
        self.interrupt.store(true, Ordering::Relaxed);
        self.arrived.notify_all();
    }

    fn signal(&self) -> MutexGuard<'_, Option<Signal>> {
        self.signal.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// An evaluator that interrupts the search if the next batch would come back after the deadline.
pub(super) struct TimedEvaluator {
    inner: Box<dyn Evaluator>,
    signals: Arc<SearchSignals>,
    deadline: Option<Instant>,
    /// When the last batch of this search came back.
    last: Option<Instant>,
    /// Time of a batch with the search around it. Slow batches count more than fast ones.
    round: Duration,
}

impl TimedEvaluator {
    /// Watches over `inner`.
    pub fn new(inner: Box<dyn Evaluator>, signals: Arc<SearchSignals>) -> TimedEvaluator {
        TimedEvaluator { inner, signals, deadline: None, last: None, round: Duration::ZERO }
    }

    /// Evaluates a position twice, because the first call of a network prepares it and takes longer than all others.
    ///
    /// # Errors
    /// The evaluator fails.
    pub fn warm_up<V: Variant>(&mut self, game: &Game<V>) -> Result<(), EvaluationError> {
        let (mut legal, mut batch, mut answers) =
            (MoveList::new(), LeafBatch::new(self.inner.features()), Evaluations::default());
        game.legal_moves(&mut legal);
        batch.push(game, &legal);
        self.inner.evaluate(&batch, &mut answers)?;
        self.evaluate(&batch, &mut answers)?;
        answers.check(&batch)
    }

    /// Begins a search that must end by `deadline`.
    pub fn begin(&mut self, deadline: Option<Instant>) {
        self.deadline = deadline;
        self.last = None;
        // If rounds are so slow, the first one shows it. Otherwise the program was stopped for a while.
        if let Some(deadline) = deadline {
            self.round = self.round.min(deadline.saturating_duration_since(Instant::now()) / 4);
        }
    }
}

impl Evaluator for TimedEvaluator {
    fn batch_size(&self) -> usize {
        self.inner.batch_size()
    }

    fn features(&self) -> Features {
        self.inner.features()
    }

    fn evaluate(&mut self, batch: &LeafBatch, out: &mut Evaluations) -> Result<(), EvaluationError> {
        let begun = self.last.unwrap_or_else(Instant::now);
        let answered = self.inner.evaluate(batch, out);
        let now = Instant::now();
        // A slow round is forgotten gradually: by an eighth with each round after it.
        self.round = (now - begun).max(self.round - self.round / 8);
        self.last = Some(now);
        if self.deadline.is_some_and(|deadline| now + self.round >= deadline) {
            self.signals.interrupt.store(true, Ordering::Relaxed);
        }
        answered
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use search::UniformEvaluator;

    /// The program was stopped for half a minute in the middle of a search.
    #[test]
    fn a_pause_is_forgotten_by_the_next_search() {
        let mut evaluator = TimedEvaluator::new(Box::new(UniformEvaluator::new(1)), Arc::default());
        evaluator.round = Duration::from_secs(30);
        evaluator.begin(None);
        assert_eq!(evaluator.round, Duration::from_secs(30));
        evaluator.begin(Some(Instant::now() + Duration::from_secs(2)));
        assert!(evaluator.round <= Duration::from_millis(500), "{:?}", evaluator.round);
    }
}
