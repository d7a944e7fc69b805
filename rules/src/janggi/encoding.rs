//! What a network sees of Janggi: the palaces, and attacks.

use super::Janggi;
use super::moves::{self, ELEPHANTS, PALACE_LINES};
use crate::encoded::Encoded;
use crate::nine_by_ten::{HORSE, PALACE_CENTRES, PALACES};
use crate::position::Position;
use crate::square::Square;

impl Encoded for Janggi {
    /// The palaces; the points on their diagonals.
    const MASK_PLANES: usize = 2;
    const KNOWS_ATTACKS: bool = true;

    fn may_go(from: Square, to: Square) -> bool {
        let point = from.index();
        let points = moves::chariot(point, 0) | HORSE[point].all | ELEPHANTS[point].all;
        points >> to.index() & 1 != 0
    }

    #[inline]
    fn attacks(position: &Position<Self>, from: Square) -> u128 {
        moves::attacks(position, from)
    }

    fn mask(index: usize) -> u128 {
        match index {
            0 => PALACES[0] | PALACES[1],
            _ => PALACE_CENTRES.iter().fold(0, |points, &centre| points | 1 << centre | PALACE_LINES[centre].near),
        }
    }
}
