//! Plan and record of a run: what each generation does, what has been done, and therefore what is next.
//!
//! Both logs are append-only. A generation's plan is written before it begins and a stage's event when it ends, so an
//! interrupted run finds its place from them alone.

mod matches;

use crate::config::EvaluationConfig;
use crate::error::Result;
use crate::events::{Event, Match, Stage};
use crate::folder::RunFolder;
use crate::gaps;
use crate::observer::Task;
use crate::opponent::Opponent;
use crate::pairing::Entrants;
use crate::plan::Plan;
use data::LineLog;
use std::collections::BTreeSet;

/// A match that is to be played: the network, its opponent and the pairs.
pub type Wanted = (u32, Opponent, u32);

/// Plans and events of a run, oldest first.
#[derive(Debug)]
pub struct Record {
    /// The plans made so far; the last one is that of the generation in progress.
    pub plans: Vec<Plan>,
    /// The finished stages.
    pub events: Vec<Event>,
    /// The other players of its matches.
    pub(crate) entrants: Entrants,
    /// Trained networks whose files were missing when the run was opened. Matches do not use a missing network unless
    /// something else needs it.
    pub(crate) missing: BTreeSet<u32>,
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
    /// The newest network made before a generation, by the generation that made it; 0, the run's initial network, if
    /// there is none.
    pub fn network_before(&self, generation: u32) -> u32 {
        self.networks().filter(|&network| network < generation).max().unwrap_or(0)
    }

    /// Generations that made a network.
    fn networks(&self) -> impl Iterator<Item = u32> {
        self.events.iter().filter(|event| matches!(event.stage, Stage::Train(_))).map(|event| event.generation)
    }

    /// The first self-play or training that is planned and not done.
    pub(crate) fn due(&self) -> Option<(&Plan, Task)> {
        self.plans.iter().find_map(|plan| Some((plan, self.due_in(plan)?)))
    }

    /// The first stage that is planned and not done, matches included.
    pub(crate) fn due_with_matches(&self, config: &EvaluationConfig) -> Option<(&Plan, Task)> {
        self.plans.iter().find_map(|plan| Some((plan, self.due_in_with_matches(plan, config)?)))
    }

    /// The first stage of the newest plan that is not done, matches included. Where all that earlier plans ask for is done
    /// before the next is made, this is [`due_with_matches`](Record::due_with_matches) without a look at all plans.
    pub(crate) fn due_in_newest(&self, config: &EvaluationConfig) -> Option<(&Plan, Task)> {
        let plan = self.plans.last()?;
        Some((plan, self.due_in_with_matches(plan, config)?))
    }

    fn due_in_with_matches(&self, plan: &Plan, config: &EvaluationConfig) -> Option<Task> {
        self.due_in(plan).or_else(|| self.match_due(plan, config))
    }

    /// The matches that a generation asks for when other machines play them: the matches due after it if those of
    /// earlier generations had been played. Their results are not known.
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
}

#[cfg(test)]
mod tests;
