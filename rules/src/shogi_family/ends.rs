//! Repetition 千日手: the fourth occurrence of a position ends the game.

use super::Family;
use crate::game::Game;
use crate::outcome::{Outcome, Termination};

/// Earlier occurrences that make the present one the fourth.
const EARLIER: usize = 3;

/// The end by repetition. A side that gave check with every move after the first of the four occurrences
/// loses; if neither or both did, it is a draw.
pub(crate) fn repetition<V: Family>(game: &Game<V>) -> Option<Outcome> {
    let first = game.earlier_occurrences().nth(EARLIER - 1)?;
    Some(match game.sole_checker_since(first) {
        Some(loser) => Outcome::win(loser.other(), Termination::PerpetualCheck),
        None => Outcome::draw(Termination::Repetition),
    })
}
