//! The two players.

use std::fmt;

/// A player. `First` moves first: Red in Xiangqi, Cho in Janggi, Sente in Shogi and Wangqi, Black in
/// Kō shogi. In FEN the first player is `w` and upper case in every variant, as Fairy-Stockfish writes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum Side {
    /// The player who moves first.
    First = 0,
    /// The player who moves second.
    Second = 1,
}

impl Side {
    /// Both sides, in order of moving.
    pub const BOTH: [Side; 2] = [Side::First, Side::Second];

    /// The opponent.
    #[inline(always)]
    pub const fn other(self) -> Side {
        match self {
            Side::First => Side::Second,
            Side::Second => Side::First,
        }
    }

    /// 0 for the first player, 1 for the second: an index into per-side arrays.
    #[inline(always)]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// The letter of the side field in FEN.
    pub const fn fen_letter(self) -> char {
        match self {
            Side::First => 'w',
            Side::Second => 'b',
        }
    }
}

impl fmt::Display for Side {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Side::First => "first",
            Side::Second => "second",
        })
    }
}
