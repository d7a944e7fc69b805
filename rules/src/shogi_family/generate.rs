//! Legal moves, exact: pins and checkers first, then only moves that are legal. One walk serves listing,
//! counting and asking whether there is any move at all; what differs is the [`Sink`].

use super::{Family, KING, KNIGHT, LANCE, PAWN, SILVER};
use crate::moves::{Move, MoveList};
use crate::piece::Kind;
use crate::position::Position;
use crate::side::Side;
use crate::square::Square;
use crate::square_set::SquareSet;
use std::ops::ControlFlow::{self, Break, Continue};

/// Receives legal moves in sets. `Break` ends the walk.
trait Sink<V: Family> {
    /// A piece goes from one square to any of a set.
    fn piece(&mut self, side: Side, from: Square, to: V::Set, promotable: bool) -> ControlFlow<()>;
    /// Pawns go one step forward, to each square of the set.
    fn pawns(&mut self, side: Side, to: V::Set) -> ControlFlow<()>;
    /// A piece in hand is dropped on any of a set.
    fn drops(&mut self, slot: usize, to: V::Set) -> ControlFlow<()>;
}

/// Appends the moves to a list.
struct Lister<'a>(&'a mut MoveList);

impl Lister<'_> {
    /// Promotion is forced: a move that touches the zone promotes.
    #[inline(always)]
    fn push(&mut self, mv: Move, promotes: bool) {
        self.0.push(if promotes { mv.promoting() } else { mv });
    }
}

impl<V: Family> Sink<V> for Lister<'_> {
    #[inline(always)]
    fn piece(&mut self, side: Side, from: Square, to: V::Set, promotable: bool) -> ControlFlow<()> {
        let zone = V::zone(side);
        let leaves_zone = zone.has(from);
        for square in to.squares() {
            self.push(Move::board(from, square), promotable && (leaves_zone || zone.has(square)));
        }
        Continue(())
    }

    #[inline(always)]
    fn pawns(&mut self, side: Side, to: V::Set) -> ControlFlow<()> {
        let zone = V::zone(side);
        for square in to.squares() {
            let from = match side {
                Side::First => square.index() - V::FILES,
                Side::Second => square.index() + V::FILES,
            };
            // A pawn never leaves the zone: there it is promoted, or it was dropped and enters again.
            self.push(Move::board(Square::new(from), square), zone.has(square));
        }
        Continue(())
    }

    #[inline(always)]
    fn drops(&mut self, slot: usize, to: V::Set) -> ControlFlow<()> {
        for square in to.squares() {
            self.0.push(Move::drop(slot, square));
        }
        Continue(())
    }
}

/// Counts the moves.
struct Counter(usize);

impl<V: Family> Sink<V> for Counter {
    #[inline(always)]
    fn piece(&mut self, _: Side, _: Square, to: V::Set, _: bool) -> ControlFlow<()> {
        self.0 += to.len();
        Continue(())
    }

    #[inline(always)]
    fn pawns(&mut self, _: Side, to: V::Set) -> ControlFlow<()> {
        self.0 += to.len();
        Continue(())
    }

    #[inline(always)]
    fn drops(&mut self, _: usize, to: V::Set) -> ControlFlow<()> {
        self.0 += to.len();
        Continue(())
    }
}

/// Stops at the first move.
struct Finder;

#[inline(always)]
fn stop_at<S: SquareSet>(to: S) -> ControlFlow<()> {
    if to.is_empty() { Continue(()) } else { Break(()) }
}

impl<V: Family> Sink<V> for Finder {
    #[inline(always)]
    fn piece(&mut self, _: Side, _: Square, to: V::Set, _: bool) -> ControlFlow<()> {
        stop_at(to)
    }

    #[inline(always)]
    fn pawns(&mut self, _: Side, to: V::Set) -> ControlFlow<()> {
        stop_at(to)
    }

    #[inline(always)]
    fn drops(&mut self, _: usize, to: V::Set) -> ControlFlow<()> {
        stop_at(to)
    }
}

/// Appends all legal moves.
pub(crate) fn generate<V: Family>(position: &Position<V>, moves: &mut MoveList) {
    let _ = walk(position, &mut Lister(moves));
}

/// Number of legal moves.
pub(crate) fn count<V: Family>(position: &Position<V>) -> usize {
    let mut counter = Counter(0);
    let _ = walk(position, &mut counter);
    counter.0
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

/// All pieces of some kinds, of both sides.
#[inline(always)]
pub(super) fn union<V: Family>(position: &Position<V>, kinds: &[Kind]) -> V::Set {
    kinds.iter().fold(V::Set::EMPTY, |set, &kind| set | position.kinds.as_ref()[kind])
}

/// Pieces of `by` that attack `target` by a step or a leap.
#[inline(always)]
fn short_attackers<V: Family>(position: &Position<V>, by: Side, target: Square) -> V::Set {
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

/// Whether a piece of this kind can promote.
#[inline(always)]
pub(super) fn promotable<V: Family>(kind: Kind) -> bool {
    V::promoted(kind) != kind
}

/// Hands every legal move to the sink.
#[inline(always)]
fn walk<V: Family, S: Sink<V>>(position: &Position<V>, sink: &mut S) -> ControlFlow<()> {
    let us = position.side();
    let them = us.other();
    let (own, enemy) = (position.pieces(us), position.pieces(them));
    let occupied = own | enemy;
    let Some(king) = position.pieces_of(us, KING).first() else { return Continue(()) };

    // Seen from the king through its own pieces: nothing between is a check, one piece between a pin.
    let mut checkers = short_attackers(position, them, king);
    let mut pinned = V::Set::EMPTY;
    let snipers = sliders(position, them, king, enemy);
    for sniper in snipers.squares() {
        let between = V::between(king, sniper) & own;
        if between.is_empty() {
            checkers |= V::Set::of(sniper);
        } else if is_single(between) {
            pinned |= between;
        }
    }

    let without_king = occupied ^ V::Set::of(king);
    let mut safe = V::king(king) & !own;
    for square in safe.squares() {
        if !attackers(position, them, square, without_king).is_empty() {
            safe ^= V::Set::of(square);
        }
    }
    sink.piece(us, king, safe, false)?;

    let targets = if let Some(checker) = checkers.first() {
        if !is_single(checkers) {
            return Continue(());
        }
        V::between(king, checker) | checkers
    } else {
        // A pinned piece stays on its line; in check it has no move at all, since two lines meet only in the king.
        if !pinned.is_empty() {
            for sniper in snipers.squares() {
                let between = V::between(king, sniper);
                if let Some(piece) = (between & own).first().filter(|_| is_single(between & own)) {
                    let kind = position.cell(piece).kind();
                    let line = between | V::Set::of(sniper);
                    let to = attacks::<V>(us, kind, piece, occupied) & line & !own;
                    sink.piece(us, piece, to, promotable::<V>(kind))?;
                }
            }
        }
        V::BOARD & !own
    };

    let kinds = position.kinds.as_ref();
    let free = own & !pinned;
    sink.pawns(us, V::forward(us, kinds[PAWN] & free) & targets)?;
    for from in (kinds[LANCE] & free).squares() {
        sink.piece(us, from, V::lance(us, from, occupied) & targets, true)?;
    }
    for from in (kinds[KNIGHT] & free).squares() {
        sink.piece(us, from, V::knight(us, from) & targets, true)?;
    }
    for from in (kinds[SILVER] & free).squares() {
        sink.piece(us, from, V::silver(us, from) & targets, true)?;
    }
    for from in (union(position, V::GOLDS) & free).squares() {
        sink.piece(us, from, V::gold(us, from) & targets, false)?;
    }
    let (steppers, leapers) = (union(position, V::STEPPERS), union(position, V::LEAPERS));
    let also = |from: Square| {
        let steps = if steppers.has(from) { V::king(from) } else { V::Set::EMPTY };
        let leaps = if leapers.has(from) { V::leaps(from) } else { V::Set::EMPTY };
        steps | leaps
    };
    for from in (union(position, V::DIAGONALS) & free).squares() {
        // Of the sliders exactly the promoted ones have the king's steps.
        sink.piece(us, from, (V::bishop(from, occupied) | also(from)) & targets, !steppers.has(from))?;
    }
    for from in (union(position, V::ORTHOGONALS) & free).squares() {
        sink.piece(us, from, (V::rook(from, occupied) | also(from)) & targets, !steppers.has(from))?;
    }

    let empty = targets & !occupied;
    for (slot, &held) in position.hand(us).iter().enumerate() {
        if held > 0 {
            let kind = V::HAND_FIRST + slot;
            let mut to = empty & !V::dead(us, kind);
            if kind == PAWN {
                to &= !V::files(kinds[PAWN] & own);
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
