//! The stages of a generation: self-play, training, matches.

pub mod matches;
pub mod selfplay;
pub mod training;
