//! What a network sees of Xiangqi: palaces, the river, and attacks.

use super::Xiangqi;
use super::moves::{self, HALVES};
use crate::encoded::Encoded;
use crate::nine_by_ten::PALACES;
use crate::position::Position;
use crate::square::Square;

impl Encoded for Xiangqi {
    /// The palaces; the mover's half of the board.
    const MASK_PLANES: usize = 2;
    const KNOWS_ATTACKS: bool = true;

    #[inline]
    fn attacks(position: &Position<Self>, from: Square) -> u128 {
        moves::attacks(position, from)
    }

    fn mask(index: usize) -> u128 {
        if index == 0 { PALACES[0] | PALACES[1] } else { HALVES[0] }
    }
}
