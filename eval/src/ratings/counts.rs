//! Counted results of games and of pairs of games.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::ops::{Add, AddAssign};
use std::str::FromStr;

/// Won, drawn and lost games of one player.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Wdl {
    /// Games won.
    pub wins: u64,
    /// Games drawn.
    pub draws: u64,
    /// Games lost.
    pub losses: u64,
}

impl Wdl {
    /// Counts in the order of the name.
    pub const fn new(wins: u64, draws: u64, losses: u64) -> Wdl {
        Wdl { wins, draws, losses }
    }

    /// Number of games.
    pub const fn games(&self) -> u64 {
        self.wins + self.draws + self.losses
    }

    /// Mean score of a game, 0 to 1; `None` without games.
    pub fn score(&self) -> Option<f64> {
        (self.games() > 0).then(|| (self.wins as f64 + 0.5 * self.draws as f64) / self.games() as f64)
    }

    /// Share of drawn games; `None` without games.
    pub fn draw_ratio(&self) -> Option<f64> {
        (self.games() > 0).then(|| self.draws as f64 / self.games() as f64)
    }

    /// These games from the opponent's point of view.
    #[must_use]
    pub const fn reversed(self) -> Wdl {
        Wdl { wins: self.losses, draws: self.draws, losses: self.wins }
    }

    /// Counts one more game: +1 won, 0 drawn, −1 lost.
    pub fn count(&mut self, result: i8) {
        match result.signum() {
            1 => self.wins += 1,
            0 => self.draws += 1,
            _ => self.losses += 1,
        }
    }
}

impl Add for Wdl {
    type Output = Wdl;
    fn add(self, other: Wdl) -> Wdl {
        Wdl::new(self.wins + other.wins, self.draws + other.draws, self.losses + other.losses)
    }
}

impl AddAssign for Wdl {
    fn add_assign(&mut self, other: Wdl) {
        *self = *self + other;
    }
}

/// `+12 =3 -5`.
impl fmt::Display for Wdl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "+{} ={} -{}", self.wins, self.draws, self.losses)
    }
}

/// `W,D,L`.
impl FromStr for Wdl {
    type Err = CountsError;
    fn from_str(text: &str) -> Result<Self, CountsError> {
        match numbers(text)?[..] {
            [wins, draws, losses] => Ok(Wdl { wins, draws, losses }),
            ref other => Err(CountsError::Length { found: other.len(), expected: "three (W,D,L)" }),
        }
    }
}

/// Pairs of games from one opening with sides exchanged, counted by their score:
/// two losses, loss and draw, level (a win each or two draws), draw and win, two wins.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pentanomial(pub [u64; 5]);

impl Pentanomial {
    /// Score of each kind of pair, 0 to 1.
    pub const SCORES: [f64; 5] = [0.0, 0.25, 0.5, 0.75, 1.0];

    /// Number of pairs.
    pub fn pairs(&self) -> u64 {
        self.0.iter().sum()
    }

    /// Counts a pair with results +1, 0 or −1 in its two games.
    pub fn count(&mut self, results: [i8; 2]) {
        self.0[(results[0].signum() + results[1].signum() + 2) as usize] += 1;
    }

    /// These pairs from the opponent's point of view.
    #[must_use]
    pub fn reversed(mut self) -> Pentanomial {
        self.0.reverse();
        self
    }

    /// Pairs won over pairs lost; `None` where none was lost.
    pub fn pairs_ratio(&self) -> Option<f64> {
        let [ll, ld, _, wd, ww] = self.0;
        (ll + ld > 0).then(|| (wd + ww) as f64 / (ll + ld) as f64)
    }
}

impl AddAssign for Pentanomial {
    fn add_assign(&mut self, other: Pentanomial) {
        for (mine, theirs) in self.0.iter_mut().zip(other.0) {
            *mine += theirs;
        }
    }
}

/// `LL,LD,WLDD,WD,WW`, or six counts `LL,LD,WL,DD,WD,WW` as fastchess prints them.
impl FromStr for Pentanomial {
    type Err = CountsError;
    fn from_str(text: &str) -> Result<Self, CountsError> {
        match numbers(text)?[..] {
            [ll, ld, level, wd, ww] => Ok(Pentanomial([ll, ld, level, wd, ww])),
            [ll, ld, wl, dd, wd, ww] => {
                let level = wl.checked_add(dd).ok_or(CountsError::TooMany)?;
                Ok(Pentanomial([ll, ld, level, wd, ww]))
            }
            ref other => Err(CountsError::Length { found: other.len(), expected: "five (LL,LD,WLDD,WD,WW) or six" }),
        }
    }
}

fn numbers(text: &str) -> Result<Vec<u64>, CountsError> {
    let counts: Vec<u64> = text
        .split(',')
        .map(|word| word.trim().parse().map_err(|_| CountsError::NotACount(word.trim().to_owned())))
        .collect::<Result<_, _>>()?;
    // A sum within 2⁵³ keeps every later sum and every conversion to a float exact.
    let sum = counts.iter().try_fold(0u64, |sum, &n| sum.checked_add(n));
    if sum.is_none_or(|sum| sum > 1 << 53) { Err(CountsError::TooMany) } else { Ok(counts) }
}

/// A text that is not a list of counts.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CountsError {
    /// A word is not a whole number.
    #[error("{0:?} is not a whole number of games")]
    NotACount(String),
    /// Too few or too many numbers.
    #[error("{found} counts were given; expected {expected}")]
    Length {
        /// How many there were.
        found: usize,
        /// How many there should be.
        expected: &'static str,
    },
    /// The counts add up to more than 2⁵³.
    #[error("the counts add up to more games than can be counted exactly (2^53)")]
    TooMany,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn five_and_six_counts_agree() {
        let five: Pentanomial = "332, 433,498,333,334".parse().unwrap();
        assert_eq!("332,433,457,41,333,334".parse(), Ok(five));
    }

    #[test]
    fn bad_counts_are_named() {
        assert_eq!("1,x,3".parse::<Wdl>().unwrap_err().to_string(), "\"x\" is not a whole number of games");
        assert!("1,2".parse::<Wdl>().unwrap_err().to_string().starts_with("2 counts were given"));
        assert!("".parse::<Pentanomial>().is_err());
        assert_eq!("18446744073709551615,1,0".parse::<Wdl>(), Err(CountsError::TooMany));
    }
}
