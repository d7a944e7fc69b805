//! Ending games by the players' scores, before the rules end them.

use engine::Score;
use serde::{Deserialize, Serialize};
use settings::Complaints;
use std::fmt;
use std::num::ParseIntError;
use std::str::FromStr;

/// Most moves in a rule.
const MOST_MOVES: u32 = 1_000;

/// When a game ends by the players' scores ([`Score`]). By default only the rules end it; the ply limit is a
/// setting of its own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Adjudication {
    /// When a game is won.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub win: Option<WinRule>,
    /// When a game is drawn.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub draw: Option<DrawRule>,
}

/// When a game is won: once the scores have said so for long enough.
///
/// ```
/// use eval::WinRule;
///
/// let rule: WinRule = "score=600,moves=4".parse()?;
/// assert_eq!(rule.to_string(), "score=600,moves=4,by=both");
/// # Ok::<(), eval::RuleError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WinRule {
    /// At least so many centipawns, 1 to 30,000.
    pub score: u32,
    /// In so many moves of a player in a row, 1 to 1,000.
    pub moves: u32,
    /// Whose scores they must be.
    #[serde(default)]
    pub by: Agreement,
}

/// Whose scores must say that a game is won.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Agreement {
    /// Those of the winner and of the loser.
    #[default]
    Both,
    /// Those of the loser, whatever the winner's are.
    Loser,
}

/// When a game is drawn: once both players' scores have said so for long enough.
///
/// ```
/// use eval::DrawRule;
///
/// let rule: DrawRule = "score=10,moves=8,from=80".parse()?;
/// assert_eq!(rule, DrawRule { score: 10, moves: 8, from: 80 });
/// # Ok::<(), eval::RuleError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DrawRule {
    /// At most so many centipawns for either side, 0 to 30,000.
    pub score: u32,
    /// In so many moves of each player in a row, 1 to 1,000.
    pub moves: u32,
    /// Not before so many plies have been played, opening included.
    pub from: u32,
}

impl Adjudication {
    /// Whether only the rules end games.
    pub fn is_off(&self) -> bool {
        *self == Adjudication::default()
    }

    /// Complains about each value that is out of range.
    pub fn check(&self, complaints: &mut Complaints) {
        if let Some(WinRule { score, moves, .. }) = self.win {
            complaints.within("win.score", score, 1, Score::WIN as u32);
            complaints.within("win.moves", moves, 1, MOST_MOVES);
        }
        if let Some(DrawRule { score, moves, from }) = self.draw {
            complaints.within("draw.score", score, 0, Score::WIN as u32);
            complaints.within("draw.moves", moves, 1, MOST_MOVES);
            complaints.within("draw.from", from, 0, 65_535);
        }
        if let (Some(win), Some(draw)) = (self.win, self.draw)
            && draw.score >= win.score
        {
            let problem = format!("{} must be below win.score, {}, or a game could be both", draw.score, win.score);
            complaints.say("draw.score", problem);
        }
    }
}

impl fmt::Display for WinRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let by = match self.by {
            Agreement::Both => "both",
            Agreement::Loser => "loser",
        };
        write!(f, "score={},moves={},by={by}", self.score, self.moves)
    }
}

impl fmt::Display for DrawRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "score={},moves={},from={}", self.score, self.moves, self.from)
    }
}

impl FromStr for WinRule {
    type Err = RuleError;

    fn from_str(text: &str) -> Result<Self, RuleError> {
        const FORM: &str = "score=600,moves=4,by=both (or by=loser)";
        let (mut score, mut moves, mut by) = (None, None, Agreement::Both);
        for (key, value) in pairs(text, FORM)? {
            match (key, value) {
                ("score", value) => score = Some(number(value, FORM)?),
                ("moves", value) => moves = Some(number(value, FORM)?),
                ("by", "both") => by = Agreement::Both,
                ("by", "loser") => by = Agreement::Loser,
                _ => return Err(unknown(text, FORM)),
            }
        }
        match (score, moves) {
            (Some(score), Some(moves)) => Ok(WinRule { score, moves, by }),
            _ => Err(unknown(text, FORM)),
        }
    }
}

impl FromStr for DrawRule {
    type Err = RuleError;

    fn from_str(text: &str) -> Result<Self, RuleError> {
        const FORM: &str = "score=10,moves=8,from=80";
        let (mut score, mut moves, mut from) = (None, None, None);
        for (key, value) in pairs(text, FORM)? {
            let place = match key {
                "score" => &mut score,
                "moves" => &mut moves,
                "from" => &mut from,
                _ => return Err(unknown(text, FORM)),
            };
            *place = Some(number(value, FORM)?);
        }
        match (score, moves, from) {
            (Some(score), Some(moves), Some(from)) => Ok(DrawRule { score, moves, from }),
            _ => Err(unknown(text, FORM)),
        }
    }
}

/// A text that is not a rule of adjudication.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RuleError {
    /// A value is not a number.
    #[error("{value:?} is not a whole number; write the rule like {form}")]
    NotANumber {
        /// The value.
        value: String,
        /// An example of a valid rule.
        form: &'static str,
        /// Why it cannot be read.
        source: ParseIntError,
    },
    /// A setting is unknown or missing.
    #[error("{text:?} is not a rule; write it like {form}")]
    NotARule {
        /// The whole text.
        text: String,
        /// An example of a valid rule.
        form: &'static str,
    },
}

/// The settings of a rule.
fn pairs<'t>(text: &'t str, form: &'static str) -> Result<Vec<(&'t str, &'t str)>, RuleError> {
    text.split(',').map(|setting| setting.split_once('=').ok_or_else(|| unknown(text, form))).collect()
}

fn number(value: &str, form: &'static str) -> Result<u32, RuleError> {
    value.parse().map_err(|source| RuleError::NotANumber { value: value.to_owned(), form, source })
}

fn unknown(text: &str, form: &'static str) -> RuleError {
    RuleError::NotARule { text: text.to_owned(), form }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_and_rules_correspond() {
        for word in ["score=600,moves=4,by=both", "score=1,moves=1,by=loser"] {
            assert_eq!(word.parse::<WinRule>().unwrap().to_string(), word);
        }
        let word = "score=0,moves=8,from=0";
        assert_eq!(word.parse::<DrawRule>().unwrap().to_string(), word);
        for bad in ["", "600", "score=600", "score=600,moves=x", "score=600,moves=4,by=me", "score=1,moves=1,from=3"] {
            assert!(bad.parse::<WinRule>().unwrap_err().to_string().contains("score=600,moves=4"), "{bad}");
        }
        for bad in ["score=10,moves=8", "score=10,moves=8,from=-1", "score=10,moves=8,from=80,by=both"] {
            assert!(bad.parse::<DrawRule>().unwrap_err().to_string().contains("from=80"), "{bad}");
        }
    }

    #[test]
    fn what_is_out_of_range_is_named() {
        let mut complaints = Complaints::default();
        let rules = Adjudication {
            win: Some(WinRule { score: 0, moves: 0, by: Agreement::Both }),
            draw: Some(DrawRule { score: 10, moves: 2_000, from: 70_000 }),
        };
        complaints.section("adjudication", |complaints| rules.check(complaints));
        let list = complaints.list();
        assert_eq!(list.len(), 5, "{complaints}");
        assert_eq!(list[0].to_string(), "adjudication.win.score: 0 is out of range; 1 to 30000");
        assert!(list[4].problem.contains("must be below win.score"));
    }
}
