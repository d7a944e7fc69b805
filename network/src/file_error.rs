//! Why a file of tensors cannot be used. Each error names the file and the repair.

use data::bounded::{self, FileVerdict};
use settings::ExitKind;
use std::io;
use std::path::{Path, PathBuf};

/// The result of reading and writing files.
pub type Result<T, E = FileError> = std::result::Result<T, E>;

/// Why a network or checkpoint cannot be read or written.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    /// The operating system refused an operation on a file.
    #[error("cannot {action} {}: {source}", path.display())]
    Io {
        /// What was tried, as a verb: "read".
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// The operating system's error.
        source: io::Error,
    },
    /// A network or checkpoint file cannot be used.
    #[error("{}: {problem}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What is wrong with it and what to do.
        problem: FileProblem,
    },
    /// A file cannot be written.
    #[error(transparent)]
    Store(#[from] data::DataError),
    /// The description of a network or checkpoint cannot be written as JSON.
    #[error("cannot describe the network in JSON: {0}")]
    Description(#[from] serde_json::Error),
}

/// Why a network or checkpoint file cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum FileProblem {
    /// It is no safetensors file, or it is cut short.
    #[error("damaged or not a kirin file ({0}); restore it from a copy")]
    Unreadable(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// It is another kind of kirin file.
    #[error("this is a {found} file where a {wanted} file is needed")]
    Kind {
        /// What the file says it is.
        found: String,
        /// What was asked for.
        wanted: &'static str,
    },
    /// It was written by a later kirin.
    #[error("its format version is {found}, and this kirin reads versions up to {supported}; use a newer kirin")]
    Version {
        /// The file's version.
        found: u32,
        /// The newest version that this program reads.
        supported: u32,
    },
    /// It is for another variant.
    #[error("it plays {found}, not {wanted}; choose a network of {wanted}, or set variant = \"{found}\"")]
    Variant {
        /// The file's variant.
        found: String,
        /// The variant asked for.
        wanted: String,
    },
    /// It was made for another encoding of the variant.
    #[error(
        "it was made for another encoding of the variant ({found}) than this kirin's ({wanted}); train a new network \
         from the games, which stay valid"
    )]
    Shape {
        /// The file's sizes.
        found: String,
        /// This program's sizes.
        wanted: String,
    },
    /// Its network configuration is another one.
    #[error(
        "it has {found} where the config has {wanted}; put the old [network] values back, or start a new run folder"
    )]
    Config {
        /// The file's network configuration.
        found: String,
        /// The configuration asked for.
        wanted: String,
    },
    /// A tensor is missing, has the wrong shape, or does not belong there.
    #[error("its tensors do not fit its own description: {0}; restore it from a copy")]
    Tensors(String),
    /// A weight is NaN or infinite.
    #[error("tensor {0} has a value that is not finite, so the training had diverged; use an earlier file")]
    NotFinite(String),
    /// Its contents have changed since it was written.
    #[error("its contents have digest {found}, but it was written with {written}; restore it from a copy")]
    Digest {
        /// The digest of the contents.
        found: String,
        /// The digest that was noted when it was written.
        written: String,
    },
}

impl FileError {
    /// A file that cannot be used.
    pub fn file(path: &Path, problem: FileProblem) -> FileError {
        FileError::File { path: path.to_owned(), problem }
    }

    pub(crate) fn io(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> FileError {
        let path = path.to_owned();
        move |source| FileError::Io { action, path, source }
    }

    /// Whether a file is missing or is not what was written. A whole file of another kind or network is not damaged.
    pub fn is_damage(&self) -> bool {
        match self {
            FileError::Io { source, .. } => source.kind() == io::ErrorKind::NotFound,
            FileError::File { problem, .. } => matches!(
                problem,
                FileProblem::Unreadable(_)
                    | FileProblem::Tensors(_)
                    | FileProblem::NotFinite(_)
                    | FileProblem::Digest { .. }
            ),
            FileError::Store(_) | FileError::Description(_) => false,
        }
    }

    /// What it says about the file that was read.
    pub fn verdict(&self) -> FileVerdict {
        match self {
            FileError::Io { source, .. } => bounded::verdict(source),
            FileError::Store(error) => error.verdict(),
            FileError::File { .. } => FileVerdict::Damaged,
            FileError::Description(_) => FileVerdict::Unknown,
        }
    }

    /// What the error asks for; `None` where its source tells.
    pub fn exit_kind(&self) -> Option<ExitKind> {
        match self {
            FileError::File { .. } => Some(ExitKind::Input),
            FileError::Io { .. } | FileError::Store(_) => Some(ExitKind::Machine),
            FileError::Description(_) => None,
        }
    }
}
