//! Evaluation of networks on a CPU, without libtorch.
//!
//! A [`Network`] is what a network file holds: sizes ([`Description`]) and named tensors, checked. From it a [`PlayNetwork`]
//! is made, in fp32 or in 8-bit integers, and a [`NativeEvaluator`] evaluates leaves of the search with it. The integers
//! need the largest activations of the network ([`Peaks`]), measured on positions of its own games.
//!
//! Answers have the same bits with every [`Kernel`], batch size, number of threads and machine. Two slow evaluations say
//! what the right ones are: [`Network::reference`] in fp32 by the formulas of training, and [`QuantisedNetwork::reference`]
//! in integers, whose bits the kernels reproduce. The crate reads no files.
//!
//! ```
//! use network::{Description, Kernel, NativeEvaluator, Network, Peaks, PlayNetwork, QuantisedNetwork, Tensor};
//! use rules::encode::{Features, Shape};
//! use search::{Evaluations, Evaluator};
//!
//! // A network that knows nothing: all its tensors are 0, except for variances.
//! let features = Features::FIRST;
//! let description = Description::usual(Shape::of::<rules::Wangqi>(features), features);
//! let zeros = description.tensors().into_iter().map(|(name, shape)| {
//!     let value = if name.ends_with("variance") { 1.0 } else { 0.0 };
//!     let values = vec![value; shape.iter().product()];
//!     (name, Tensor { shape, values })
//! });
//! let network = Network::new(description.clone(), zeros.collect())?;
//!
//! let leaves = search::random_leaves::<rules::Wangqi>(8, 1, features);
//! let kernel = Kernel::chosen()?;
//! let peaks = Peaks::measured(&network, kernel, &leaves)?;
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

mod board;
mod calibration;
mod description;
mod error;
mod evaluator;
mod folding;
mod format;
mod forward;
mod heads;
mod integer_reference;
mod kernels;
mod lanes;
mod layers;
mod packing;
mod quantise;
mod reference;
mod stem;
mod tensors;

pub use calibration::Peaks;
pub use description::{Description, Mixing};
pub use error::{NetworkError, Result};
pub use evaluator::{NativeEvaluator, PlayNetwork, StageTimes};
pub use forward::Stage;
pub use integer_reference::QuantisedNetwork;
pub use kernels::{KERNEL_VARIABLE, Kernel};
pub use tensors::{Network, Tensor, Tensors};
