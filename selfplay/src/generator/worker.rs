//! One thread: its slots, its evaluator, and the loop that keeps the evaluator's batches full.

use super::GenerateError;
use super::progress::Spent;
use super::shared::Shared;
use super::slot::{Advance, Slot};
use data::GameRecord;
use rules::{Game, Variant};
use search::{EvaluationError, Evaluations, Evaluator, LeafBatch};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::time::{Duration, Instant};

/// Plays the slots' quotas. Every round takes one leaf from as many slots as a batch holds; a slot whose leaf was
/// settled by the rules, or whose evaluation is in the batch's cache, continues until it needs the network. Slots
/// that have done the least of their quotas come first, so that all finish at about the same time and batches stay full
/// to the end. Games do not depend on the order. Stops between two batches when `halted` says so.
///
/// # Errors
/// The evaluator fails, or an evaluation cannot be used.
pub(super) fn run<V: Variant>(
    slots: &mut [Slot<V>],
    evaluator: &mut impl Evaluator,
    shared: &Shared<V>,
    halted: impl Fn() -> bool,
    mut finished: impl FnMut(GameRecord<V>),
) -> Result<(), GenerateError> {
    let places = evaluator.batch_size().max(1);
    let ready = |slots: &[Slot<V>], slot: usize| Reverse((slots[slot].work_done(shared), slot));
    let mut queue: BinaryHeap<_> = (0..slots.len()).map(|slot| ready(slots, slot)).collect();
    let mut waiting = Vec::with_capacity(places);
    let mut batch = LeafBatch::with_cache(evaluator.features(), (shared.config.cache_mb as usize) << 20);
    let mut answers = Evaluations::default();
    let (mut searching_since, mut supply) = (Instant::now(), Duration::ZERO);
    while !halted() {
        while waiting.len() < places {
            let Some(Reverse((_, next))) = queue.pop() else { break };
            if slots[next].advance(shared, &mut batch, &mut finished) == Advance::Pending {
                waiting.push(next);
            }
        }
        if waiting.is_empty() {
            break;
        }
        let search = searching_since.elapsed();
        let asked = Instant::now();
        evaluator.evaluate(&batch, &mut answers).map_err(GenerateError::Network)?;
        answers.check(&batch).map_err(GenerateError::Network)?;
        shared.progress.add_batch(waiting.len(), places, Spent { network: asked.elapsed(), search, supply });
        searching_since = Instant::now();
        let mut simulations = 0;
        for (leaf, &slot) in waiting.iter().enumerate() {
            let supplied = slots[slot].supply(&mut batch, leaf, &answers);
            supplied.map_err(|error| unusable(&slots[slot], error))?;
            simulations += slots[slot].take_simulations();
        }
        shared.progress.add_simulations(simulations);
        queue.extend(waiting.drain(..).map(|slot| ready(slots, slot)));
        batch.clear();
        supply = searching_since.elapsed();
    }
    // Simulations since then, by the rules or from the cache.
    shared.progress.add_simulations(slots.iter_mut().map(Slot::take_simulations).sum());
    Ok(())
}

/// Names the position whose evaluation was invalid.
fn unusable<V: Variant>(slot: &Slot<V>, source: EvaluationError) -> GenerateError {
    let game = slot.pending_game();
    GenerateError::Evaluation {
        fen: game.as_ref().map_or_else(String::new, |game| game.position().fen()),
        moves: game.as_ref().map_or_else(String::new, Game::moves_text),
        source,
    }
}
