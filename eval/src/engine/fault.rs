//! What goes wrong with an engine: what it answers for itself, and what it does not.

use std::fmt;
use std::io;
use std::time::Duration;

/// What an engine did wrong. In a game it loses for it, with this as the reason.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// Its process ended, or closed its output.
    #[error("{0}")]
    Exited(String),
    /// It did not answer in time, although it was not asked for a move.
    #[error("no answer to {asked:?} within {} s", waited.as_secs_f64())]
    Silent {
        /// The command.
        asked: String,
        /// How long it was waited for.
        waited: Duration,
    },
    /// It does not read what is written to it.
    #[error("it does not read its input")]
    Deaf,
    /// No move in time.
    #[error("no move within {} s{}", allowed.as_secs_f64(), if *.obeyed_stop { "" } else { ", and `stop` was ignored" })]
    OutOfTime {
        /// The time there was, with the margin.
        allowed: Duration,
        /// Whether it then answered `stop`, late.
        obeyed_stop: bool,
    },
    /// A line too long to be anything.
    #[error("a line of more than {} bytes", super::lines::LONGEST)]
    LongLine,
    /// A move that is not legal, or no move at all.
    #[error("{text:?} is no legal move in {fen}")]
    IllegalMove {
        /// What it said, shortened.
        text: String,
        /// The position.
        fen: String,
    },
    /// It says that it has no move, and has.
    #[error("it says that there is no move in {fen}, and there are {legal}")]
    NoMove {
        /// The position.
        fen: String,
        /// Number of legal moves.
        legal: usize,
    },
    /// It claims a win that the rules do not give it.
    #[error("it declares a win in {fen} to which the rules do not entitle it")]
    FalseDeclaration {
        /// The position.
        fen: String,
    },
}

/// Why an engine has not answered.
#[derive(Debug)]
pub(crate) enum Trouble {
    /// Its own doing.
    Fault(Fault),
    /// The system refused a process, memory or a file handle: nobody's doing.
    Refused(io::Error),
    /// The match is being stopped.
    Halted,
}

impl From<Fault> for Trouble {
    fn from(fault: Fault) -> Trouble {
        Trouble::Fault(fault)
    }
}

impl fmt::Display for Trouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Trouble::Fault(fault) => fault.fmt(f),
            Trouble::Refused(error) => error.fmt(f),
            Trouble::Halted => f.write_str("stopped"),
        }
    }
}
