//! Mate by a dropped pawn (打ち歩詰め).

use super::attacks::{attacked_near, attackers, sliders};
use super::{Family, KING};
use crate::position::Position;
use crate::side::Side;
use crate::square_set::SquareSet;

/// The square on which a pawn dropped by `us` would mate, if it is in `to`; mostly there is none.
#[inline(always)]
pub(super) fn drop_mate<V: Family>(position: &Position<V>, us: Side, to: V::Set) -> V::Set {
    let them = us.other();
    let kings = position.pieces_of(them, KING);
    let front = V::forward(them, kings) & to;
    // The king takes a pawn that nothing defends.
    let defended = |square| !attackers(position, us, square, position.occupied()).is_empty();
    match front.first() {
        Some(square) if defended(square) && cannot_answer(position, us, front) => front,
        _ => V::Set::EMPTY,
    }
}

/// Whether a defended pawn of `us` on `front`, before the enemy king, mates it.
fn cannot_answer<V: Family>(position: &Position<V>, us: Side, front: V::Set) -> bool {
    let them = us.other();
    let kings = position.pieces_of(them, KING);
    let (Some(king), Some(square)) = (kings.first(), front.first()) else { return false };
    let occupied = position.occupied() | front;
    let escapes = V::king(king) & !position.pieces(them) & !front;
    if !(escapes & !attacked_near(position, us, king, occupied ^ kings)).is_empty() {
        return false;
    }
    // Another piece takes the pawn, unless it is pinned, and not on the pawn's own file.
    let takers = attackers(position, them, square, occupied) & !kings;
    takers.squares().all(|taker| !sliders(position, us, king, occupied ^ V::Set::of(taker)).is_empty())
}
