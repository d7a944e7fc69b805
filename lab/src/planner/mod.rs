//! How generations are planned: how much self-play, how many training steps, how long the matches, which part of the
//! learning-rate schedule. By count from the configuration, or by the clock (`run.budget`) from speeds measured in the run.

mod clock;

pub(crate) use clock::SLOWER_IN_MATCHES;

use crate::config::Config;
use crate::events::Event;
use crate::plan::Plan;
use clock::Clock;
use search::SearchConfig;
use std::time::Duration;

/// Share of all training that is left to the end, when no new games are made and the learning rate is low, so that the
/// network learns what the last games teach (our choice).
const TAIL: f64 = 0.04;

/// Under a budget the last generation is no longer than this many usual ones: no later plan can correct an error in its
/// predicted time.
const LONGEST_LAST: f64 = 0.75;

/// The inputs of a plan.
#[derive(Clone, Debug)]
pub struct Planner {
    /// Generations of a run without a budget.
    pub generations: u32,
    /// Moves a slot plays in a generation, unless the budget says otherwise.
    pub plies_per_slot: u32,
    /// Slots of self-play.
    pub slots: u32,
    /// Random-play games that the first generation consists of; 0 where it is self-play.
    pub rules_games: u32,
    /// Positions kept of each of them.
    pub rules_rows: u32,
    /// Simulations of a move: they may change with the progress of the run.
    pub search: SearchConfig,
    /// Mean number of times a position is trained on.
    pub uses: f64,
    /// Rows in a training batch.
    pub batch: u64,
    /// Clock time the whole run may take.
    pub budget: Option<Duration>,
    /// The budget that the run had until now, for plans that do not record theirs.
    pub budget_before: Option<Duration>,
    /// Under a budget: clock time a generation should take, seconds.
    pub round_seconds: f64,
    /// Matches over the run.
    pub matches: u32,
    /// Pairs of each.
    pub pairs: u32,
    /// Pairs of the last match, against the first network.
    pub final_pairs: u32,
    /// Simulations of a move in matches.
    pub match_visits: u32,
    /// Part of the budget that all matches may take, 0 to 1.
    pub match_share: f64,
}

impl Planner {
    /// The planner of a run with this configuration, which had this budget until now.
    pub fn of(config: &Config, budget_before: Option<Duration>, begins_untrained: bool) -> Planner {
        Planner {
            generations: config.run.generations,
            plies_per_slot: config.selfplay.plies_per_generation,
            slots: config.selfplay.slots,
            rules_games: if begins_untrained { config.selfplay.rules_games } else { 0 },
            rules_rows: config.selfplay.rules_rows,
            search: config.search.clone(),
            uses: config.run.uses,
            batch: config.training.batch as u64,
            budget: config.run.budget(),
            budget_before,
            round_seconds: config.run.round_seconds,
            matches: if config.evaluation.pairs > 0 { config.evaluation.matches } else { 0 },
            pairs: config.evaluation.pairs,
            final_pairs: config.evaluation.final_pairs,
            match_visits: config.evaluation.visits,
            match_share: config.evaluation.budget_share,
        }
    }

    /// The plan of the next generation, after those made so far and what `events` tell; `None` when the run is done.
    pub fn next(&self, plans: &[Plan], events: &[Event]) -> Option<Plan> {
        let previous = plans.last();
        let generation = previous.map_or(1, |plan| plan.generation + 1);
        let Some(budget) = self.budget else {
            return (generation <= self.generations).then(|| self.begun_by_rules(self.by_count(generation)));
        };
        let clock = Clock::new(self, budget.as_secs_f64(), plans, events);
        let progress_from = match previous {
            None => 0.0,
            Some(plan) if !plan.last => plan.progress_to,
            // The run was finished. With more time it resumes, and the part that is done is smaller.
            Some(plan) if self.has_grown(plan) && clock.left >= self.round_seconds / 2.0 => clock.done(),
            Some(_) => return None,
        };
        Some(self.begun_by_rules(self.by_clock(generation, progress_from, &clock)))
    }

    /// The plan; in the first generation of a run that begins with random-play games, the plan for these.
    fn begun_by_rules(&self, plan: Plan) -> Plan {
        if plan.generation > 1 || self.rules_games == 0 {
            return plan;
        }
        let positions = f64::from(self.rules_games) * f64::from(self.rules_rows);
        Plan { rules_games: self.rules_games, steps: self.steps(positions), ..plan }
    }

    /// Whether the run has more time than when this was planned.
    fn has_grown(&self, plan: &Plan) -> bool {
        let before = plan.budget_seconds.or(self.budget_before.map(|budget| budget.as_secs_f64()));
        let now = self.budget.map(|budget| budget.as_secs_f64());
        before.is_none_or(|before| now.is_some_and(|now| now > before))
    }

    fn steps(&self, positions: f64) -> u64 {
        ((positions * self.uses / self.batch as f64).ceil() as u64).max(1)
    }

    /// Positions of a generation in which each slot plays so many moves.
    fn positions(&self, plies_per_slot: u32) -> f64 {
        f64::from(plies_per_slot) * f64::from(self.slots)
    }

    /// Simulations a move in a generation that begins here.
    pub(crate) fn visits(&self, progress: f64) -> f64 {
        f64::from(self.search.visits_at(progress as f32))
    }

    fn by_count(&self, generation: u32) -> Plan {
        let share = |done: u32| f64::from(done) / f64::from(self.generations);
        let last = generation >= self.generations;
        let steps = self.steps(self.positions(self.plies_per_slot));
        let tail = if last { (TAIL * steps as f64 * f64::from(self.generations)).ceil() as u64 } else { 0 };
        Plan {
            generation,
            plies_per_slot: self.plies_per_slot,
            rules_games: 0,
            steps: steps + tail,
            progress_from: share(generation - 1),
            progress_to: share(generation),
            last,
            match_pairs: None,
            final_pairs: None,
            budget_seconds: None,
        }
    }

    fn by_clock(&self, generation: u32, progress_from: f64, clock: &Clock) -> Plan {
        let Clock { speeds, left, playing, .. } = clock;
        let mut plan = Plan {
            generation,
            plies_per_slot: self.plies_per_slot,
            rules_games: 0,
            steps: self.steps(self.positions(self.plies_per_slot)),
            progress_from,
            progress_to: (progress_from + self.round_seconds / playing).min(1.0),
            last: false,
            match_pairs: Some(0),
            final_pairs: None,
            budget_seconds: Some(clock.budget),
        };
        // Nothing has been measured yet: the configured amount serves as the measurement.
        let (Some(per_simulation), Some(per_sample)) = (speeds.per_simulation, speeds.per_sample) else { return plan };
        let rounds = match left / self.round_seconds {
            usual if usual >= 1.5 => usual.round(),
            more if more > LONGEST_LAST => 2.0,
            _ => 1.0,
        };
        plan.last = rounds < 2.0;
        if plan.last {
            plan.progress_to = 1.0;
        } else {
            plan.progress_to = progress_from + (1.0 - progress_from) / rounds;
        }
        let tail = if plan.last { (TAIL * playing).min(left / 2.0) } else { 0.0 };
        let per_position = per_simulation * self.visits(progress_from) + self.uses * per_sample;
        let positions = (left / rounds - tail).max(0.0) / per_position;
        plan.plies_per_slot = ((positions / f64::from(self.slots)) as u32).max(1);
        let samples_in_tail = tail / per_sample;
        plan.steps = self.steps(self.positions(plan.plies_per_slot)) + (samples_in_tail / self.batch as f64) as u64;
        let pairs = if plan.completes_part(self.matches) { clock.match_pairs(self, plan.progress_to) } else { 0 };
        plan.match_pairs = Some(pairs);
        plan.final_pairs = plan.last.then(|| clock.final_pairs(self, pairs));
        plan
    }
}

#[cfg(test)]
mod tests;
