//! What can go wrong with a data folder: each error names the file and says what to do.

use std::error::Error;
use std::io;
use std::path::{Path, PathBuf};

use arrow_schema::{ArrowError, DataType};
use parquet::errors::ParquetError;
use rules::IllegalMove;

use crate::bounded::{self, FileVerdict};
use crate::lock_owner::LockOwner;
use crate::tables::FOOTER_SCHEMA_VERSION;

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
    #[error("cannot write {}: its folder is not there; bring it back, then resume with the same command", path.display())]
    NoFolder {
        /// The file to be written.
        path: PathBuf,
    },
    /// A file was moved or deleted while it was open.
    #[error(
        "{} was moved or deleted while it was written; bring it back, then resume with the same command",
        path.display()
    )]
    Vanished {
        /// The path it had.
        path: PathBuf,
    },
    /// Another process has the folder or the log open for writing.
    #[error("{} is in use by another kirin process{owner}: wait until it ends, or choose another name", path.display())]
    InUse {
        /// The data folder or the log.
        path: PathBuf,
        /// The process, as far as the lock says it.
        owner: LockOwner,
    },
    /// The lock of a data folder is a link or a folder.
    #[error("{} should be a file of this folder and is something else: move it away", path.display())]
    NotALock {
        /// The lock.
        path: PathBuf,
    },
    /// A manifest lists a file that is not in its folder.
    #[error(
        "{} lists {path:?}, which is no path inside the folder: restore it from a copy, or let `kirin verify --repair` keep its \
         other lines",
        manifest.display()
    )]
    Outside {
        /// The path in the manifest.
        path: String,
        /// The manifest.
        manifest: PathBuf,
    },
    /// A manifest lists a shard under another variant than the folder of its files has.
    #[error(
        "{} lists {path:?} as games of {variant}, and the path says another variant: restore it from a copy, or let \
         `kirin verify --repair` list the shard again",
        manifest.display()
    )]
    OtherVariant {
        /// The path in the manifest.
        path: String,
        /// The variant in the manifest.
        variant: String,
        /// The manifest.
        manifest: PathBuf,
    },
    /// A store opened for reading was asked to write.
    #[error("{} was opened for reading only", path.display())]
    ReadOnly {
        /// The data folder.
        path: PathBuf,
    },
    /// A committed file is not what was written.
    #[error(
        "{} has changed since it was written ({difference}): restore it from a copy, or let `kirin verify --repair` \
         set it aside and take it off {}",
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
    /// A shard was merged into a larger one after the manifest was read.
    #[error("{} was merged into a larger file while the folder was read: run the same command again", path.display())]
    Merged {
        /// The Parquet file.
        path: PathBuf,
    },
    /// There are shards, but the manifest that lists them is missing or empty.
    #[error(
        "{} is missing or empty though there are shards beside it: restore it from a copy, or let `kirin verify --repair` \
         list them again",
        path.display()
    )]
    ManifestMissing {
        /// Where the manifest should be.
        path: PathBuf,
    },
    /// A line of a log is damaged, and it is not a torn tail.
    #[error(
        "{}, line {line}: {fault}; restore the file from a copy, or let `kirin verify --repair` keep its sound lines",
        path.display()
    )]
    Line {
        /// The log.
        path: PathBuf,
        /// Counted from 1.
        line: usize,
        /// What is wrong with the line.
        #[source]
        fault: LineFault,
    },
    /// A file that should be a log is something else, and nothing was changed in it.
    #[error("{} is not a log of this kind, and it was left as it is: choose another name", path.display())]
    NotALog {
        /// The file.
        path: PathBuf,
    },
    /// An entry of a log cannot be written as JSON.
    #[error("cannot write a line of {}: {source}", path.display())]
    NotJson {
        /// The log.
        path: PathBuf,
        /// What the entry contains that JSON cannot hold.
        source: serde_json::Error,
    },
    /// A file does not hold the rows that it should.
    #[error("{} cannot be read: {fault}", path.display())]
    Malformed {
        /// The Parquet file.
        path: PathBuf,
        /// What is wrong with it.
        #[source]
        fault: FileFault,
    },
    /// A file was written by a later kirin.
    #[error(
        "{} has schema version {found}, this kirin reads up to {}: use a newer kirin",
        path.display(),
        crate::SCHEMA_VERSION
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
    /// A shard name that cannot be part of a path.
    #[error("the shard name {name:?} cannot be part of a file name: use lower-case letters, digits, '-' and '_'")]
    Name {
        /// The name given.
        name: String,
    },
    /// The system refuses threads.
    #[error(
        "cannot start {threads} threads: {reason}; raise the limit of processes (ulimit -u) or of memory (ulimit -v)"
    )]
    Threads {
        /// How many were wanted.
        threads: usize,
        /// The system's own words.
        reason: String,
    },
    /// A statistic could not be computed.
    #[error("statistics over {}: {source}", path.display())]
    Statistics {
        /// The data folder.
        path: PathBuf,
        /// What the data frames refused.
        source: Box<dyn Error + Send + Sync>,
    },
}

/// What is wrong with a Parquet file.
#[derive(Debug, thiserror::Error)]
pub enum FileFault {
    /// It is not a Parquet file, or a damaged one.
    #[error("{0}")]
    Parquet(#[from] ParquetError),
    /// Its rows cannot be decoded.
    #[error("{0}")]
    Arrow(#[from] ArrowError),
    /// The Parquet reader panicked.
    #[error("the Parquet reader gave up: {0}")]
    Panic(String),
    /// Its footer has no schema version.
    #[error("its footer has no {FOOTER_SCHEMA_VERSION}, so kirin did not write it")]
    Foreign,
    /// Its schema version is not a number.
    #[error("{FOOTER_SCHEMA_VERSION} {0:?} is not a number")]
    Version(String),
    /// A later kirin has written it.
    #[error("it has schema version {found}")]
    TooNew {
        /// Its schema version.
        found: u32,
    },
    /// The manifest knows another number of rows.
    #[error("it has {found} rows, and the manifest says {wanted}")]
    Rows {
        /// Rows of the file.
        found: u64,
        /// Rows in the manifest.
        wanted: u64,
    },
    /// The headers of its pages make no sense.
    #[error("the headers of its pages are damaged")]
    Pages,
    /// It would take more memory than any file of ours.
    #[error("column {column}: {found} {what}, and at most {most} are read")]
    Large {
        /// The column, with the names of what it lies in.
        column: String,
        /// What there is too much of.
        what: &'static str,
        /// How much of it there is.
        found: u64,
        /// The most that is read.
        most: u64,
    },
    /// Its columns would take far more memory than any file of ours of this size.
    #[error("it becomes {found} bytes or more, and at most {most} are read of a file of its size")]
    Unfolds {
        /// Bytes that were found.
        found: u64,
        /// The most that is read.
        most: u64,
    },
    /// A column cannot be read.
    #[error("column {column}: {fault}")]
    Column {
        /// The column.
        column: &'static str,
        /// What is wrong with it.
        #[source]
        fault: ColumnFault,
    },
    /// The values of a row contradict each other or the rest of the shard.
    #[error("row {row}: {what}")]
    Row {
        /// Number of the row in the file, from 0.
        row: u64,
        /// What is wrong.
        what: String,
    },
    /// The rules refuse a game.
    #[error("game {game_id:016x}: {source}")]
    Illegal {
        /// The game.
        game_id: u64,
        /// The move.
        source: IllegalMove,
    },
    /// A position belongs to no game.
    #[error("game {game_id:016x} has positions and no row in the games table")]
    NoGame {
        /// The game it names.
        game_id: u64,
    },
}

/// Why a column of a file cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum ColumnFault {
    /// The file lacks it.
    #[error("it is missing")]
    Missing,
    /// It holds something else.
    #[error("it has the type {found} instead of {wanted}")]
    Type {
        /// Its type.
        found: Box<DataType>,
        /// The type it should have.
        wanted: &'static str,
    },
    /// Values are missing in a column that must have them.
    #[error("it has nulls")]
    Nulls,
    /// A value makes no sense.
    #[error("row {row}: {source}")]
    Value {
        /// Number of the row, from 0.
        row: usize,
        /// What is wrong with the value.
        source: Box<dyn Error + Send + Sync>,
    },
}

impl FileFault {
    /// This fault with its row counted from the start of the file instead of the batch; `before` rows precede the batch.
    pub(crate) fn behind(mut self, before: u64) -> FileFault {
        match &mut self {
            FileFault::Row { row, .. } => *row += before,
            FileFault::Column { fault: ColumnFault::Value { row, .. }, .. } => *row += before as usize,
            _ => {}
        }
        self
    }
}

/// What is wrong with a line of a log.
#[derive(Debug, thiserror::Error)]
pub enum LineFault {
    /// It does not have the form of a line of this log.
    #[error("it does not have the form of a line of this log")]
    Foreign,
    /// It is longer than a line of this log can be.
    #[error("it has more than {most} bytes, the most that a line of this log has")]
    Long {
        /// The longest line of such a log, bytes.
        most: usize,
    },
    /// Its digest is not that of its contents.
    #[error("its checksum does not fit, so it has been damaged")]
    Checksum,
    /// It is intact, and it was not written as the next line: lines are missing, doubled or moved.
    #[error("{}", out_of_order(*expected, *stated))]
    Order {
        /// The number that the next line has.
        expected: u64,
        /// The number that the line states; `None` if it states none, and lines before it do.
        stated: Option<u64>,
    },
    /// It is intact, and its contents are not an entry of this log.
    #[error("it is not understood: {0}")]
    Entry(#[from] serde_json::Error),
}

fn out_of_order(expected: u64, stated: Option<u64>) -> String {
    match stated {
        None => {
            format!("line {expected} of the log should follow, and this line has no number, as lines before it have")
        }
        Some(stated) if stated == expected => {
            format!("it was written as line {stated} of the log, but behind another line {}", expected - 1)
        }
        Some(stated) => format!(
            "line {expected} of the log should follow, and this is line {stated}: lines are missing, doubled or moved"
        ),
    }
}

/// The result of nearly everything here.
pub type Result<T, E = DataError> = std::result::Result<T, E>;

impl DataError {
    pub(crate) fn io(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> DataError {
        let path = path.to_owned();
        move |source| DataError::Io { action, path, source }
    }

    /// What it says about the file that was read.
    pub fn verdict(&self) -> FileVerdict {
        match self {
            DataError::Io { source, .. } => bounded::verdict(source),
            DataError::NoFolder { .. }
            | DataError::Vanished { .. }
            | DataError::InUse { .. }
            | DataError::ReadOnly { .. }
            | DataError::Merged { .. }
            | DataError::ShardExists { .. }
            | DataError::Name { .. }
            | DataError::Threads { .. }
            | DataError::Statistics { .. } => FileVerdict::Unknown,
            DataError::NotALock { .. }
            | DataError::Outside { .. }
            | DataError::OtherVariant { .. }
            | DataError::Changed { .. }
            | DataError::ManifestMissing { .. }
            | DataError::Line { .. }
            | DataError::NotALog { .. }
            | DataError::NotJson { .. }
            | DataError::Malformed { .. }
            | DataError::TooNew { .. }
            | DataError::InvalidRecord { .. } => FileVerdict::Damaged,
        }
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
