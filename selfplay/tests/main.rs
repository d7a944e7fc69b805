//! Search and self-play: trees, games, their repetition and their interruption.

mod determinism;
mod ends_in_the_tree;
mod exhaustive;
mod faults;
mod golden_games;
mod golden_trees;
mod kept_evaluations;
mod mates;
mod resume;
mod rules_games;
mod scratch_run;
mod statistics;
mod toy;
