//! Positions of random games: realistic data for measuring searches and networks before there is any.

use crate::evaluator::LeafBatch;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rules::encode::Features;
use rules::{Game, MoveList, Rules, Variant};

/// Plies of a random game between two positions taken from it.
const APART: u32 = 20;
/// Plies after which no position is taken from a game, because later ones are all alike.
const LAST_PLY: u32 = 120;

/// `count` random games, each stopped at some ply before its end. Equal seeds give equal games.
pub fn random_games<V: Variant>(count: usize, seed: u64) -> Vec<Game<V>> {
    let (mut rng, mut legal) = (ChaCha8Rng::seed_from_u64(seed), MoveList::new());
    let mut found = Vec::with_capacity(count);
    while found.len() < count {
        let mut game = Game::<V>::start(Rules::default());
        for ply in 0..LAST_PLY {
            game.legal_moves(&mut legal);
            if game.outcome(&legal).is_some() {
                break;
            }
            if ply % APART == APART / 2 && found.len() < count {
                found.push(game.clone());
            }
            game.play(legal[rng.random_range(0..legal.len())]);
        }
    }
    found
}

/// The positions of [`random_games`] as a batch for a network with these `features`.
pub fn random_leaves<V: Variant>(count: usize, seed: u64, features: Features) -> LeafBatch {
    let (mut batch, mut legal) = (LeafBatch::new(features), MoveList::new());
    for game in random_games::<V>(count, seed) {
        game.legal_moves(&mut legal);
        batch.push(&game, &legal);
    }
    batch
}
