//! Legal moves, exact: pins and checkers first, then only moves that are legal. One walk serves listing,
//! counting and asking whether there is any move at all; what differs is the [`Sink`].

use super::attacks::{aligned, attacked_near, attackers, attacks, short_attackers, union};
use super::drop_mate::drop_mate;
use super::sinks::{Counter, Destinations, Finder, Lister, Sink};
use super::{Family, KING, KNIGHT, LANCE, PAWN, SILVER};
use crate::moves::MoveList;
use crate::piece::Kind;
use crate::popcnt::with_popcnt;
use crate::position::Position;
use crate::side::Side;
use crate::square::Square;
use crate::square_set::SquareSet;
use std::ops::ControlFlow::{self, Continue};

/// Appends all legal moves.
pub(crate) fn generate<V: Family>(position: &Position<V>, moves: &mut MoveList) {
    let _ = walk(position, &mut Lister(moves));
}

/// Number of legal moves.
pub(crate) fn count<V: Family>(position: &Position<V>) -> usize {
    with_popcnt(|| {
        let mut counter = Counter(0);
        let _ = walk(position, &mut counter);
        counter.0
    })
}

/// Whether there is a legal move.
pub(super) fn can_move<V: Family>(position: &Position<V>) -> bool {
    walk(position, &mut Finder).is_break()
}

/// Whether the side to move is in check.
pub(crate) fn is_check<V: Family>(position: &Position<V>) -> bool {
    let us = position.side();
    position
        .pieces_of(us, KING)
        .first()
        .is_some_and(|king| !attackers(position, us.other(), king, position.occupied()).is_empty())
}

/// Whether a piece of this kind can promote.
#[inline(always)]
pub(super) fn promotable<V: Family>(kind: Kind) -> bool {
    V::promoted(kind) != kind
}

/// Hands every legal move to the sink.
#[inline(always)]
fn walk<V: Family, S: Sink<V>>(position: &Position<V>, sink: &mut S) -> ControlFlow<()> {
    // Once for each side, so that what depends on it is a constant.
    match position.side() {
        Side::First => walk_as(position, Side::First, sink),
        Side::Second => walk_as(position, Side::Second, sink),
    }
}

#[inline(always)]
fn walk_as<V: Family, S: Sink<V>>(position: &Position<V>, us: Side, sink: &mut S) -> ControlFlow<()> {
    let them = us.other();
    let (own, enemy) = (position.pieces(us), position.pieces(them));
    let occupied = own | enemy;
    let Some(king) = position.pieces_of(us, KING).first() else { return Continue(()) };

    // Nothing between the king and a slider is a check, one own piece between a pin.
    let mut checkers = short_attackers(position, them, king);
    let (mut pinned, mut pinners) = (V::Set::EMPTY, V::Set::EMPTY);
    for sniper in aligned(position, them, king).squares() {
        let between = V::between(king, sniper) & occupied;
        if between.is_empty() {
            checkers |= V::Set::of(sniper);
        } else if is_single(between) && !(between & own).is_empty() {
            pinned |= between;
            pinners |= V::Set::of(sniper);
        }
    }

    let mut steps = V::king(king) & !own;
    if !steps.is_empty() {
        steps &= !attacked_near(position, them, king, occupied ^ V::Set::of(king));
    }
    sink.piece(king, Destinations::plain(steps))?;

    let targets = if let Some(checker) = checkers.first() {
        if !is_single(checkers) {
            return Continue(());
        }
        V::between(king, checker) | checkers
    } else {
        // A pinned piece stays on its line; in check it has no move at all, since two lines meet only in the king.
        for pinner in pinners.squares() {
            let line = V::between(king, pinner) | V::Set::of(pinner);
            if let Some(piece) = (line & own).first() {
                let kind = position.cell(piece).kind();
                let to = attacks::<V>(us, kind, piece, occupied) & line & !own;
                let promotes = promotable::<V>(kind);
                sink.piece(
                    piece,
                    if promotes { Destinations::of(us, kind, piece, to) } else { Destinations::plain(to) },
                )?;
            }
        }
        V::BOARD & !own
    };

    let kinds = position.kinds.as_ref();
    let free = own & !pinned;
    // A pawn never leaves the zone: it enters it, or moves forward inside it.
    let pawns = V::forward(us, kinds[PAWN] & free) & targets;
    sink.pawns(us, Destinations::promoting(pawns, pawns & V::zone(us), V::dead(us, PAWN)))?;
    for from in (kinds[LANCE] & free).squares() {
        sink.piece(from, Destinations::of(us, LANCE, from, V::lance(us, from, occupied) & targets))?;
    }
    for from in (kinds[KNIGHT] & free).squares() {
        sink.piece(from, Destinations::of(us, KNIGHT, from, V::knight(us, from) & targets))?;
    }
    for from in (kinds[SILVER] & free).squares() {
        sink.piece(from, Destinations::of(us, SILVER, from, V::silver(us, from) & targets))?;
    }
    for from in (union(position, V::GOLDS) & free).squares() {
        sink.piece(from, Destinations::plain(V::gold(us, from) & targets))?;
    }
    let (steppers, leapers) = (union(position, V::STEPPERS), union(position, V::LEAPERS));
    let also = |from: Square| {
        let steps = if steppers.has(from) { V::king(from) } else { V::Set::EMPTY };
        let leaps = if leapers.has(from) { V::leaps(from) } else { V::Set::EMPTY };
        steps | leaps
    };
    // Of the sliders exactly the promoted ones have the king's steps. None of the others can get stuck.
    let mut slider = |from: Square, to: V::Set| {
        let promoted = steppers.has(from);
        sink.piece(from, if promoted { Destinations::plain(to) } else { Destinations::of(us, KING, from, to) })
    };
    for from in (union(position, V::DIAGONALS) & free).squares() {
        slider(from, (V::bishop(from, occupied) | also(from)) & targets)?;
    }
    for from in (union(position, V::ORTHOGONALS) & free).squares() {
        slider(from, (V::rook(from, occupied) | also(from)) & targets)?;
    }

    let empty = targets & !occupied;
    for (slot, &held) in position.hand(us).iter().enumerate() {
        if held > 0 {
            let kind = V::HAND_FIRST + slot;
            let mut to = empty & !V::dead(us, kind);
            if kind == PAWN {
                to &= !V::files(kinds[PAWN] & own);
                if !V::PAWN_DROP_MAY_MATE {
                    to &= !drop_mate(position, us, to);
                }
            }
            sink.drops(slot, to)?;
        }
    }
    Continue(())
}

/// Whether a set that is not empty has one square only.
#[inline(always)]
fn is_single<S: SquareSet>(mut set: S) -> bool {
    set.pop();
    set.is_empty()
}
