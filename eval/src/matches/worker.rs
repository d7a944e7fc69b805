//! One thread of a match: many games at once, whose leaves go to the network together.
//!
//! A game depends on its key, the opening and the players only, and an evaluation does not depend on its batch.
//! So it does not matter which thread plays a game, nor beside which others.

use super::Match;
use super::game::{Running, Turn};
use crate::error::MatchError;
use crate::log::{GameEntry, GameKey};
use crate::openings::Opening;
use crate::players::Outfit;
use rules::{Rules, Variant};
use selfplay::{EvaluationError, Evaluations, Evaluator, LeafBatch};
use std::collections::VecDeque;

/// A game to be played.
#[derive(Clone, Debug)]
pub(super) struct Task<V: Variant> {
    pub key: GameKey,
    pub opening: Opening<V>,
}

/// A player's network in this thread and the games that wait for it.
struct Desk {
    evaluator: Option<Box<dyn Evaluator>>,
    batch_size: usize,
    batch: LeafBatch,
    /// Slots, in the order of their leaves in `batch`.
    waiting: Vec<usize>,
}

pub(super) struct Worker<'a, V: Variant> {
    rules: Rules<V>,
    seed: u64,
    names: [&'a str; 2],
    outfits: &'a [Outfit; 2],
    desks: [Desk; 2],
    answers: Evaluations,
    slots: Vec<Option<Running<V>>>,
    /// Slots that can go on.
    ready: VecDeque<usize>,
}

impl<'a, V: Variant> Worker<'a, V> {
    /// `share`: how many games this thread may expect.
    pub fn new(rules: Rules<V>, of: &Match<'a>, outfits: &'a [Outfit; 2], share: usize) -> Result<Self, MatchError> {
        let names = of.players.map(|player| player.name.as_str());
        let desk = |player: usize| {
            let evaluator = outfits[player].evaluator().map_err(|source| MatchError::Evaluation {
                player: names[player].to_owned(),
                game: "before the first game".to_owned(),
                source,
            })?;
            let batch_size = evaluator.as_ref().map_or(0, |evaluator| evaluator.batch_size().max(1));
            Ok::<_, MatchError>(Desk { evaluator, batch_size, batch: LeafBatch::default(), waiting: Vec::new() })
        };
        let desks = [desk(0)?, desk(1)?];
        // While one player's batch is evaluated the games that wait for the other stand still, so it takes the sum
        // of both to fill either.
        let enough = desks.iter().map(|desk| desk.batch_size).sum::<usize>().max(1);
        let concurrency = if of.config.concurrency == 0 { enough } else { of.config.concurrency as usize };
        let slots = (0..concurrency.min(share)).map(|_| None).collect::<Vec<_>>();
        Ok(Worker {
            rules,
            seed: of.config.seed,
            names,
            outfits,
            desks,
            answers: Evaluations::default(),
            ready: (0..slots.len()).collect(),
            slots,
        })
    }

    /// Plays tasks until none is left, `halt` says so, or `finished` (which takes the games) no longer wants any.
    pub fn play<'t>(
        &mut self,
        take: &impl Fn() -> Option<&'t Task<V>>,
        halt: &impl Fn() -> bool,
        finished: &impl Fn(GameEntry) -> bool,
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
                    let Some(task) = take() else { continue };
                    self.slots[slot] = Some(Running::new(self.rules, task, self.seed, self.outfits));
                }
                let Some(running) = &mut self.slots[slot] else { continue };
                let mut batches = self.desks.each_mut().map(|desk| &mut desk.batch);
                match running.advance(&mut batches) {
                    Turn::Played => self.ready.push_back(slot),
                    Turn::Waiting(player) => {
                        self.desks[player].waiting.push(slot);
                        if self.desks[player].waiting.len() >= self.desks[player].batch_size {
                            self.evaluate(player)?;
                        }
                    }
                    Turn::Over(entry) => {
                        self.slots[slot] = None;
                        self.ready.push_back(slot);
                        if !finished(entry) {
                            return Ok(());
                        }
                    }
                }
            }
            // Nobody can go on: the fuller batch first, so that games gather at one network and then at the other.
            let [a, b] = self.desks.each_ref().map(|desk| desk.waiting.len());
            if a + b == 0 {
                return Ok(());
            }
            self.evaluate(usize::from(b > a))?;
        }
    }

    /// Evaluates the leaves that wait for a player's network and hands the answers out.
    fn evaluate(&mut self, player: usize) -> Result<(), MatchError> {
        let Desk { evaluator, batch, waiting, .. } = &mut self.desks[player];
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
                let supplied = running.supply(&answers.logits[batch.range_of(leaf)], answers.wdl[leaf]);
                supplied.map_err(|error| fault(error, self.slots[slot].as_ref()))?;
            }
            self.ready.push_back(slot);
        }
        batch.clear();
        waiting.clear();
        Ok(())
    }
}
