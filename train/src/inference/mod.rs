//! Networks in play: the form they are evaluated in, and the evaluator that the search calls.

pub(crate) mod config;
pub(crate) mod evaluator;
pub(crate) mod folded_network;
pub(crate) mod network_evaluator;
mod stream;
