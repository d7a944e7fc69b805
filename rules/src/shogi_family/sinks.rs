//! What becomes of legal moves: listed, counted, or only asked for.

use super::Family;
use crate::moves::{Move, MoveList};
use crate::piece::Kind;
use crate::side::Side;
use crate::square::Square;
use crate::square_set::SquareSet;
use std::ops::ControlFlow::{self, Break, Continue};

/// Receives legal moves in sets. `Break` ends the walk.
pub(super) trait Sink<V: Family> {
    /// A piece goes from one square to any of a set.
    fn piece(&mut self, from: Square, to: Destinations<V>) -> ControlFlow<()>;
    /// Pawns go one step forward.
    fn pawns(&mut self, side: Side, to: Destinations<V>) -> ControlFlow<()>;
    /// A piece in hand is dropped on any of a set.
    fn drops(&mut self, slot: usize, to: V::Set) -> ControlFlow<()>;
}

/// Where pieces go. The two sets overlap where promotion is by choice.
#[derive(Clone, Copy)]
pub(super) struct Destinations<V: Family> {
    staying: V::Set,
    promoting: V::Set,
}

impl<V: Family> Destinations<V> {
    /// Destinations of a piece that does not promote.
    #[inline(always)]
    pub(super) fn plain(to: V::Set) -> Self {
        Destinations { staying: to, promoting: V::Set::EMPTY }
    }

    /// Destinations of a piece that promotes on some of them, and has to on those that are dead for it.
    #[inline(always)]
    pub(super) fn promoting(to: V::Set, promoting: V::Set, dead: V::Set) -> Self {
        Destinations { staying: to & !(if V::PROMOTION_BY_CHOICE { dead } else { promoting }), promoting }
    }

    /// Destinations of an unpromoted piece of this kind.
    #[inline(always)]
    pub(super) fn of(side: Side, kind: Kind, from: Square, to: V::Set) -> Self {
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
pub(super) struct Lister<'a>(pub(super) &'a mut MoveList);

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
pub(super) struct Counter(pub(super) usize);

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
pub(super) struct Finder;

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
