//! Random moves at the start of a game, so that games differ.

use super::randomness::{GameSeed, Purpose};
use crate::config::SelfplayConfig;
use rand::{Rng, RngExt};
use rules::{Game, MoveList, Position, Variant};

/// The start position with set-ups drawn for both players, each for itself; the variant's start where there is
/// nothing to choose.
pub(super) fn set_up<V: Variant>(config: &SelfplayConfig, rng: &mut impl Rng) -> Position<V> {
    let listed = |name: &&str| config.setups.is_empty() || config.setups.iter().any(|wanted| wanted == name);
    let allowed: Vec<&str> = V::SETUPS.iter().map(|setup| setup.name).filter(listed).collect();
    if allowed.is_empty() {
        return Position::start();
    }
    let mut draw = || allowed[rng.random_range(0..allowed.len())];
    // The names are the variant's own.
    Position::start_with([draw(), draw()]).unwrap_or_else(|_| Position::start())
}

/// Plays the random moves of a new game: those of its opening, and in a slot's very first game those that
/// make the slots end their games at different times. The game never ends by them.
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
