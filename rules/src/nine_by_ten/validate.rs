//! Boards that make sense: generals and the bounds of the pieces.

use super::PALACES;
use super::kinds::GENERAL;
use crate::fen::FenError;
use crate::piece::Kind;
use crate::position::Position;
use crate::rulebook::Rulebook;
use crate::side::Side;
use crate::square_set::SquareSet;

/// Where a kind of piece may stand: its name, the points by side, and what is said of one that stands elsewhere.
pub(crate) struct Bound {
    pub(crate) kind: Kind,
    pub(crate) name: &'static str,
    pub(crate) within: [u128; 2],
    pub(crate) otherwise: &'static str,
}

impl Bound {
    /// The palace of each side.
    pub(crate) const fn palace(kind: Kind, name: &'static str) -> Bound {
        Bound { kind, name, within: PALACES, otherwise: "outside its palace" }
    }
}

/// One general a side, and no piece out of its bounds. Inside them a piece may stand where no game could have
/// brought it: composed positions do that.
///
/// # Errors
/// The first thing that is wrong, with its point.
pub(crate) fn pieces_in_bounds<V: Rulebook<Set = u128>>(
    position: &Position<V>,
    bounds: &[Bound],
) -> Result<(), FenError> {
    for side in Side::BOTH {
        let generals = position.pieces_of(side, GENERAL).count_ones();
        if generals != 1 {
            return Err(FenError::new("board", format!("{generals} generals of the {side} player; expected 1")));
        }
        for bound in bounds {
            if let Some(square) = (position.pieces_of(side, bound.kind) & !bound.within[side.index()]).first() {
                let (name, otherwise) = (bound.name, bound.otherwise);
                let square = square.text(V::FILES);
                let problem = format!("the {side} player's {name} on {square} stands {otherwise}");
                return Err(FenError::new("board", problem));
            }
        }
    }
    Ok(())
}
