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
    fn piece(&mut self, from: Square, to: Destinations<V>) -> ControlFlow<()>;
    /// Pawns go one step forward.
    fn pawns(&mut self, side: Side, to: Destinations<V>) -> ControlFlow<()>;
    /// A piece in hand is dropped on any of a set.
    fn drops(&mut self, slot: usize, to: V::Set) -> ControlFlow<()>;
}

/// Where pieces go. The two sets overlap where promotion is by choice.
#[derive(Clone, Copy)]
struct Destinations<V: Family> {
    staying: V::Set,
    promoting: V::Set,
}

impl<V: Family> Destinations<V> {
    /// Destinations of a piece that does not promote.
    #[inline(always)]
    fn plain(to: V::Set) -> Self {
        Destinations { staying: to, promoting: V::Set::EMPTY }
    }

    /// Destinations of a piece that promotes on some of them, and has to on those that are dead for it.
    #[inline(always)]
    fn promoting(to: V::Set, promoting: V::Set, dead: V::Set) -> Self {
        Destinations { staying: to & !(if V::PROMOTION_BY_CHOICE { dead } else { promoting }), promoting }
    }

    /// Destinations of an unpromoted piece of this kind.
    #[inline(always)]
    fn of(side: Side, kind: Kind, from: Square, to: V::Set) -> Self {
        let zone = V::zone(side);
        let promoting = if zone.has(from) { to } else { to & zone };
        Destinations::promoting(to, promoting, V::dead(side, kind))
    }

    #[inline(always)]
    fn len(self) -> usize {
        if V::PROMOTION_BY_CHOICE {
            self.staying.len() + self.promoting.len()
        } else {
            (self.staying | self.promoting).len()
        }
    }

    /// Every destination, with whether a piece that goes there promotes; those of both kinds come twice.
    #[inline(always)]
    fn for_each(self, mut visit: impl FnMut(Square, bool)) {
        if V::PROMOTION_BY_CHOICE {
            self.staying.squares().for_each(|square| visit(square, false));
            self.promoting.squares().for_each(|square| visit(square, true));
        } else {
            (self.staying | self.promoting).squares().for_each(|square| visit(square, self.promoting.has(square)));
        }
    }
}

/// Appends the moves to a list.
struct Lister<'a>(&'a mut MoveList);

impl Lister<'_> {
    #[inline(always)]
    fn push(&mut self, mv: Move, promotes: bool) {
        self.0.push(if promotes { mv.promoting() } else { mv });
    }
}

impl<V: Family> Sink<V> for Lister<'_> {
    #[inline(always)]
    fn piece(&mut self, from: Square, to: Destinations<V>) -> ControlFlow<()> {
        to.for_each(|square, promotes| self.push(Move::board(from, square), promotes));
        Continue(())
    }

    #[inline(always)]
    fn pawns(&mut self, side: Side, to: Destinations<V>) -> ControlFlow<()> {
        to.for_each(|square, promotes| {
            let from = match side {
                Side::First => square.index() - V::FILES,
                Side::Second => square.index() + V::FILES,
            };
            self.push(Move::board(Square::new(from), square), promotes);
        });
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
    fn piece(&mut self, _: Square, to: Destinations<V>) -> ControlFlow<()> {
        self.0 += to.len();
        Continue(())
    }

    #[inline(always)]
    fn pawns(&mut self, _: Side, to: Destinations<V>) -> ControlFlow<()> {
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
    fn piece(&mut self, _: Square, to: Destinations<V>) -> ControlFlow<()> {
        stop_at(to.staying | to.promoting)
    }

    #[inline(always)]
    fn pawns(&mut self, _: Side, to: Destinations<V>) -> ControlFlow<()> {
        stop_at(to.staying | to.promoting)
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
    sink.piece(king, Destinations::plain(safe))?;

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
                    let to = if promotable::<V>(kind) {
                        Destinations::of(us, kind, piece, to)
                    } else {
                        Destinations::plain(to)
                    };
                    sink.piece(piece, to)?;
                }
            }
        }
        V::BOARD & !own
    };

    let kinds = position.kinds.as_ref();
    let free = own & !pinned;
    // A pawn never leaves the zone: it enters, or it was in it and goes on.
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
                    to &= !drop_mate(position, to);
                }
            }
            sink.drops(slot, to)?;
        }
    }
    Continue(())
}

/// The square on which a dropped pawn would mate (打ち歩詰め), if it is in `to`; mostly there is none.
#[inline(always)]
fn drop_mate<V: Family>(position: &Position<V>, to: V::Set) -> V::Set {
    let us = position.side();
    let Some(king) = position.pieces_of(us.other(), KING).first() else { return V::Set::EMPTY };
    let front = V::forward(us.other(), V::Set::of(king)) & to;
    match front.first() {
        // The king takes a pawn that nothing defends.
        Some(square) if !attackers(position, us, square, position.occupied()).is_empty() && mates(position, square) => {
            front
        }
        _ => V::Set::EMPTY,
    }
}

/// Whether a pawn dropped on the square leaves the opponent without a move. In check from the neighbouring
/// square nothing can be dropped, so that this does not ask itself again.
#[inline(never)]
fn mates<V: Family>(position: &Position<V>, square: Square) -> bool {
    let mut next = position.clone();
    next.play(Move::drop(PAWN - V::HAND_FIRST, square));
    !can_move(&next)
}

/// Whether a set that is not empty has one square only.
#[inline(always)]
fn is_single<S: SquareSet>(mut set: S) -> bool {
    set.pop();
    set.is_empty()
}
