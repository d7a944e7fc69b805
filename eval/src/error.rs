//! What can go wrong with a match.

use crate::engine::EngineError;
use crate::ratings::RatingError;
use selfplay::EvaluationError;
use std::path::PathBuf;

/// Why a match cannot be played, or its log cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum MatchError {
    /// The operating system refused something with the log.
    #[error(transparent)]
    File(#[from] data::DataError),
    /// Reading failed.
    #[error("cannot read {}: {source}", path.display())]
    Read {
        /// The file or folder.
        path: PathBuf,
        /// The operating system's own words.
        source: std::io::Error,
    },
    /// Another process plays this match.
    #[error("{} is being written by another kirin process: wait until it ends, or give this match another file", path.display())]
    InUse {
        /// The log.
        path: PathBuf,
    },
    /// A whole line of a log is not what was written.
    #[error("{}, line {line}: {reason}; restore the file from a copy, or delete it to play the match anew", path.display())]
    Line {
        /// The log.
        path: PathBuf,
        /// Counted from 1.
        line: usize,
        /// What is wrong with it.
        reason: String,
    },
    /// The log is of a match with other settings.
    #[error(
        "{} is the log of a match with other settings ({}): give this match another file, or restore the settings",
        path.display(),
        differences.join("; ")
    )]
    Changed {
        /// The log.
        path: PathBuf,
        /// One text for each setting that differs.
        differences: Vec<String>,
    },
    /// It was stopped before the first game.
    #[error("stopped before the first game; the same command goes on")]
    Stopped,
    /// The settings make no sense.
    #[error("{}", .0.join("\n"))]
    Config(Vec<String>),
    /// A network player failed.
    #[error("{player}, {game}: {source}")]
    Evaluation {
        /// The player's name.
        player: String,
        /// Which game, and the moves so far.
        game: String,
        /// What failed.
        source: EvaluationError,
    },
    /// An engine cannot take part.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// The system refuses processes, memory or file handles for an engine, again and again.
    #[error(
        "{player}, {game}: {source}; finished games are kept: free some memory or processes (or play fewer games at \
         once), and the same command goes on"
    )]
    Resources {
        /// The player's name.
        player: String,
        /// Which game.
        game: String,
        /// The system's own words.
        source: std::io::Error,
    },
    /// The worker threads could not be started.
    #[error("cannot start {threads} threads: {reason}")]
    Threads {
        /// How many.
        threads: usize,
        /// The reason.
        reason: String,
    },
    /// Logs of different variants lie in one folder.
    #[error("{} is a match of {found}, the matches before it are of {expected}: rate each variant in a folder of its own", path.display())]
    MixedVariants {
        /// The log.
        path: PathBuf,
        /// Its variant.
        found: String,
        /// The variant of the others.
        expected: String,
    },
    /// There are no ratings.
    #[error(transparent)]
    Rating(#[from] RatingError),
}
