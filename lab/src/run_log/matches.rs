//! Which matches of a run are due: those after its parts, those of its last network, and those that bring neighbours in the
//! ratings closer.

use super::{Record, Wanted};
use crate::config::EvaluationConfig;
use crate::events::{CountedPairs, Event, Match, Stage};
use crate::observer::Task;
use crate::opponent::Opponent;
use crate::pairing::{Entrants, FEWEST_PAIRS, games};
use crate::plan::Plan;
use crate::scale::places;
use std::collections::BTreeSet;

/// Part of the budget by which the last matches may exceed it: the possible error of a plan of the last generation.
const OVER_BUDGET: f64 = 0.01;

impl Record {
    /// The next match of a generation, if one is due: those of its network if a part of the run is done, and at the end
    /// of the run those of the last network, and others that bring neighbours in the ratings closer. Matches of the
    /// newest generation are extended if more pairs are wanted than were played.
    pub(super) fn match_due(&self, plan: &Plan, config: &EvaluationConfig) -> Option<Task> {
        let is_newest_plan = self.plans.last() == Some(plan);
        let at_most = |limit: Option<u32>, pairs: u32| limit.map_or(pairs, |limit| limit.min(pairs));
        let pairs = at_most(plan.match_pairs, config.pairs);
        let all: Vec<&Match> = self.matches(|_| true).collect();
        let (mut wanted, entrants) = (Vec::new(), Entrants { visits: config.visits, ..self.entrants }.after(&all));
        let earlier: Vec<&Match> = self.matches(|event| event.generation < plan.generation).collect();
        if pairs > 0 && self.completes_part(plan.generation, config.matches) {
            wanted = self.part_matches(plan, entrants, &earlier, pairs, is_newest_plan);
        }
        let due = |wanted: &[Wanted]| {
            let enough = |pairs: u32| u64::from(if is_newest_plan { pairs } else { pairs.min(1) });
            let lacks = |&&(network, opponent, pairs): &&Wanted| {
                self.pairs_played(network, opponent) < enough(pairs) && self.has_settings(network, opponent, config)
            };
            wanted.iter().find(lacks).map(|&(network, opponent, pairs)| Task::Match { network, opponent, pairs })
        };
        let newest = self.network_before(u32::MAX);
        let is_final = is_newest_plan && plan.last && newest > 0;
        let final_pairs = if is_final { at_most(plan.final_pairs, config.final_pairs) } else { 0 };
        if final_pairs == 0 || self.ended_without_fixed_players(newest, final_pairs) {
            return due(&wanted);
        }
        // Another version of the program has played the last matches, or some of them, with fixed players of its own.
        let is_now = |event: &Event| event.generation == plan.generation;
        if self.matches(is_now).any(|played| games(played) > 0 && !entrants.is_present(played)) {
            return None;
        }
        let opponents = entrants.last_opponents(newest, &earlier);
        let all = opponents.len() as u32;
        let fewest = if plan.budget_seconds.is_some() { FEWEST_PAIRS.min(final_pairs / all) } else { 0 };
        let each = final_pairs.div_ceil(2 * all).max(fewest);
        wanted.extend(opponents.iter().map(|&opponent| (newest, opponent, each)));
        let left = final_pairs.saturating_sub(each * all);
        due(&wanted).or_else(|| self.closing_match(plan, config, entrants, &wanted, left))
    }

    /// The matches of a network after a part of the run: with a fixed player and with the network of the match before,
    /// each with half of the pairs. If time is short and the pairs are few, all are with the fixed player.
    fn part_matches(
        &self,
        plan: &Plan,
        entrants: Entrants,
        earlier: &[&Match],
        pairs: u32,
        is_newest: bool,
    ) -> Vec<Wanted> {
        let network = plan.generation;
        let own = || self.matches(|event| event.generation == network).filter(|played| played.network == network);
        // Another version of the program might choose another.
        let met = own().map(|played| played.opponent).find(|opponent| opponent.network().is_none());
        let fixed = met.unwrap_or_else(|| entrants.fixed_player(earlier, plan.progress_to));
        let before = own().find_map(|played| played.opponent.network());
        let Some(before) = before.or_else(|| entrants.newest_before(network, earlier)).map(Opponent::Network) else {
            return vec![(network, fixed, pairs)];
        };
        // A match of a program without fixed players stays as it is.
        let older = own().filter(|played| played.settings.is_empty() && played.opponent == before);
        if older.map(|played| played.pairs).max() >= Some(if is_newest { pairs.into() } else { 1 }) {
            return Vec::new();
        }
        let half = pairs.div_ceil(2);
        if plan.budget_seconds.is_some() && half < FEWEST_PAIRS {
            return vec![(network, fixed, pairs)];
        }
        vec![(network, fixed, half), (network, before, half)]
    }

    /// A match at the end of the run that brings neighbours in the ratings closer, if there is one, within the pairs
    /// and the match time that remain after the matches `wanted`.
    fn closing_match(
        &self,
        plan: &Plan,
        config: &EvaluationConfig,
        entrants: Entrants,
        wanted: &[Wanted],
        left: u32,
    ) -> Option<Task> {
        let left = match plan.budget_seconds {
            Some(budget) => self.pairs_in(config.budget_share * budget, budget),
            None => u64::from(left).saturating_sub(self.closing_pairs(plan.generation, wanted)),
        };
        // A log has one setting for all of its games, and the same players.
        let settings = config.match_settings();
        let may_be_longer = |network: u32, opponent: Opponent| {
            let mut between = self.between(network, opponent);
            between.all(|played| played.settings == settings && entrants.is_present(played))
        };
        let played: Vec<&Match> = self.matches(|_| true).collect();
        let networks: Vec<u32> = self.networks().filter(|network| !self.missing.contains(network)).collect();
        let (network, opponent, pairs) = entrants.closing_match(&played, &networks, may_be_longer)?;
        let pairs = u32::try_from(left).unwrap_or(u32::MAX).min(pairs);
        let before = u32::try_from(self.pairs_played(network, opponent)).unwrap_or(u32::MAX);
        (pairs > 0).then(|| Task::Match { network, opponent, pairs: before.saturating_add(pairs) })
    }

    /// Pairs that a generation has played beyond those `wanted`: those of its closing matches.
    fn closing_pairs(&self, generation: u32, wanted: &[Wanted]) -> u64 {
        let now = self.matches(|event| event.generation == generation);
        let met: BTreeSet<_> = now.map(|played| (played.network, played.opponent)).collect();
        let beyond = |(network, opponent): (u32, Opponent)| {
            let own = wanted.iter().filter(|wanted| (wanted.0, wanted.1) == (network, opponent));
            let own = own.map(|wanted| u64::from(wanted.2)).max().unwrap_or(0);
            let before = longest(self.matches(|event| event.generation < generation), network, opponent);
            self.pairs_played(network, opponent).saturating_sub(own.max(before))
        };
        met.into_iter().map(beyond).sum()
    }

    /// Pairs that still fit into the match time and into the budget of the run, at the speed measured so far.
    fn pairs_in(&self, for_matches: f64, budget: f64) -> u64 {
        let mut counted = CountedPairs::default();
        let matches = self.events.iter().filter_map(|event| match &event.stage {
            Stage::Match(stage) => Some((counted.count(stage) as f64, event.seconds)),
            _ => None,
        });
        let timed: Vec<(f64, f64)> = matches.collect();
        let seconds: f64 = timed.iter().map(|(_, seconds)| seconds).sum();
        let used: f64 = self.events.iter().map(|event| event.seconds + event.seconds_before).sum();
        let left = (for_matches - seconds).min(budget * (1.0 + OVER_BUDGET) - used);
        let (match_seconds, pair_seconds) = speed_of_matches(&timed);
        ((left - match_seconds) / pair_seconds).max(0.0) as u64
    }

    /// Whether the last network played its matches as older programs without fixed players did: against network 0, with
    /// all the pairs.
    fn ended_without_fixed_players(&self, newest: u32, final_pairs: u32) -> bool {
        self.matches(|_| true).all(|played| played.opponent.network().is_some())
            && self.pairs_played(newest, Opponent::Network(0)) >= u64::from(final_pairs)
    }

    /// Whether this network is the first after another of so many parts of the run.
    fn completes_part(&self, network: u32, parts: u32) -> bool {
        let since = self.network_before(network) + 1..=network;
        self.networks().any(|made| made == network)
            && self.plans.iter().any(|plan| since.contains(&plan.generation) && plan.completes_part(parts))
    }

    /// This match of a network, about to be recorded, with the network's place on the fixed scale.
    pub(crate) fn placed(&self, played: Match) -> Match {
        let Some(scale) = self.entrants.scale else { return played };
        let all: Vec<&Match> = self.matches(|_| true).chain([&played]).collect();
        let place = places(scale, &all).into_iter().find(|(network, _)| *network == played.network);
        Match { place: place.map(|(_, place)| Box::new(place)), ..played }
    }

    /// The matches of these events.
    pub(super) fn matches(&self, counts: impl Fn(&Event) -> bool) -> impl Iterator<Item = &Match> {
        self.events.iter().filter(move |event| counts(event)).filter_map(|event| match &event.stage {
            Stage::Match(played) => Some(played),
            _ => None,
        })
    }

    /// Whether what these two have played was played with the settings that matches have now, so that its log can be
    /// continued. Programs that recorded no settings had few of them.
    fn has_settings(&self, network: u32, opponent: Opponent, config: &EvaluationConfig) -> bool {
        let settings = config.match_settings();
        let mut recorded = self.between(network, opponent).map(|played| &played.settings);
        recorded.all(|recorded| recorded.is_empty() || *recorded == settings)
    }

    /// The records of the match of a network with an opponent, one for each time that it was extended.
    fn between(&self, network: u32, opponent: Opponent) -> impl Iterator<Item = &Match> {
        self.matches(move |_| true).filter(move |played| (played.network, played.opponent) == (network, opponent))
    }

    /// Whether a match between these two is on record.
    pub(crate) fn is_on_record(&self, network: u32, opponent: Opponent) -> bool {
        self.between(network, opponent).next().is_some()
    }

    /// Pairs that a network has played against an opponent.
    fn pairs_played(&self, network: u32, opponent: Opponent) -> u64 {
        longest(self.matches(|_| true), network, opponent)
    }
}

/// Fixed seconds of a match, and seconds of each pair: the least-squares line through pairs and seconds of each match.
pub(super) fn speed_of_matches(timed: &[(f64, f64)]) -> (f64, f64) {
    let mean = |of: fn(&(f64, f64)) -> f64| timed.iter().map(of).sum::<f64>() / timed.len().max(1) as f64;
    let (pairs, seconds) = (mean(|it| it.0), mean(|it| it.1));
    let both: f64 = timed.iter().map(|it| (it.0 - pairs) * (it.1 - seconds)).sum();
    let square: f64 = timed.iter().map(|it| (it.0 - pairs).powi(2)).sum();
    let most = seconds / pairs.max(1.0);
    let pair = if square > 0.0 { (both / square).clamp(most / 10.0, most) } else { most };
    (seconds - pair * pairs, pair.max(1e-6))
}

/// Pairs of the longest of these matches between a network and an opponent. One that was extended is on record again.
fn longest<'a>(matches: impl Iterator<Item = &'a Match>, network: u32, opponent: Opponent) -> u64 {
    let between = matches.filter(|played| (played.network, played.opponent) == (network, opponent));
    between.map(|played| played.pairs).max().unwrap_or(0)
}
