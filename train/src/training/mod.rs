//! Training: the loss, the optimiser, the averaged weights, and the loop around them.

pub(crate) mod average;
pub(crate) mod checkpoint;
pub(crate) mod config;
pub(crate) mod descent;
pub(crate) mod loss;
pub(crate) mod metrics;
pub(crate) mod optimiser;
pub(crate) mod precision;
mod prefetch;
pub(crate) mod span;
mod sums;
pub(crate) mod times;
pub(crate) mod trainer;
