//! What each generation does: how much self-play, how many training steps, which part of the learning-rate
//! schedule. By count from the configuration, or by the clock (`--budget`) from speeds measured in the run.
//!
//! A generation's plan is written down before it begins, so a run that is interrupted goes on with the same
//! numbers and comes to the same weights.

use crate::run::events::{Event, Stage};
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// Share of all training that is left to the end, when no new games are made and the learning rate is low
/// (RECIPE: the last 4 % of the time trains only).
const TAIL: f64 = 0.04;

/// Share of a budget kept for the last match, tables and report until a match has been timed.
const RESERVE: f64 = 0.08;

/// Largest part of a generation that its match should take. Where matches are slow, generations get longer and fewer:
/// what a match leaves of a short one would be too little play to learn from.
const MATCH_SHARE: f64 = 1.0 / 3.0;

/// Largest part of a budget that is kept for the last match; where it would take more, it is made shorter.
const LAST_MATCH_SHARE: f64 = 0.25;

/// The plan of one generation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    /// The generation, from 1.
    pub generation: u32,
    /// Moves each slot of self-play plays.
    pub plies_per_slot: u32,
    /// Optimiser steps.
    pub steps: u64,
    /// Part of the run done when its training begins, 0–1: what the learning rate depends on.
    pub progress_from: f64,
    /// Part of the run done when its training ends.
    pub progress_to: f64,
    /// Whether the run ends with this generation.
    pub last: bool,
    /// Pairs of the last match, where the clock allows fewer than are configured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub final_pairs: Option<u32>,
}

/// What a plan is made from.
#[derive(Clone, Debug)]
pub struct Planner {
    /// Generations of a run without a budget.
    pub generations: u32,
    /// Moves a slot plays in a generation, unless the budget says otherwise.
    pub plies_per_slot: u32,
    /// Slots of self-play.
    pub slots: u32,
    /// Mean number of times a position is trained on.
    pub uses: f64,
    /// Rows in a training batch.
    pub batch: u64,
    /// Clock time the whole run may take.
    pub budget: Option<Duration>,
    /// Under a budget: clock time a generation should take, seconds.
    pub round_seconds: f64,
    /// Pairs of the match after each generation, and of the last match.
    pub pairs: u64,
    /// Pairs of the last match.
    pub final_pairs: u32,
}

/// Speeds measured in the run so far.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Speeds {
    seconds_per_position: f64,
    seconds_per_sample: f64,
    seconds_per_pair: f64,
}

impl Speeds {
    /// The speeds of the latest stage of each kind.
    fn of(events: &[Event]) -> Speeds {
        let mut speeds = Speeds::default();
        for event in events {
            let per = |count: u64| event.seconds / count.max(1) as f64;
            match &event.stage {
                // After a kill there may have been nothing left to play, and nothing to train on in so few positions:
                // that tells no speed.
                Stage::Selfplay(stage) if stage.searched == 0 => {}
                Stage::Train(stage) if stage.samples == 0 => {}
                Stage::Selfplay(stage) => speeds.seconds_per_position = per(stage.searched),
                Stage::Train(stage) => speeds.seconds_per_sample = per(stage.samples),
                Stage::Match(stage) => speeds.seconds_per_pair = per(stage.pairs),
            }
        }
        speeds
    }
}

impl Planner {
    /// The plan of the next generation, after `previous` and what `events` tell; `None` when the run is done.
    pub fn next(&self, previous: Option<&Plan>, events: &[Event]) -> Option<Plan> {
        let generation = previous.map_or(1, |plan| plan.generation + 1);
        let progress_from = previous.map_or(0.0, |plan| plan.progress_to);
        match self.budget {
            None => (generation <= self.generations).then(|| self.by_count(generation)),
            Some(_) if previous.is_some_and(|plan| plan.last) => None,
            Some(budget) => Some(self.by_clock(generation, progress_from, budget.as_secs_f64(), events)),
        }
    }

    fn steps(&self, positions: f64) -> u64 {
        ((positions * self.uses / self.batch as f64).ceil() as u64).max(1)
    }

    fn by_count(&self, generation: u32) -> Plan {
        let share = |done: u32| f64::from(done) / f64::from(self.generations);
        let positions = f64::from(self.plies_per_slot) * f64::from(self.slots);
        let last = generation >= self.generations;
        let steps = self.steps(positions);
        let tail = if last { (TAIL * steps as f64 * f64::from(self.generations)).ceil() as u64 } else { 0 };
        Plan {
            generation,
            plies_per_slot: self.plies_per_slot,
            steps: steps + tail,
            progress_from: share(generation - 1),
            progress_to: share(generation),
            last,
            final_pairs: None,
        }
    }

    fn by_clock(&self, generation: u32, progress_from: f64, budget: f64, events: &[Event]) -> Plan {
        let speeds = Speeds::of(events);
        let used: f64 = events.iter().map(|event| event.seconds).sum();
        let most = LAST_MATCH_SHARE * budget;
        let (reserve, final_pairs) = match speeds.seconds_per_pair {
            0.0 => (RESERVE * budget, None),
            pair if pair * f64::from(self.final_pairs) <= most => (pair * f64::from(self.final_pairs), None),
            pair => (most, Some(((most / pair) as u32).max(1))),
        };
        let playing = (budget - reserve).max(1.0);
        if speeds.seconds_per_position == 0.0 || speeds.seconds_per_sample == 0.0 {
            // Nothing measured yet: the configured amount is the measurement.
            let steps = self.steps(f64::from(self.plies_per_slot) * f64::from(self.slots));
            let round = self.round_seconds / playing;
            let progress_to = (progress_from + round).min(1.0);
            return Plan {
                generation,
                plies_per_slot: self.plies_per_slot,
                steps,
                progress_from,
                progress_to,
                last: false,
                final_pairs: None,
            };
        }
        let left = (playing - used).max(0.0);
        let matches = speeds.seconds_per_pair * self.pairs as f64;
        let rounds = (left / self.round_seconds.max(matches / MATCH_SHARE)).round().max(1.0);
        let last = rounds < 2.0;
        let tail = if last { (TAIL * playing).min(left / 2.0) } else { 0.0 };
        let round = (left / rounds - matches - tail).max(0.0);
        let positions = round / (speeds.seconds_per_position + self.uses * speeds.seconds_per_sample);
        let plies_per_slot = ((positions / f64::from(self.slots)) as u32).max(1);
        let samples_in_tail = tail / speeds.seconds_per_sample;
        let steps = self.steps(f64::from(plies_per_slot) * f64::from(self.slots))
            + (samples_in_tail / self.batch as f64) as u64;
        let progress_to = if last { 1.0 } else { progress_from + (1.0 - progress_from) / rounds };
        let final_pairs = final_pairs.filter(|_| last);
        Plan { generation, plies_per_slot, steps, progress_from, progress_to, last, final_pairs }
    }
}

/// Reads a span of time: `90s`, `30m`, `1h30m`.
///
/// # Errors
/// What is wrong, with examples.
pub fn parse_duration(text: &str) -> Result<Duration, String> {
    let fault = || format!("{text:?} is no span of time; write 90s, 30m or 1h30m");
    let mut seconds = 0_u64;
    let mut number = String::new();
    for letter in text.trim().chars() {
        if letter.is_ascii_digit() {
            number.push(letter);
            continue;
        }
        let unit = match letter {
            's' => 1,
            'm' => 60,
            'h' => 3600,
            _ => return Err(fault()),
        };
        let count: u64 = number.parse().map_err(|_| fault())?;
        seconds = count.checked_mul(unit).and_then(|more| seconds.checked_add(more)).ok_or_else(fault)?;
        number.clear();
    }
    if !number.is_empty() || seconds == 0 {
        return Err(fault());
    }
    Ok(Duration::from_secs(seconds))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::events;

    fn planner(budget: Option<u64>) -> Planner {
        Planner {
            generations: 4,
            plies_per_slot: 32,
            slots: 128,
            uses: 4.0,
            batch: 256,
            budget: budget.map(Duration::from_secs),
            round_seconds: 40.0,
            pairs: 10,
            final_pairs: 100,
        }
    }

    /// Plays a run on a machine that makes `positions` a second, trains `samples` a second and plays a pair in
    /// `pair` seconds; returns the plans and the seconds used, the last match included.
    fn simulate(planner: &Planner, positions: f64, samples: f64, pair: f64) -> (Vec<Plan>, f64) {
        let mut plans: Vec<Plan> = Vec::new();
        let mut done = Vec::new();
        while let Some(plan) = planner.next(plans.last(), &done) {
            let made = u64::from(plan.plies_per_slot) * u64::from(planner.slots);
            let trained = plan.steps * planner.batch;
            let event = |seconds, stage| Event { at_ms: 0, generation: plan.generation, seconds, stage };
            done.push(event(
                made as f64 / positions,
                Stage::Selfplay(events::Selfplay { searched: made, ..Default::default() }),
            ));
            done.push(event(
                trained as f64 / samples,
                Stage::Train(events::Train { samples: trained, ..Default::default() }),
            ));
            done.push(event(
                planner.pairs as f64 * pair,
                Stage::Match(events::Match { pairs: planner.pairs, ..Default::default() }),
            ));
            plans.push(plan);
            assert!(plans.len() < 1000, "the plan must end");
        }
        let used: f64 = done.iter().map(|event| event.seconds).sum();
        let final_pairs = plans.last().and_then(|plan| plan.final_pairs).unwrap_or(planner.final_pairs);
        (plans, used + f64::from(final_pairs) * pair)
    }

    #[test]
    fn without_a_budget_the_configuration_counts() {
        let (plans, _) = simulate(&planner(None), 500.0, 2000.0, 0.2);
        assert_eq!(plans.len(), 4);
        assert_eq!(plans[0].steps, 64);
        assert_eq!(plans[3].steps, 64 + 11, "4 % of 256 steps more at the end");
        assert_eq!(plans[3].progress_to, 1.0);
        assert!(plans.windows(2).all(|pair| pair[0].progress_to == pair[1].progress_from));
    }

    #[test]
    fn a_budget_is_used_and_kept_on_fast_and_slow_machines() {
        for (positions, samples, pair) in [(150.0, 800.0, 0.5), (1000.0, 4000.0, 0.1), (8000.0, 30_000.0, 0.02)] {
            for budget in [300, 1800] {
                let (plans, used) = simulate(&planner(Some(budget)), positions, samples, pair);
                let share = used / budget as f64;
                assert!((0.85..=1.03).contains(&share), "{share} of {budget} s used at {positions} positions/s");
                assert_eq!(plans.last().map(|plan| plan.progress_to), Some(1.0));
                assert!(plans.windows(2).all(|pair| pair[0].progress_to <= pair[1].progress_to));
            }
        }
    }

    /// Found on a loaded machine: matches longer than a generation left one move a slot for self-play.
    #[test]
    fn slow_matches_leave_most_of_the_time_to_play_and_training() {
        let planner = Planner { pairs: 12, round_seconds: 40.0, ..planner(Some(1800)) };
        let pair = 8.0;
        let (plans, used) = simulate(&planner, 150.0, 500.0, pair);
        assert!((0.85..=1.05).contains(&(used / 1800.0)), "{used} s of 1800 used");
        let matches = plans.len() as f64 * planner.pairs as f64 * pair;
        assert!(plans.len() >= 3, "{plans:?}");
        assert!(plans[1..].iter().all(|plan| plan.plies_per_slot >= 32), "{plans:?}");
        assert!(matches < 0.4 * 1800.0, "{matches} s in matches");
    }

    #[test]
    fn a_stage_that_was_over_before_it_was_resumed_tells_no_speed() {
        let event = |seconds, stage| Event { at_ms: 0, generation: 1, seconds, stage };
        let play = |searched| Stage::Selfplay(events::Selfplay { searched, ..Default::default() });
        let train = |samples| Stage::Train(events::Train { samples, ..Default::default() });
        let speeds =
            Speeds::of(&[event(2.0, play(1000)), event(1.0, train(4000)), event(0.5, play(0)), event(0.5, train(0))]);
        assert_eq!((speeds.seconds_per_position, speeds.seconds_per_sample), (0.002, 0.000_25));
    }

    #[test]
    fn spans_of_time() {
        assert_eq!(parse_duration("30m"), Ok(Duration::from_secs(1800)));
        assert_eq!(parse_duration("1h30m"), Ok(Duration::from_secs(5400)));
        for wrong in ["", "30", "m", "5 apples", "0s", "99999999999999999999h"] {
            assert!(parse_duration(wrong).is_err(), "{wrong}");
        }
    }
}
