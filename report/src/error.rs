//! Why a page cannot be made.

use settings::ExitKind;
use std::io;
use std::path::PathBuf;

/// Why a page, or a file of the same figures, cannot be made.
#[derive(Debug, thiserror::Error)]
pub enum ReportError {
    /// There is no run in the folder, and no other games.
    #[error(
        "{} is no source of games: it has neither config.toml of a run, nor manifest.jsonl of a data folder, nor match \
         logs (*.jsonl)",
        folder.display()
    )]
    NoRun {
        /// The folder.
        folder: PathBuf,
    },
    /// The record of the run's stages cannot be read.
    #[error(transparent)]
    Run(#[from] lab::LabError),
    /// The games cannot be read, or a file cannot be written.
    #[error(transparent)]
    Data(#[from] data::DataError),
    /// The page cannot be written where it was asked for.
    #[error(transparent)]
    Output(#[from] data::OutputError),
    /// The system refuses a folder or a file.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// A stored line of moves is not legal.
    #[error("the stored line {line}: {source}")]
    Line {
        /// The line in UCI.
        line: String,
        /// What is wrong with its last move.
        source: rules::MoveError,
    },
    /// A stored game is not legal.
    #[error(transparent)]
    Game(#[from] rules::IllegalMove),
    /// A stored game has a setup that the variant does not have.
    #[error(transparent)]
    Setup(#[from] rules::UnknownSetup),
    /// Logs of matches cannot be read.
    #[error(transparent)]
    Log(#[from] eval::MatchError),
    /// There is no temporary folder for the games of matches.
    #[error("cannot make a folder for the games of matches in {}: {source}", folder.display())]
    Copy {
        /// The folder with their logs.
        folder: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// Logs of matches are of a variant that is not known.
    #[error("games in {}: {source}", folder.display())]
    Variant {
        /// The folder.
        folder: PathBuf,
        /// The name and those there are.
        source: rules::UnknownVariant,
    },
    /// A game of a match breaks the rules.
    #[error("{}: {source}", log.display())]
    Match {
        /// The log.
        log: PathBuf,
        /// Which game, and what is wrong with it.
        source: eval::EntryError,
    },
    /// The drawing library refuses a chart.
    #[error("a chart cannot be drawn: {0}")]
    Chart(String),
}

impl ReportError {
    /// What it asks the user for; `None` for a fault of the program.
    pub fn exit_kind(&self) -> Option<ExitKind> {
        match self {
            ReportError::NoRun { .. } => Some(ExitKind::Input),
            ReportError::Run(error) => error.exit_kind(),
            ReportError::Output(error) => Some(error.exit_kind()),
            ReportError::Log(error) => error.exit_kind(),
            ReportError::Variant { .. } => Some(ExitKind::Input),
            ReportError::Data(_)
            | ReportError::Io(_)
            | ReportError::Copy { .. }
            | ReportError::Match { .. }
            | ReportError::Line { .. }
            | ReportError::Game(_)
            | ReportError::Setup(_) => Some(ExitKind::Machine),
            ReportError::Chart(_) => None,
        }
    }
}
