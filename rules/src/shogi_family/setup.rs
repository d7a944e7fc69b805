//! Which setups are positions of the game.

use super::attacks::attackers;
use super::{Family, KING, PAWN};
use crate::fen::FenError;
use crate::notated::Notated;
use crate::position::Position;
use crate::side::Side;
use crate::square_set::SquareSet;

/// One king a side, nothing that could never have moved there, and the side that has just moved not in check.
///
/// # Errors
/// The position breaks one of these conditions.
pub(crate) fn validate<V: Family + Notated>(position: &Position<V>) -> Result<(), FenError> {
    let fault = |problem: String| Err(FenError::new("board", problem));
    for side in Side::BOTH {
        let kings = position.pieces_of(side, KING).len();
        if kings != 1 {
            return fault(format!("the {side} player has {kings} kings; expected 1"));
        }
        for slot in 0..V::HAND_KINDS {
            let kind = V::HAND_FIRST + slot;
            if let Some(square) = (position.pieces_of(side, kind) & V::dead(side, kind)).first() {
                let square = square.text(V::FILES);
                return fault(format!("the {side} player's {} on {square} could never move", V::CODES[kind]));
            }
        }
        let pawns = position.pieces_of(side, PAWN);
        if V::files(pawns).len() != pawns.len() * V::RANKS {
            return fault(format!("the {side} player has two unpromoted pawns on a file"));
        }
    }
    let us = position.side();
    if let Some(king) = position.pieces_of(us.other(), KING).first()
        && !attackers(position, us, king, position.occupied()).is_empty()
    {
        return fault(format!("the {us} player is to move and could take the king"));
    }
    Ok(())
}
