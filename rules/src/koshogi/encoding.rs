//! What a network sees of Kō shogi: camps, attacks, and the points where a move takes.

use super::{CAMPS, Koshogi, attacks, via};
use crate::encoded::Encoded;
use crate::moves::Move;
use crate::position::Position;
use crate::square::Square;
use crate::square_set::Set384;

impl Encoded for Koshogi {
    /// The own camp; the enemy's.
    const MASK_PLANES: usize = 2;
    const PASSES_BY_PIECE: bool = true;
    const KNOWS_ATTACKS: bool = true;
    const NUMBERED: bool = false;

    fn attacks(position: &Position<Self>, from: Square) -> Set384 {
        attacks::attacks(position, from)
    }

    fn mask(index: usize) -> Set384 {
        CAMPS[index]
    }

    fn via_squares(position: &Position<Self>, mv: Move, out: &mut [Square; 5]) -> usize {
        via::taken(position, mv, out)
    }
}
