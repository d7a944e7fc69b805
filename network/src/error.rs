//! Why a network cannot be evaluated.

use rules::encode::{Features, Shape};
use settings::{Complaints, ExitKind, UnknownSetting};

/// The result of this crate's functions.
pub type Result<T, E = NetworkError> = std::result::Result<T, E>;

/// Why a network cannot be evaluated.
#[derive(Debug, thiserror::Error)]
pub enum NetworkError {
    /// Sizes that no network may have.
    #[error("{0}")]
    Size(#[source] Complaints),
    /// Sizes of an encoding that no variant has.
    #[error("{0:?} is no variant's")]
    Shape(Shape),
    /// A tensor is missing.
    #[error("{0} is missing")]
    Missing(String),
    /// A tensor that does not belong to such a network.
    #[error("{0} is not part of such a network")]
    Foreign(String),
    /// A tensor of another shape than the sizes ask for.
    #[error("{name} is {found:?} and not {wanted:?}")]
    TensorShape {
        /// The tensor.
        name: String,
        /// Its shape.
        found: Vec<usize>,
        /// The shape that the sizes ask for.
        wanted: Vec<usize>,
    },
    /// A tensor with more or fewer values than its shape has places.
    #[error("{name} has {found} values, and its shape {wanted} places")]
    TensorLength {
        /// The tensor.
        name: String,
        /// The values there are.
        found: usize,
        /// The values that its shape asks for.
        wanted: usize,
    },
    /// A tensor holds a NaN or an infinity, or a norm with such a result.
    #[error("{0} has values that are not finite")]
    NotFinite(String),
    /// Largest activations that do not fit the network.
    #[error("the largest activations do not fit the network: {0}")]
    Peaks(&'static str),
    /// The network is for a variant that this program does not have.
    #[error(transparent)]
    Variant(#[from] rules::UnknownVariant),
    /// No kernel has this name.
    #[error("{variable}: {unknown}")]
    UnknownKernel {
        /// The environment variable with the name.
        variable: &'static str,
        /// The name, and those that there are.
        #[source]
        unknown: UnknownSetting,
    },
    /// The processor lacks the instructions of a kernel.
    #[error("this processor has no kernel {name}; use one of {}", possible.join(", "))]
    UnsupportedKernel {
        /// The kernel.
        name: String,
        /// The kernels that this processor has.
        possible: Vec<String>,
    },
    /// Leaves that were encoded for other input features.
    #[error("the leaves have the input features {found:?}, and the network is shown {wanted:?}")]
    Features {
        /// The features of the leaves.
        found: Features,
        /// The network's features.
        wanted: Features,
    },
    /// Leaves whose planes have another length.
    #[error("{found} values of input planes came for {leaves} positions of {each}")]
    Planes {
        /// Values that came.
        found: usize,
        /// Positions.
        leaves: usize,
        /// Values that each should have.
        each: usize,
    },
    /// A move touches a token that the board does not have.
    #[error("a move touches token {token}, and there are {tokens}")]
    Token {
        /// The token.
        token: u16,
        /// How many there are.
        tokens: usize,
    },
}

impl NetworkError {
    /// What the error asks for; `None` where it is a bug.
    pub fn exit_kind(&self) -> Option<ExitKind> {
        match self {
            NetworkError::UnknownKernel { .. } | NetworkError::UnsupportedKernel { .. } => Some(ExitKind::Input),
            _ => None,
        }
    }
}
