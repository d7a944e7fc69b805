//! What a third occurrence of a position means.

use super::safety::checkers;
use super::{Preset, Xiangqi};
use crate::game::Game;
use crate::outcome::{Outcome, Termination};
use crate::side::Side;

/// The verdict if the present position stands for the third time; `None` otherwise.
pub(super) fn verdict(game: &Game<Xiangqi>) -> Option<Outcome> {
    // No position returns within three plies.
    if game.position().quiet_plies() < 8 {
        return None;
    }
    let first = game.earlier_occurrences().nth(1)?;
    match game.rules().preset() {
        Preset::Full | Preset::Simple => Some(simple(game, first)),
    }
}

/// Preset `simple`: the side that alone checked with every move of the cycle loses (長將), else a draw.
fn simple(game: &Game<Xiangqi>, first: usize) -> Outcome {
    let cycle = &game.positions()[first + 1..];
    let checks =
        |side: Side| cycle.iter().filter(|after| after.side() != side).all(|after| checkers(after, after.side()) != 0);
    match Side::BOTH.map(checks) {
        [true, false] => Outcome::win(Side::Second, Termination::PerpetualCheck),
        [false, true] => Outcome::win(Side::First, Termination::PerpetualCheck),
        _ => Outcome::draw(Termination::Repetition),
    }
}
