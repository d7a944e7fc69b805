//! Networks in play: the form they are evaluated in, the evaluator that the search calls, and how fast it is.

pub(crate) mod config;
pub(crate) mod evaluator;
pub(crate) mod play_network;
mod stream;
