//! Which openings a match is played from.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

/// Where openings come from, as a word: `random`, `balanced`, `book:FILE`, `statistics:FOLDER`.
///
/// ```
/// use eval::OpeningSource;
///
/// assert_eq!("book:shogi.epd".parse(), Ok(OpeningSource::Book("shogi.epd".into())));
/// assert!("boook:shogi.epd".parse::<OpeningSource>().is_err());
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub enum OpeningSource {
    /// Random moves from the start position.
    #[default]
    Random,
    /// Random moves after which neither side is much better, as a search judges.
    Balanced,
    /// A file of positions or lines of moves: see [`super::book`].
    Book(PathBuf),
    /// Lines that the games of a run (or of a data folder) were played by.
    Statistics(PathBuf),
}

/// A word that names no source of openings.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is no source of openings; random, balanced, book:FILE or statistics:FOLDER is")]
pub struct OpeningSourceError(String);

impl FromStr for OpeningSource {
    type Err = OpeningSourceError;

    fn from_str(text: &str) -> Result<Self, OpeningSourceError> {
        match text.split_once(':') {
            None if text == "random" => Ok(OpeningSource::Random),
            None if text == "balanced" => Ok(OpeningSource::Balanced),
            Some(("book", path)) if !path.is_empty() => Ok(OpeningSource::Book(path.into())),
            Some(("statistics", path)) if !path.is_empty() => Ok(OpeningSource::Statistics(path.into())),
            _ => Err(OpeningSourceError(text.chars().take(80).collect())),
        }
    }
}

impl fmt::Display for OpeningSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            OpeningSource::Random => f.write_str("random"),
            OpeningSource::Balanced => f.write_str("balanced"),
            OpeningSource::Book(path) => write!(f, "book:{}", path.display()),
            OpeningSource::Statistics(path) => write!(f, "statistics:{}", path.display()),
        }
    }
}

impl From<OpeningSource> for String {
    fn from(source: OpeningSource) -> String {
        source.to_string()
    }
}

impl TryFrom<String> for OpeningSource {
    type Error = OpeningSourceError;

    fn try_from(text: String) -> Result<Self, OpeningSourceError> {
        text.parse()
    }
}

/// In which order the openings of a book or of statistics are used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum OpeningOrder {
    /// As they stand in the book; of statistics, the most played first.
    #[default]
    Sequence,
    /// By chance, from the seed of the match; of statistics, a line played twice as often tends to come earlier.
    Shuffled,
}

impl FromStr for OpeningOrder {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "sequence" => Ok(OpeningOrder::Sequence),
            "shuffled" => Ok(OpeningOrder::Shuffled),
            other => Err(format!("{other:?} is no order; sequence or shuffled is")),
        }
    }
}

/// Settings of the openings of a match, beside their length in plies.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct OpeningsConfig {
    /// Where they come from.
    pub source: OpeningSource,
    /// Their order, of books and statistics.
    pub order: OpeningOrder,
    /// Balanced openings: the greatest |q| (winning chance less losing chance, as the judge sees it), 0.01 to 1.
    pub balance: f64,
    /// Openings from statistics: how many games must have played a line, at least 1.
    pub min_games: u64,
}

impl Default for OpeningsConfig {
    fn default() -> Self {
        OpeningsConfig { source: OpeningSource::Random, order: OpeningOrder::Sequence, balance: 0.2, min_games: 2 }
    }
}

impl OpeningsConfig {
    /// Pushes one message for each value that makes no sense; `plies` is the length of the openings, and `at` what
    /// the keys begin with in the config file.
    pub fn complaints(&self, at: &str, plies: u32, out: &mut Vec<String>) {
        if !(0.01..=1.0).contains(&self.balance) {
            out.push(format!("{at}opening_balance: {} is out of range; 0.01 to 1", self.balance));
        }
        if self.min_games == 0 {
            out.push(format!("{at}opening_min_games: 0 is out of range; at least 1"));
        }
        if plies == 0 && matches!(self.source, OpeningSource::Balanced | OpeningSource::Statistics(_)) {
            out.push(format!("{at}opening_plies: 0 plies are no opening; {} needs at least 1", self.source));
        }
    }

    /// Whether the openings have the length that the match asks for; those of a book have their own.
    pub fn has_length(&self) -> bool {
        !matches!(self.source, OpeningSource::Book(_))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_read_as_written() {
        for word in ["random", "balanced", "book:a b/c:d.epd", "statistics:runs/x"] {
            assert_eq!(word.parse::<OpeningSource>().unwrap().to_string(), word);
        }
        for word in ["", "book", "book:", "statistics:", "Random", "balanced:3"] {
            let error = word.parse::<OpeningSource>().unwrap_err().to_string();
            assert!(error.contains("book:FILE"), "{error}");
        }
    }

    #[test]
    fn what_makes_no_sense_is_said() {
        let source = OpeningSource::Balanced;
        let config = OpeningsConfig { source, balance: f64::NAN, min_games: 0, ..OpeningsConfig::default() };
        let mut out = Vec::new();
        config.complaints("evaluation.", 0, &mut out);
        assert!(out[0].starts_with("evaluation.opening_balance: NaN is out of range"), "{out:?}");
        assert!(out[1].starts_with("evaluation.opening_min_games: 0 "), "{out:?}");
        assert!(out[2].starts_with("evaluation.opening_plies: 0 plies are no opening"), "{out:?}");
    }
}
