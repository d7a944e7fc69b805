//! Players, matches of paired games, and ratings.

pub mod ratings;
pub mod stats;
