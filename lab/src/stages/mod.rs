//! The stages of a generation: self-play (or random-play games), training, matches. Each can be interrupted at any
//! point and repeated.

pub(crate) mod matches;
pub mod rules_games;
pub mod selfplay;
mod stage_context;
pub(crate) mod training;

pub(crate) use selfplay::committed;
pub use stage_context::StageContext;
