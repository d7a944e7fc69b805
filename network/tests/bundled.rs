//! The networks that come with the program, and positions of their own games.

use network::{NetworkFile, Numbers};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rules::{Game, MoveList, Rules, Variant};
use search::{Evaluations, LeafBatch};
use std::path::Path;

/// The network of a variant.
pub fn network<V: Variant>() -> NetworkFile {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../train/networks/{}.safetensors", V::ID));
    NetworkFile::read(&path).expect("a network")
}

/// Positions of games in which the network's policy chooses the moves, one in seven plies.
pub fn own_positions<V: Variant>(network: &NetworkFile, count: usize, seed: u64) -> LeafBatch {
    let features = network.blueprint().config.features;
    let mut evaluator = network.evaluator(Numbers::Fp32, 1).expect("an evaluator");
    let (mut rng, mut legal) = (ChaCha8Rng::seed_from_u64(seed), MoveList::new());
    let (mut found, mut one, mut out) = (LeafBatch::new(features), LeafBatch::new(features), Evaluations::default());
    while found.len() < count {
        let mut game = Game::<V>::start(Rules::default());
        let first = rng.random_range(0..7);
        for ply in 0..200 {
            game.legal_moves(&mut legal);
            if game.outcome(&legal).is_some() || found.len() == count {
                break;
            }
            one.clear();
            one.push(&game, &legal);
            evaluator.evaluate_leaves(&one, &mut out).expect("evaluated");
            if ply % 7 == first {
                found.push(&game, &legal);
            }
            let mut left = rng.random_range(0.0..1.0);
            let chosen = softmax(&out.logits).into_iter().position(|share| {
                left -= share;
                left < 0.0
            });
            game.play(legal[chosen.unwrap_or_default()]);
        }
    }
    found
}

fn softmax(logits: &[f32]) -> Vec<f64> {
    let most = logits.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let exps: Vec<f64> = logits.iter().map(|&logit| f64::from(logit - most).exp()).collect();
    let sum: f64 = exps.iter().sum();
    exps.iter().map(|exp| exp / sum).collect()
}
