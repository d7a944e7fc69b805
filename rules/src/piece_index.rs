//! Where the pieces of each kind stand: sets, or whatever a variant keeps instead.

use crate::piece::{Cell, Kind};
use crate::side::Side;
use crate::square::Square;
use crate::square_set::SquareSet;
use std::fmt::Debug;

/// A view of the pieces by kind, kept up to date with every piece put on the board and taken from it.
///
/// `[Set; KINDS]` is the usual one. A variant with many kinds on a large board keeps what its rules ask for
/// instead, so that copying a position stays cheap.
pub trait PieceIndex<S: SquareSet>: Copy + Debug + PartialEq + Eq + Send + Sync {
    /// A piece has been put on an empty square.
    fn put(&mut self, side: Side, kind: Kind, square: Square);
    /// A piece has been taken away.
    fn take(&mut self, side: Side, kind: Kind, square: Square);
    /// All pieces of one kind of a side; `cells` is the mailbox and `sides` are the pieces of each side.
    fn pieces_of(&self, cells: &[Cell], sides: &[S; 2], side: Side, kind: Kind) -> S;
}

impl<S: SquareSet, const KINDS: usize> PieceIndex<S> for [S; KINDS] {
    #[inline(always)]
    fn put(&mut self, _side: Side, kind: Kind, square: Square) {
        self[kind] ^= S::of(square);
    }

    #[inline(always)]
    fn take(&mut self, _side: Side, kind: Kind, square: Square) {
        self[kind] ^= S::of(square);
    }

    #[inline(always)]
    fn pieces_of(&self, _cells: &[Cell], sides: &[S; 2], side: Side, kind: Kind) -> S {
        self[kind] & sides[side.index()]
    }
}
