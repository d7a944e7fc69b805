//! What a network sees of Xiangqi: palaces, the river, and attacks.

use super::Xiangqi;
use super::moves::{self, GUARD_STEPS, HALVES};
use crate::encoded::Encoded;
use crate::nine_by_ten::{HORSE, PALACES, lines};
use crate::position::Position;
use crate::square::Square;

impl Encoded for Xiangqi {
    /// The palaces; the own half of the board.
    const MASK_PLANES: usize = 2;
    const KNOWS_ATTACKS: bool = true;

    fn may_go(from: Square, to: Square) -> bool {
        let from = from.index();
        let mut points = lines(from) | HORSE[from].all | GUARD_STEPS[0][from];
        if HALVES[0] >> from & 1 != 0 {
            points |= moves::elephant(from, 0);
        }
        points >> to.index() & 1 != 0
    }

    #[inline]
    fn attacks(position: &Position<Self>, from: Square) -> u128 {
        moves::attacks(position, from)
    }

    fn mask(index: usize) -> u128 {
        if index == 0 { PALACES[0] | PALACES[1] } else { HALVES[0] }
    }
}
