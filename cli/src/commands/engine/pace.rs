//! Being in time: orders that reach a search while it runs, and an evaluator that watches the clock.

use rules::{Game, MoveList, Variant};
use selfplay::{EvaluationError, Evaluations, Evaluator, LeafBatch};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// What was said to a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Word {
    /// The expected move was played, and the clock runs since then.
    Hit(Instant),
    /// Answer.
    Stop,
}

/// What is said to a search while it runs.
#[derive(Debug, Default)]
pub struct Orders {
    interrupt: AtomicBool,
    word: Mutex<Option<Word>>,
    said: Condvar,
}

impl Orders {
    /// A search begins, to which nothing has been said.
    pub fn begin(&self) {
        *self.word() = None;
        self.interrupt.store(false, Ordering::Relaxed);
    }

    /// `stop`.
    pub fn stop(&self) {
        *self.word() = Some(Word::Stop);
        self.wake();
    }

    /// `ponderhit`; not after `stop`.
    pub fn ponder_hit(&self, at: Instant) {
        self.word().get_or_insert(Word::Hit(at));
        self.wake();
    }

    /// Waits for a word, and takes a `ponderhit` as done: the search goes on.
    pub fn wait(&self) -> Word {
        let mut word = self.word();
        loop {
            match *word {
                Some(Word::Stop) => return Word::Stop,
                Some(hit) => {
                    *word = None;
                    self.interrupt.store(false, Ordering::Relaxed);
                    return hit;
                }
                None => word = self.said.wait(word).unwrap_or_else(PoisonError::into_inner),
            }
        }
    }

    /// The flag that interrupts a search.
    pub fn interrupt(&self) -> &AtomicBool {
        &self.interrupt
    }

    fn wake(&self) {
        // Under the lock, so that it cannot come between the two steps of taking a `ponderhit`.
        let _word = self.word();
        self.interrupt.store(true, Ordering::Relaxed);
        self.said.notify_all();
    }

    fn word(&self) -> MutexGuard<'_, Option<Word>> {
        self.word.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// An evaluator that interrupts the search when the next batch would come back too late.
pub struct Paced {
    inner: Box<dyn Evaluator>,
    orders: Arc<Orders>,
    deadline: Option<Instant>,
    /// When the last batch came back in this search.
    last: Option<Instant>,
    /// What a batch takes with the search around it, the slow ones counted more than the quick ones.
    round: Duration,
}

impl Paced {
    /// Watches over `inner`.
    pub fn new(inner: Box<dyn Evaluator>, orders: Arc<Orders>) -> Paced {
        Paced { inner, orders, deadline: None, last: None, round: Duration::ZERO }
    }

    /// Evaluates a position twice, because the first call of a network sets it up and takes longer than all others.
    ///
    /// # Errors
    /// The evaluator does not work.
    pub fn warm_up<V: Variant>(&mut self, game: &Game<V>) -> Result<(), EvaluationError> {
        let (mut legal, mut batch, mut answers) = (MoveList::new(), LeafBatch::default(), Evaluations::default());
        game.legal_moves(&mut legal);
        batch.push(game, &legal);
        self.inner.evaluate(&batch, &mut answers)?;
        self.evaluate(&batch, &mut answers)?;
        answers.check(&batch)
    }

    /// A search begins that must be over at `deadline`.
    pub fn begin(&mut self, deadline: Option<Instant>) {
        self.deadline = deadline;
        self.last = None;
    }
}

impl Evaluator for Paced {
    fn batch_size(&self) -> usize {
        self.inner.batch_size()
    }

    fn evaluate(&mut self, batch: &LeafBatch, out: &mut Evaluations) -> Result<(), EvaluationError> {
        let begun = self.last.unwrap_or_else(Instant::now);
        let answered = self.inner.evaluate(batch, out);
        let now = Instant::now();
        // A slow round is forgotten slowly: by an eighth with each that follows.
        self.round = (now - begun).max(self.round - self.round / 8);
        self.last = Some(now);
        if self.deadline.is_some_and(|deadline| now + self.round >= deadline) {
            self.orders.interrupt.store(true, Ordering::Relaxed);
        }
        answered
    }
}
