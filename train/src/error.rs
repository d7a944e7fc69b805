//! What can go wrong here: each error names the place and, where there is one, the repair.

use std::io;
use std::path::{Path, PathBuf};

/// The result of nearly everything here.
pub type Result<T, E = TrainError> = std::result::Result<T, E>;

/// Every error of this crate.
#[derive(Debug, thiserror::Error)]
pub enum TrainError {
    /// The operating system refused an operation on a file.
    #[error("cannot {action} {}: {source}", path.display())]
    Io {
        /// What was tried, as a verb: "read".
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// The operating system's own words.
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
    /// libtorch refused an operation.
    #[error("libtorch failed: {0}")]
    Torch(String),
    /// A device that was asked for is not there.
    #[error("device {asked}: {reason}")]
    Device {
        /// The device asked for.
        asked: String,
        /// Why it cannot be used, and what to do.
        reason: String,
    },
    /// The training data cannot be used.
    #[error("training data: {0}")]
    Data(String),
    /// A file could not be written or a shard could not be read.
    #[error(transparent)]
    Store(#[from] data::DataError),
    /// The loss is no longer a number.
    #[error(
        "the training loss became {loss} at step {step}: lower training.optimiser.learning_rate, or train in fp32; \
         the last checkpoint is intact"
    )]
    Diverged {
        /// The step at which it was noticed.
        step: u64,
        /// The loss.
        loss: f64,
    },
}

/// Why a network or checkpoint file cannot be used.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum FileProblem {
    /// Not safetensors, or cut short.
    #[error("damaged or not a kirin file ({0}); restore it from a copy")]
    Unreadable(String),
    /// Another kind of kirin file.
    #[error("this is a {found} file where a {wanted} file is needed")]
    Kind {
        /// What the file says it is.
        found: String,
        /// What was asked for.
        wanted: &'static str,
    },
    /// Written by a later kirin.
    #[error("its format version is {found}, this kirin reads {supported}; use a newer kirin")]
    Version {
        /// The file's version.
        found: u32,
        /// The version read here.
        supported: u32,
    },
    /// For another variant.
    #[error("it plays {found}, not {wanted}; choose a network of {wanted}, or set variant = \"{found}\"")]
    Variant {
        /// The file's variant.
        found: String,
        /// The variant asked for.
        wanted: String,
    },
    /// The input of this program's variant has other sizes.
    #[error(
        "it was made for another encoding of the variant ({found}) than this kirin's ({wanted}); train a new network \
         from the games, which stay valid"
    )]
    Shape {
        /// The file's sizes.
        found: String,
        /// The sizes of this program.
        wanted: String,
    },
    /// The network's configuration is another one.
    #[error(
        "it has {found} where the config has {wanted}; put the old [network] values back, or start a new run folder"
    )]
    Config {
        /// The file's network configuration.
        found: String,
        /// The configuration asked for.
        wanted: String,
    },
    /// A tensor is missing, superfluous or misshapen.
    #[error("its tensors do not fit its own description: {0}; restore it from a copy")]
    Tensors(String),
    /// A weight is NaN or infinite.
    #[error("tensor {0} holds a value that is not finite: the training had diverged; use an earlier file")]
    NotFinite(String),
    /// The contents are not those that were written.
    #[error("its contents have digest {found}, it was written with {written}; restore it from a copy")]
    Digest {
        /// The digest of the contents.
        found: String,
        /// The digest noted when it was written.
        written: String,
    },
}

impl TrainError {
    pub(crate) fn io(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> TrainError {
        let path = path.to_owned();
        move |source| TrainError::Io { action, path, source }
    }

    pub(crate) fn file(path: &Path, problem: FileProblem) -> TrainError {
        TrainError::File { path: path.to_owned(), problem }
    }
}

impl From<tch::TchError> for TrainError {
    fn from(error: tch::TchError) -> Self {
        // libtorch appends its C++ stack, which helps nobody here: the message is the part before it.
        let text = error.to_string();
        let message = text.split("\nException raised from").next().unwrap_or(&text);
        TrainError::Torch(message.trim().to_owned())
    }
}
