//! Networks in play: the form they are evaluated in, and the evaluator that the search calls.

pub(crate) mod config;
pub(crate) mod evaluator;
pub(crate) mod network_evaluator;
pub(crate) mod play_network;
mod stream;
