//! How long each stage takes, and what comes of it, at measured speeds.

use super::Measured;
use crate::config::Config;
use crate::events::{self, Stage, Untrained};
use crate::observer::Task;
use crate::plan::Plan;
use crate::planner::{Planner, SLOWER_IN_MATCHES};

/// A machine that works at measured speeds.
pub(super) struct Machine<'a> {
    config: &'a Config,
    planner: &'a Planner,
    measured: &'a Measured,
    /// Positions searched so far.
    searched: f64,
    /// Whether a network has been trained.
    trained: bool,
    /// Rows to train on so far, those that are held out included.
    rows: f64,
    /// Rows that the newest generation brought.
    new_rows: f64,
}

impl<'a> Machine<'a> {
    pub fn new(config: &'a Config, planner: &'a Planner, measured: &'a Measured) -> Machine<'a> {
        Machine { config, planner, measured, searched: 0.0, trained: false, rows: 0.0, new_rows: 0.0 }
    }

    /// What comes of a stage, and the seconds it takes.
    pub fn perform(&mut self, plan: &Plan, task: Task) -> (Stage, f64) {
        match task {
            Task::RulesGames => self.rules_games(plan),
            Task::Selfplay => self.selfplay(plan),
            Task::Training => self.training(plan),
            Task::Match { network, opponent, pairs } => self.play(network, opponent, pairs),
        }
    }

    fn rules_games(&mut self, plan: &Plan) -> (Stage, f64) {
        let games = f64::from(plan.rules_games);
        self.new_rows = games * self.measured.rows_per_rules_game;
        self.rows += self.new_rows;
        let share = self.measured.rows_per_rules_game / f64::from(self.planner.rules_rows.max(1));
        let kept = (games * share.min(1.0)) as u64;
        let positions = self.new_rows as u64;
        let stage = events::Selfplay { games: kept, positions, undecided: Some(0), ..Default::default() };
        (Stage::Selfplay(stage), games / self.measured.rules_games_per_second)
    }

    fn selfplay(&mut self, plan: &Plan) -> (Stage, f64) {
        let (slots, length) = (f64::from(self.planner.slots), self.measured.positions_per_game);
        let positions = f64::from(plan.plies_per_slot) * slots;
        let visits = self.planner.visits(plan.progress_from, !self.trained);
        let finished = |searched: f64| slots * in_finished_games(searched / slots, length);
        self.new_rows = finished(self.searched + positions) - finished(self.searched);
        self.searched += positions;
        self.rows += self.new_rows;
        let stage = events::Selfplay {
            games: (self.new_rows / length) as u64,
            positions: self.new_rows as u64,
            searched: positions as u64,
            mean_plies: self.measured.plies_per_game,
            ..Default::default()
        };
        let seconds = positions * visits / self.measured.simulations_per_second;
        (Stage::Selfplay(stage), seconds + self.measured.selfplay_overhead_seconds)
    }

    fn training(&mut self, plan: &Plan) -> (Stage, f64) {
        let training = &self.config.training;
        let new = if plan.last { training.data.window(self.rows as u64) } else { self.new_rows as u64 };
        let steps = plan.steps.min(training.steps_for(new, self.planner.uses));
        let overhead = self.measured.training_overhead_seconds;
        if steps == 0 {
            return (Stage::Untrained(Untrained::default()), 0.0);
        }
        self.trained = true;
        let samples = steps * self.planner.batch;
        let stage = events::Train { steps, samples, ..Default::default() };
        (Stage::Train(stage), samples as f64 / self.measured.samples_per_second + overhead)
    }

    fn play(&self, network: u32, opponent: u32, pairs: u32) -> (Stage, f64) {
        let usual = self.measured.simulations_per_second / SLOWER_IN_MATCHES;
        let speed = self.measured.match_simulations_per_second.unwrap_or(usual);
        let plies = 2.0 * f64::from(pairs) * self.measured.plies_per_game;
        let stage = events::Match { network, opponent, pairs: pairs.into(), ..Default::default() };
        (Stage::Match(stage), plies * f64::from(self.planner.match_visits) / speed)
    }
}

/// Of the positions that a slot has searched, those of games that are over: games go on into the next generation. The first
/// game is met at a random place, as `selfplay.stagger_plies` wants it, and games are equally long.
pub(super) fn in_finished_games(searched: f64, length: f64) -> f64 {
    if searched < length { searched * searched / (2.0 * length) } else { searched - length / 2.0 }
}
