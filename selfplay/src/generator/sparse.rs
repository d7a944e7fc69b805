//! Starts from sparse boards: positions of random-play games, where many pieces are gone and a win is near.

use super::by_rules::RandomGame;
use super::randomness::{GameSeed, Purpose};
use super::shared::Shared;
use rand::RngExt;
use rules::{Game, MoveList, Position, Variant};
use std::ops::Range;

/// Part of the random-play game after which the position is taken. The range is our own; others were not measured.
const PART: Range<f64> = 0.3..0.95;

/// The game with this seed if it begins from a sparse board: without the moves that led there, so that limits count from
/// it. `start` is the start of the random-play game.
pub(super) fn begin<V: Variant>(shared: &Shared<V>, seed: GameSeed, start: &Position<V>) -> Option<Game<V>> {
    if shared.config.sparse_share == 0.0 {
        return None;
    }
    let mut rng = seed.rng(0, Purpose::Sparse);
    let (drawn, part): (f32, f64) = (rng.random(), rng.random_range(PART));
    if drawn >= shared.config.sparse_share {
        return None;
    }
    let mut random = RandomGame::new(Game::from_position(shared.rule_set, start.clone()));
    random.play(&mut seed.rng(0, Purpose::RulesMoves));
    let wanted = (f64::from(random.game.ply()) * part) as usize;
    let game = Game::from_position(shared.rules, random.game.positions()[wanted].clone());
    let mut legal = MoveList::new();
    game.legal_moves(&mut legal);
    // It may have been without progress for longer than the settings allow.
    game.outcome(&legal).is_none().then_some(game)
}
