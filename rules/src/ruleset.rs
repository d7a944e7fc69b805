//! Rule sets: named presets of a variant, and the limits of a game's length.

use crate::rulebook::Rulebook;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;
use std::str::FromStr;

/// The rule set a game is played by: a named preset, the ply limit, and the limit of the halfmove clock.
///
/// Its text is the preset's name, followed by whatever differs from the preset: `full`, or
/// `full max-plies=160 max-quiet-plies=60`. Files of games hold this text.
///
/// # Examples
/// ```
/// use rules::{Rules, Xiangqi};
///
/// let rules: Rules<Xiangqi> = "full max-plies=160".parse()?;
/// assert_eq!((rules.name(), rules.max_plies()), ("full", 160));
/// assert_eq!(rules.to_string(), "full max-plies=160");
/// assert_eq!(rules.with_max_quiet_plies(60).to_string(), "full max-plies=160 max-quiet-plies=60");
/// assert_eq!(Rules::<Xiangqi>::default().to_string(), "full");
/// # Ok::<(), rules::RulesError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rules<V: Rulebook> {
    name: &'static str,
    preset: V::Preset,
    max_plies: u32,
    max_quiet_plies: u32,
}

impl<V: Rulebook> Default for Rules<V> {
    fn default() -> Self {
        Self::of(&V::PRESETS[0])
    }
}

impl<V: Rulebook> Rules<V> {
    fn of(&(name, preset): &(&'static str, V::Preset)) -> Self {
        Rules { name, preset, max_plies: V::MAX_PLIES, max_quiet_plies: NO_LIMIT }
    }

    /// The preset with this name.
    ///
    /// # Errors
    /// The variant has no preset of that name; the error lists those it has.
    pub fn named(name: &str) -> Result<Self, UnknownPreset> {
        V::PRESETS.iter().find(|(known, _)| *known == name).map(Self::of).ok_or_else(|| UnknownPreset {
            variant: V::ID,
            name: name.to_owned(),
            known: V::PRESETS.iter().map(|(known, _)| *known).collect::<Vec<_>>().join(", "),
        })
    }

    /// These rules with another ply limit, counted from the start position of the game.
    #[must_use]
    pub fn with_max_plies(self, max_plies: u32) -> Self {
        Rules { max_plies, ..self }
    }

    /// These rules with a limit of plies in a row without a capture or another irreversible event. There the game is
    /// cut off as at the ply limit, unless the rules of the variant end it sooner.
    #[must_use]
    pub fn with_max_quiet_plies(self, max_quiet_plies: u32) -> Self {
        Rules { max_quiet_plies, ..self }
    }

    /// The preset's name.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// The preset.
    #[inline(always)]
    pub(crate) fn preset(&self) -> V::Preset {
        self.preset
    }

    /// The ply limit.
    #[inline(always)]
    pub fn max_plies(&self) -> u32 {
        self.max_plies
    }

    /// The most plies in a row without an irreversible event; `u32::MAX` without a limit.
    #[inline(always)]
    pub fn max_quiet_plies(&self) -> u32 {
        self.max_quiet_plies
    }
}

/// The limit of the halfmove clock of a rule set that has none beyond the rules of its variant.
const NO_LIMIT: u32 = u32::MAX;
/// What stands before the ply limit in the text of a rule set.
const MAX_PLIES: &str = "max-plies=";
/// What stands before the limit of the halfmove clock.
const MAX_QUIET_PLIES: &str = "max-quiet-plies=";

impl<V: Rulebook> fmt::Display for Rules<V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())?;
        if self.max_plies != V::MAX_PLIES {
            write!(f, " {MAX_PLIES}{}", self.max_plies)?;
        }
        if self.max_quiet_plies != NO_LIMIT {
            write!(f, " {MAX_QUIET_PLIES}{}", self.max_quiet_plies)?;
        }
        Ok(())
    }
}

impl<V: Rulebook> FromStr for Rules<V> {
    type Err = RulesError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let mut words = text.split_ascii_whitespace();
        let mut rules = Rules::named(words.next().unwrap_or_default())?;
        for word in words {
            let number = |name: &str| word.strip_prefix(name).and_then(|number| number.parse().ok());
            rules = match (number(MAX_PLIES), number(MAX_QUIET_PLIES)) {
                (Some(plies), _) => rules.with_max_plies(plies),
                (_, Some(plies)) => rules.with_max_quiet_plies(plies),
                (None, None) => return Err(RulesError::Word { text: text.to_owned(), word: word.to_owned() }),
            };
        }
        Ok(rules)
    }
}

impl<V: Rulebook> Serialize for Rules<V> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de, V: Rulebook> Deserialize<'de> for Rules<V> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

/// Why a text is not a rule set.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RulesError {
    /// It does not begin with the name of a preset.
    #[error(transparent)]
    Preset(#[from] UnknownPreset),
    /// A word after the name is not understood.
    #[error(
        "the rule set {text:?} has the word {word:?}, which is not understood; expected {MAX_PLIES}NUMBER or \
         {MAX_QUIET_PLIES}NUMBER"
    )]
    Word {
        /// The whole text.
        text: String,
        /// The word.
        word: String,
    },
}

/// No preset of that name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{variant} has no rule set {name:?}; it has: {known}")]
pub struct UnknownPreset {
    /// The variant asked.
    pub variant: &'static str,
    /// The name asked for.
    pub name: String,
    /// The names there are.
    pub known: String,
}
