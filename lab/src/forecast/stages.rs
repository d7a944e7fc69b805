//! Time and result of each stage at measured speeds.

use super::Measured;
use crate::config::Config;
use crate::events::{self, Stage, Untrained};
use crate::observer::Task;
use crate::opponent::Opponent;
use crate::plan::Plan;
use crate::planner::{Planner, SLOWER_IN_MATCHES};
use selfplay::SelfplayConfig;

/// A machine that works at measured speeds.
pub(super) struct Machine<'a> {
    config: &'a Config,
    planner: &'a Planner,
    measured: &'a Measured,
    /// Length of a game from its start, in positions searched.
    game_length: f64,
    /// Positions searched so far.
    searched: f64,
    /// Games that have ended in each slot so far, on average.
    ended: f64,
    /// Positions searched so far in games that have ended.
    in_ended: f64,
    /// Rows to train on so far, validation rows included.
    rows: f64,
    /// Rows added by the newest generation.
    new_rows: f64,
}

impl<'a> Machine<'a> {
    pub fn new(config: &'a Config, planner: &'a Planner, measured: &'a Measured) -> Machine<'a> {
        let share = f64::from(config.selfplay.ending_share_at(0.0));
        let first = without_endings(measured.positions_per_game, share, ending(&config.selfplay));
        Machine {
            config,
            planner,
            measured,
            game_length: first.min(measured.longest_game),
            searched: 0.0,
            ended: 0.0,
            in_ended: 0.0,
            rows: 0.0,
            new_rows: 0.0,
        }
    }

    /// The result of a stage, and the seconds it takes.
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
        let slots = f64::from(self.planner.slots);
        let positions = f64::from(plan.plies_per_slot) * slots;
        let simulations = positions * self.planner.visits(plan.progress_from);
        let share = f64::from(self.config.selfplay.ending_share_at(plan.progress_from as f32));
        let length = with_endings(self.game_length, share, ending(&self.config.selfplay));
        let new_games = positions / length;
        self.searched += positions;
        self.ended += new_games / slots;
        let in_ended = self.searched - slots * length * in_open_games(self.ended);
        self.new_rows = (in_ended - self.in_ended).max(0.0);
        self.in_ended += self.new_rows;
        self.rows += self.new_rows;
        let stage = events::Selfplay {
            games: new_games.round() as u64,
            positions: self.new_rows as u64,
            searched: positions as u64,
            mean_plies: self.measured.plies_per_game,
            ..Default::default()
        };
        let seconds = simulations / self.measured.simulations_per_second;
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
        let samples = steps * self.planner.batch;
        let stage = events::Train { steps, samples, ..Default::default() };
        (Stage::Train(stage), samples as f64 / self.measured.samples_per_second + overhead)
    }

    fn play(&self, network: u32, opponent: Opponent, pairs: u32) -> (Stage, f64) {
        let usual = self.measured.simulations_per_second / SLOWER_IN_MATCHES;
        let speed = self.measured.match_simulations_per_second.unwrap_or(usual);
        let longest = match self.config.evaluation.max_plies {
            0 => self.measured.longest_game,
            limit => f64::from(limit),
        };
        let plies = 2.0 * f64::from(pairs) * self.game_length.min(longest);
        let stage = events::Match { network, opponent, pairs: pairs.into(), ..Default::default() };
        (Stage::Match(stage), plies * f64::from(self.planner.match_visits) / speed)
    }
}

/// Mean part of an unfinished game that a slot has searched, in lengths of a game, after `ended` games in each slot:
/// games continue in the next generation. Slots begin at random points of a game (`selfplay.stagger_plies`), so games
/// end at the same rate from the beginning, but the first games are not searched as a whole.
fn in_open_games(ended: f64) -> f64 {
    if ended < 1.0 { ended - ended * ended / 2.0 } else { 0.5 }
}

/// Mean number of searched plies of games begun near an ending.
fn ending(selfplay: &SelfplayConfig) -> f64 {
    f64::from(selfplay::ENDING_PLIES_MIN + selfplay.ending_plies_max) / 2.0
}

/// Mean length when `share` of the games are endings and the others have length `full`.
fn with_endings(full: f64, share: f64, ending: f64) -> f64 {
    (1.0 - share) * full + share * ending.min(full)
}

/// Length of the other games, given the mean of all.
fn without_endings(mean: f64, share: f64, ending: f64) -> f64 {
    if mean <= ending || share >= 1.0 { mean } else { (mean - share * ending) / (1.0 - share) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn endings_are_taken_out_of_a_mean_and_put_back() {
        for mean in [5.0, 22.0, 30.0, 400.0] {
            for share in [0.0, 0.25, 0.9, 1.0] {
                let back = with_endings(without_endings(mean, share, 22.0), share, 22.0);
                let expected = if share == 1.0 { mean.min(22.0) } else { mean };
                assert!((back - expected).abs() < 1e-9, "{back} in place of {expected}, share {share}");
            }
        }
    }
}
