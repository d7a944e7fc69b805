//! Which openings a match is played from.

use rules::Variant;
use search::setups;
use serde::{Deserialize, Serialize};
use settings::Complaints;
use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

/// Where openings come from. In text it is `random`, `balanced`, `book:FILE` or `statistics:FOLDER`.
///
/// ```
/// use eval::OpeningSource;
///
/// assert_eq!("book:shogi.epd".parse(), Ok(OpeningSource::Book("shogi.epd".into())));
/// assert!("boook:shogi.epd".parse::<OpeningSource>().is_err());
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(into = "String", try_from = "String")]
pub enum OpeningSource {
    /// Random moves from the start position.
    #[default]
    Random,
    /// Random moves after which neither side is much better, by the judgement of a search.
    Balanced,
    /// A file of positions or lines of moves: see [`super::book`].
    Book(PathBuf),
    /// Lines played in the games of a run or of a data folder.
    Statistics(PathBuf),
}

/// A text that names no source of openings.
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

/// The order of the openings of a book or of statistics.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum OpeningOrder {
    /// That of the book; for statistics, most played first.
    #[default]
    Sequence,
    /// Random, by the seed of the match; for statistics, lines played more often tend to come earlier.
    Shuffled,
}

settings::named!(OpeningOrder { Sequence = "sequence", Shuffled = "shuffled" });

/// Settings of the openings of a match. The keys of a configuration file stand next to other settings of the match
/// (this struct is flattened into its section), so each begins with the word `opening`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct OpeningsConfig {
    /// Where they come from: `random`, `balanced`, `book:FILE` or `statistics:FOLDER`, paths as seen from where the
    /// program runs.
    #[serde(rename = "openings")]
    pub source: OpeningSource,
    /// Plies played before the players take over, 0 to 200; a book's lines have their own length. With fewer than 3
    /// random ones there are not enough openings for many pairs.
    #[serde(rename = "opening_plies")]
    pub plies: u32,
    /// The order of openings from a book or from statistics: `sequence` or `shuffled`.
    #[serde(rename = "opening_order")]
    pub order: OpeningOrder,
    /// For balanced openings: the greatest |q| (winning minus losing chance), 0.01 to 1.
    #[serde(rename = "opening_balance")]
    pub balance: f64,
    /// For openings from statistics: the least number of games that a line must have, at least 1.
    #[serde(rename = "opening_min_games")]
    pub min_games: u64,
    /// For random and balanced openings of variants with setups (Janggi): the setups from which each player draws one.
    /// All have equal chances. Empty: all that the variant has.
    #[serde(rename = "opening_setups")]
    pub setups: Vec<String>,
}

impl Default for OpeningsConfig {
    fn default() -> Self {
        OpeningsConfig {
            source: OpeningSource::Random,
            plies: 6,
            order: OpeningOrder::Sequence,
            balance: 0.2,
            min_games: 2,
            setups: Vec::new(),
        }
    }
}

impl OpeningsConfig {
    /// Random openings of this many plies.
    pub fn random(plies: u32) -> OpeningsConfig {
        OpeningsConfig { plies, ..OpeningsConfig::default() }
    }

    /// Complains about each value that is not possible, by its key in a configuration file.
    pub fn check(&self, complaints: &mut Complaints) {
        complaints.within("opening_plies", self.plies, 0, 200);
        complaints.within("opening_balance", self.balance, 0.01, 1.0);
        if self.min_games == 0 {
            complaints.say("opening_min_games", "0 is out of range; at least 1");
        }
        if self.plies == 0 && matches!(self.source, OpeningSource::Balanced | OpeningSource::Statistics(_)) {
            complaints.say("opening_plies", format!("0 plies are no opening; {} needs at least 1", self.source));
        }
    }

    /// Complains about each setup that the variant does not have.
    pub fn check_for<V: Variant>(&self, complaints: &mut Complaints) {
        setups::check::<V>("opening_setups", &self.setups, complaints);
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
        let config = OpeningsConfig { source, plies: 0, balance: f64::NAN, min_games: 0, ..OpeningsConfig::default() };
        let mut complaints = Complaints::default();
        complaints.section("evaluation", |complaints| config.check(complaints));
        let list = complaints.list();
        assert!(list[0].to_string().starts_with("evaluation.opening_balance: NaN is out of range"), "{complaints}");
        assert!(list[1].to_string().starts_with("evaluation.opening_min_games: 0 "), "{complaints}");
        assert!(list[2].to_string().starts_with("evaluation.opening_plies: 0 plies are no opening"), "{complaints}");
        // A complaint names a key that a configuration file has.
        let written = serde_json::to_value(OpeningsConfig::default()).unwrap();
        assert!(list.iter().all(|complaint| written.get(&complaint.key["evaluation.".len()..]).is_some()), "{written}");
    }
}
