//! One thread of a match: many games at the same time, whose leaves are evaluated in one batch.
//!
//! A game depends on its key, the opening and the players only, and an evaluation does not depend on its batch.
//! So it does not matter which thread plays a game, or together with which others.

use super::Match;
use super::game::{GameStep, Running, ScheduledGame};
use crate::config::MatchConfig;
use crate::error::MatchError;
use crate::log::GameEntry;
use crate::players::PlayerFactory;
use engine::client::Engine;
use rules::{Rules, Termination, Variant};
use search::{EvaluationError, Evaluations, Evaluator, LeafBatch};
use std::collections::VecDeque;
use std::io;
use std::time::{Duration, Instant};

/// How often in a row the system may refuse an engine something before the match gives up, and the wait after the
/// first time, which doubles: in all, some 6 seconds.
const REFUSALS: u32 = 7;
const FIRST_WAIT: Duration = Duration::from_millis(50);

/// A player's network in this thread and the games that wait for it.
struct EvaluatorQueue {
    evaluator: Option<Box<dyn Evaluator>>,
    batch_size: usize,
    batch: LeafBatch,
    /// Slots, in the order of their leaves in `batch`.
    waiting: Vec<usize>,
}

pub(super) struct MatchWorker<'a, V: Variant> {
    rules: Rules<V>,
    config: &'a MatchConfig,
    names: [&'a str; 2],
    factories: &'a [PlayerFactory; 2],
    queues: [EvaluatorQueue; 2],
    answers: Evaluations,
    slots: Vec<Option<Running<V>>>,
    /// Slots that can continue.
    ready: VecDeque<usize>,
    /// Processes of each player, an engine, that have no game.
    spares: [Vec<Engine>; 2],
    /// Games to be played again, and how often the system has refused an engine something since a game was finished.
    again: Vec<ScheduledGame<V>>,
    refusals: u32,
}

impl<'a, V: Variant> MatchWorker<'a, V> {
    /// `share`: how many games this thread may expect.
    ///
    /// # Errors
    /// A network cannot be prepared.
    pub fn new(
        rules: Rules<V>,
        of: &Match<'a>,
        factories: &'a [PlayerFactory; 2],
        share: usize,
    ) -> Result<Self, MatchError> {
        let names = of.players.map(|player| player.name.as_str());
        let queue = |player: usize| {
            let evaluator = factories[player].evaluator().map_err(|source| MatchError::Evaluation {
                player: names[player].to_owned(),
                game: "before the first game".to_owned(),
                source,
            })?;
            let batch_size = evaluator.as_ref().map_or(0, |evaluator| evaluator.batch_size().max(1));
            let features = evaluator.as_ref().map(|evaluator| evaluator.features()).unwrap_or_default();
            let batch = LeafBatch::new(features);
            Ok::<_, MatchError>(EvaluatorQueue { evaluator, batch_size, batch, waiting: Vec::new() })
        };
        let queues = [queue(0)?, queue(1)?];
        // While one player's batch is evaluated the games that wait for the other stand still, so it takes the sum
        // of both to fill either.
        let enough = queues.iter().map(|queue| queue.batch_size).sum::<usize>().max(1);
        let concurrency = if of.config.concurrency == 0 { enough } else { of.config.concurrency as usize };
        // A player whose time is measured must not wait for the other games of its thread.
        let by_time = factories.iter().any(|factory| factory.limit.is_of_time());
        let concurrency = if by_time { 1 } else { concurrency };
        let slots = (0..concurrency.min(share)).map(|_| None).collect::<Vec<_>>();
        Ok(MatchWorker {
            rules,
            config: of.config,
            names,
            factories,
            queues,
            answers: Evaluations::default(),
            ready: (0..slots.len()).collect(),
            slots,
            spares: [Vec::new(), Vec::new()],
            again: Vec::new(),
            refusals: 0,
        })
    }

    /// Plays tasks until none is left, `halt` says so, or `finished` (which takes the games) no longer wants any.
    ///
    /// # Errors
    /// A network fails, or the operating system keeps refusing what an engine needs ([`MatchError::Resources`]).
    pub fn play<'t>(
        &mut self,
        take: &impl Fn() -> Option<&'t ScheduledGame<V>>,
        halt: &impl Fn() -> bool,
        finished: &impl Fn(GameEntry) -> bool,
        note: &impl Fn(String),
    ) -> Result<(), MatchError>
    where
        V: 't,
    {
        loop {
            while let Some(slot) = self.ready.pop_front() {
                if halt() {
                    return Ok(());
                }
                if self.slots[slot].is_none() {
                    let Some(task) = self.again.pop().or_else(|| take().cloned()) else { continue };
                    self.slots[slot] =
                        Some(Running::new(self.rules, task, self.config, self.factories, &mut self.spares));
                }
                let Some(running) = &mut self.slots[slot] else { continue };
                let mut batches = self.queues.each_mut().map(|queue| &mut queue.batch);
                let step = running.advance(&mut batches, halt);
                let late = matches!(&step, GameStep::Over(entry) if entry.termination == Termination::Error);
                if matches!(step, GameStep::Played | GameStep::Over(_)) && running.was_suspended(late) {
                    note(format!(
                        "{}: the program was stopped while a clock ran, so the game does not count and is played again",
                        running.name()
                    ));
                    self.play_again(slot);
                    continue;
                }
                match step {
                    GameStep::Played => self.ready.push_back(slot),
                    GameStep::Waiting(player) => {
                        self.queues[player].waiting.push(slot);
                        if self.queues[player].waiting.len() >= self.queues[player].batch_size {
                            self.evaluate(player)?;
                        }
                    }
                    GameStep::Halted => return Ok(()),
                    GameStep::Refused(player, source) => self.refused(slot, player, source, halt)?,
                    GameStep::Over(entry) => {
                        if let Some(running) = self.slots[slot].take() {
                            running.release_engines(&mut self.spares);
                        }
                        self.refusals = 0;
                        self.ready.push_back(slot);
                        if !finished(entry) {
                            return Ok(());
                        }
                    }
                }
            }
            // No game can continue: the fuller batch first, so that games gather at one network and then at the other.
            let [a, b] = self.queues.each_ref().map(|queue| queue.waiting.len());
            if a + b == 0 {
                return Ok(());
            }
            self.evaluate(usize::from(b > a))?;
        }
    }

    /// The system refused an engine something. Neither player is to blame, so the game is played again after a while.
    fn refused(
        &mut self,
        slot: usize,
        player: usize,
        source: io::Error,
        halt: &impl Fn() -> bool,
    ) -> Result<(), MatchError> {
        if self.refusals == REFUSALS {
            let game = self.slots[slot].as_ref().map_or_else(String::new, Running::describe);
            return Err(MatchError::Resources { player: self.names[player].to_owned(), game, source });
        }
        let until = Instant::now() + FIRST_WAIT * 2u32.pow(self.refusals);
        while Instant::now() < until && !halt() {
            std::thread::sleep(FIRST_WAIT);
        }
        self.refusals += 1;
        self.play_again(slot);
        Ok(())
    }

    /// Drops the game of a slot and plays it from its beginning.
    fn play_again(&mut self, slot: usize) {
        if let Some(running) = self.slots[slot].take() {
            self.again.push(running.task());
            running.release_engines(&mut self.spares);
        }
        self.ready.push_back(slot);
    }

    /// Evaluates the leaves that wait for a player's network and hands the answers out.
    fn evaluate(&mut self, player: usize) -> Result<(), MatchError> {
        let EvaluatorQueue { evaluator, batch, waiting, .. } = &mut self.queues[player];
        let answers = &mut self.answers;
        let fault = |source: EvaluationError, running: Option<&Running<V>>| MatchError::Evaluation {
            player: self.names[player].to_owned(),
            game: running.map_or_else(String::new, Running::describe),
            source,
        };
        let first = waiting.first().and_then(|&slot| self.slots[slot].as_ref());
        if let Some(evaluator) = evaluator {
            evaluator.evaluate(batch, answers).map_err(|error| fault(error, first))?;
        }
        answers.check(batch).map_err(|error| fault(error, first))?;
        for (leaf, &slot) in waiting.iter().enumerate() {
            if let Some(running) = &mut self.slots[slot] {
                let supplied = running.supply(batch, leaf, answers);
                supplied.map_err(|error| fault(error, self.slots[slot].as_ref()))?;
            }
            self.ready.push_back(slot);
        }
        batch.clear();
        waiting.clear();
        Ok(())
    }
}
