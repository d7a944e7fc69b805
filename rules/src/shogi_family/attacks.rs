//! Attacks: which pieces attack a square, and which squares a piece attacks.

use super::{Family, KNIGHT, LANCE, PAWN, SILVER};
use crate::piece::Kind;
use crate::position::Position;
use crate::side::Side;
use crate::square::Square;
use crate::square_set::SquareSet;

/// All pieces of some kinds, of both sides.
#[inline(always)]
pub(super) fn union<V: Family>(position: &Position<V>, kinds: &[Kind]) -> V::Set {
    kinds.iter().fold(V::Set::EMPTY, |set, &kind| set | position.kinds.as_ref()[kind])
}

/// Pieces of `by` that attack `target` by a step or a leap.
#[inline(always)]
pub(super) fn short_attackers<V: Family>(position: &Position<V>, by: Side, target: Square) -> V::Set {
    let kinds = position.kinds.as_ref();
    // Where a piece of `by` must stand to attack the target, the other side's piece would go from there.
    let back = by.other();
    let found = V::forward(back, V::Set::of(target)) & kinds[PAWN]
        | V::knight(back, target) & kinds[KNIGHT]
        | V::silver(back, target) & kinds[SILVER]
        | V::gold(back, target) & union(position, V::GOLDS)
        | V::king(target) & union(position, V::STEPPERS)
        | V::leaps(target) & union(position, V::LEAPERS);
    found & position.pieces(by)
}

/// Pieces of `by` that attack `target` along a line, on a board with these squares occupied.
#[inline(always)]
pub(super) fn sliders<V: Family>(position: &Position<V>, by: Side, target: Square, occupied: V::Set) -> V::Set {
    let found = V::lance(by.other(), target, occupied) & position.kinds.as_ref()[LANCE]
        | V::bishop(target, occupied) & union(position, V::DIAGONALS)
        | V::rook(target, occupied) & union(position, V::ORTHOGONALS);
    found & position.pieces(by)
}

/// Pieces of `by` that attack `target`.
#[inline(always)]
pub(super) fn attackers<V: Family>(position: &Position<V>, by: Side, target: Square, occupied: V::Set) -> V::Set {
    short_attackers(position, by, target) | sliders(position, by, target, occupied)
}

/// Squares a piece of this kind attacks.
#[inline]
pub(super) fn attacks<V: Family>(side: Side, kind: Kind, from: Square, occupied: V::Set) -> V::Set {
    match kind {
        PAWN => return V::forward(side, V::Set::of(from)),
        LANCE => return V::lance(side, from, occupied),
        KNIGHT => return V::knight(side, from),
        SILVER => return V::silver(side, from),
        _ if V::GOLDS.contains(&kind) => return V::gold(side, from),
        _ => {}
    }
    let mut set = V::Set::EMPTY;
    if V::DIAGONALS.contains(&kind) {
        set |= V::bishop(from, occupied);
    }
    if V::ORTHOGONALS.contains(&kind) {
        set |= V::rook(from, occupied);
    }
    if V::STEPPERS.contains(&kind) {
        set |= V::king(from);
    }
    if V::LEAPERS.contains(&kind) {
        set |= V::leaps(from);
    }
    set
}

/// Squares the piece on a square attacks.
#[inline]
pub(super) fn attacked_from<V: Family>(position: &Position<V>, from: Square) -> V::Set {
    let cell = position.cell(from);
    attacks::<V>(cell.side(), cell.kind(), from, position.occupied())
}

/// Enemy sliders that would attack the king of the other side on an empty board, with what they attack it along.
#[inline(always)]
pub(super) fn aligned<V: Family>(position: &Position<V>, by: Side, king: Square) -> V::Set {
    let found = V::lance(by.other(), king, V::Set::EMPTY) & position.kinds.as_ref()[LANCE]
        | V::diagonals(king) & union(position, V::DIAGONALS)
        | V::orthogonals(king) & union(position, V::ORTHOGONALS);
    found & position.pieces(by)
}

/// Squares `by` attacks on a board with these squares occupied: right on the neighbours of the king's square,
/// elsewhere some are missing.
#[inline(always)]
pub(super) fn attacked_near<V: Family>(position: &Position<V>, by: Side, king: Square, occupied: V::Set) -> V::Set {
    let kinds = position.kinds.as_ref();
    let theirs = position.pieces(by);
    let (pawns, knights, silvers) = (kinds[PAWN] & theirs, kinds[KNIGHT] & theirs, kinds[SILVER] & theirs);
    let golds = union(position, V::GOLDS) & theirs;
    let front = V::forward(by, golds | silvers);
    let beside = V::sideways(front | golds | V::forward(by.other(), silvers) | V::forward(by, V::forward(by, knights)));
    let mut found = V::forward(by, pawns) | front | beside | V::forward(by.other(), golds);
    for from in (union(position, V::STEPPERS) & theirs).squares() {
        found |= V::king(from);
    }
    for from in (union(position, V::LEAPERS) & theirs).squares() {
        found |= V::leaps(from);
    }
    let (orthogonals, diagonals) = (V::near_orthogonals(king) & theirs, V::near_diagonals(king) & theirs);
    for from in (kinds[LANCE] & orthogonals).squares() {
        found |= V::lance(by, from, occupied);
    }
    for from in (union(position, V::ORTHOGONALS) & orthogonals).squares() {
        found |= V::rook(from, occupied);
    }
    for from in (union(position, V::DIAGONALS) & diagonals).squares() {
        found |= V::bishop(from, occupied);
    }
    found
}
