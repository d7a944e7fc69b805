//! What can go wrong with an engine: its own errors, and refusals of the operating system.

use std::io;
use std::time::Duration;

/// Most options of an engine, and bytes of the lines that declare them. Fairy-Stockfish has 50 in 6,000 bytes.
pub(super) const MOST_OPTIONS: usize = 10_000;
pub(super) const MOST_OPTION_BYTES: usize = 1 << 20;

/// What an engine did wrong. In a game it loses the game, and the text of the fault is the reason in the log.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EngineFault {
    /// Its process ended, or closed its output.
    #[error("{0}")]
    Exited(String),
    /// It did not answer a command in time (other than `go`).
    #[error("no answer to {command:?} within {} s", waited.as_secs_f64())]
    Silent {
        /// The command.
        command: String,
        /// How long the program waited.
        waited: Duration,
    },
    /// It does not read its input.
    #[error("it does not read its input")]
    InputFull,
    /// It did not move in time.
    #[error("no move within {} s{}", allowed.as_secs_f64(), if *.obeyed_stop { "" } else { ", and `stop` was ignored" })]
    OutOfTime {
        /// The time it had, margin included.
        allowed: Duration,
        /// Whether it answered `stop` after that.
        obeyed_stop: bool,
    },
    /// A line that is too long to be a message.
    #[error("a line of more than {} bytes", super::lines::LONGEST)]
    LongLine,
    /// More options than any engine needs.
    #[error("it declares more than {} options, or more than {} bytes of them", MOST_OPTIONS, MOST_OPTION_BYTES)]
    TooManyOptions,
    /// A move that is not legal, or not a move at all.
    #[error("{text:?} is not a legal move in {fen}")]
    IllegalMove {
        /// The move as the engine wrote it, shortened.
        text: String,
        /// The position.
        fen: String,
    },
    /// It reports that there is no legal move, but there is.
    #[error("it reports no legal move in {fen}, but there are {legal}")]
    NoMove {
        /// The position.
        fen: String,
        /// Number of legal moves.
        legal: usize,
    },
    /// It declares a win that the rules do not give it.
    #[error("it declares a win in {fen}, but the rules do not give it one")]
    FalseDeclaration {
        /// The position.
        fen: String,
    },
}

/// Why an engine has not answered.
#[derive(Debug, thiserror::Error)]
pub enum EngineFailure {
    /// The engine did something wrong.
    #[error(transparent)]
    Fault(#[from] EngineFault),
    /// The operating system refused a process, memory or a file handle. The engine is not to blame.
    #[error(transparent)]
    Refused(io::Error),
    /// The match is being stopped.
    #[error("stopped")]
    Halted,
}
