//! The result of a run, estimated before it begins: the run's own planner, fed with stages that take as long as
//! measured speeds imply.
//!
//! [`measure`] plays and trains for some seconds in a folder of its own; [`Forecast::of`] goes through the whole run
//! with these measurements. Speeds and the length of games are those of a network that has learned next to nothing. A
//! better one plays games of another length, so the number of games is given with a range (`GAMES_RANGE`).

mod measure;
mod stages;

pub use measure::measure;

use crate::config::Config;
use crate::events::{Event, Stage};
use crate::pairing::Entrants;
use crate::plan::Plan;
use crate::planner::Planner;
use crate::run_log::Record;
use serde::Serialize;
use stages::Machine;
use std::collections::BTreeSet;

/// Speeds and sizes of a configuration on a machine, as measured.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Measured {
    /// Seconds that the measuring took.
    pub seconds: f64,
    /// Threads of the run.
    pub threads: usize,
    /// Seconds to open a run: open settings are chosen by short measurements.
    pub opening_seconds: f64,
    /// Random-play games a second, those without a winner included.
    pub rules_games_per_second: f64,
    /// Mean rows that a random-play game gives for training: none where there is no winner.
    pub rows_per_rules_game: f64,
    /// Simulations a second in self-play.
    pub simulations_per_second: f64,
    /// Seconds that a generation of self-play takes in addition to its positions.
    pub selfplay_overhead_seconds: f64,
    /// Samples trained on a second.
    pub samples_per_second: f64,
    /// Seconds that a training takes in addition to its steps: reading the games, validation, writing.
    pub training_overhead_seconds: f64,
    /// Simulations a second in matches; absent where none was played.
    pub match_simulations_per_second: Option<f64>,
    /// Positions searched for each game that ended, those begun near an ending included.
    pub positions_per_game: f64,
    /// Ply limit of a game.
    pub longest_game: f64,
    /// Plies of a game, including those that were not searched.
    pub plies_per_game: f64,
    /// Size of the Parquet files, bytes for each row.
    pub bytes_per_row: f64,
    /// Size of the file that keeps the unfinished games, bytes.
    pub unfinished_bytes: u64,
    /// Size of a network's file, bytes.
    pub network_bytes: u64,
    /// Size of a checkpoint, bytes.
    pub checkpoint_bytes: u64,
    /// Bytes a second at which a file reached the measured disk.
    pub write_bytes_per_second: f64,
    /// Peak memory of the program while it measured, bytes; absent where the system does not tell.
    pub memory_bytes: Option<u64>,
}

/// Estimated figures of a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Forecast {
    /// Generations.
    pub generations: u32,
    /// Networks made.
    pub networks: u32,
    /// Games that end, random-play games included where they have a winner.
    pub games: u64,
    /// The fewest and the most games to expect, because games of a trained network have another length: 0.5 and 1.4
    /// times `games`.
    pub games_between: [u64; 2],
    /// Rows to train on: positions of these games, without those of random-play games that are not kept.
    pub rows: u64,
    /// Positions searched, including those of games unfinished at the end.
    pub searched: u64,
    /// Optimiser steps.
    pub steps: u64,
    /// Games in an hour of the run.
    pub games_per_hour: f64,
    /// Rows in an hour of the run.
    pub rows_per_hour: f64,
    /// Clock time until the first network is trained, seconds; absent where none is.
    pub seconds_to_first_network: Option<f64>,
    /// Clock time until the first match is over, seconds; absent where none is played.
    pub seconds_to_first_match: Option<f64>,
    /// Clock time of the whole run, seconds.
    pub seconds: f64,
    /// The part of `seconds` that is self-play.
    pub selfplay_seconds: f64,
    /// The part of `seconds` that is training.
    pub training_seconds: f64,
    /// The part of `seconds` that is matches.
    pub match_seconds: f64,
    /// What the folder of the run will hold, bytes: games, positions, unfinished games, networks and two checkpoints.
    pub disk_bytes: u64,
    /// Peak memory of the run, bytes; absent where the system does not tell.
    pub memory_bytes: Option<u64>,
}

/// Memory for a row of the window, bytes, as documented for `training.data.window_maximum`.
const ROW_IN_MEMORY: u64 = 300;

/// Games that end in a run, as multiples of the number predicted from the length of the first games. In seven runs of
/// 4.5 to 58 minutes they were 0.58 (Kō shogi) to 1.32 (Xiangqi) times as many; the range leaves room for longer runs.
const GAMES_RANGE: [f64; 2] = [0.5, 1.4];

impl Forecast {
    /// Goes through the whole run of a configuration, which has been checked, at the speeds measured.
    pub fn of(config: &Config, measured: &Measured) -> Forecast {
        let planner = Planner::of(config, None, true);
        let mut machine = Machine::new(config, &planner, measured);
        let entrants = Entrants::of(config, true);
        let mut record = Record { plans: Vec::new(), events: Vec::new(), entrants, missing: BTreeSet::new() };
        let mut forecast = Forecast::default();
        let mut before = measured.opening_seconds;
        loop {
            let due = record.due_in_newest(&config.evaluation).map(|(plan, task)| (plan.clone(), task));
            let Some((plan, task)) = due else {
                let Some(plan) = planner.next(&record.plans, &record.events) else { break };
                record.plans.push(plan);
                continue;
            };
            let (stage, seconds) = machine.perform(&plan, task);
            forecast.seconds += before + seconds;
            forecast.count(&plan, &stage, seconds);
            let seconds_before = std::mem::take(&mut before);
            record.events.push(Event { at_ms: 0, generation: plan.generation, seconds, seconds_before, stage });
        }
        let hours = forecast.seconds / 3600.0;
        if hours > 0.0 {
            forecast.games_per_hour = forecast.games as f64 / hours;
            forecast.rows_per_hour = forecast.rows as f64 / hours;
        }
        let data = (forecast.rows as f64 * measured.bytes_per_row) as u64;
        forecast.games_between = GAMES_RANGE.map(|times| (forecast.games as f64 * times) as u64);
        let networks = u64::from(forecast.networks + 1) * measured.network_bytes;
        let checkpoints = u64::from(forecast.networks.min(2)) * measured.checkpoint_bytes;
        forecast.disk_bytes = data + measured.unfinished_bytes + networks + checkpoints;
        let window = config.training.data.window(forecast.rows) * ROW_IN_MEMORY;
        forecast.memory_bytes = measured.memory_bytes.map(|bytes| bytes + window);
        forecast
    }

    fn count(&mut self, plan: &Plan, stage: &Stage, seconds: f64) {
        match stage {
            Stage::Selfplay(played) => {
                self.generations = plan.generation;
                self.games += played.games;
                self.rows += played.positions;
                self.searched += played.searched;
                self.selfplay_seconds += seconds;
            }
            Stage::Train(trained) => {
                self.networks += 1;
                self.steps += trained.steps;
                self.training_seconds += seconds;
                self.seconds_to_first_network.get_or_insert(self.seconds);
            }
            Stage::Match(_) => {
                self.match_seconds += seconds;
                self.seconds_to_first_match.get_or_insert(self.seconds);
            }
            Stage::Untrained(_) | Stage::Repaired(_) => self.training_seconds += seconds,
        }
    }
}

#[cfg(test)]
mod tests;
