//! What a network sees of the games of the family: promotion zones and attacks.

use super::Family;
use super::attacks::attacked_from;
use crate::encoded::Encoded;
use crate::position::Position;
use crate::square::Square;

impl<V: Family> Encoded for V {
    /// The promotion zones: the first player's, the second player's.
    const MASK_PLANES: usize = 2;
    const KNOWS_ATTACKS: bool = true;

    #[inline]
    fn attacks(position: &Position<Self>, from: Square) -> Self::Set {
        attacked_from(position, from)
    }

    fn mask(index: usize) -> Self::Set {
        Self::ZONES[index]
    }
}
