//! From recorded games to samples: the window over the games, the draws from it, and the tensors of a batch.

pub(crate) mod config;
pub(crate) mod dataset;
mod export;
pub(crate) mod features;
mod material;
mod moves;
pub(crate) mod recorded;
pub(crate) mod sample;
pub(crate) mod targets;
