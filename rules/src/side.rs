//! The two players.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// A player. `First` moves first: Red in Xiangqi, Cho in Janggi, Sente in Shogi and Wangqi, Black in
/// Kō shogi. In FEN the first player is `w` and upper case in every variant, as Fairy-Stockfish writes it.
/// Files of games hold the [index](Side::index), 0 or 1; people read the [name](Side::name).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(into = "u32", try_from = "u32")]
#[repr(u8)]
pub enum Side {
    /// The first player.
    First = 0,
    /// The second player.
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

    /// The name for people.
    pub const fn name(self) -> &'static str {
        match self {
            Side::First => "first",
            Side::Second => "second",
        }
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
        f.write_str(self.name())
    }
}

impl FromStr for Side {
    type Err = UnknownSide;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Side::BOTH.into_iter().find(|side| side.name() == text).ok_or_else(|| UnknownSide(text.to_owned()))
    }
}

impl From<Side> for u32 {
    fn from(side: Side) -> u32 {
        side as u32
    }
}

impl TryFrom<u32> for Side {
    type Error = UnknownSide;

    fn try_from(index: u32) -> Result<Self, Self::Error> {
        Side::BOTH.get(index as usize).copied().ok_or_else(|| UnknownSide(index.to_string()))
    }
}

/// A word or an index that does not stand for a side.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is not a side: first is 0, second is 1")]
pub struct UnknownSide(pub String);
