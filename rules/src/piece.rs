//! What stands on a square.

use crate::side::Side;

/// The kind of face a piece shows: an index below the variant's `KINDS`. Promoted faces are kinds of their own.
pub type Kind = usize;

/// A piece of a side, or nothing: one byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct Cell(u8);

impl Cell {
    /// No piece.
    pub const EMPTY: Cell = Cell(0);
    const SIDE: u8 = 0x80;

    /// A piece.
    #[inline(always)]
    pub const fn new(side: Side, kind: Kind) -> Cell {
        Cell((kind as u8 + 1) | if matches!(side, Side::Second) { Self::SIDE } else { 0 })
    }

    /// Whether no piece stands here.
    #[inline(always)]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The piece's owner and kind; `None` if there is none.
    #[inline(always)]
    pub const fn piece(self) -> Option<(Side, Kind)> {
        if self.0 == 0 { None } else { Some((self.side(), self.kind())) }
    }

    /// The owner. Meaningless for an empty cell.
    #[inline(always)]
    pub(crate) const fn side(self) -> Side {
        if self.0 & Self::SIDE != 0 { Side::Second } else { Side::First }
    }

    /// The kind. Meaningless for an empty cell.
    #[inline(always)]
    pub(crate) const fn kind(self) -> Kind {
        ((self.0 & !Self::SIDE).wrapping_sub(1)) as usize
    }
}
