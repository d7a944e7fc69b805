//! The stages of a generation: self-play (or games by the rules alone), training, matches. Each can be cut off anywhere and
//! done again.

pub(crate) mod matches;
pub(crate) mod rules_games;
pub(crate) mod selfplay;
pub(crate) mod training;
mod workplace;

pub(crate) use selfplay::committed;
pub(crate) use workplace::Workplace;
