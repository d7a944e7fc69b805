//! Self-play: games, their repetition and their interruption.

mod determinism;
mod faults;
mod golden_games;
mod kept_evaluations;
mod resume;
mod rules_games;
mod scratch_run;
mod statistics;
mod whole_games;
