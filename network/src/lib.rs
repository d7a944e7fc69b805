//! Network files, and their evaluation on a CPU, without libtorch.
//!
//! A [`NetworkFile`] has [`Weights`], a blueprint and named tensors, checked. From them a [`PlayNetwork`] is made, in fp32 or
//! in 8-bit integers, and a [`NativeEvaluator`] evaluates leaves of the search with it. The integers need the largest
//! activations of the network ([`Peaks`]), measured on positions of its own games.
//!
//! Answers have the same bits with every [`Kernel`], batch size, number of threads and machine. Two slow evaluations say
//! what the right ones are: [`Weights::reference`] in fp32 by the formulas of training, and [`QuantisedNetwork::reference`]
//! in integers, whose bits the kernels reproduce.
//!
//! ```
//! use network::{Blueprint, HostTensor, Kernel, NativeEvaluator, NetworkConfig, Peaks, PlayNetwork, QuantisedNetwork, Weights};
//! use search::{Evaluations, Evaluator};
//!
//! // A network that knows nothing: all its tensors are 0, except for variances.
//! let blueprint = Blueprint::of::<rules::Wangqi>(NetworkConfig::default());
//! let zeros = blueprint.tensors().into_iter().map(|(name, shape)| {
//!     let value = if name.ends_with("variance") { 1.0 } else { 0.0 };
//!     let values = vec![value; shape.iter().product()];
//!     (name, HostTensor { shape, values })
//! });
//! let network = Weights::new(blueprint.clone(), zeros.collect())?;
//!
//! let leaves = search::random_leaves::<rules::Wangqi>(8, 1, blueprint.config.features);
//! let kernel = Kernel::chosen()?;
//! let peaks = Peaks::measured(&network, kernel, std::slice::from_ref(&leaves))?;
//! let quantised = QuantisedNetwork::new(&network, &peaks)?;
//! let mut evaluator = NativeEvaluator::new(&PlayNetwork::int8(&quantised), kernel, 8)?;
//!
//! let mut out = Evaluations::default();
//! evaluator.evaluate(&leaves, &mut out)?;
//! assert_eq!(out, quantised.reference(&leaves)?);
//! assert!(out.logits.iter().all(|&logit| logit == 0.0));
//! assert_eq!(out.wdl[0], [1.0 / 3.0; 3]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod agreement;
mod blueprint;
mod board;
mod calibration;
mod error;
mod evaluator;
mod file_error;
mod folding;
mod format;
mod forward;
mod heads;
mod integer_reference;
mod kernels;
mod lanes;
mod layers;
mod network_file;
mod own_games;
mod packing;
mod peaks;
mod quantise;
mod reference;
mod stem;
pub mod tensor_file;
mod weights;

pub use agreement::Agreement;
pub use blueprint::{Blueprint, Mixing, NetworkConfig, RETIRED, SCALARS};
pub use calibration::Calibration;
pub use error::{NetworkError, Result};
pub use evaluator::{NativeEvaluator, PlayNetwork};
pub use file_error::{FileError, FileProblem};
pub use integer_reference::QuantisedNetwork;
pub use kernels::{KERNEL_VARIABLE, Kernel};
pub use network_file::{NetworkFile, Numbers};
pub use own_games::own_positions;
pub use peaks::Peaks;
pub use weights::{HostTensor, HostTensors, Weights};
