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
use crate::plan::Plan;
use data::LineLog;

/// Plans and events of a run, oldest first.
#[derive(Debug)]
pub(crate) struct Record {
    /// The plans made so far; the last one is that of the generation in progress.
    pub plans: Vec<Plan>,
    /// The finished stages.
    pub events: Vec<Event>,
}

/// The record of a run with the logs that it is written to.
#[derive(Debug)]
pub(crate) struct Ledger {
    record: Record,
    plan_log: LineLog<Plan>,
    event_log: LineLog<Event>,
}

impl Ledger {
    /// Opens the logs of a run, or begins them.
    ///
    /// # Errors
    /// They lack stages that other files show, a line is damaged, or a file cannot be read or written.
    pub fn open(folder: &RunFolder) -> Result<Ledger> {
        let (plan_log, plans) = LineLog::open(&folder.plan())?;
        let (event_log, events) = LineLog::open(&folder.events())?;
        gaps::require_whole(folder, &plans.entries, &events.entries)?;
        Ok(Ledger { record: Record { plans: plans.entries, events: events.entries }, plan_log, event_log })
    }

    /// What has been planned and done.
    pub fn record(&self) -> &Record {
        &self.record
    }

    /// Writes a plan down.
    pub fn plan(&mut self, plan: Plan) -> Result<()> {
        self.plan_log.append(&plan)?;
        self.record.plans.push(plan);
        Ok(())
    }

    /// Writes down that a stage is finished.
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
    /// generations asked for had been played. Each is network, opponent and pairs.
    pub fn asked_in(&self, generation: u32, config: &EvaluationConfig) -> Vec<[u32; 3]> {
        let mut asked = Vec::new();
        let mut known = Record { plans: Vec::new(), events: Vec::new() };
        for plan in self.plans.iter().filter(|plan| plan.generation <= generation) {
            asked.clear();
            known.plans.push(plan.clone());
            let own = self.events.iter().filter(|event| event.generation == plan.generation);
            known.events.extend(own.filter(|event| !matches!(event.stage, Stage::Match(_))).cloned());
            while let Some((_, Task::Match { network, opponent, pairs })) = known.due_with_matches(config) {
                asked.push([network, opponent, pairs]);
                let played = Match { network, opponent, pairs: pairs.into(), ..Match::default() };
                let stage = Stage::Match(played);
                known.events.push(Event { at_ms: 0, generation: network, seconds: 0.0, seconds_before: 0.0, stage });
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

    /// The match of a generation's network if a part of the run is done, with the network of the match before; then the
    /// last network's with the one that the run began with. Matches of the newest generation are played anew where more
    /// pairs are wanted than were played.
    fn match_due(&self, plan: &Plan, config: &EvaluationConfig) -> Option<Task> {
        let newest = self.network_before(u32::MAX);
        let is_newest_plan = self.plans.last() == Some(plan);
        let at_most = |limit: Option<u32>, pairs: u32| limit.map_or(pairs, |limit| limit.min(pairs));
        let (pairs, final_pairs) =
            (at_most(plan.match_pairs, config.pairs), at_most(plan.final_pairs, config.final_pairs));
        let is_final = is_newest_plan && plan.last && newest > 0 && final_pairs > 0;
        let network = plan.generation;
        let opponent = self.opponent_of(network);
        // Where no network has played before, the opponent is the one that the run began with: one match serves both.
        let final_match_serves = is_final && opponent == 0 && network == newest && final_pairs >= pairs;
        let wanted = if is_newest_plan { pairs } else { pairs.min(1) };
        if self.completes_part(network, config.matches)
            && !final_match_serves
            && self.pairs_played(network, opponent) < u64::from(wanted)
        {
            return Some(Task::Match { network, opponent, pairs });
        }
        (is_final && self.pairs_played(newest, 0) < u64::from(final_pairs)).then_some(Task::Match {
            network: newest,
            opponent: 0,
            pairs: final_pairs,
        })
    }

    /// Whether this network is the first after another of so many parts of the run.
    fn completes_part(&self, network: u32, parts: u32) -> bool {
        let since = self.network_before(network) + 1..=network;
        self.networks().any(|made| made == network)
            && self.plans.iter().any(|plan| since.contains(&plan.generation) && plan.completes_part(parts))
    }

    /// The opponent in a network's match: the one it has had, or else the newest network before it that has played.
    fn opponent_of(&self, network: u32) -> u32 {
        let first = self.matches().find(|played| played.network == network).map(|played| played.opponent);
        let before = self.matches().map(|played| played.network).filter(|&played| played < network);
        first.or(before.max()).unwrap_or(0)
    }

    fn matches(&self) -> impl Iterator<Item = &Match> {
        self.events.iter().filter_map(|event| match &event.stage {
            Stage::Match(played) => Some(played),
            _ => None,
        })
    }

    /// Pairs of the longest match between two networks.
    fn pairs_played(&self, network: u32, opponent: u32) -> u64 {
        let between = self.matches().filter(|played| (played.network, played.opponent) == (network, opponent));
        between.map(|played| played.pairs).max().unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::events::{Selfplay, Train, Untrained};

    /// A ledger in a folder that goes away with it.
    struct Books {
        ledger: Ledger,
        config: EvaluationConfig,
        _folder: tempfile::TempDir,
    }

    impl Books {
        fn new(matches: u32, pairs: u32, final_pairs: u32) -> Books {
            let folder = tempfile::tempdir().expect("a folder");
            let ledger = Ledger::open(&RunFolder::new(folder.path())).expect("a ledger");
            let config = EvaluationConfig { matches, pairs, final_pairs, ..EvaluationConfig::default() };
            Books { ledger, config, _folder: folder }
        }

        fn record(&mut self, generation: u32, stage: Stage) {
            let event = Event { at_ms: 0, generation, seconds: 1.0, seconds_before: 0.0, stage };
            self.ledger.add(event).expect("recorded");
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
            self.ledger.plan(plan).expect("planned");
            self.record(generation, Stage::Selfplay(Selfplay::default()));
            let trained = if trained { Stage::Train(Train::default()) } else { Stage::Untrained(Untrained::default()) };
            self.record(generation, trained);
        }

        fn played(&mut self, network: u32, opponent: u32, pairs: u64) {
            self.record(network, Stage::Match(Match { network, opponent, pairs, ..Match::default() }));
        }

        /// Plays all matches that are due; returns them as network, opponent and pairs.
        fn matches(&mut self) -> Vec<[u32; 3]> {
            let mut played = Vec::new();
            while let Some((_, Task::Match { network, opponent, pairs })) =
                self.ledger.record().due_with_matches(&self.config)
            {
                self.played(network, opponent, pairs.into());
                played.push([network, opponent, pairs]);
            }
            played
        }
    }

    #[test]
    fn a_match_comes_with_each_part_of_the_run_whatever_the_generations() {
        let mut books = Books::new(5, 30, 100);
        let mut all = Vec::new();
        for generation in 1..=20 {
            books.generation(generation, 20, true);
            all.extend(books.matches());
        }
        let expected = [[4, 0, 30], [8, 4, 30], [12, 8, 30], [16, 12, 30], [20, 16, 30], [20, 0, 100]];
        assert_eq!(all, expected, "against the network of the match before");

        // Left for later, they are the same.
        let mut books = Books::new(5, 30, 100);
        (1..=20).for_each(|generation| books.generation(generation, 20, true));
        assert_eq!(books.matches(), expected);
        let asked: Vec<_> =
            (1..=20).flat_map(|generation| books.ledger.record().asked_in(generation, &books.config)).collect();
        assert_eq!(asked, expected, "others are asked for the same");
        books.config.pairs = 40;
        assert_eq!(books.matches(), [[20, 16, 40]], "more pairs lengthen the newest");
    }

    #[test]
    fn a_generation_without_a_network_leaves_its_match_to_the_next() {
        let mut books = Books::new(4, 30, 0);
        (1..=8).for_each(|generation| books.generation(generation, 8, ![1, 2, 6].contains(&generation)));
        assert_eq!(books.matches(), [[3, 0, 30], [4, 3, 30], [7, 4, 30], [8, 7, 30]]);
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
        assert_eq!(books.matches(), [[4, 0, 17]], "one match is both, since no network has played before");
    }

    /// Programs of before played a match for every network, against the one before it.
    #[test]
    fn matches_of_an_older_program_stay_as_they_are() {
        let mut books = Books::new(4, 30, 100);
        for generation in 1..=3 {
            books.generation(generation, 8, true);
            books.played(generation, generation - 1, 12);
        }
        assert_eq!(books.matches(), [] as [[u32; 3]; 0]);
        (4..=8).for_each(|generation| books.generation(generation, 8, true));
        assert_eq!(books.matches(), [[4, 3, 30], [6, 4, 30], [8, 6, 30], [8, 0, 100]]);
    }
}
