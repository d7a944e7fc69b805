//! The result of a game.

use crate::side::Side;
use serde::{Deserialize, Serialize};
use std::fmt;

/// The result of a finished game. In files it is a number: +1, 0 or −1, as the first player sees it.
///
/// # Examples
/// ```
/// use rules::{GameResult, Side};
///
/// let result = GameResult::win(Side::Second);
/// assert_eq!(result.number(), -1);
/// assert_eq!(result.for_side(Side::Second), 1);
/// assert_eq!(result.winner(), Some(Side::Second));
/// assert_eq!(GameResult::try_from(-1), Ok(result));
/// assert!(GameResult::try_from(2).is_err());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(into = "i32", try_from = "i32")]
pub enum GameResult {
    /// The player who moved first won.
    FirstWins,
    /// The game was drawn.
    Draw,
    /// The player who moved second won.
    SecondWins,
}

impl GameResult {
    /// Every result.
    pub const ALL: [GameResult; 3] = [GameResult::FirstWins, GameResult::Draw, GameResult::SecondWins];

    /// A win for `winner`.
    pub const fn win(winner: Side) -> GameResult {
        match winner {
            Side::First => GameResult::FirstWins,
            Side::Second => GameResult::SecondWins,
        }
    }

    /// The winner; `None` for a draw.
    pub const fn winner(self) -> Option<Side> {
        match self {
            GameResult::FirstWins => Some(Side::First),
            GameResult::Draw => None,
            GameResult::SecondWins => Some(Side::Second),
        }
    }

    /// The number in files: +1 the first player won, 0 a draw, −1 the second player won.
    pub const fn number(self) -> i8 {
        self.for_side(Side::First)
    }

    /// +1 if `side` won, 0 for a draw, −1 if it lost.
    pub const fn for_side(self, side: Side) -> i8 {
        match (self, side) {
            (GameResult::Draw, _) => 0,
            (GameResult::FirstWins, Side::First) | (GameResult::SecondWins, Side::Second) => 1,
            (GameResult::FirstWins, Side::Second) | (GameResult::SecondWins, Side::First) => -1,
        }
    }
}

impl From<GameResult> for i32 {
    fn from(result: GameResult) -> i32 {
        i32::from(result.number())
    }
}

impl TryFrom<i32> for GameResult {
    type Error = UnknownResult;

    fn try_from(number: i32) -> Result<Self, Self::Error> {
        match number {
            1 => Ok(GameResult::FirstWins),
            0 => Ok(GameResult::Draw),
            -1 => Ok(GameResult::SecondWins),
            _ => Err(UnknownResult(number)),
        }
    }
}

impl fmt::Display for GameResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.winner() {
            Some(side) => write!(f, "{side} wins"),
            None => f.write_str("draw"),
        }
    }
}

/// A number that is not a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the result {0} is not 1, 0 or -1")]
pub struct UnknownResult(pub i32);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_winners_name_the_same_results() {
        for result in GameResult::ALL {
            assert_eq!(GameResult::try_from(i32::from(result)), Ok(result));
            assert_eq!(result.winner().map_or(GameResult::Draw, GameResult::win), result);
            for side in Side::BOTH {
                assert_eq!(result.for_side(side), -result.for_side(side.other()));
                assert_eq!(result.for_side(side) == 1, result.winner() == Some(side));
            }
        }
        assert_eq!(GameResult::try_from(-2).unwrap_err().to_string(), "the result -2 is not 1, 0 or -1");
    }
}
