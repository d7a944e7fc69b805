//! Random moves at the start of a game, so that games differ.

use super::randomness::{GameSeed, Purpose};
use crate::config::SelfplayConfig;
use rand::RngExt;
use rules::{Game, MoveList, Variant};

/// Plays the random moves of a new game: those of its opening, and in a slot's very first game those that make the
/// slots end their games at different times. These moves never end the game.
pub(super) fn play<V: Variant>(game: &mut Game<V>, config: &SelfplayConfig, seed: GameSeed, slot: u32, first: bool) {
    let mut rng = seed.rng(0, Purpose::Opening);
    let mut plies = 0;
    if rng.random::<f32>() < config.opening_share {
        plies += rng.random_range(0..=config.opening_plies);
    }
    if first {
        plies += (u64::from(config.stagger_plies) * u64::from(slot) / u64::from(config.slots.max(1))) as u32;
    }
    let mut legal = MoveList::new();
    for _ in 0..plies {
        game.legal_moves(&mut legal);
        game.play(legal[rng.random_range(0..legal.len())]);
        game.legal_moves(&mut legal);
        if game.outcome(&legal).is_some() {
            game.undo();
            break;
        }
    }
}
