//! What can go wrong in this crate. Each error names the place and, where there is one, the repair.

use crate::libtorch::LibraryError;
use data::bounded::FileVerdict;
use network::{FileError, NetworkError};
use rules::encode::Features;
use rules::{IllegalMove, Move, Side};
use settings::ExitKind;
use std::io;
use std::path::PathBuf;

/// The result of nearly every function of this crate.
pub type Result<T, E = TrainError> = std::result::Result<T, E>;

/// Every error of this crate.
#[derive(Debug, thiserror::Error)]
pub enum TrainError {
    /// A network or checkpoint cannot be read or written.
    #[error(transparent)]
    File(#[from] FileError),
    /// The network cannot be evaluated without libtorch.
    #[error(transparent)]
    Network(#[from] NetworkError),
    /// libtorch refused an operation.
    #[error("libtorch failed: {0}")]
    Torch(String),
    /// libtorch has too little memory.
    #[error("libtorch has too little memory: {0}; free some, or raise the limit of the process (ulimit -v, ulimit -d)")]
    Memory(String),
    /// libtorch cannot be opened.
    #[error(transparent)]
    Library(#[from] &'static LibraryError),
    /// A GPU is asked for and cannot be used.
    #[error("device cuda: {0}")]
    Device(#[from] DeviceProblem),
    /// Positions were encoded for a network that is shown something else: a fault of the program.
    #[error("the positions were encoded with {found:?} for a network that is shown {wanted:?}")]
    Features {
        /// What the positions were encoded with.
        found: Features,
        /// What the network is shown.
        wanted: Features,
    },
    /// The network has no tensor of this name.
    #[error("the network has no tensor {0}")]
    MissingTensor(String),
    /// The network is for a variant that this program does not have.
    #[error(transparent)]
    Variant(#[from] rules::UnknownVariant),
    /// libtorch has moved a tensor out of the vector that the optimiser works on: a fault of the program.
    #[error(
        "the {what} of parameter {name} no longer lies in the vector that is trained; this is a bug, please report it"
    )]
    Strayed {
        /// The parameter's own `tensor`, or its `gradient`.
        what: &'static str,
        /// The parameter.
        name: String,
    },
    /// A thread panicked; what it was for, as a verb: "measures".
    #[error("the thread that {0} panicked; its own message is above")]
    Thread(&'static str),
    /// The system refuses a thread; what it is for, as a verb: "trains".
    #[error(
        "cannot start the thread that {task}: {source}; raise the limit of processes (ulimit -u) or of memory (ulimit -v), \
         or set fewer threads"
    )]
    NoThread {
        /// What it was for.
        task: &'static str,
        /// The system's own words.
        source: io::Error,
    },
    /// The training data cannot be used.
    #[error("training data: {0}")]
    Data(String),
    /// A recorded game contradicts the rules or itself.
    #[error(
        "training data: {}: game {game_id:016x}: {fault}; it was made by other rules than this kirin's, or damaged \
         before it was committed",
        path.display()
    )]
    Game {
        /// The games file of its shard.
        path: PathBuf,
        /// The game.
        game_id: u64,
        /// What it contradicts.
        #[source]
        fault: GameFault,
    },
    /// A file cannot be written, or a shard cannot be read.
    #[error(transparent)]
    Store(#[from] data::DataError),
    /// The training has diverged.
    #[error(
        "the training of generation {generation} was stopped at step {step}: {runaway}. Nothing of it was written, and the \
         checkpoint before it is intact. Begin another run from the newest network (--from) with a lower \
         training.optimiser.learning_rate, or with training.precision = \"fp32\""
    )]
    Diverged {
        /// The generation that was trained.
        generation: u32,
        /// The step at which it was noticed.
        step: u64,
        /// What was seen.
        runaway: Runaway,
    },
}

/// Why there is no GPU to use.
#[derive(Debug, thiserror::Error)]
pub enum DeviceProblem {
    /// libtorch was built without support for GPUs, or its libraries cannot be loaded.
    #[error("this libtorch has no usable GPU part; set LIBTORCH to one built for CUDA, or device = \"cpu\"")]
    NoGpuPart(#[source] &'static LibraryError),
    /// libtorch supports GPUs and finds none.
    #[error("libtorch sees no GPU; check the driver with nvidia-smi, or set device = \"cpu\"")]
    NoGpu,
}

/// What a recorded game contradicts.
#[derive(Debug, thiserror::Error)]
pub enum GameFault {
    /// The rules do not allow a move.
    #[error(transparent)]
    Illegal(#[from] IllegalMove),
    /// The other side is to move.
    #[error("ply {ply}: the {side} player is not to move there")]
    Side {
        /// Moves played before the position.
        ply: u16,
        /// The side that the position names.
        side: Side,
    },
    /// The policy holds a move that the rules do not allow.
    #[error("ply {ply}: the policy holds {:#x}, which is not legal there", mv.raw())]
    Policy {
        /// Moves played before the position.
        ply: u16,
        /// The move.
        mv: Move,
    },
    /// No move of the policy has any weight.
    #[error("ply {ply}: the policy is empty")]
    NoPolicy {
        /// Moves played before the position.
        ply: u16,
    },
    /// A position lies after the last move, or out of order.
    #[error("a position at ply {ply}, after {plies} plies")]
    Beyond {
        /// The ply that the position names.
        ply: u16,
        /// Moves of the game.
        plies: usize,
    },
}

/// Signs that a training has diverged.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Runaway {
    /// The loss is no number.
    #[error("the loss became {0}")]
    Loss(f64),
    /// The gradient is no number, or far larger than any that training can follow.
    #[error("the norm of the gradient became {norm}, and it may be at most {most}")]
    Gradient {
        /// Mean norm of the last steps, before clipping.
        norm: f64,
        /// The largest that is accepted.
        most: f64,
    },
    /// A weight, an average of weights or a moment of the optimiser is no number.
    #[error("{0} has a value that is not finite")]
    Weight(String),
}

impl TrainError {
    /// Whether a file is missing or is not what was written. A whole file of another kind or network is not damaged.
    pub fn is_damage(&self) -> bool {
        matches!(self, TrainError::File(error) if error.is_damage())
    }

    /// What it says about the file that was read.
    pub fn verdict(&self) -> FileVerdict {
        match self {
            TrainError::Store(error) => error.verdict(),
            TrainError::File(error) => error.verdict(),
            TrainError::MissingTensor(_) | TrainError::Variant(_) | TrainError::Game { .. } => FileVerdict::Damaged,
            _ => FileVerdict::Unknown,
        }
    }

    /// What the error asks for; `None` where its source tells.
    pub fn exit_kind(&self) -> Option<ExitKind> {
        match self {
            TrainError::File(error) => error.exit_kind(),
            TrainError::Network(error) => error.exit_kind(),
            TrainError::Device { .. } => Some(ExitKind::Input),
            TrainError::Library(_)
            | TrainError::Memory(_)
            | TrainError::NoThread { .. }
            | TrainError::Data(_)
            | TrainError::Game { .. }
            | TrainError::Store(_) => Some(ExitKind::Machine),
            _ => None,
        }
    }
}

impl From<tch::TchError> for TrainError {
    fn from(error: tch::TchError) -> Self {
        // The message is the part before the C++ stack, which is of no use here.
        let text = error.to_string();
        let message = text.split("\nException raised from").next().unwrap_or(&text);
        let message = message.trim().to_owned();
        // As the C++ library, libtorch's allocators, oneDNN and CUDA say it.
        let signs = ["bad_alloc", "not enough memory", "could not create a primitive", "out of memory"];
        match signs.iter().any(|sign| text.contains(sign)) {
            true => TrainError::Memory(message),
            false => TrainError::Torch(message),
        }
    }
}
