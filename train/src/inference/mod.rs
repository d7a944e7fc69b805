//! Networks in play: the form they are evaluated in, the evaluator behind the search's seam, and how fast it is.

pub(crate) mod config;
pub(crate) mod evaluator;
pub(crate) mod play_network;
mod stream;
