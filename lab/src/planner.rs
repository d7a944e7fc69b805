//! How generations are planned: how much self-play, how many training steps, how long the matches, which part of the
//! learning-rate schedule. By count from the configuration, or by the clock (`run.budget`) from speeds measured in the run.

use crate::config::Config;
use crate::events::{Event, Stage};
use crate::plan::Plan;
use selfplay::SearchConfig;
use std::time::Duration;

/// Share of all training that is left to the end, when no new games are made and the learning rate is low, so that the
/// network learns what the last games teach (our choice).
const TAIL: f64 = 0.04;

/// Under a budget the last generation is no longer than this many usual ones: what the machine does in it, no later plan
/// can put right.
const LONGEST_LAST: f64 = 0.75;

/// Weight of a stage in the measured speeds for each later stage of its kind. A single stage is too noisy to plan by, and
/// long memory would not see that another program has begun to use the machine.
const FADING: f64 = 0.5;

/// Part of the time for matches that is planned with: a match that turns out to be slow takes of the rest.
const MATCH_MARGIN: f64 = 0.8;

/// Most of the time for matches that is kept for the last one, which tells what the run was good for.
const FINAL_MATCH_SHARE: f64 = 0.5;

/// Pairs of a match that is worth playing; where there is time for fewer, it comes later. Fewer say little, and their
/// batches are nearly empty.
const FEWEST_PAIRS: u32 = 10;

/// How many times as long a simulation may take in a match as in self-play, until a match has been timed: a match has
/// fewer games to fill its batches with.
const SLOWER_IN_MATCHES: f64 = 2.0;

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
    /// Simulations of a move: they may change with the progress of the run.
    pub search: SearchConfig,
    /// Simulations of a move while the network is untrained; 0: as later.
    pub first_visits: u32,
    /// Whether the run began with an untrained network.
    pub begins_untrained: bool,
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

/// Time over the amount of work done in it, the latest stages counting most.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Pace {
    seconds: f64,
    amount: f64,
}

impl Pace {
    fn count(&mut self, seconds: f64, amount: f64) {
        // After a kill there may have been nothing left to play, and nothing to train on in so few positions: that tells
        // no speed.
        if amount > 0.0 {
            (self.seconds, self.amount) = (FADING * self.seconds + seconds, FADING * self.amount + amount);
        }
    }

    /// Seconds for a unit of work; `None` before anything was measured.
    fn seconds_each(&self) -> Option<f64> {
        (self.amount > 0.0).then(|| self.seconds / self.amount)
    }
}

/// Speeds measured in the run so far: seconds of a simulation in self-play, of a sample in training, of a pair of games in
/// matches.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Speeds {
    per_simulation: Option<f64>,
    per_sample: Option<f64>,
    per_pair: Option<f64>,
    /// Whether a match has been timed; else that of a pair is a guess from self-play.
    has_timed_match: bool,
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
            first_visits: config.selfplay.first_visits,
            begins_untrained,
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

    /// Positions of a generation in which each slot plays so many moves.
    fn positions(&self, plies_per_slot: u32) -> f64 {
        f64::from(plies_per_slot) * f64::from(self.slots)
    }

    /// Simulations a move in a generation that begins here.
    fn visits(&self, progress: f64, untrained: bool) -> f64 {
        let visits = match self.first_visits {
            first if untrained && first > 0 => first,
            _ => self.search.visits_at(progress as f32),
        };
        f64::from(visits)
    }

    fn speeds(&self, plans: &[Plan], events: &[Event]) -> Speeds {
        let [mut selfplay, mut training, mut matches] = [Pace::default(); 3];
        let mut longest_games: Option<f64> = None;
        let mut untrained = self.begins_untrained;
        for event in events {
            match &event.stage {
                Stage::Selfplay(stage) => {
                    let plan = plans.iter().find(|plan| plan.generation == event.generation);
                    let visits = self.visits(plan.map_or(0.0, |plan| plan.progress_from), untrained);
                    selfplay.count(event.seconds, stage.searched as f64 * visits);
                    let plies = Some(stage.mean_plies).filter(|_| stage.games > 0);
                    longest_games = longest_games.into_iter().chain(plies).reduce(f64::max);
                }
                Stage::Train(stage) => {
                    training.count(event.seconds, stage.samples as f64);
                    untrained = false;
                }
                Stage::Match(stage) => matches.count(event.seconds, stage.pairs as f64),
                Stage::Untrained(_) => {}
            }
        }
        let per_simulation = selfplay.seconds_each();
        // Until a match has been timed: two games as long as those of the generation with the longest. A generation may end
        // few games, and these may have begun near their end.
        let guess = || {
            let simulations = 2.0 * longest_games? * f64::from(self.match_visits);
            Some(SLOWER_IN_MATCHES * simulations * per_simulation?)
        };
        let (per_sample, timed) = (training.seconds_each(), matches.seconds_each());
        Speeds { per_simulation, per_sample, per_pair: timed.or_else(guess), has_timed_match: timed.is_some() }
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
        // Nothing measured yet: the configured amount is the measurement.
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
        let per_position = per_simulation * self.visits(progress_from, clock.untrained) + self.uses * per_sample;
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

/// How a budget stands.
#[derive(Debug)]
struct Clock {
    /// All of it, seconds.
    budget: f64,
    /// What of it is not for matches, seconds.
    playing: f64,
    /// What of that is left, seconds.
    left: f64,
    /// What all matches may take together, seconds.
    matches: f64,
    /// What of that is kept for the last one, seconds.
    final_match: f64,
    /// What of it has been used, seconds.
    used_on_matches: f64,
    /// Whether no network has been trained yet.
    untrained: bool,
    speeds: Speeds,
}

impl Clock {
    fn new(planner: &Planner, budget: f64, plans: &[Plan], events: &[Event]) -> Clock {
        let (mut used, mut used_on_matches) = (0.0, 0.0);
        let mut untrained = planner.begins_untrained;
        for event in events {
            used += event.seconds + event.seconds_before;
            match &event.stage {
                Stage::Match(_) => used_on_matches += event.seconds,
                Stage::Train(_) => untrained = false,
                Stage::Selfplay(_) | Stage::Untrained(_) => {}
            }
        }
        let speeds = planner.speeds(plans, events);
        let matches = MATCH_MARGIN * planner.match_share * budget;
        let for_pairs = |pairs: f64, most: f64| speeds.per_pair.map_or(most, |pair| (pairs * pair).min(most));
        let most = if planner.matches > 0 { FINAL_MATCH_SHARE * matches } else { matches };
        let final_match = if planner.final_pairs > 0 { for_pairs(planner.final_pairs.into(), most) } else { 0.0 };
        let others = for_pairs(f64::from(planner.matches) * f64::from(planner.pairs), matches - final_match);
        let still_for_others = (others - used_on_matches).max(0.0);
        let left = (budget - used - final_match - still_for_others).max(0.0);
        let playing = (left + used - used_on_matches).max(1.0);
        Clock { budget, playing, left, matches, final_match, used_on_matches, untrained, speeds }
    }

    /// The part of the run that is done, 0 to 1.
    fn done(&self) -> f64 {
        1.0 - self.left / self.playing
    }

    /// Pairs of a match when this part of the run is done. The time for matches is earned as the run goes on, so that
    /// those at its end are not left without; where too little has been earned the match is left out, and the next one
    /// has more.
    fn match_pairs(&self, planner: &Planner, progress: f64) -> u32 {
        let earned = progress * (self.matches - self.final_match) - self.used_on_matches;
        let fewest = planner.pairs.min(FEWEST_PAIRS);
        // The first match shows how long a pair takes, and is no longer than it must be.
        let most = if self.speeds.has_timed_match { planner.pairs } else { fewest };
        let pairs = self.pairs_in(earned).min(most);
        if pairs < fewest { 0 } else { pairs }
    }

    /// Pairs of the last match, when one of so many pairs is to be played before it. Where it is the only one, nobody
    /// knows better than the guess.
    fn final_pairs(&self, planner: &Planner, before: u32) -> u32 {
        let before = self.speeds.per_pair.map_or(0.0, |pair| f64::from(before) * pair);
        self.pairs_in(self.matches - self.used_on_matches - before).min(planner.final_pairs)
    }

    /// Pairs that fit into so many seconds; none while nobody knows what a pair takes.
    fn pairs_in(&self, seconds: f64) -> u32 {
        self.speeds.per_pair.map_or(0, |pair| (seconds / pair) as u32)
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
            search: SearchConfig { visits: 32, ..SearchConfig::default() },
            first_visits: 0,
            begins_untrained: true,
            uses: 4.0,
            batch: 256,
            budget: budget.map(Duration::from_secs),
            budget_before: None,
            round_seconds: 40.0,
            matches: 10,
            pairs: 30,
            final_pairs: 100,
            match_visits: 32,
            match_share: 0.03,
        }
    }

    /// Seconds of a search of 32 simulations, of a sample in training, of a pair of a match.
    type Machine = [f64; 3];

    const USUAL: Machine = [1.0 / 500.0, 1.0 / 2000.0, 0.4];

    /// A run on a machine of changing speed.
    struct Simulation<'a> {
        planner: &'a Planner,
        machine: Machine,
        /// How many times as long a stage takes as on the idle machine, from the seconds used when it begins.
        slowness: &'a mut dyn FnMut(f64) -> f64,
        plans: Vec<Plan>,
        events: Vec<Event>,
    }

    impl Simulation<'_> {
        fn used(&self) -> f64 {
            self.events.iter().map(|event| event.seconds + event.seconds_before).sum()
        }

        fn used_on_matches(&self) -> f64 {
            let matches = self.events.iter().filter(|event| matches!(event.stage, Stage::Match(_)));
            matches.map(|event| event.seconds).sum()
        }

        /// Pairs of all matches, in their order.
        fn pairs(&self) -> Vec<u64> {
            let pairs = |event: &Event| match &event.stage {
                Stage::Match(played) => Some(played.pairs),
                _ => None,
            };
            self.events.iter().filter_map(pairs).collect()
        }

        fn work(&mut self, generation: u32, seconds: f64, stage: Stage) {
            let used = self.used();
            let seconds = seconds * (self.slowness)(used);
            self.events.push(Event { at_ms: 0, generation, seconds, seconds_before: 0.3, stage });
        }

        fn play(&mut self, generation: u32, opponent: u32, pairs: u32) {
            let stage = events::Match { network: generation, opponent, pairs: pairs.into(), ..Default::default() };
            self.work(generation, f64::from(pairs) * self.machine[2], Stage::Match(stage));
        }

        /// Plays what is left of the run.
        fn go_on(&mut self) {
            let planner = self.planner;
            while let Some(plan) = planner.next(&self.plans, &self.events) {
                let (generation, last) = (plan.generation, plan.last);
                let [position, sample, _] = self.machine;
                let searched = u64::from(plan.plies_per_slot) * u64::from(planner.slots);
                let simulations = planner.visits(plan.progress_from, generation == 1);
                let by_rules = plan.rules_games > 0;
                let searched = if by_rules { 0 } else { searched };
                let played = events::Selfplay { searched, games: 1, mean_plies: 80.0, ..Default::default() };
                let seconds = match by_rules {
                    true => f64::from(plan.rules_games) / 200.0,
                    false => searched as f64 * position * simulations / 32.0,
                };
                self.work(generation, seconds, Stage::Selfplay(played));
                let samples = plan.steps * planner.batch;
                let trained = events::Train { samples, ..Default::default() };
                self.work(generation, samples as f64 * sample, Stage::Train(trained));
                let limit = |limit: Option<u32>, pairs: u32| limit.map_or(pairs, |limit| limit.min(pairs));
                let pairs = limit(plan.match_pairs, planner.pairs);
                if plan.completes_part(planner.matches) && pairs > 0 {
                    self.play(generation, 1, pairs);
                }
                let pairs = limit(plan.final_pairs, planner.final_pairs);
                self.plans.push(plan);
                if last && pairs > 0 {
                    self.play(generation, 0, pairs);
                }
                assert!(self.plans.len() < 1000, "the plan must end");
            }
        }
    }

    /// Plays a whole run.
    fn simulate<'a>(planner: &'a Planner, machine: Machine, slowness: &'a mut dyn FnMut(f64) -> f64) -> Simulation<'a> {
        let mut run = Simulation { planner, machine, slowness, plans: Vec::new(), events: Vec::new() };
        run.go_on();
        run
    }

    #[test]
    fn without_a_budget_the_configuration_counts() {
        let (planner, mut idle) = (planner(None), |_: f64| 1.0);
        let run = simulate(&planner, USUAL, &mut idle);
        let plans = &run.plans;
        assert_eq!(plans.len(), 4);
        assert_eq!(plans[0].steps, 64);
        assert_eq!(plans[3].steps, 64 + 11, "4 % of 256 steps more at the end");
        assert_eq!(plans[3].progress_to, 1.0);
        assert!(plans.windows(2).all(|pair| pair[0].progress_to == pair[1].progress_from));
        assert_eq!(run.pairs(), [30, 30, 30, 30, 100], "parts are shorter than generations");
    }

    #[test]
    fn a_budget_is_used_and_kept_on_fast_and_slow_machines() {
        for machine in [[1.0 / 150.0, 1.0 / 800.0, 1.0], USUAL, [1.0 / 8000.0, 1.0 / 30_000.0, 0.02]] {
            for budget in [300, 480, 1800, 3600] {
                let (planner, mut idle) = (planner(Some(budget)), |_: f64| 1.0);
                let run = simulate(&planner, machine, &mut idle);
                let share = run.used() / budget as f64;
                assert!((0.95..=1.05).contains(&share), "{share} of {budget} s used at {machine:?}");
                let matches = run.used_on_matches() / budget as f64;
                assert!(matches <= 0.03, "{matches} of {budget} s in matches at {machine:?}");
                assert_eq!(run.plans.last().map(|plan| plan.progress_to), Some(1.0));
                assert!(run.plans.windows(2).all(|pair| pair[0].progress_to <= pair[1].progress_to));
            }
        }
    }

    /// A first generation by the rules alone is planned by its own numbers, its time counts, and its speed is nobody's.
    #[test]
    fn games_by_the_rules_alone_come_first_and_once() {
        let by_rules = |budget| Planner { rules_games: 2000, ..planner(budget) };
        for budget in [None, Some(600)] {
            let (planner, mut idle) = (by_rules(budget), |_: f64| 1.0);
            let run = simulate(&planner, USUAL, &mut idle);
            let plans = &run.plans;
            assert_eq!((plans[0].rules_games, plans[0].steps), (2000, 2000 * 8 * 4 / 256));
            assert!(plans[1..].iter().all(|plan| plan.rules_games == 0), "{plans:?}");
            assert_eq!(plans[1].plies_per_slot, 32, "the configured amount measures the speed");
            assert_eq!(plans.last().map(|plan| plan.progress_to), Some(1.0));
            match budget {
                Some(budget) => {
                    let share = run.used() / budget as f64;
                    assert!((0.95..=1.05).contains(&share), "{share} of {budget} s used");
                }
                None => assert_eq!(plans.len(), 4, "one of the generations"),
            }
        }
    }

    /// Another program takes half of the machine from some moment on, or until then.
    #[test]
    fn a_budget_is_kept_when_the_machine_becomes_slower_or_faster() {
        for budget in [480, 1800, 3600] {
            for percent in [10, 25, 50, 75] {
                for (before, after) in [(1.0, 2.0), (2.0, 1.0)] {
                    let planner = planner(Some(budget));
                    let change = (percent * budget / 100) as f64;
                    let mut slowness = |used: f64| if used < change { before } else { after };
                    let run = simulate(&planner, USUAL, &mut slowness);
                    let share = run.used() / budget as f64;
                    assert!(
                        (0.95..=1.05).contains(&share),
                        "{share} of {budget} s used, {before} times as slow until {percent} %, then {after} times"
                    );
                    let matches = run.used_on_matches() / budget as f64;
                    assert!(matches <= 0.03, "{matches} of {budget} s in matches");
                }
            }
        }
    }

    #[test]
    fn a_budget_is_kept_on_a_noisy_machine() {
        for budget in [480, 1800, 3600] {
            for seed in 1..=100_u64 {
                // SplitMix64: each stage takes 30 % more or less.
                let mut state = seed;
                let mut noise = |_: f64| {
                    state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
                    let x = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
                    let x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
                    0.7 + 0.6 * ((x ^ (x >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
                };
                let planner = planner(Some(budget));
                let run = simulate(&planner, USUAL, &mut noise);
                let share = run.used() / budget as f64;
                assert!((0.95..=1.05).contains(&share), "{share} of {budget} s used with seed {seed}");
                let matches = run.used_on_matches() / budget as f64;
                assert!(matches <= 0.035, "{matches} of {budget} s in matches with seed {seed}");
            }
        }
    }

    /// Simulations that double in the course of the run make positions dearer, and the planner knows.
    #[test]
    fn a_budget_is_kept_when_visits_double() {
        let search = SearchConfig { visits: 32, double_visits_at: vec![0.25, 0.7], ..SearchConfig::default() };
        let planner = Planner { search, first_visits: 2, ..planner(Some(480)) };
        let mut idle = |_: f64| 1.0;
        let run = simulate(&planner, USUAL, &mut idle);
        let share = run.used() / 480.0;
        assert!((0.97..=1.03).contains(&share), "{share} of the budget used");
        let seconds = |run: &Simulation<'_>, plan: &Plan| -> f64 {
            run.events.iter().filter(|event| event.generation == plan.generation).map(|event| event.seconds).sum()
        };
        for plan in &run.plans[1..run.plans.len() - 2] {
            let seconds = seconds(&run, plan);
            assert!((30.0..50.0).contains(&seconds), "generation {} took {seconds} s", plan.generation);
        }
    }

    #[test]
    fn fast_matches_are_all_played_and_slow_ones_are_fewer_and_shorter() {
        let pairs_of = |pair: f64| {
            let (planner, mut idle) = (planner(Some(3600)), |_: f64| 1.0);
            simulate(&planner, [USUAL[0], USUAL[1], pair], &mut idle).pairs()
        };
        // The first ones are planned from the speed of self-play.
        let fast = pairs_of(0.05);
        assert_eq!((&fast[fast.len() - 9..fast.len() - 1], fast.last()), (&[30; 8][..], Some(&100)), "{fast:?}");
        for pair in [0.5, 1.0, 2.0] {
            let (pairs, allowed) = (pairs_of(pair), 0.03 * 3600.0 / pair);
            let (last, others) = pairs.split_last().expect("a last match");
            assert!(others.iter().all(|pairs| (10..=30).contains(pairs)) && !others.is_empty(), "{pairs:?}");
            assert!(*last as f64 >= 0.35 * allowed, "the last match has its share: {pairs:?}");
            let sum: u64 = pairs.iter().sum();
            assert!((0.6 * allowed..=allowed).contains(&(sum as f64)), "{pairs:?} at {pair} s a pair");
        }
        let (planner, mut idle) = (planner(Some(3600)), |_: f64| 1.0);
        let run = simulate(&planner, [0.5, 0.05, 200.0], &mut idle);
        assert_eq!(run.pairs(), [] as [u64; 0], "nothing at all where not one pair has time");
    }

    #[test]
    fn a_run_that_is_over_goes_on_with_more_time_and_with_no_less() {
        let (short, mut idle) = (planner(Some(600)), |_: f64| 1.0);
        let Simulation { plans, events, .. } = simulate(&short, USUAL, &mut idle);
        let last = plans.last().expect("a plan").clone();
        assert!(last.last && last.budget_seconds == Some(600.0));
        for budget in [1, 300, 600, 610] {
            assert_eq!(planner(Some(budget)).next(&plans, &events), None, "{budget} s");
        }
        // As programs of before wrote it: what counts is the budget that the run had.
        let old = [Plan { budget_seconds: None, ..last.clone() }];
        let had =
            |before: u64, now: u64| Planner { budget_before: Some(Duration::from_secs(before)), ..planner(Some(now)) };
        assert_eq!(had(1200, 1200).next(&old, &events), None);
        assert!(had(600, 1200).next(&old, &events).is_some());

        let (more, mut idle) = (planner(Some(1200)), |_: f64| 1.0);
        let next = more.next(&plans, &events).expect("a plan");
        assert_eq!(next.generation, last.generation + 1);
        assert!((0.4..0.6).contains(&next.progress_from), "half of the run is done: {next:?}");
        // By count it goes on too.
        let by_count = Planner { generations: last.generation + 1, ..planner(None) };
        assert_eq!(by_count.next(&plans, &events).map(|plan| plan.last), Some(true));
        let mut run = Simulation { planner: &more, machine: USUAL, slowness: &mut idle, plans, events };
        run.go_on();
        assert!((1140.0..1260.0).contains(&run.used()), "{} s of 1200", run.used());
        assert_eq!(run.plans.last().map(|plan| (plan.last, plan.progress_to)), Some((true, 1.0)));
    }

    #[test]
    fn a_stage_that_was_over_before_it_was_resumed_tells_no_speed() {
        let event = |seconds, stage| Event { at_ms: 0, generation: 1, seconds, seconds_before: 0.0, stage };
        let play = |searched| Stage::Selfplay(events::Selfplay { searched, ..Default::default() });
        let train = |samples| Stage::Train(events::Train { samples, ..Default::default() });
        let events = [event(2.0, play(1000)), event(1.0, train(4000)), event(0.5, play(0)), event(0.5, train(0))];
        let speeds = planner(None).speeds(&[], &events);
        assert_eq!((speeds.per_simulation, speeds.per_sample), (Some(0.002 / 32.0), Some(0.000_25)));
    }

    /// Found in a run whose last generation before its only match ended a single game, of 16 plies.
    #[test]
    fn a_match_is_not_guessed_by_one_short_game() {
        let play = |games, mean_plies| {
            let stage = events::Selfplay { searched: 1000, games, mean_plies, ..Default::default() };
            Event { at_ms: 0, generation: 1, seconds: 32.0, seconds_before: 0.0, stage: Stage::Selfplay(stage) }
        };
        let speeds = planner(None).speeds(&[], &[play(20, 120.0), play(0, 0.0), play(1, 16.0)]);
        let per_pair = speeds.per_pair.expect("a guess");
        assert!((per_pair - 2.0 * 2.0 * 120.0 * 32.0 * 0.001).abs() < 1e-9 && !speeds.has_timed_match, "{speeds:?}");
    }

    /// What was measured last counts most, and not alone.
    #[test]
    fn speeds_follow_the_machine() {
        let event = |seconds| {
            let stage = Stage::Train(events::Train { samples: 1000, ..Default::default() });
            Event { at_ms: 0, generation: 1, seconds, seconds_before: 0.0, stage }
        };
        let per_sample = |seconds: &[f64]| {
            let events: Vec<Event> = seconds.iter().map(|&seconds| event(seconds)).collect();
            1000.0 * planner(None).speeds(&[], &events).per_sample.expect("a speed")
        };
        assert!((per_sample(&[1.0, 2.0]) - 5.0 / 3.0).abs() < 1e-9);
        assert!(per_sample(&[1.0, 2.0, 2.0, 2.0]) > 1.9);
    }
}
