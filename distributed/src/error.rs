//! Errors between machines.

use crate::store::StoreError;
use lab::LabError;
use settings::ExitKind;
use std::path::PathBuf;

/// The result of a role.
pub type Result<T, E = RoleError> = std::result::Result<T, E>;

/// Why a role of a run on many machines cannot do its work.
#[derive(Debug, thiserror::Error)]
pub enum RoleError {
    /// The store cannot be used.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The run itself cannot continue.
    #[error(transparent)]
    Run(#[from] LabError),
    /// The run in the store has other settings.
    #[error(
        "the run in {url} has other settings; choose another store, or set back:\n  {}",
        differences.join("\n  ")
    )]
    OtherSettings {
        /// The store.
        url: String,
        /// One text for each setting that differs.
        differences: Vec<String>,
    },
    /// The run in the store was begun by another version of the program.
    #[error("the run in {url} was begun by kirin {theirs}, and this is kirin {ours}; use the same version everywhere")]
    OtherVersion {
        /// The store.
        url: String,
        /// Version that began the run.
        theirs: String,
        /// This version.
        ours: String,
    },
    /// The run in the store has another name.
    #[error(
        "the run in {url} is {theirs}, and the folder {} is of {ours}; choose the folder with --set run.folder=…, or another \
         store",
        folder.display()
    )]
    OtherRun {
        /// The store.
        url: String,
        /// Name of the run in the store.
        theirs: String,
        /// Name of the run in the folder.
        ours: String,
        /// The trainer's folder.
        folder: PathBuf,
    },
    /// An object of the store is not what was uploaded.
    #[error("{key} in {url} cannot be used: {reason}")]
    Object {
        /// The store.
        url: String,
        /// The object.
        key: String,
        /// What is wrong with it.
        reason: String,
    },
    /// Another trainer has published what this one was about to.
    #[error(
        "another trainer works on the run in {url}: it has published generation {generation} in its own way. Let it \
         continue; or end it, move {} elsewhere, and start this one again",
        folder.display()
    )]
    OtherTrainer {
        /// The store.
        url: String,
        /// The generation.
        generation: u32,
        /// This trainer's folder.
        folder: PathBuf,
    },
    /// The folder and the store have diverged.
    #[error(
        "{} is in generation {ours}, which is not what {url} has ({theirs} published). Check that this is the store \
         of that run; if it is, move the folder elsewhere, and it is made again from the store",
        folder.display()
    )]
    OffCourse {
        /// The trainer's folder.
        folder: PathBuf,
        /// The store.
        url: String,
        /// Generation that the folder is in.
        ours: u32,
        /// Generations in the store.
        theirs: u32,
    },
    /// The run was begun in a folder before it had a store.
    #[error("the run in {url} continues with generation {first} of a folder on another machine; copy that folder to {}", folder.display())]
    BeganElsewhere {
        /// The store.
        url: String,
        /// The generation that was the newest when the store was begun.
        first: u32,
        /// The folder in which the run was to continue.
        folder: PathBuf,
    },
    /// A run with a budget of clock time.
    #[error(
        "a run on many machines is as long as run.generations says, and run.budget is {budget:?}: add --set \
         run.budget=none --set run.generations=N"
    )]
    Budget {
        /// The budget.
        budget: String,
    },
    /// The run in the folder has nothing left to do, and the store is new.
    #[error(
        "the run in {} is finished, so in a new store no process would have work: give it more generations with --set \
         run.generations=N, or begin another run with --set run.folder=…",
        folder.display()
    )]
    Finished {
        /// The trainer's folder.
        folder: PathBuf,
    },
    /// Another process uses the spool folder.
    #[error(
        "another worker keeps its shards in {}; wait for its end, or give this one a folder of its own with --spool",
        folder.display()
    )]
    SpoolInUse {
        /// The folder.
        folder: PathBuf,
    },
    /// The run of the folder has been in a store, and this store has no run.
    #[error(
        "the run in {} has been in a store, and {url} has no run.json: is the disk mounted, is it the right store? Nothing \
         was written. If that store is lost, move {} elsewhere, and the run continues in the new one",
        folder.display(), folder.join("gathered").display()
    )]
    StoreLost {
        /// The store.
        url: String,
        /// The trainer's folder.
        folder: PathBuf,
    },
    /// A record is missing between others.
    #[error("{key} is missing in {url}, and {later} is there, so it was lost; bring it back from a copy")]
    Gap {
        /// The store.
        url: String,
        /// The object that was lost.
        key: String,
        /// A later one.
        later: String,
    },
    /// The spool folder holds shards of another worker or run.
    #[error(
        "the shards that wait in {} are of {theirs}, and this is {ours}. Nothing was changed; give this worker another folder \
         with --spool, or start the worker that they are of, which uploads them",
        folder.display()
    )]
    OtherSpool {
        /// The folder.
        folder: PathBuf,
        /// The owner of these shards.
        theirs: String,
        /// The identity of this worker.
        ours: String,
    },
    /// A file in the spool folder is not a shard.
    #[error("{} is no shard that could be uploaded: {reason}; move it out of the folder, and start this again", path.display())]
    NoShard {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// A worker was asked to stop, and the store has not taken all shards.
    #[error("stopped, and {shards} shards wait in {}, because the store did not answer; the same command uploads them", folder.display())]
    Waiting {
        /// The folder.
        folder: PathBuf,
        /// Shards that wait.
        shards: usize,
    },
    /// The spool is full, and the store accepts no shards.
    #[error("{megabytes} MB of shards wait in {} and the store takes none; start this again when it does", folder.display())]
    SpoolFull {
        /// The spool folder.
        folder: PathBuf,
        /// The limit.
        megabytes: u64,
    },
}

impl RoleError {
    /// What the error asks the user for; `None` for a bug.
    pub fn exit_kind(&self) -> Option<ExitKind> {
        Some(match self {
            RoleError::Store(error) => error.exit_kind(),
            RoleError::Run(error) => return error.exit_kind(),
            RoleError::SpoolFull { .. }
            | RoleError::SpoolInUse { .. }
            | RoleError::StoreLost { .. }
            | RoleError::Gap { .. }
            | RoleError::NoShard { .. }
            | RoleError::Waiting { .. }
            | RoleError::Object { .. } => ExitKind::Machine,
            _ => ExitKind::Input,
        })
    }
}

/// Errors of other crates that the run's own errors contain.
macro_rules! from_run {
    ($($error:ty),*) => {
        $(impl From<$error> for RoleError {
            fn from(error: $error) -> RoleError {
                RoleError::Run(error.into())
            }
        })*
    };
}

from_run!(
    data::DataError,
    train::TrainError,
    train::FileError,
    eval::MatchError,
    selfplay::GenerateError,
    rules::UnknownVariant,
    rules::UnknownPreset
);
