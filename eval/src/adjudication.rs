//! Ending games by what the players say of them, before the rules do.

use crate::score::Score;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// Most moves in a rule.
const MOST_MOVES: u32 = 1_000;

/// When a game is ended by the players' scores ([`Score`]). Nothing of it by default: a game then ends by the rules alone,
/// whose limit of plies is a setting of its own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Adjudication {
    /// When it is won.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub win: Option<WinRule>,
    /// When it is drawn.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub draw: Option<DrawRule>,
}

/// A game is won when the scores say so for long enough.
///
/// ```
/// use eval::WinRule;
///
/// let rule: WinRule = "score=600,moves=4".parse()?;
/// assert_eq!(rule.to_string(), "score=600,moves=4,by=both");
/// # Ok::<(), String>(())
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

/// Who must say that a game is won.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Agreement {
    /// The winner that it wins and the loser that it loses.
    #[default]
    Both,
    /// The loser, whatever the winner says: it gives up.
    Loser,
}

/// A game is drawn when both players' scores say so for long enough.
///
/// ```
/// use eval::DrawRule;
///
/// let rule: DrawRule = "score=10,moves=8,from=80".parse()?;
/// assert_eq!(rule, DrawRule { score: 10, moves: 8, from: 80 });
/// # Ok::<(), String>(())
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
    /// Whether games end by the rules alone.
    pub fn is_off(&self) -> bool {
        *self == Adjudication::default()
    }

    /// Pushes one message for each value out of range; `at` is its place, with a dot behind it if it is not empty.
    pub fn complaints(&self, at: &str, out: &mut Vec<String>) {
        let mut within = |key: &str, value: u32, low: u32, high: u32| {
            if !(low..=high).contains(&value) {
                out.push(format!("{at}adjudication.{key}: {value} is out of range; {low} to {high}"));
            }
        };
        if let Some(WinRule { score, moves, .. }) = self.win {
            within("win.score", score, 1, Score::WIN as u32);
            within("win.moves", moves, 1, MOST_MOVES);
        }
        if let Some(DrawRule { score, moves, from }) = self.draw {
            within("draw.score", score, 0, Score::WIN as u32);
            within("draw.moves", moves, 1, MOST_MOVES);
            within("draw.from", from, 0, 65_535);
        }
        if let (Some(win), Some(draw)) = (self.win, self.draw)
            && draw.score >= win.score
        {
            out.push(format!(
                "{at}adjudication.draw.score: {} must be below win.score, {}, or a game could be both",
                draw.score, win.score
            ));
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
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
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
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
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

/// The settings of a word.
fn pairs<'t>(text: &'t str, form: &str) -> Result<Vec<(&'t str, &'t str)>, String> {
    text.split(',').map(|setting| setting.split_once('=').ok_or_else(|| unknown(text, form))).collect()
}

fn number(value: &str, form: &str) -> Result<u32, String> {
    value.parse().map_err(|_| format!("{value:?} is not a whole number; the rule is written {form}"))
}

fn unknown(text: &str, form: &str) -> String {
    format!("{text:?} is no rule; it is written {form}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_rules_correspond() {
        for word in ["score=600,moves=4,by=both", "score=1,moves=1,by=loser"] {
            assert_eq!(word.parse::<WinRule>().unwrap().to_string(), word);
        }
        let word = "score=0,moves=8,from=0";
        assert_eq!(word.parse::<DrawRule>().unwrap().to_string(), word);
        for bad in ["", "600", "score=600", "score=600,moves=x", "score=600,moves=4,by=me", "score=1,moves=1,from=3"] {
            assert!(bad.parse::<WinRule>().unwrap_err().contains("score=600,moves=4"), "{bad}");
        }
        for bad in ["score=10,moves=8", "score=10,moves=8,from=-1", "score=10,moves=8,from=80,by=both"] {
            assert!(bad.parse::<DrawRule>().unwrap_err().contains("from=80"), "{bad}");
        }
    }

    #[test]
    fn what_is_out_of_range_is_named() {
        let mut out = Vec::new();
        let rules = Adjudication {
            win: Some(WinRule { score: 0, moves: 0, by: Agreement::Both }),
            draw: Some(DrawRule { score: 10, moves: 2_000, from: 70_000 }),
        };
        rules.complaints("match.", &mut out);
        assert_eq!(out.len(), 5, "{out:?}");
        assert_eq!(out[0], "match.adjudication.win.score: 0 is out of range; 1 to 30000");
        assert!(out[4].contains("must be below win.score"));
    }
}
