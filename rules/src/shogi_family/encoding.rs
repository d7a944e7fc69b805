//! What a network sees of the games of the family: promotion zones and attacks.

use super::Family;
use super::attacks::attacked_from;
use crate::encoded::Encoded;
use crate::position::Position;
use crate::side::Side;
use crate::square::Square;
use crate::square_set::SquareSet;

impl<V: Family> Encoded for V {
    /// The promotion zones: the first player's, the second player's.
    const MASK_PLANES: usize = 2;
    const KNOWS_ATTACKS: bool = true;

    fn may_go(from: Square, to: Square) -> bool {
        let leaps = if V::LEAPERS.is_empty() { V::knight(Side::First, from) } else { V::leaps(from) };
        (V::orthogonals(from) | V::diagonals(from) | leaps).has(to)
    }

    fn may_promote(from: Square, to: Square) -> bool {
        let zone = V::zone(Side::First);
        zone.has(from) || zone.has(to)
    }

    #[inline]
    fn attacks(position: &Position<Self>, from: Square) -> Self::Set {
        attacked_from(position, from)
    }

    fn mask(index: usize) -> Self::Set {
        Self::ZONES[index]
    }
}
