//! Plan and record of a run: what each generation does, what has been done of it, and so what comes next.
//!
//! Both are logs that only grow. A generation's plan is written down before it begins and a stage's event when it is
//! over, so a run that is interrupted finds its place from them alone.

use crate::config::EvaluationConfig;
use crate::error::Result;
use crate::events::{Event, Stage};
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

    /// The plan of the generation in progress, or of the last one.
    pub fn last_plan(&self) -> Option<&Plan> {
        self.plans.last()
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
            return Some(if plan.rules_games > 0 { Task::RulesGames } else { Task::Selfplay });
        }
        (!done(|stage| matches!(stage, Stage::Train(_) | Stage::Untrained(_)))).then_some(Task::Training)
    }

    /// The match of a generation's network with the one before, then the last network's with the one that the run
    /// began with. Matches of the newest generation are played anew where more pairs are wanted than were played.
    fn match_due(&self, plan: &Plan, config: &EvaluationConfig) -> Option<Task> {
        let newest = self.network_before(u32::MAX);
        let is_newest_plan = self.plans.last() == Some(plan);
        let final_pairs = plan.final_pairs.unwrap_or(config.final_pairs);
        let is_final = is_newest_plan && plan.last && newest > 0 && final_pairs > 0;
        let network = plan.generation;
        let previous = self.network_before(network);
        // In the first generation the network before is the one that the run began with: one match serves both.
        let final_match_serves = is_final && previous == 0 && network == newest && final_pairs >= config.pairs;
        let wanted = if is_newest_plan { config.pairs } else { config.pairs.min(1) };
        if self.networks().any(|made| made == network)
            && !final_match_serves
            && self.pairs_played(network, previous) < u64::from(wanted)
        {
            return Some(Task::Match { network, opponent: previous, pairs: config.pairs });
        }
        (is_final && self.pairs_played(newest, 0) < u64::from(final_pairs)).then_some(Task::Match {
            network: newest,
            opponent: 0,
            pairs: final_pairs,
        })
    }

    /// Pairs of the longest match between two networks.
    fn pairs_played(&self, network: u32, opponent: u32) -> u64 {
        let pairs = self.events.iter().filter_map(|event| match &event.stage {
            Stage::Match(played) if (played.network, played.opponent) == (network, opponent) => Some(played.pairs),
            _ => None,
        });
        pairs.max().unwrap_or(0)
    }
}
