//! What can go wrong with a match.

use crate::ratings::RatingError;
use data::DataError;
use engine::EngineError;
use rules::{FenError, MovesTextError, Side, UnknownPreset, UnknownVariant, VariantId};
use search::EvaluationError;
use settings::ExitKind;
use std::path::PathBuf;

/// Why an entry is not a game of its match.
#[derive(Debug, thiserror::Error)]
pub enum EntryError {
    /// The variant does not have the rule set.
    #[error(transparent)]
    Rules(#[from] UnknownPreset),
    /// The start position makes no sense.
    #[error("start position: {0}")]
    Start(#[from] FenError),
    /// A move is not legal.
    #[error(transparent)]
    Moves(#[from] MovesTextError),
}

/// Why a match cannot be played, or its log cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum MatchError {
    /// The log cannot be read or written, or is not the log of a match.
    #[error(transparent)]
    Log(#[from] DataError),
    /// A file or folder cannot be read.
    #[error("cannot read {}: {source}", path.display())]
    Read {
        /// The file or folder.
        path: PathBuf,
        /// The operating system's error.
        source: std::io::Error,
    },
    /// The first line of a log is not the settings of a match, or another line is.
    #[error(
        "{}, line {line}: the settings of the match must be the first line and no other; restore the file from a copy, \
         or choose another one to play the match again",
        path.display()
    )]
    Header {
        /// The log.
        path: PathBuf,
        /// Counted from 1.
        line: usize,
    },
    /// A game in a log cannot be replayed.
    #[error("{}, pair {}, {}: {source}", path.display(), pair + 1, game_of_pair(*side))]
    Game {
        /// The log.
        path: PathBuf,
        /// Number of the pair, from 0.
        pair: u32,
        /// The side of the first named player.
        side: Side,
        /// What is wrong with the game.
        source: EntryError,
    },
    /// The log is of a match with other settings.
    #[error(
        "{} is the log of a match with other settings ({}): choose another file for this match, or restore the settings",
        path.display(),
        differences.join("; ")
    )]
    Changed {
        /// The log.
        path: PathBuf,
        /// One text for each setting that differs.
        differences: Vec<String>,
    },
    /// The match was stopped before its first game.
    #[error("stopped before the first game; run the same command to resume")]
    Stopped,
    /// Settings that are not possible, a message each.
    #[error("{}", .0.join("\n"))]
    Config(Vec<String>),
    /// Recorded games have moves that the rules refuse.
    #[error("{name}: {reason}; `kirin verify` names the file")]
    Line {
        /// The folders of the games.
        name: String,
        /// The line, and what is wrong with it.
        reason: String,
    },
    /// A network player failed.
    #[error("{player}, {game}: {source}")]
    Evaluation {
        /// The player's name.
        player: String,
        /// Which game, and the moves so far.
        game: String,
        /// What went wrong.
        source: EvaluationError,
    },
    /// An engine cannot take part.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// The operating system keeps refusing processes, memory or file handles for an engine.
    #[error(
        "{player}, {game}: {source}; finished games are kept. Free some memory or processes, or play fewer games at \
         once; then run the same command to resume"
    )]
    Resources {
        /// The player's name.
        player: String,
        /// Which game.
        game: String,
        /// The operating system's error.
        source: std::io::Error,
    },
    /// The worker threads could not be started.
    #[error(
        "cannot start {threads} threads: {source}; raise the limit of processes (ulimit -u) or of memory (ulimit -v), or \
         set fewer threads"
    )]
    Threads {
        /// How many.
        threads: usize,
        /// What the thread pool reports.
        source: rayon::ThreadPoolBuildError,
    },
    /// The system refuses a thread; what it is for, as a verb phrase: "judges openings".
    #[error("cannot start the thread that {task}; raise the limit of processes (ulimit -u) or of memory (ulimit -v)")]
    Thread {
        /// What it was for.
        task: &'static str,
        /// The operating system's error.
        source: std::io::Error,
    },
    /// A log or a ladder names a variant that does not exist.
    #[error(transparent)]
    Variant(#[from] UnknownVariant),
    /// Logs of different variants lie in one folder.
    #[error("{} is a match of {found}, but the matches before it are of {expected}: choose one with --variant", path.display())]
    MixedVariants {
        /// The log.
        path: PathBuf,
        /// Its variant.
        found: String,
        /// The variant of the others.
        expected: String,
    },
    /// A name stands for several players.
    #[error("{player:?} stands for several players: {}; name one of these", names.join(", "))]
    Ambiguous {
        /// The name.
        player: String,
        /// What these players are called in tables.
        names: Vec<String>,
    },
    /// Logs have no finished game.
    #[error("{} holds no finished game of a match{}", path.display(), of_variant(*variant))]
    NoGames {
        /// The log or the folder of logs.
        path: PathBuf,
        /// The variant that was asked for.
        variant: Option<VariantId>,
    },
    /// There are no ratings.
    #[error(transparent)]
    Rating(#[from] RatingError),
}

/// Which of the two games of a pair it is.
fn game_of_pair(side: Side) -> &'static str {
    match side {
        Side::First => "first game",
        Side::Second => "second game",
    }
}

/// ` in shogi`, or nothing for all variants.
fn of_variant(variant: Option<VariantId>) -> String {
    variant.map_or_else(String::new, |variant| format!(" in {variant}"))
}

impl MatchError {
    /// What the error asks for; `None` where its source tells.
    pub fn exit_kind(&self) -> Option<ExitKind> {
        match self {
            MatchError::Stopped => Some(ExitKind::Resume),
            MatchError::Changed { .. }
            | MatchError::Config(_)
            | MatchError::MixedVariants { .. }
            | MatchError::NoGames { .. }
            | MatchError::Variant(_)
            | MatchError::Log(DataError::InUse { .. } | DataError::NotALog { .. })
            | MatchError::Rating(RatingError::NoGames | RatingError::UnknownAnchor { .. }) => Some(ExitKind::Input),
            MatchError::Log(_)
            | MatchError::Line { .. }
            | MatchError::Read { .. }
            | MatchError::Resources { .. }
            | MatchError::Thread { .. }
            | MatchError::Threads { .. }
            | MatchError::Header { .. }
            | MatchError::Game { .. } => Some(ExitKind::Machine),
            MatchError::Engine(error) => Some(error.exit_kind()),
            _ => None,
        }
    }
}
