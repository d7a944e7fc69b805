//! What a network sees of a variant beyond pieces, hands and counters.

use crate::moves::Move;
use crate::position::Position;
use crate::rulebook::Rulebook;
use crate::square::Square;
use crate::square_set::SquareSet;

/// The input features and policy tokens that a chess variant adds to those of every variant ([`crate::encode`]).
pub trait Encoded: Rulebook {
    /// Constant planes that a network sees in addition to pieces, hands and counters (palaces, river, zones).
    const MASK_PLANES: usize = 0;
    /// Whether a pass belongs to a piece, so that a position may have several: the squares of such a pass are
    /// its tokens in the policy, not the pass token.
    const PASSES_BY_PIECE: bool = false;
    /// Whether [`Encoded::attacks`] is implemented.
    const KNOWS_ATTACKS: bool = false;

    /// Whether source, destination and promotion tell the legal moves of every position apart, so that moves have
    /// numbers in a fixed table ([`crate::Actions`]).
    const NUMBERED: bool = true;

    /// Whether a piece of the first player may go from one square to another on some board. Moves for which this is
    /// `false` have no number in [`crate::Actions`], so that the table is short.
    fn may_go(from: Square, to: Square) -> bool {
        let _ = (from, to);
        true
    }

    /// Whether a piece of the first player may promote with such a move.
    fn may_promote(from: Square, to: Square) -> bool {
        let _ = (from, to);
        false
    }

    /// Squares on which the piece on `from` could capture an enemy that stood there, whichever side is to move and
    /// whatever the capture would expose. Squares of own pieces are included: those are protected. Called only for
    /// variants with [`Encoded::KNOWS_ATTACKS`].
    fn attacks(position: &Position<Self>, from: Square) -> Self::Set {
        let _ = (position, from);
        Self::Set::EMPTY
    }

    /// Squares of constant plane `index` (below [`Encoded::MASK_PLANES`]), as the side to move sees the board: equal
    /// for both players, so a player's own zone is the first player's zone.
    fn mask(index: usize) -> Self::Set {
        let _ = index;
        Self::Set::EMPTY
    }

    /// Further squares a move touches (via points, shot targets), written to `out`; returns how many.
    fn via_squares(position: &Position<Self>, mv: Move, out: &mut [Square; 5]) -> usize {
        let _ = (position, mv, out);
        0
    }
}
