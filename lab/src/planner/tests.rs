//! Whole runs on simulated machines.

use super::clock::Speeds;
use super::*;
use crate::events::{self, Stage};
use testkit::SplitMix64;

fn planner(budget: Option<u64>) -> Planner {
    Planner {
        generations: 4,
        plies_per_slot: 32,
        slots: 128,
        rules_games: 0,
        rules_rows: 8,
        search: SearchConfig { visits: 32, ..SearchConfig::default() },
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
        let (network, opponent) = (generation, opponent.into());
        let stage = events::Match { network, opponent, pairs: pairs.into(), ..Default::default() };
        self.work(generation, f64::from(pairs) * self.machine[2], Stage::Match(stage));
    }

    /// Plays the rest of the run.
    fn finish(&mut self) {
        let planner = self.planner;
        while let Some(plan) = planner.next(&self.plans, &self.events) {
            let (generation, last) = (plan.generation, plan.last);
            let [position, sample, _] = self.machine;
            let searched = u64::from(plan.plies_per_slot) * u64::from(planner.slots);
            let simulations = planner.visits(plan.progress_from);
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
    run.finish();
    run
}

#[test]
fn a_match_that_is_resumed_or_extended_counts_with_its_new_pairs() {
    let planner = planner(Some(600));
    let event = |seconds, stage| Event { at_ms: 0, generation: 1, seconds, seconds_before: 0.0, stage };
    let played = |network, pairs, pairs_before, seconds| {
        let stage = events::Match { network, opponent: 0.into(), pairs, pairs_before, ..Default::default() };
        event(seconds, Stage::Match(stage))
    };
    let per_pair = |matches: [Event; 2]| {
        let searched = events::Selfplay { searched: 1000, games: 1, mean_plies: 80.0, ..Default::default() };
        let events = [&[event(10.0, Stage::Selfplay(searched))], &matches[..]].concat();
        Speeds::of(&planner, &[], &events).per_pair.expect("measured")
    };
    for matches in [
        [played(1, 4, 0, 8.0), played(2, 10, 9, 2.0)],
        [played(1, 15, 0, 30.0), played(1, 30, 0, 30.0)],
        [played(1, 15, 0, 30.0), played(1, 30, 15, 30.0)],
    ] {
        assert!((per_pair(matches.clone()) - 2.0).abs() < 1e-9, "{matches:?}");
    }
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

/// A first generation of random-play games has its own plan; its time counts, and its speed is not used for later ones.
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
                // A short run has few matches, and the last one is planned before the speed of the slower machine is known.
                assert!(matches <= 0.035, "{matches} of {budget} s in matches: {:?}", run.pairs());
            }
        }
    }
}

#[test]
fn a_budget_is_kept_on_a_noisy_machine() {
    for budget in [480, 1800, 3600] {
        for seed in 1..=100_u64 {
            // Each stage takes 30 % more or less.
            let mut numbers = SplitMix64(seed);
            let mut noise = |_: f64| 0.7 + 0.6 * numbers.fraction();
            let planner = planner(Some(budget));
            let run = simulate(&planner, USUAL, &mut noise);
            let share = run.used() / budget as f64;
            assert!((0.95..=1.05).contains(&share), "{share} of {budget} s used with seed {seed}");
            let matches = run.used_on_matches() / budget as f64;
            assert!(matches <= 0.035, "{matches} of {budget} s in matches with seed {seed}");
        }
    }
}

/// If simulations double in the course of the run, positions take longer, and the planner accounts for it.
#[test]
fn a_budget_is_kept_when_visits_double() {
    let search = SearchConfig { visits: 32, double_visits_at: vec![0.25, 0.7], ..SearchConfig::default() };
    let planner = Planner { search, ..planner(Some(480)) };
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
        let [first, others @ .., last] = pairs.as_slice() else { panic!("{pairs:?}") };
        assert_eq!(*first, 4, "the first one measures how long a pair takes");
        assert!(others.iter().all(|pairs| (10..=30).contains(pairs)), "{pairs:?}");
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
    // As earlier programs wrote it: the budget that the run had counts.
    let old = [Plan { budget_seconds: None, ..last.clone() }];
    let had =
        |before: u64, now: u64| Planner { budget_before: Some(Duration::from_secs(before)), ..planner(Some(now)) };
    assert_eq!(had(1200, 1200).next(&old, &events), None);
    assert!(had(600, 1200).next(&old, &events).is_some());

    let (more, mut idle) = (planner(Some(1200)), |_: f64| 1.0);
    let next = more.next(&plans, &events).expect("a plan");
    assert_eq!(next.generation, last.generation + 1);
    assert!((0.4..0.6).contains(&next.progress_from), "half of the run is done: {next:?}");
    // A run by count can be extended too.
    let by_count = Planner { generations: last.generation + 1, ..planner(None) };
    assert_eq!(by_count.next(&plans, &events).map(|plan| plan.last), Some(true));
    let mut run = Simulation { planner: &more, machine: USUAL, slowness: &mut idle, plans, events };
    run.finish();
    assert!((1140.0..1260.0).contains(&run.used()), "{} s of 1200", run.used());
    assert_eq!(run.plans.last().map(|plan| (plan.last, plan.progress_to)), Some((true, 1.0)));
}

#[test]
fn a_stage_that_was_over_before_it_was_resumed_tells_no_speed() {
    let event = |seconds, stage| Event { at_ms: 0, generation: 1, seconds, seconds_before: 0.0, stage };
    let play = |searched| Stage::Selfplay(events::Selfplay { searched, ..Default::default() });
    let train = |samples| Stage::Train(events::Train { samples, ..Default::default() });
    let events = [event(2.0, play(1000)), event(1.0, train(4000)), event(0.5, play(0)), event(0.5, train(0))];
    let speeds = Speeds::of(&planner(None), &[], &events);
    assert_eq!((speeds.per_simulation, speeds.per_sample), (Some(0.002 / 32.0), Some(0.000_25)));
}

/// From a run whose last generation before its only match finished a single game, of 16 plies.
#[test]
fn a_match_is_not_guessed_by_one_short_game() {
    let play = |games, mean_plies| {
        let stage = events::Selfplay { searched: 1000, games, mean_plies, ..Default::default() };
        Event { at_ms: 0, generation: 1, seconds: 32.0, seconds_before: 0.0, stage: Stage::Selfplay(stage) }
    };
    let speeds = Speeds::of(&planner(None), &[], &[play(20, 120.0), play(0, 0.0), play(1, 16.0)]);
    let per_pair = speeds.per_pair.expect("a guess");
    assert!((per_pair - 2.0 * 2.0 * 120.0 * 32.0 * 0.001).abs() < 1e-9 && !speeds.has_timed_match, "{speeds:?}");
}

/// The latest measurement counts most, but not alone.
#[test]
fn speeds_follow_the_machine() {
    let event = |seconds| {
        let stage = Stage::Train(events::Train { samples: 1000, ..Default::default() });
        Event { at_ms: 0, generation: 1, seconds, seconds_before: 0.0, stage }
    };
    let per_sample = |seconds: &[f64]| {
        let events: Vec<Event> = seconds.iter().map(|&seconds| event(seconds)).collect();
        1000.0 * Speeds::of(&planner(None), &[], &events).per_sample.expect("a speed")
    };
    assert!((per_sample(&[1.0, 2.0]) - 5.0 / 3.0).abs() < 1e-9);
    assert!(per_sample(&[1.0, 2.0, 2.0, 2.0]) > 1.9);
}
