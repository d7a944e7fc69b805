//! Plan and record of a run: what each generation does, what has been done of it, and so what comes next.
//!
//! Both are logs that only grow. A generation's plan is written down before it begins and a stage's event when it is
//! over, so a run that is interrupted finds its place from them alone.

use crate::config::EvaluationConfig;
use crate::error::Result;
use crate::events::{Event, Match, Stage};
use crate::folder::RunFolder;
use crate::gaps;
use crate::observer::Task;
use crate::opponent::Opponent;
use crate::pairing::{Entrants, FEWEST_PAIRS};
use crate::plan::Plan;
use data::LineLog;
use std::collections::{BTreeMap, BTreeSet};

/// A match that is to be played: the network, its opponent and the pairs.
pub(crate) type Wanted = (u32, Opponent, u32);

/// Part of the budget by which the last matches may go over it: what a plan of the last generation may be wrong by.
const OVER_BUDGET: f64 = 0.01;

/// Plans and events of a run, oldest first.
#[derive(Debug)]
pub(crate) struct Record {
    /// The plans made so far; the last one is that of the generation in progress.
    pub plans: Vec<Plan>,
    /// The finished stages.
    pub events: Vec<Event>,
    /// Who plays in its matches beside the trained networks.
    pub entrants: Entrants,
    /// Trained networks whose files were not there when the run was opened. No match asks for one that nothing else needs.
    pub missing: BTreeSet<u32>,
}

/// The record of a run with the logs that it is written to.
#[derive(Debug)]
pub(crate) struct RunLog {
    record: Record,
    plan_log: LineLog<Plan>,
    event_log: LineLog<Event>,
}

impl RunLog {
    /// Opens the logs of a run, or begins them.
    ///
    /// # Errors
    /// They lack stages that other files show, a line is damaged, or a file cannot be read or written.
    pub fn open(folder: &RunFolder, entrants: Entrants) -> Result<RunLog> {
        let (plan_log, plans) = LineLog::open(&folder.plan())?;
        let (event_log, events) = LineLog::open(&folder.events())?;
        gaps::require_whole(folder, &plans.entries, &events.entries)?;
        let record = Record { plans: plans.entries, events: events.entries, entrants, missing: BTreeSet::new() };
        let missing = record.networks().filter(|&network| !folder.network(network).exists()).collect();
        Ok(RunLog { record: Record { missing, ..record }, plan_log, event_log })
    }

    /// What has been planned and done.
    pub fn record(&self) -> &Record {
        &self.record
    }

    /// Writes a plan down.
    ///
    /// # Errors
    /// The log of plans cannot be written; then the record is as before.
    pub fn plan(&mut self, plan: Plan) -> Result<()> {
        self.plan_log.append(&plan)?;
        self.record.plans.push(plan);
        Ok(())
    }

    /// Writes down that a stage is finished.
    ///
    /// # Errors
    /// The log of events cannot be written; then the record is as before.
    pub fn add(&mut self, event: Event) -> Result<()> {
        self.event_log.append(&event)?;
        self.record.events.push(event);
        Ok(())
    }
}

impl Record {
    /// The newest network made before a generation, by the generation that made it; 0 if there is none but the one
    /// that the run began with.
    pub fn network_before(&self, generation: u32) -> u32 {
        self.networks().filter(|&network| network < generation).max().unwrap_or(0)
    }

    /// Generations that made a network.
    fn networks(&self) -> impl Iterator<Item = u32> {
        self.events.iter().filter(|event| matches!(event.stage, Stage::Train(_))).map(|event| event.generation)
    }

    /// The first self-play or training that is planned and not done.
    pub fn due(&self) -> Option<(&Plan, Task)> {
        self.plans.iter().find_map(|plan| Some((plan, self.due_in(plan)?)))
    }

    /// The first stage that is planned and not done, matches included.
    pub fn due_with_matches(&self, config: &EvaluationConfig) -> Option<(&Plan, Task)> {
        self.plans.iter().find_map(|plan| Some((plan, self.due_in(plan).or_else(|| self.match_due(plan, config))?)))
    }

    /// The matches that a generation asks for where others play them: what would be due after it, if those that earlier
    /// generations asked for had been played. Their results are not known.
    pub fn asked_in(&self, generation: u32, config: &EvaluationConfig) -> Vec<Wanted> {
        let mut asked = Vec::new();
        let mut known =
            Record { plans: Vec::new(), events: Vec::new(), entrants: self.entrants, missing: self.missing.clone() };
        for plan in self.plans.iter().filter(|plan| plan.generation <= generation) {
            asked.clear();
            known.plans.push(plan.clone());
            let own = self.events.iter().filter(|event| event.generation == plan.generation);
            known.events.extend(own.filter(|event| !matches!(event.stage, Stage::Match(_))).cloned());
            while let Some((_, Task::Match { network, opponent, pairs })) = known.due_with_matches(config) {
                asked.push((network, opponent, pairs));
                let played = Match { network, opponent, pairs: pairs.into(), ..Match::default() };
                let (generation, stage) = (plan.generation, Stage::Match(played));
                known.events.push(Event { at_ms: 0, generation, seconds: 0.0, seconds_before: 0.0, stage });
            }
        }
        asked
    }

    fn due_in(&self, plan: &Plan) -> Option<Task> {
        let done = |is: fn(&Stage) -> bool| {
            self.events.iter().any(|event| event.generation == plan.generation && is(&event.stage))
        };
        if !done(|stage| matches!(stage, Stage::Selfplay(_))) {
            return Some(if plan.rules_games > 0 { Task::RulesGames } else { Task::Selfplay });
        }
        (!done(|stage| matches!(stage, Stage::Train(_) | Stage::Untrained(_)))).then_some(Task::Training)
    }

    /// The next match of a generation, if one is due: those of its network if a part of the run is done, and at the end of the
    /// run those of the last network, and others that bring neighbours in the ratings closer. Matches of the newest
    /// generation are made longer where more pairs are wanted than were played.
    fn match_due(&self, plan: &Plan, config: &EvaluationConfig) -> Option<Task> {
        let is_newest_plan = self.plans.last() == Some(plan);
        let at_most = |limit: Option<u32>, pairs: u32| limit.map_or(pairs, |limit| limit.min(pairs));
        let pairs = at_most(plan.match_pairs, config.pairs);
        let (mut wanted, entrants) = (Vec::new(), Entrants { visits: config.visits, ..self.entrants });
        let earlier: Vec<&Match> = self.matches(|event| event.generation < plan.generation).collect();
        if pairs > 0 && self.completes_part(plan.generation, config.matches) {
            wanted = self.part_matches(plan, entrants, &earlier, pairs, is_newest_plan);
        }
        let due = |wanted: &[Wanted]| {
            let enough = |pairs: u32| u64::from(if is_newest_plan { pairs } else { pairs.min(1) });
            let lacks = |&&(network, opponent, pairs): &&Wanted| self.pairs_played(network, opponent) < enough(pairs);
            wanted.iter().find(lacks).map(|&(network, opponent, pairs)| Task::Match { network, opponent, pairs })
        };
        let newest = self.network_before(u32::MAX);
        let is_final = is_newest_plan && plan.last && newest > 0;
        let final_pairs = if is_final { at_most(plan.final_pairs, config.final_pairs) } else { 0 };
        if final_pairs == 0 || self.ended_without_fixed_players(newest, final_pairs) {
            return due(&wanted);
        }
        let opponents = entrants.last_opponents(newest, &earlier);
        let all = opponents.len() as u32;
        let fewest = if plan.budget_seconds.is_some() { FEWEST_PAIRS.min(final_pairs / all) } else { 0 };
        let each = final_pairs.div_ceil(2 * all).max(fewest);
        wanted.extend(opponents.iter().map(|&opponent| (newest, opponent, each)));
        let left = final_pairs.saturating_sub(each * all);
        due(&wanted).or_else(|| self.closing_match(plan, config, entrants, &wanted, left))
    }

    /// The matches of a network after a part of the run: with a fixed player and with the network of the match before, each
    /// with one half of the pairs. Where time is short and the pairs are few, all are with the fixed player.
    fn part_matches(
        &self,
        plan: &Plan,
        entrants: Entrants,
        earlier: &[&Match],
        pairs: u32,
        is_newest: bool,
    ) -> Vec<Wanted> {
        let network = plan.generation;
        let fixed = entrants.fixed_player(earlier);
        let own = || self.matches(|event| event.generation == network).filter(|played| played.network == network);
        let before = own().find_map(|played| played.opponent.network());
        let Some(before) = before.or_else(|| entrants.newest_before(network, earlier)).map(Opponent::Network) else {
            return vec![(network, fixed, pairs)];
        };
        // A match of a program that had no fixed players stays as it is.
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

    /// A match at the end of the run that brings neighbours in the ratings closer, if there is one, of what is left of the
    /// pairs and of the time for matches when those `wanted` have been played.
    fn closing_match(
        &self,
        plan: &Plan,
        config: &EvaluationConfig,
        entrants: Entrants,
        wanted: &[Wanted],
        left: u32,
    ) -> Option<Task> {
        let (now, all) = (|event: &Event| event.generation == plan.generation, |_: &Event| true);
        let met: BTreeSet<_> = self.matches(now).map(|played| (played.network, played.opponent)).collect();
        let closing_pairs = |&(network, opponent): &(u32, Opponent)| {
            let own = wanted.iter().filter(|wanted| (wanted.0, wanted.1) == (network, opponent));
            let own = own.map(|wanted| u64::from(wanted.2)).max().unwrap_or(0);
            let before = self.matches(|event| event.generation < plan.generation);
            self.pairs_played(network, opponent).saturating_sub(own.max(longest(before, network, opponent)))
        };
        let mut left = u64::from(left).saturating_sub(met.iter().map(closing_pairs).sum());
        if let Some(budget) = plan.budget_seconds {
            left = self.pairs_in(config.budget_share * budget, budget);
        }
        // A log has one setting for all of its games.
        let settings = config.match_settings();
        let may_be_longer = |network: u32, opponent: Opponent| {
            let mut same = self.matches(all).filter(|played| (played.network, played.opponent) == (network, opponent));
            same.all(|played| played.settings == settings)
        };
        let played: Vec<&Match> = self.matches(all).collect();
        let networks: Vec<u32> = self.networks().filter(|network| !self.missing.contains(network)).collect();
        let (network, opponent, pairs) = entrants.closing_match(&played, &networks, may_be_longer)?;
        let pairs = u32::try_from(left).unwrap_or(u32::MAX).min(pairs);
        let before = u32::try_from(self.pairs_played(network, opponent)).unwrap_or(u32::MAX);
        (pairs > 0).then(|| Task::Match { network, opponent, pairs: before.saturating_add(pairs) })
    }

    /// Pairs that still fit into the seconds for all matches and into the budget of the run, by the speed of those played.
    fn pairs_in(&self, for_matches: f64, budget: f64) -> u64 {
        let mut played = BTreeMap::new();
        let mut timed = Vec::new();
        for event in &self.events {
            let Stage::Match(stage) = &event.stage else { continue };
            // A match that was made longer is on record again, with all of its pairs.
            let before = played.insert((stage.network, stage.opponent), stage.pairs).unwrap_or(0);
            timed.push((stage.pairs.saturating_sub(before) as f64, event.seconds));
        }
        let seconds: f64 = timed.iter().map(|(_, seconds)| seconds).sum();
        let used: f64 = self.events.iter().map(|event| event.seconds + event.seconds_before).sum();
        let left = (for_matches - seconds).min(budget * (1.0 + OVER_BUDGET) - used);
        let (match_seconds, pair_seconds) = speed_of_matches(&timed);
        ((left - match_seconds) / pair_seconds).max(0.0) as u64
    }

    /// Whether the last network has played as programs did that had no fixed players: network 0, with all the pairs.
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

    /// The matches of these events.
    fn matches(&self, counts: impl Fn(&Event) -> bool) -> impl Iterator<Item = &Match> {
        self.events.iter().filter(move |event| counts(event)).filter_map(|event| match &event.stage {
            Stage::Match(played) => Some(played),
            _ => None,
        })
    }

    /// Pairs that a network has played against an opponent.
    fn pairs_played(&self, network: u32, opponent: Opponent) -> u64 {
        longest(self.matches(|_| true), network, opponent)
    }
}

/// Seconds that a match takes beside its pairs, and that a pair takes, at least squares from pairs and seconds of each.
fn speed_of_matches(timed: &[(f64, f64)]) -> (f64, f64) {
    let mean = |of: fn(&(f64, f64)) -> f64| timed.iter().map(of).sum::<f64>() / timed.len().max(1) as f64;
    let (pairs, seconds) = (mean(|it| it.0), mean(|it| it.1));
    let both: f64 = timed.iter().map(|it| (it.0 - pairs) * (it.1 - seconds)).sum();
    let square: f64 = timed.iter().map(|it| (it.0 - pairs).powi(2)).sum();
    let most = seconds / pairs.max(1.0);
    let pair = if square > 0.0 { (both / square).clamp(most / 10.0, most) } else { most };
    (seconds - pair * pairs, pair.max(1e-6))
}

/// Pairs of the longest of these matches between a network and an opponent. One that was made longer is on record again.
fn longest<'a>(matches: impl Iterator<Item = &'a Match>, network: u32, opponent: Opponent) -> u64 {
    let between = matches.filter(|played| (played.network, played.opponent) == (network, opponent));
    between.map(|played| played.pairs).max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::events::{Selfplay, Train, Untrained};

    /// A run log in a folder that goes away with it.
    struct Books {
        run_log: RunLog,
        config: EvaluationConfig,
        _folder: tempfile::TempDir,
    }

    impl Books {
        fn new(matches: u32, pairs: u32, final_pairs: u32) -> Books {
            let folder = tempfile::tempdir().expect("a folder");
            let entrants = Entrants { first: false, builtin: true, visits: 16 };
            let run_log = RunLog::open(&RunFolder::new(folder.path()), entrants).expect("a run log");
            let config = EvaluationConfig { matches, pairs, final_pairs, ..EvaluationConfig::default() };
            Books { run_log, config, _folder: folder }
        }

        fn record(&mut self, generation: u32, stage: Stage) {
            let event = Event { at_ms: 0, generation, seconds: 1.0, seconds_before: 0.0, stage };
            self.run_log.add(event).expect("recorded");
        }

        /// One of `of` generations of the same length.
        fn generation(&mut self, generation: u32, of: u32, trained: bool) {
            let share = |done: u32| f64::from(done) / f64::from(of);
            let plan = Plan {
                generation,
                plies_per_slot: 1,
                rules_games: 0,
                steps: 1,
                progress_from: share(generation - 1),
                progress_to: share(generation),
                last: generation == of,
                match_pairs: None,
                final_pairs: None,
                budget_seconds: None,
            };
            self.planned(plan, trained);
        }

        fn planned(&mut self, plan: Plan, trained: bool) {
            let generation = plan.generation;
            self.run_log.plan(plan).expect("planned");
            self.record(generation, Stage::Selfplay(Selfplay::default()));
            let trained = if trained { Stage::Train(Train::default()) } else { Stage::Untrained(Untrained::default()) };
            self.record(generation, trained);
        }

        fn played(&mut self, played: Match) {
            self.record(played.network, Stage::Match(played));
        }

        /// A match as programs recorded it that had no fixed players.
        fn played_before(&mut self, network: u32, opponent: u32, pairs: u64) {
            self.played(Match { network, opponent: opponent.into(), pairs, ..Match::default() });
        }

        /// Plays all matches that are due, without results; returns them as network, opponent and pairs.
        fn matches(&mut self) -> Vec<Wanted> {
            self.matches_with(|_, _, _| [0, 0])
        }

        /// The same with results: how often the network wins and loses.
        fn matches_with(&mut self, results: impl Fn(u32, Opponent, u64) -> [u64; 2]) -> Vec<Wanted> {
            let mut all = Vec::new();
            while let Some((_, Task::Match { network, opponent, pairs })) =
                self.run_log.record().due_with_matches(&self.config)
            {
                let [wins, losses] = results(network, opponent, 2 * u64::from(pairs));
                let settings = self.config.match_settings();
                let pairs_played = pairs.into();
                self.played(Match {
                    network,
                    opponent,
                    pairs: pairs_played,
                    wins,
                    losses,
                    settings,
                    ..Match::default()
                });
                all.push((network, opponent, pairs));
            }
            all
        }
    }

    use Opponent::{Builtin, Greedy, Network};

    #[test]
    fn a_match_comes_with_each_part_of_the_run_whatever_the_generations() {
        let mut books = Books::new(5, 30, 100);
        let mut all = Vec::new();
        for generation in 1..=20 {
            books.generation(generation, 20, true);
            all.extend(books.matches());
        }
        let expected = [
            (4, Greedy, 30),
            (8, Greedy, 15),
            (8, Network(4), 15),
            (12, Greedy, 15),
            (12, Network(8), 15),
            (16, Greedy, 15),
            (16, Network(12), 15),
            (20, Greedy, 15),
            (20, Network(16), 15),
            (20, Greedy, 17),
            (20, Builtin(1), 17),
            (20, Network(16), 17),
        ];
        assert_eq!(all, expected, "against a fixed player and the network of the match before");

        // Left for later, they are the same.
        let mut books = Books::new(5, 30, 100);
        (1..=20).for_each(|generation| books.generation(generation, 20, true));
        assert_eq!(books.matches(), expected);
        let asked: Vec<_> =
            (1..=20).flat_map(|generation| books.run_log.record().asked_in(generation, &books.config)).collect();
        assert_eq!(asked, expected, "others are asked for the same");
        books.config.pairs = 40;
        assert_eq!(books.matches(), [(20, Greedy, 20), (20, Network(16), 20)], "more pairs lengthen the newest");
    }

    #[test]
    fn a_generation_without_a_network_leaves_its_match_to_the_next() {
        let mut books = Books::new(4, 30, 0);
        (1..=8).for_each(|generation| books.generation(generation, 8, ![1, 2, 6].contains(&generation)));
        let own: Vec<_> = books.matches().into_iter().filter(|(_, opponent, _)| *opponent != Greedy).collect();
        assert_eq!(own, [(4, Network(3), 15), (7, Network(4), 15), (8, Network(7), 15)]);
    }

    #[test]
    fn the_clock_has_the_last_word_on_pairs() {
        let mut books = Books::new(2, 30, 100);
        let plan = |generation: u32, match_pairs, final_pairs| Plan {
            generation,
            plies_per_slot: 1,
            rules_games: 0,
            steps: 1,
            progress_from: f64::from(generation - 1) / 4.0,
            progress_to: f64::from(generation) / 4.0,
            last: generation == 4,
            match_pairs: Some(match_pairs),
            final_pairs,
            budget_seconds: Some(60.0),
        };
        for (generation, pairs, final_pairs) in [(1, 0, None), (2, 0, None), (3, 0, None), (4, 12, Some(17))] {
            books.planned(plan(generation, pairs, final_pairs), true);
        }
        let expected = [(4, Greedy, 12), (4, Builtin(1), 8)];
        assert_eq!(books.matches(), expected, "greedy is met once, and no network has played before");
    }

    #[test]
    fn neighbours_in_the_ratings_of_a_run_are_told_apart() {
        let elo = |player: Opponent| match player {
            Network(generation) => 80.0 * f64::from(generation) - 900.0,
            Opponent::Random => -900.0,
            Opponent::Mcts(_) => -500.0,
            Greedy => -300.0,
            Builtin(visits) => 100.0 * f64::from(visits).log2(),
        };
        let results = |network: u32, opponent: Opponent, games: u64| {
            let wins =
                (eval::ratings::score_of_elo(elo(Network(network)) - elo(opponent)) * games as f64).round() as u64;
            [wins, games - wins]
        };
        let mut books = Books::new(4, 20, 120);
        let mut all = Vec::new();
        for generation in 1..=12 {
            books.generation(generation, 12, true);
            all.extend(books.matches_with(results));
        }
        let record = books.run_log.record();
        let matches: Vec<&Match> = record.matches(|_| true).collect();
        let (players, table) = record.entrants.ratings(&matches).expect("ratings");
        let met: BTreeSet<Opponent> =
            all.iter().flat_map(|&(network, opponent, _)| [Network(network), opponent]).collect();
        assert_eq!(met, players.into_iter().collect(), "all are connected");
        for row in &table.rows {
            assert!(row.over_next.is_none_or(|over| over.error < 200.0), "{table:#?}");
        }
        let last = |opponent: Opponent| all.iter().any(|&(network, other, _)| (network, other) == (12, opponent));
        assert!(
            last(Greedy) && last(Network(9)) && all.iter().any(|match_| matches!(match_, (12, Builtin(_), _))),
            "{all:?}"
        );
    }

    /// Games that are played together share the calls of the network.
    #[test]
    fn a_short_match_takes_nearly_as_long_as_a_longer_one() {
        let (each, pair) = speed_of_matches(&[(3.0, 2.2), (15.0, 2.8)]);
        assert!((each - 2.05).abs() < 1e-9 && (pair - 0.05).abs() < 1e-9, "{each} {pair}");
        for alike in [&[(10.0, 5.0)][..], &[(10.0, 6.0), (20.0, 9.0), (10.0, 4.0)]] {
            let (each, pair) = speed_of_matches(alike);
            let (pairs, seconds) = alike.iter().fold((0.0, 0.0), |all, one| (all.0 + one.0, all.1 + one.1));
            let told = each * alike.len() as f64 + pair * pairs;
            assert!((told - seconds).abs() < 1e-9 && each >= 0.0 && pair > 0.0, "{each} {pair}");
        }
        assert!(speed_of_matches(&[]).1 > 0.0);
    }

    /// The first network that plays may be far above greedy, and games between them say nothing.
    #[test]
    fn a_network_between_is_found_where_neighbours_are_far_apart() {
        let elo = |player: Opponent| match player {
            Network(generation) => {
                let first = [-950.0, -550.0, -300.0, -64.0];
                first.get(generation as usize - 1).copied().unwrap_or(10.0 * f64::from(generation))
            }
            Opponent::Random | Opponent::Mcts(_) => -1400.0,
            Greedy => -950.0,
            Builtin(visits) => 100.0 * f64::from(visits).log2(),
        };
        let results = |network: u32, opponent: Opponent, games: u64| {
            let wins =
                (eval::ratings::score_of_elo(elo(Network(network)) - elo(opponent)) * games as f64).round() as u64;
            [wins, games - wins]
        };
        let mut books = Books::new(4, 20, 300);
        let mut all = Vec::new();
        for generation in 1..=16 {
            books.generation(generation, 16, true);
            all.extend(books.matches_with(results));
        }
        let before_4 = |all: &[Wanted]| {
            all.iter().copied().find(|(_, opponent, _)| opponent.network().is_some_and(|network| network < 4))
        };
        let mut without = Books::new(4, 20, 300);
        without.run_log.record.missing = [1, 2, 3].into();
        let mut others = Vec::new();
        for generation in 1..=16 {
            without.generation(generation, 16, true);
            others.extend(without.matches_with(results));
        }
        assert_eq!(before_4(&others), None, "a network that is missing is not asked for");
        let fresh = before_4(&all);
        assert_eq!(fresh.map(|(network, opponent, _)| (network, opponent)), Some((4, Network(2))), "{all:?}");
        let record = books.run_log.record();
        let matches: Vec<&Match> = record.matches(|_| true).collect();
        let (_, table) = record.entrants.ratings(&matches).expect("ratings");
        for row in &table.rows {
            assert!(row.over_next.is_none_or(|over| over.error < 200.0), "{table:#?}");
        }
        let pairs: u64 = all.iter().map(|&(.., pairs)| u64::from(pairs)).sum();
        assert!(pairs < 500, "{pairs} pairs: {all:?}");
    }

    /// Programs of before played a match for every network, against the one before it.
    #[test]
    fn matches_of_an_older_program_stay_as_they_are() {
        let mut books = Books::new(4, 30, 100);
        for generation in 1..=3 {
            books.generation(generation, 8, true);
            books.played_before(generation, generation - 1, 12);
        }
        assert_eq!(books.matches(), []);
        (4..=8).for_each(|generation| books.generation(generation, 8, true));
        let expected = [
            (4, Greedy, 15),
            (4, Network(3), 15),
            (6, Greedy, 15),
            (6, Network(4), 15),
            (8, Greedy, 15),
            (8, Network(6), 15),
            (8, Greedy, 17),
            (8, Builtin(1), 17),
            (8, Network(6), 17),
        ];
        assert_eq!(books.matches(), expected);
    }

    #[test]
    fn a_run_that_an_older_program_finished_is_finished() {
        let mut books = Books::new(4, 30, 100);
        (1..=8).for_each(|generation| books.generation(generation, 8, true));
        for (network, opponent, pairs) in [(2, 0, 30), (4, 2, 30), (6, 4, 30), (8, 6, 30), (8, 0, 100)] {
            books.played_before(network, opponent, pairs);
        }
        assert_eq!(books.matches(), []);
    }
}
