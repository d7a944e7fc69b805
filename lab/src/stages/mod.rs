//! The stages of a generation: self-play (or random-play games), training, matches. Each can be cut off anywhere and
//! done again.

pub(crate) mod matches;
pub(crate) mod rules_games;
pub(crate) mod selfplay;
mod stage_context;
pub(crate) mod training;

pub(crate) use selfplay::committed;
pub(crate) use stage_context::StageContext;
