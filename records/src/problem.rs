//! What is wrong with a game or a file.

use std::fmt;

/// Why a game was left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Reason {
    /// A move is well-formed but not legal.
    IllegalMove,
    /// A move is malformed, or several legal moves fit it.
    UnreadableMove,
    /// The start position, the handicap or the setup is not understood.
    Start,
    /// It is a game of another variant.
    OtherVariant,
    /// Its rule set is unknown.
    RuleSet,
    /// The record itself is broken: a bracket that is not closed, a line that cannot be read.
    Broken,
    /// It has no moves.
    NoMoves,
    /// The record names another result than the final position has by every rule set.
    Result,
    /// The file holds more games or moves than are read of one file.
    TooMany,
}

impl Reason {
    /// The name in summaries.
    pub const fn name(self) -> &'static str {
        match self {
            Reason::IllegalMove => "illegal move",
            Reason::UnreadableMove => "unreadable move",
            Reason::Start => "start position",
            Reason::OtherVariant => "another variant",
            Reason::RuleSet => "rule set",
            Reason::Broken => "broken record",
            Reason::NoMoves => "no moves",
            Reason::Result => "contradictory result",
            Reason::TooMany => "too many games in a file",
        }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A game that was left out: `FILE:LINE: WHAT: WHY`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordProblem {
    /// The file, as it was named to the reader.
    pub file: String,
    /// The line, counted from 1. In a file of a binary format: the number of the game, counted from 1.
    pub line: usize,
    /// What is wrong.
    pub what: Reason,
    /// The details.
    pub why: String,
}

impl fmt::Display for RecordProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}: {}", self.file, self.line, self.what, self.why)
    }
}

/// What is wrong with a game, before the file is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct GameError {
    pub line: usize,
    pub what: Reason,
    pub why: String,
}

/// Why a whole file cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReadError {
    /// It is neither a text nor a known binary format.
    #[error("{file} is not a text, nor in another format of games that is known ({known}){hint}")]
    Binary {
        /// The file.
        file: String,
        /// The formats there are.
        known: String,
        /// What helps if it looks like a text in UTF-16 without its mark; else empty.
        hint: String,
    },
    /// The format writes its moves in a notation that the variant does not have.
    #[error("{file} is {format}, which records no games of {variant}: name the variant of its games, or its format")]
    OtherGame {
        /// The file.
        file: String,
        /// The format.
        format: &'static str,
        /// The variant asked for.
        variant: &'static str,
    },
}

/// A format or an encoding that is not known.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no {kind} is called {name:?}; there are: {known}")]
pub struct UnknownName {
    /// `format` or `encoding`.
    pub kind: &'static str,
    /// The name.
    pub name: String,
    /// The names there are.
    pub known: String,
}
