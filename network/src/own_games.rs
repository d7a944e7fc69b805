//! Positions of games that a network plays against itself by its policy alone, for networks whose file has no measurements,
//! and to measure how well integers agree with fp32.

use crate::error::Result;
use crate::evaluator::NativeEvaluator;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;
use rules::{Game, MoveList, Rules, Variant};
use search::{Evaluations, LeafBatch};

/// Plies from one that is kept to the next: neighbours differ little.
const APART: usize = 3;
/// Plies after which a game ends.
const LONGEST: usize = 240;

/// `batches` batches of `size` positions, each from games of its own. They depend on the network and the seed alone.
///
/// # Errors
/// The evaluator is of a network for another variant.
pub fn own_positions<V: Variant>(
    evaluator: &NativeEvaluator,
    batches: usize,
    size: usize,
    seed: u64,
) -> Result<Vec<LeafBatch>> {
    let batch =
        |number: usize| batch::<V>(&mut evaluator.clone(), size, ChaCha8Rng::seed_from_u64(seed + number as u64));
    (0..batches).into_par_iter().map(batch).collect()
}

fn batch<V: Variant>(evaluator: &mut NativeEvaluator, size: usize, mut rng: ChaCha8Rng) -> Result<LeafBatch> {
    let features = evaluator.blueprint().config.features;
    let mut legal = MoveList::new();
    let (mut kept, mut one, mut out) = (LeafBatch::new(features), LeafBatch::new(features), Evaluations::default());
    while kept.len() < size {
        let mut game = Game::<V>::start(Rules::default());
        for ply in 0..LONGEST {
            game.legal_moves(&mut legal);
            if game.outcome(&legal).is_some() || kept.len() == size {
                break;
            }
            if ply % APART == 0 {
                kept.push(&game, &legal);
            }
            one.clear();
            one.push(&game, &legal);
            evaluator.evaluate_leaves(&one, &mut out)?;
            game.play(legal[drawn(&out.logits, rng.random_range(0.0..1.0))]);
        }
    }
    Ok(kept)
}

/// The move at which the sum of the policy's shares passes `point`, from 0 to 1.
fn drawn(logits: &[f32], point: f64) -> usize {
    let most = logits.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let shares = || logits.iter().map(|&logit| f64::from(logit - most).exp());
    let mut left = point * shares().sum::<f64>();
    let passed = shares().position(|share| {
        left -= share;
        left < 0.0
    });
    passed.unwrap_or_default()
}
