//! Repetition 千日手: the fourth occurrence of a position ends the game.

use super::Family;
use crate::game::Game;
use crate::outcome::{Outcome, Termination};
use crate::side::Side;

/// Earlier occurrences that make the present one the fourth.
const EARLIER: usize = 3;

/// The end by repetition. A side that gave check with every move after the first of the four occurrences
/// loses; if neither or both did, it is a draw.
pub(crate) fn repetition<V: Family>(game: &Game<V>) -> Option<Outcome> {
    let first = game.earlier_occurrences().nth(EARLIER - 1)?;
    let since = &game.positions()[first + 1..];
    // The position after a move tells whether that move gave check.
    let checked_always = |side: Side| {
        since.iter().filter(|position| position.side() == side.other()).all(|position| position.is_check())
    };
    Some(match (checked_always(Side::First), checked_always(Side::Second)) {
        (true, false) => Outcome::win(Side::Second, Termination::PerpetualCheck),
        (false, true) => Outcome::win(Side::First, Termination::PerpetualCheck),
        _ => Outcome::draw(Termination::Repetition),
    })
}
