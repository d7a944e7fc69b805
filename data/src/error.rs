//! What can go wrong with a data folder: each error names the file and says what to do.

use std::io;
use std::path::{Path, PathBuf};

/// Every error of this crate.
#[derive(Debug, thiserror::Error)]
pub enum DataError {
    /// The operating system refused an operation on a file.
    #[error("cannot {action} {}: {source}{}", path.display(), advice(source))]
    Io {
        /// What was tried, as a verb phrase: "write", "rename".
        action: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// The operating system's own words.
        source: io::Error,
    },
    /// There is no folder to write to.
    #[error("cannot write {}: its folder is not there; bring it back, and the same command goes on", path.display())]
    NoFolder {
        /// The file to be written.
        path: PathBuf,
    },
    /// A file was moved or deleted while it was open.
    #[error(
        "{} was moved or deleted while it was written; bring it back, and the same command goes on",
        path.display()
    )]
    Vanished {
        /// The path it had.
        path: PathBuf,
    },
    /// Another process has the folder open for writing.
    #[error(
        "{} is in use by another kirin process: wait until it ends, or give this run another folder",
        path.display()
    )]
    InUse {
        /// The data folder.
        path: PathBuf,
    },
    /// A store opened for reading was asked to write.
    #[error("{} was opened for reading only", path.display())]
    ReadOnly {
        /// The data folder.
        path: PathBuf,
    },
    /// A committed file is not what was written.
    #[error(
        "{} has changed since it was written ({difference}): restore it from a copy, or delete its line from {} \
         to go on without its games",
        path.display(),
        manifest.display()
    )]
    Changed {
        /// The Parquet file.
        path: PathBuf,
        /// The manifest that lists it.
        manifest: PathBuf,
        /// Which property differs, with both values.
        difference: String,
    },
    /// There are shards, and the list that says which of them count is gone.
    #[error(
        "{} is missing though there are shards beside it: restore it from a copy, or move the folders games and \
         positions away",
        path.display()
    )]
    ManifestMissing {
        /// Where the manifest should be.
        path: PathBuf,
    },
    /// A line of a journal, a manifest or another sealed log is damaged.
    #[error(
        "{}, line {line}: {reason}; restore the file from a copy, or delete that line to go on without what it says",
        path.display()
    )]
    Line {
        /// The log.
        path: PathBuf,
        /// Counted from 1.
        line: usize,
        /// What is wrong with the line.
        reason: String,
    },
    /// A file is not a Parquet file with our columns.
    #[error("{} cannot be read as Parquet data: {reason}", path.display())]
    Malformed {
        /// The Parquet file.
        path: PathBuf,
        /// What the reader met.
        reason: String,
    },
    /// A file was written by a later kirin.
    #[error(
        "{} has schema version {found}, this kirin reads up to {}: use a newer kirin",
        path.display(),
        crate::schema::SCHEMA_VERSION
    )]
    TooNew {
        /// The Parquet file.
        path: PathBuf,
        /// Its schema version.
        found: u32,
    },
    /// A shard of this name is committed already, with other contents.
    #[error(
        "{} is committed already with other games: shards are immutable, choose another shard name",
        path.display()
    )]
    ShardExists {
        /// The games file of the committed shard.
        path: PathBuf,
    },
    /// A record contradicts itself and is not written.
    #[error("game {game_id:016x} is not written: {reason}")]
    InvalidRecord {
        /// The game.
        game_id: u64,
        /// The contradiction.
        reason: String,
    },
    /// A variant or shard name that cannot be part of a path.
    #[error("the {what} {name:?} cannot be part of a file name: use lower-case letters, digits, '-' and '_'")]
    Name {
        /// "variant" or "shard".
        what: &'static str,
        /// The name given.
        name: String,
    },
    /// A statistic could not be computed.
    #[error("statistics over {}: {reason}", path.display())]
    Statistics {
        /// The data folder.
        path: PathBuf,
        /// The query engine's words.
        reason: String,
    },
}

/// The result of nearly everything here.
pub type Result<T, E = DataError> = std::result::Result<T, E>;

impl DataError {
    pub(crate) fn io(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> DataError {
        let path = path.to_owned();
        move |source| DataError::Io { action, path, source }
    }

    /// Whether the disk (or the quota) is full: the one failure that freeing space repairs.
    pub fn is_disk_full(&self) -> bool {
        matches!(self, DataError::Io { source, .. } if is_full(source))
    }
}

fn is_full(error: &io::Error) -> bool {
    use io::ErrorKind::{QuotaExceeded, StorageFull};
    matches!(error.kind(), StorageFull | QuotaExceeded)
}

fn advice(error: &io::Error) -> &'static str {
    match error.kind() {
        _ if is_full(error) => ". The disk is full: free some space and run again; what was finished before is safe",
        io::ErrorKind::PermissionDenied => ". Check who owns the folder, or give the run another one",
        io::ErrorKind::ReadOnlyFilesystem => {
            ". The file system is read-only: give the run a folder that can be written"
        }
        _ => "",
    }
}
