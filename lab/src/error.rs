//! Errors of a run. Each names the place and, where there is one, the repair.

use crate::memory::need::{Gigabytes, Need, Worker};
use data::bounded::{self, FileVerdict};
use data::{DataError, LockOwner};
use eval::MatchError;
use selfplay::generator::GenerateError;
use settings::{Complaints, ExitKind};
use std::io;
use std::path::PathBuf;
use train::TrainError;

/// The result of nearly all functions of this crate.
pub type Result<T, E = LabError> = std::result::Result<T, E>;

/// Every error of this crate. The cause is the source and is not repeated in the message.
#[derive(Debug, thiserror::Error)]
pub enum LabError {
    /// A configuration file cannot be read.
    #[error("cannot read the config {}", path.display())]
    ReadConfig {
        /// The file.
        path: PathBuf,
        /// The operating system's own words.
        source: io::Error,
    },
    /// A configuration file is not TOML.
    #[error("{}", path.display())]
    Syntax {
        /// The file.
        path: PathBuf,
        /// Where and why.
        source: toml::de::Error,
    },
    /// A configuration has unknown keys, or values that are out of range or contradict each other.
    #[error("{}: {}", path.display(), listed(complaints))]
    Config {
        /// The file.
        path: PathBuf,
        /// Everything that is wrong with it, and with what overrides it.
        complaints: Complaints,
    },
    /// A value of the configuration cannot be written as TOML.
    #[error("cannot write the configuration as TOML")]
    WriteConfig(#[from] toml::ser::Error),
    /// The run in the folder was begun with settings that may not change.
    #[error(
        "{} holds a run with other settings; choose another folder with --set run.folder=…, or set back:\n  {}",
        folder.display(),
        differences.join("\n  ")
    )]
    OtherSettings {
        /// The folder of the run.
        folder: PathBuf,
        /// One text for each setting that differs.
        differences: Vec<String>,
    },
    /// The run has plans, and its settings are gone.
    #[error(
        "{} is missing, and without it the run would continue with other settings: restore it from a copy, or choose another \
         folder with --set run.folder=…",
        path.display()
    )]
    ConfigMissing {
        /// Where the configuration should be.
        path: PathBuf,
    },
    /// The stored settings are not those that the run had.
    #[error(
        "{} does not have the settings that the run was begun with, by their digest in run.json: restore it from a copy. \
         Settings that may change are given with --set",
        path.display()
    )]
    ConfigChanged {
        /// The stored configuration.
        path: PathBuf,
    },
    /// A run cannot begin from another one, or from a network file.
    #[error("cannot begin from {}: {reason}", ancestor.display())]
    Branch {
        /// The folder of the other run, or the file.
        ancestor: PathBuf,
        /// Why, and what to do.
        reason: String,
    },
    /// A network cannot be fitted to the games of a folder.
    #[error("cannot learn from the games in {}: {reason}", games.display())]
    Fit {
        /// The data folder.
        games: PathBuf,
        /// Why, and what to do.
        reason: String,
    },
    /// The file to be written exists already.
    #[error("{} is there already; choose another name", path.display())]
    Exists {
        /// The file.
        path: PathBuf,
    },
    /// Games of another run were taken over, and then the run was not begun.
    #[error(
        "{} holds games of another run that a new one was to begin from; give the same --from again, or choose \
         another folder",
        folder.display()
    )]
    HalfBegun {
        /// The folder of the new run.
        folder: PathBuf,
    },
    /// Another program works in the folder.
    #[error(
        "another kirin is working in {}{holder}; wait for it, or choose another folder with --set run.folder=…",
        folder.display()
    )]
    Locked {
        /// The folder of the run.
        folder: PathBuf,
        /// The process, as far as the lock names it.
        holder: LockOwner,
    },
    /// The run needs more memory than there is.
    #[error(
        "{worker} would need about {} of memory, and {} are free:\n  {}",
        Gigabytes(*total),
        Gigabytes(*available),
        needs.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n  ")
    )]
    Memory {
        /// The worker that would need it.
        worker: Worker,
        /// Bytes that it would need.
        total: u64,
        /// Bytes that this process may still take.
        available: u64,
        /// The larger parts, the largest first.
        needs: Vec<Need>,
    },
    /// The operating system refuses another thread.
    #[error("cannot start the thread that {task}; raise the limit of processes (ulimit -u) or of memory")]
    Thread {
        /// What it is for, as a verb phrase.
        task: &'static str,
        /// The operating system's own words.
        source: io::Error,
    },
    /// The operating system refused an operation.
    #[error("cannot {action} {}", path.display())]
    Io {
        /// What was tried, as a verb phrase: "lock", "make the folder".
        action: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// The operating system's own words.
        source: io::Error,
    },
    /// A file of the run folder is damaged.
    #[error("{} is damaged; restore it from a copy", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What the reader found.
        source: serde_json::Error,
    },
    /// The run was in a store, and is opened as one of this machine alone.
    #[error(
        "the games of this run come from a store, so `kirin trainer` resumes it; to continue without the store, move {} \
         elsewhere",
        gathered.display()
    )]
    InStore {
        /// The lists of the shards that were gathered.
        gathered: PathBuf,
    },
    /// The manifest lists other games than those that the run has played.
    #[error(
        "{}: {what}; restore it from a copy, or see what `kirin verify {} --repair` can list again",
        manifest.display(),
        folder.display()
    )]
    OtherGames {
        /// The manifest.
        manifest: PathBuf,
        /// The folder of the run.
        folder: PathBuf,
        /// The first generation with other games, and how many.
        what: String,
    },
    /// A log of the run lacks stages that other files show.
    #[error("{}: {what}; {repair}", file.display())]
    Gap {
        /// The log.
        file: PathBuf,
        /// What it lacks, and what shows that.
        what: String,
        /// What to do.
        repair: &'static str,
    },
    /// The unfinished games of a run are gone.
    #[error(
        "{} is missing, with the unfinished games of generation {generation}: restore it from a copy, or let `kirin verify \
         --repair` write another one, after which all slots begin new games",
        path.display()
    )]
    SlotsMissing {
        /// Where the file of the slots should be.
        path: PathBuf,
        /// The newest generation that was searched.
        generation: u32,
    },
    /// There is no run in a folder.
    #[error("{} is not a run folder: it has no config.toml", folder.display())]
    NoRun {
        /// The folder.
        folder: PathBuf,
    },
    /// The configuration names no known variant.
    #[error(transparent)]
    Variant(#[from] rules::UnknownVariant),
    /// The configuration names no known rule set.
    #[error(transparent)]
    Preset(#[from] rules::UnknownPreset),
    /// Games, positions or another file of the run cannot be read or written.
    #[error(transparent)]
    Data(#[from] DataError),
    /// A network or checkpoint cannot be used, or training failed.
    #[error(transparent)]
    Train(#[from] TrainError),
    /// Training cannot resume from the checkpoint.
    #[error("cannot resume the training")]
    Resume(#[source] TrainError),
    /// Neither the checkpoint after the newest network nor the one before it can be used.
    #[error(
        "the checkpoints of networks {network} and {before} are both damaged, so the training cannot resume: restore one of \
         them from a copy, or begin another run from the newest network with --from {}",
        newest.display()
    )]
    NoCheckpoint {
        /// The newest network.
        network: u32,
        /// The network before it.
        before: u32,
        /// The file of the newest network.
        newest: PathBuf,
        /// What is wrong with the checkpoint of the network before.
        source: TrainError,
    },
    /// No game ended while speeds were measured, so there was nothing to train on.
    #[error(
        "no game ended in {seconds:.0} s of self-play, so the speed of training cannot be measured; raise \
         selfplay.stagger_plies, so that some games begin late"
    )]
    Unmeasured {
        /// Time of the self-play.
        seconds: f64,
    },
    /// Self-play failed.
    #[error(transparent)]
    Selfplay(#[from] GenerateError),
    /// Self-play failed because of its network.
    #[error(
        "{} cannot be played with, all finished games are kept; restore it from a copy, or begin another run with a \
         lower training.optimiser.learning_rate",
        network.display()
    )]
    Network {
        /// The network.
        network: PathBuf,
        /// What failed.
        source: GenerateError,
    },
    /// A match failed.
    #[error(transparent)]
    Match(#[from] MatchError),
    /// A match on record has an opponent that this program does not have.
    #[error(
        "no network of {variant} comes with this program, and a match of the run is with one; use the program that the \
         run was begun with"
    )]
    NoBuiltin {
        /// The variant.
        variant: &'static str,
    },
    /// A match on record is with a level that this program does not have.
    #[error(
        "a match of the run is with a level that this program does not have; use the program that the run was begun with"
    )]
    Level(#[from] eval::benchmark::LevelError),
}

impl LabError {
    /// What it says about the file that was read.
    pub(crate) fn verdict(&self) -> FileVerdict {
        match self {
            LabError::ReadConfig { source, .. } | LabError::Io { source, .. } => bounded::verdict(source),
            LabError::Data(error) | LabError::Selfplay(GenerateError::Data(error)) => error.verdict(),
            LabError::Train(error) | LabError::Resume(error) => error.verdict(),
            LabError::Syntax { .. }
            | LabError::Config { .. }
            | LabError::ConfigMissing { .. }
            | LabError::ConfigChanged { .. }
            | LabError::Damaged { .. }
            | LabError::Gap { .. }
            | LabError::SlotsMissing { .. }
            | LabError::NoRun { .. }
            | LabError::Variant(_)
            | LabError::Preset(_)
            | LabError::Selfplay(GenerateError::Snapshot(_)) => FileVerdict::Damaged,
            _ => FileVerdict::Unknown,
        }
    }

    /// An error of the system while a file or folder is used: `action` is a verb, `read` or `list`.
    pub fn io(action: &'static str, path: &std::path::Path) -> impl FnOnce(io::Error) -> LabError {
        let path = path.to_owned();
        move |source| LabError::Io { action, path, source }
    }
}

/// `2 problems` and a line for each.
fn listed(complaints: &Complaints) -> String {
    let list: Vec<String> = complaints.list().iter().map(ToString::to_string).collect();
    let count = if list.len() == 1 { "1 problem".to_owned() } else { format!("{} problems", list.len()) };
    format!("{count}\n  {}", list.join("\n  "))
}

impl LabError {
    /// What the error asks the user for. An error that wraps another asks for what that one asks for.
    pub fn exit_kind(&self) -> Option<ExitKind> {
        match self {
            LabError::Syntax { .. }
            | LabError::Config { .. }
            | LabError::OtherSettings { .. }
            | LabError::ConfigMissing { .. }
            | LabError::ConfigChanged { .. }
            | LabError::Branch { .. }
            | LabError::NoBuiltin { .. }
            | LabError::Level(_)
            | LabError::HalfBegun { .. }
            | LabError::Fit { .. }
            | LabError::Exists { .. }
            | LabError::Unmeasured { .. }
            | LabError::Locked { .. }
            | LabError::Memory { .. }
            | LabError::InStore { .. }
            | LabError::NoRun { .. }
            | LabError::Variant(_)
            | LabError::Preset(_) => Some(ExitKind::Input),
            LabError::ReadConfig { .. }
            | LabError::Io { .. }
            | LabError::Thread { .. }
            | LabError::Damaged { .. }
            | LabError::Gap { .. }
            | LabError::SlotsMissing { .. }
            | LabError::OtherGames { .. }
            | LabError::Data(_) => Some(ExitKind::Machine),
            LabError::WriteConfig(_) => Some(ExitKind::Bug),
            LabError::Train(error) | LabError::Resume(error) | LabError::NoCheckpoint { source: error, .. } => {
                error.exit_kind()
            }
            LabError::Selfplay(error) | LabError::Network { source: error, .. } => error.exit_kind(),
            LabError::Match(error) => error.exit_kind(),
        }
    }
}

/// What was read; `None` if the file is damaged.
///
/// # Errors
/// The machine cannot read it, so nothing is known about it.
pub(crate) fn readable<T, E: Into<LabError>>(read: Result<T, E>) -> Result<Option<T>> {
    match read.map_err(Into::into) {
        Ok(read) => Ok(Some(read)),
        Err(error) if error.verdict() == FileVerdict::Damaged => Ok(None),
        Err(error) => Err(error),
    }
}

impl From<train::FileError> for LabError {
    fn from(error: train::FileError) -> LabError {
        LabError::Train(error.into())
    }
}
