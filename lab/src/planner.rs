//! How generations are planned: how much self-play, how many training steps, which part of the learning-rate schedule.
//! By count from the configuration, or by the clock (`run.budget`) from speeds measured in the run.

use crate::config::Config;
use crate::events::{Event, Stage};
use crate::plan::Plan;
use std::time::Duration;

/// Share of all training that is left to the end, when no new games are made and the learning rate is low, so that the
/// network learns what the last games teach (our choice).
const TAIL: f64 = 0.04;

/// Share of a budget kept for the last match, tables and report until a match has been timed.
const RESERVE: f64 = 0.08;

/// Largest part of a generation that its match should take. Where matches are slow, generations get longer and fewer:
/// what a match leaves of a short one would be too little play to learn from.
const MATCH_SHARE: f64 = 1.0 / 3.0;

/// Largest part of a budget that is kept for the last match; where it would take more, it is made shorter.
const LAST_MATCH_SHARE: f64 = 0.25;

/// What a plan is made from.
#[derive(Clone, Debug)]
pub struct Planner {
    /// Generations of a run without a budget.
    pub generations: u32,
    /// Moves a slot plays in a generation, unless the budget says otherwise.
    pub plies_per_slot: u32,
    /// Slots of self-play.
    pub slots: u32,
    /// Games by the rules alone that the first generation consists of; 0 where it is self-play too.
    pub rules_games: u32,
    /// Positions kept of each of them.
    pub rules_rows: u32,
    /// Mean number of times a position is trained on.
    pub uses: f64,
    /// Rows in a training batch.
    pub batch: u64,
    /// Clock time the whole run may take.
    pub budget: Option<Duration>,
    /// The budget that the run had until now, for plans that do not tell theirs.
    pub budget_before: Option<Duration>,
    /// Under a budget: clock time a generation should take, seconds.
    pub round_seconds: f64,
    /// Pairs of the match after each generation.
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
                // that tells no speed. Nor do games by the rules alone, in which nothing is searched.
                Stage::Selfplay(stage) if stage.searched == 0 => {}
                Stage::Train(stage) if stage.samples == 0 => {}
                Stage::Selfplay(stage) => speeds.seconds_per_position = per(stage.searched),
                Stage::Train(stage) => speeds.seconds_per_sample = per(stage.samples),
                Stage::Match(stage) => speeds.seconds_per_pair = per(stage.pairs),
                Stage::Untrained(_) => {}
            }
        }
        speeds
    }
}

impl Planner {
    /// The planner of a run with this configuration, which had this budget until now.
    pub fn of(config: &Config, budget_before: Option<Duration>) -> Planner {
        Planner {
            generations: config.run.generations,
            plies_per_slot: config.selfplay.plies_per_generation,
            slots: config.selfplay.slots,
            rules_games: config.selfplay.rules_games,
            rules_rows: config.selfplay.rules_rows,
            uses: config.run.uses,
            batch: config.training.batch as u64,
            budget: config.run.budget(),
            budget_before,
            round_seconds: config.run.round_seconds,
            pairs: u64::from(config.evaluation.pairs),
            final_pairs: config.evaluation.final_pairs,
        }
    }

    /// The plan of the next generation, after `previous` and what `events` tell; `None` when the run is done.
    pub fn next(&self, previous: Option<&Plan>, events: &[Event]) -> Option<Plan> {
        let generation = previous.map_or(1, |plan| plan.generation + 1);
        let Some(budget) = self.budget else {
            return (generation <= self.generations).then(|| self.begun_by_rules(self.by_count(generation)));
        };
        let clock = Clock::new(self, budget.as_secs_f64(), events);
        let progress_from = match previous {
            None => 0.0,
            Some(plan) if !plan.last => plan.progress_to,
            // The run was over. With more time it goes on, and what is done of it is a smaller part.
            Some(plan) if self.has_grown(plan) && clock.left >= self.round_seconds / 2.0 => clock.done(),
            Some(_) => return None,
        };
        Some(self.begun_by_rules(self.by_clock(generation, progress_from, &clock)))
    }

    /// The plan, or in the first generation of a run that begins with games by the rules alone, the plan of these.
    fn begun_by_rules(&self, plan: Plan) -> Plan {
        if plan.generation > 1 || self.rules_games == 0 {
            return plan;
        }
        let positions = f64::from(self.rules_games) * f64::from(self.rules_rows);
        Plan { rules_games: self.rules_games, steps: self.steps(positions), ..plan }
    }

    /// Whether there is more time for the run than when this was planned.
    fn has_grown(&self, plan: &Plan) -> bool {
        let before = plan.budget_seconds.or(self.budget_before.map(|budget| budget.as_secs_f64()));
        let now = self.budget.map(|budget| budget.as_secs_f64());
        before.is_none_or(|before| now.is_some_and(|now| now > before))
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
            rules_games: 0,
            steps: steps + tail,
            progress_from: share(generation - 1),
            progress_to: share(generation),
            last,
            final_pairs: None,
            budget_seconds: None,
        }
    }

    fn by_clock(&self, generation: u32, progress_from: f64, clock: &Clock) -> Plan {
        let Clock { speeds, left, playing, .. } = clock;
        let plan = Plan {
            generation,
            plies_per_slot: self.plies_per_slot,
            rules_games: 0,
            steps: self.steps(f64::from(self.plies_per_slot) * f64::from(self.slots)),
            progress_from,
            progress_to: (progress_from + self.round_seconds / playing).min(1.0),
            last: false,
            final_pairs: None,
            budget_seconds: Some(clock.budget),
        };
        if speeds.seconds_per_position == 0.0 || speeds.seconds_per_sample == 0.0 {
            // Nothing measured yet: the configured amount is the measurement.
            return plan;
        }
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
        let final_pairs = clock.final_pairs.filter(|_| last);
        Plan { plies_per_slot, steps, progress_to, last, final_pairs, ..plan }
    }
}

/// How a budget stands.
#[derive(Debug)]
struct Clock {
    /// All of it, seconds.
    budget: f64,
    /// What of it is not kept for the last match, seconds.
    playing: f64,
    /// What of that is left, seconds.
    left: f64,
    /// Pairs of the last match, where there is time for fewer than are configured.
    final_pairs: Option<u32>,
    speeds: Speeds,
}

impl Clock {
    fn new(planner: &Planner, budget: f64, events: &[Event]) -> Clock {
        let speeds = Speeds::of(events);
        let used: f64 = events.iter().map(|event| event.seconds).sum();
        let most = LAST_MATCH_SHARE * budget;
        let (reserve, final_pairs) = match speeds.seconds_per_pair {
            0.0 => (RESERVE * budget, None),
            pair if pair * f64::from(planner.final_pairs) <= most => (pair * f64::from(planner.final_pairs), None),
            pair => (most, Some(((most / pair) as u32).max(1))),
        };
        let playing = (budget - reserve).max(1.0);
        Clock { budget, playing, left: (playing - used).max(0.0), final_pairs, speeds }
    }

    /// The part of the run that is done, 0 to 1.
    fn done(&self) -> f64 {
        1.0 - self.left / self.playing
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::events;

    fn planner(budget: Option<u64>) -> Planner {
        Planner {
            generations: 4,
            plies_per_slot: 32,
            slots: 128,
            rules_games: 0,
            rules_rows: 8,
            uses: 4.0,
            batch: 256,
            budget: budget.map(Duration::from_secs),
            budget_before: None,
            round_seconds: 40.0,
            pairs: 10,
            final_pairs: 100,
        }
    }

    /// Plays a run on a machine that makes `positions` a second, trains `samples` a second and plays a pair in
    /// `pair` seconds; returns the plans and the seconds used, the last match included.
    fn simulate(planner: &Planner, positions: f64, samples: f64, pair: f64) -> (Vec<Plan>, f64) {
        let (mut plans, mut done) = (Vec::new(), Vec::new());
        go_on(planner, [positions, samples, pair], &mut plans, &mut done);
        let used: f64 = done.iter().map(|event| event.seconds).sum();
        let final_pairs = plans.last().and_then(|plan| plan.final_pairs).unwrap_or(planner.final_pairs);
        (plans, used + f64::from(final_pairs) * pair)
    }

    /// Plays what is left of a run, without the last match.
    fn go_on(planner: &Planner, [positions, samples, pair]: [f64; 3], plans: &mut Vec<Plan>, done: &mut Vec<Event>) {
        while let Some(plan) = planner.next(plans.last(), done) {
            let by_rules = plan.rules_games > 0;
            let made = if by_rules { 0 } else { u64::from(plan.plies_per_slot) * u64::from(planner.slots) };
            let trained = plan.steps * planner.batch;
            let event = |seconds, stage| Event { at_ms: 0, generation: plan.generation, seconds, stage };
            done.push(event(
                if by_rules { f64::from(plan.rules_games) / 200.0 } else { made as f64 / positions },
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

    /// A first generation by the rules alone is planned by its own numbers, its time counts, and its speed is nobody's.
    #[test]
    fn games_by_the_rules_alone_come_first_and_once() {
        let by_rules = |budget| Planner { rules_games: 2000, ..planner(budget) };
        for budget in [None, Some(600)] {
            let (plans, used) = simulate(&by_rules(budget), 1000.0, 4000.0, 0.1);
            assert_eq!((plans[0].rules_games, plans[0].steps), (2000, 2000 * 8 * 4 / 256));
            assert!(plans[1..].iter().all(|plan| plan.rules_games == 0), "{plans:?}");
            assert_eq!(plans[1].plies_per_slot, 32, "the configured amount measures the speed");
            assert_eq!(plans.last().map(|plan| plan.progress_to), Some(1.0));
            if let Some(budget) = budget {
                assert!((0.85..=1.03).contains(&(used / budget as f64)), "{used} of {budget} s used");
            }
        }
        let (plans, _) = simulate(&by_rules(None), 1000.0, 4000.0, 0.1);
        assert_eq!(plans.len(), 4, "one of the generations");
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
    fn a_run_that_is_over_goes_on_with_more_time_and_with_no_less() {
        let machine = [500.0, 2000.0, 0.2];
        let (mut plans, mut events) = (Vec::new(), Vec::new());
        go_on(&planner(Some(600)), machine, &mut plans, &mut events);
        let last = plans.last().expect("a plan").clone();
        assert!(last.last && last.budget_seconds == Some(600.0));
        for budget in [1, 300, 600, 610] {
            assert_eq!(planner(Some(budget)).next(Some(&last), &events), None, "{budget} s");
        }
        // As programs of before wrote it: what counts is the budget that the run had.
        let old = Plan { budget_seconds: None, ..last.clone() };
        let had =
            |before: u64, now: u64| Planner { budget_before: Some(Duration::from_secs(before)), ..planner(Some(now)) };
        assert_eq!(had(1200, 1200).next(Some(&old), &events), None);
        assert!(had(600, 1200).next(Some(&old), &events).is_some());

        let more = planner(Some(1200));
        let next = more.next(Some(&last), &events).expect("a plan");
        assert_eq!(next.generation, last.generation + 1);
        assert!((0.4..0.6).contains(&next.progress_from), "half of the run is done: {next:?}");
        go_on(&more, machine, &mut plans, &mut events);
        let used: f64 = events.iter().map(|event| event.seconds).sum();
        assert!((1000.0..1240.0).contains(&used), "{used} s of 1200");
        assert_eq!(plans.last().map(|plan| (plan.last, plan.progress_to)), Some((true, 1.0)));
        // By count it goes on too.
        let by_count = Planner { generations: last.generation + 1, ..planner(None) };
        assert_eq!(by_count.next(Some(&last), &events).map(|plan| plan.last), Some(true));
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
}
