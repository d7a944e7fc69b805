//! Moves: one 32-bit code for every variant.

use crate::square::Square;
use serde::{Deserialize, Serialize};
use std::ops::{Deref, DerefMut};

/// A move of any variant, a whole turn in 32 bits.
///
/// | bits | meaning |
/// |---|---|
/// | 0–8 | source square, or [`Move::HAND_BASE`] + hand slot for a drop |
/// | 9–17 | destination square |
/// | 18 | the moving piece promotes |
/// | 19–31 | `via`: what else the move touches; the moving piece gives its meaning (first leg, shots, path) |
///
/// A pass has source = destination and `via` 0. Moves with equal results have one code, so codes may be
/// stored (they are, in Parquet) and compared. As JSON a move is its code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Move(u32);

impl Move {
    /// Sources from here on are hand slots: larger than any square of the largest board (19 × 19 = 361).
    pub const HAND_BASE: usize = 384;
    const NINE: u32 = 0x1ff;
    const PROMOTES: u32 = 1 << 18;

    /// A board move without promotion.
    #[inline(always)]
    pub const fn board(source: Square, destination: Square) -> Move {
        Move(source.0 as u32 | (destination.0 as u32) << 9)
    }

    /// A drop from a hand slot (the variant's kind index within hands).
    #[inline(always)]
    pub const fn drop(hand_slot: usize, destination: Square) -> Move {
        Move((Self::HAND_BASE + hand_slot) as u32 | (destination.0 as u32) << 9)
    }

    /// This move, promoting.
    #[inline(always)]
    pub const fn promoting(self) -> Move {
        Move(self.0 | Self::PROMOTES)
    }

    /// This move with a `via` code (13 bits).
    #[inline(always)]
    pub const fn with_via(self, via: u16) -> Move {
        Move(self.0 & 0x7_ffff | (via as u32 & 0x1fff) << 19)
    }

    /// The code, as stored.
    #[inline(always)]
    pub const fn raw(self) -> u32 {
        self.0
    }

    /// A move from its code. Any code is accepted; [`crate::Position::is_legal`] tells whether the move is legal.
    #[inline(always)]
    pub const fn from_raw(raw: u32) -> Move {
        Move(raw)
    }

    #[inline(always)]
    const fn source(self) -> usize {
        (self.0 & Self::NINE) as usize
    }

    /// The square the piece leaves; `None` for a drop.
    #[inline(always)]
    pub const fn source_square(self) -> Option<Square> {
        if self.source() < Self::HAND_BASE { Some(Square(self.source() as u16)) } else { None }
    }

    /// The hand slot a drop comes from; `None` for a board move.
    #[inline(always)]
    pub const fn hand_slot(self) -> Option<usize> {
        if self.source() >= Self::HAND_BASE { Some(self.source() - Self::HAND_BASE) } else { None }
    }

    /// The square the piece ends on.
    #[inline(always)]
    pub const fn destination(self) -> Square {
        Square((self.0 >> 9 & Self::NINE) as u16)
    }

    /// Whether the moving piece promotes.
    #[inline(always)]
    pub const fn promotes(self) -> bool {
        self.0 & Self::PROMOTES != 0
    }

    /// What else the move touches, 13 bits.
    #[inline(always)]
    pub const fn via(self) -> u16 {
        (self.0 >> 19) as u16
    }

    /// Whether source and destination are the same square and nothing else is touched.
    #[inline(always)]
    pub const fn is_pass(self) -> bool {
        self.source() == self.destination().index() && self.via() == 0
    }
}

/// A list of moves, to be reused: clearing keeps its memory.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MoveList(Vec<Move>);

impl MoveList {
    /// An empty list with room for the moves of most positions.
    pub fn new() -> MoveList {
        MoveList(Vec::with_capacity(256))
    }

    /// Empties the list and keeps its memory.
    #[inline(always)]
    pub fn clear(&mut self) {
        self.0.clear();
    }

    /// Appends a move.
    #[inline(always)]
    pub fn push(&mut self, mv: Move) {
        self.0.push(mv);
    }

    /// Sorts the moves from `start` on by code and leaves each in once.
    pub(crate) fn sort_and_dedup_from(&mut self, start: usize) {
        self.0[start..].sort_unstable();
        let mut kept = start;
        for at in start..self.0.len() {
            if kept == start || self.0[kept - 1] != self.0[at] {
                self.0[kept] = self.0[at];
                kept += 1;
            }
        }
        self.0.truncate(kept);
    }

    /// Keeps the moves for which `keep` holds.
    pub fn retain(&mut self, keep: impl FnMut(&Move) -> bool) {
        self.0.retain(keep);
    }
}

impl Deref for MoveList {
    type Target = [Move];
    #[inline(always)]
    fn deref(&self) -> &[Move] {
        &self.0
    }
}

impl DerefMut for MoveList {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut [Move] {
        &mut self.0
    }
}

impl Extend<Move> for MoveList {
    fn extend<I: IntoIterator<Item = Move>>(&mut self, moves: I) {
        self.0.extend(moves);
    }
}
