//! Plan and record of a run: what each generation does, what has been done of it, and so what comes next.
//!
//! Both are logs that only grow. A generation's plan is written down before it begins and a stage's event when it is
//! over, so a run that is interrupted finds its place from them alone.

use crate::config::EvaluationConfig;
use crate::error::Result;
use crate::events::{Event, Match, Stage};
use crate::folder::RunFolder;
use crate::observer::Task;
use crate::plan::Plan;
use data::LineLog;

/// Plans and events of a run, oldest first.
#[derive(Debug)]
pub(crate) struct Ledger {
    plans: Vec<Plan>,
    events: Vec<Event>,
    plan_log: LineLog<Plan>,
    event_log: LineLog<Event>,
}

impl Ledger {
    /// Opens the logs of a run, or begins them.
    pub fn open(folder: &RunFolder) -> Result<Ledger> {
        let (plan_log, plans) = LineLog::open(&folder.plan())?;
        let (event_log, events) = LineLog::open(&folder.events())?;
        Ok(Ledger { plans: plans.entries, events: events.entries, plan_log, event_log })
    }

    /// The plans made so far; the last one is that of the generation in progress.
    pub fn plans(&self) -> &[Plan] {
        &self.plans
    }

    /// The finished stages.
    pub fn events(&self) -> &[Event] {
        &self.events
    }

    /// Writes a plan down.
    pub fn plan(&mut self, plan: Plan) -> Result<()> {
        self.plan_log.append(&plan)?;
        self.plans.push(plan);
        Ok(())
    }

    /// Writes down that a stage is finished.
    pub fn record(&mut self, event: Event) -> Result<()> {
        self.event_log.append(&event)?;
        self.events.push(event);
        Ok(())
    }

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

    fn due_in(&self, plan: &Plan) -> Option<Task> {
        let done = |is: fn(&Stage) -> bool| {
            self.events.iter().any(|event| event.generation == plan.generation && is(&event.stage))
        };
        if !done(|stage| matches!(stage, Stage::Selfplay(_))) {
            return Some(Task::Selfplay);
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
