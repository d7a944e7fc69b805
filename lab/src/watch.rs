//! The state of a run, from its files alone: for monitoring while another program works on it.

use crate::about::About;
use crate::config::Config;
use crate::error::{LabError, Result};
use crate::events::{self, Event, Match, Stage};
use crate::folder::RunFolder;
use crate::gaps;
use crate::gathered::has_been_in_a_store;
use crate::health::{self, Health, Newest};
use crate::observer::Task;
use crate::pairing::Entrants;
use crate::plan::Plan;
use crate::planner::Planner;
use crate::progress::Progress;
use crate::run_log::Record;
use crate::timestamp::now_ms;
use data::LineLog;
use serde::Serialize;
use std::collections::BTreeSet;
use std::fs::{File, TryLockError};

/// Generations whose mean time tells how long the next ones take, in a run without a budget.
const RECENT: usize = 3;

/// Whether a program works on a run, and whether anything remains to be done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Condition {
    /// A program opens it for the first time, which takes seconds of measurements. Nothing else is known of it yet.
    #[default]
    Opening,
    /// A program works on it.
    Running,
    /// No program works on it, and it is not finished: it was stopped or killed.
    Interrupted,
    /// It is finished, by its own configuration.
    Finished,
}

/// The state of a run. The default is that of a run that is being opened.
#[derive(Clone, Debug, Default, Serialize)]
pub struct RunState {
    /// The variant's title; the folder's name while the run is being opened.
    pub title: String,
    /// Whether a program works on it.
    pub condition: Condition,
    /// The generation in progress, or the last one; 0 before the first is planned.
    pub generation: u32,
    /// Generations of the whole run, where that is known beforehand.
    pub generations: Option<u32>,
    /// The stage in progress, or in which the run was interrupted, and its progress; absent between stages.
    pub stage: Option<Progress>,
    /// Part of the run that is done, 0 to 1.
    pub done: f64,
    /// Clock time that the run took so far, seconds.
    pub seconds: f64,
    /// The clock time that it may take, seconds.
    pub budget_seconds: Option<f64>,
    /// Expected clock time until its end, seconds; absent where no program works on it or nothing has been measured.
    pub seconds_left: Option<f64>,
    /// Games of self-play.
    pub games: u64,
    /// Their searched positions.
    pub positions: u64,
    /// The newest network, by its generation; 0 is the one that the run began with.
    pub network: u32,
    /// Losses of the newest network.
    pub losses: Option<Losses>,
    /// The last match.
    pub last_match: Option<Match>,
    /// The newest value of each health figure, with its generation.
    pub health: Vec<Newest>,
}

/// Losses of a network, nats.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Losses {
    /// Policy loss on training games (in runs of earlier versions its mean over the steps).
    pub policy: f64,
    /// Policy loss on validation games.
    pub policy_held_out: Option<f64>,
    /// Value loss on training games (in runs of earlier versions its mean over the steps).
    pub value: f64,
    /// Value loss on validation games.
    pub value_held_out: Option<f64>,
}

impl RunState {
    /// Reads a run folder and changes nothing.
    ///
    /// # Errors
    /// There is no run in the folder, or one of its files cannot be read or is damaged.
    pub fn read(folder: &RunFolder) -> Result<RunState> {
        // Read before the record, so that a stage that ends in between is seen as finished.
        let (is_locked, progress) = (is_locked(folder)?, Progress::read(folder)?);
        // The configuration is the last file written when a run is opened for the first time.
        if !data::durable::is_there(&folder.config())? {
            return match is_locked {
                true => Ok(RunState { title: folder.root().display().to_string(), ..RunState::default() }),
                false => Err(LabError::NoRun { folder: folder.root().to_owned() }),
            };
        }
        let config = Config::load(&folder.config(), &[])?;
        let about = About::read(folder)?;
        let plans = LineLog::<Plan>::read(&folder.plan())?.entries;
        let begins_untrained = about.as_ref().is_none_or(|about| about.from.is_none());
        let entrants = Entrants::of(&config, begins_untrained);
        let events = events::read(&folder.events())?;
        let record = Record { plans, events, entrants, missing: BTreeSet::new() };
        // While a program works, files may appear between the reads.
        if !is_locked {
            gaps::require_whole(folder, &record.plans, &record.events)?;
        }
        let planner = Planner::of(&config, config.run.budget(), begins_untrained);
        // The matches of a run in a store are played and kept elsewhere.
        let due = match has_been_in_a_store(folder)? {
            true => record.due(),
            false => record.due_with_matches(&config.evaluation),
        };
        let is_over =
            !record.plans.is_empty() && due.is_none() && planner.next(&record.plans, &record.events).is_none();
        let condition = match (is_locked, is_over) {
            (_, true) => Condition::Finished,
            (true, false) => Condition::Running,
            (false, false) => Condition::Interrupted,
        };
        let title = about.map_or_else(|| config.run.variant.clone(), |about| about.title);
        Ok(RunState::of(title, condition, &config, &record, progress.filter(|progress| !is_done(progress, &record))))
    }

    fn of(title: String, condition: Condition, config: &Config, record: &Record, stage: Option<Progress>) -> RunState {
        let events = &record.events;
        let now = if condition == Condition::Running { now_ms() } else { 0 };
        let unrecorded = match (condition, events.last(), &stage) {
            // Between two stages nothing is written: the pause takes moments.
            (Condition::Running, last, Some(stage)) => {
                let since = last.map_or(stage.began_at_ms, |last| last.at_ms.max(stage.began_at_ms));
                (now - since).max(0) as f64 / 1000.0
            }
            _ => 0.0,
        };
        let seconds = events.iter().map(|event| event.seconds + event.seconds_before).sum::<f64>() + unrecorded;
        let budget_seconds = config.run.budget().map(|budget| budget.as_secs_f64());
        let share = stage.as_ref().map_or(0.0, Progress::share);
        let done = if condition == Condition::Finished { 1.0 } else { done(record, stage.as_ref(), share) };
        let generations = budget_seconds.is_none().then_some(config.run.generations);
        let seconds_left = match (condition, budget_seconds) {
            (Condition::Running, Some(budget)) => Some((budget - seconds).max(0.0)),
            (Condition::Running, None) => by_generations(events, config.run.generations, unrecorded),
            _ => None,
        };
        let played = || {
            events.iter().filter_map(|event| match &event.stage {
                Stage::Selfplay(stage) => Some(stage),
                _ => None,
            })
        };
        RunState {
            title,
            condition,
            generation: record.plans.last().map_or(0, |plan| plan.generation),
            generations,
            done,
            seconds,
            budget_seconds,
            seconds_left,
            games: played().map(|stage| stage.games).sum(),
            positions: played().map(|stage| stage.positions).sum(),
            network: record.network_before(u32::MAX),
            losses: events.iter().rev().find_map(losses),
            last_match: events.iter().rev().find_map(|event| match &event.stage {
                Stage::Match(played) => Some(played.clone()),
                _ => None,
            }),
            health: health::newest(&Health::of(events)),
            stage,
        }
    }
}

/// Whether a program works on the run. If the lock is free, it is taken shared for a moment: two monitors do not
/// disturb each other.
fn is_locked(folder: &RunFolder) -> Result<bool> {
    let path = folder.lock_file();
    let file = match data::bounded::open_ordinary(&path, File::options().read(true)) {
        Ok(file) => file,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(false),
        Err(error) => return Err(LabError::io("open", &path)(error)),
    };
    match data::durable::try_lock_shared(&file) {
        Ok(()) => Ok(false),
        Err(TryLockError::WouldBlock) => Ok(true),
        Err(TryLockError::Error(error)) => Err(LabError::io("lock", &path)(error)),
    }
}

/// Whether the stage of the last written progress is finished.
fn is_done(progress: &Progress, record: &Record) -> bool {
    record.events.iter().filter(|event| event.at_ms >= progress.at_ms && event.generation == progress.generation).any(
        |event| match (&event.stage, progress.task) {
            (Stage::Selfplay(_), Task::Selfplay | Task::RulesGames)
            | (Stage::Train(_) | Stage::Untrained(_), Task::Training) => true,
            (Stage::Match(played), Task::Match { network, opponent, .. }) => {
                (played.network, played.opponent) == (network, opponent)
            }
            _ => false,
        },
    )
}

/// Part of the run that is done: the parts of a generation are its self-play and its training.
fn done(record: &Record, stage: Option<&Progress>, share: f64) -> f64 {
    let Some(plan) = record.plans.last() else { return 0.0 };
    let has = |is: fn(&Stage) -> bool| {
        record.events.iter().any(|event| event.generation == plan.generation && is(&event.stage))
    };
    let part = if has(|stage| matches!(stage, Stage::Train(_) | Stage::Untrained(_))) {
        1.0
    } else {
        let played = has(|stage| matches!(stage, Stage::Selfplay(_)));
        let now = stage.filter(|stage| stage.generation == plan.generation).map_or(0.0, |_| share);
        if played { 0.5 + now / 2.0 } else { now / 2.0 }
    };
    plan.progress_from + part * (plan.progress_to - plan.progress_from)
}

/// Time left of a run of so many generations, when the one in progress has taken `in_progress` seconds.
fn by_generations(events: &[Event], generations: u32, in_progress: f64) -> Option<f64> {
    let trained = |event: &&Event| matches!(event.stage, Stage::Train(_) | Stage::Untrained(_));
    let over: Vec<u32> = events.iter().filter(trained).map(|event| event.generation).collect();
    let recent = &over[over.len().saturating_sub(RECENT)..];
    let seconds: f64 = events
        .iter()
        .filter(|event| recent.contains(&event.generation))
        .map(|event| event.seconds + event.seconds_before)
        .sum();
    let each = (!recent.is_empty()).then(|| seconds / recent.len() as f64)?;
    let newest = over.last().copied().unwrap_or(0);
    let unfinished: f64 =
        events.iter().filter(|event| event.generation > newest).map(|event| event.seconds + event.seconds_before).sum();
    Some((each * f64::from(generations.saturating_sub(newest)) - unfinished - in_progress).max(0.0))
}

fn losses(event: &Event) -> Option<Losses> {
    let Stage::Train(train) = &event.stage else { return None };
    Some(Losses {
        policy: train.trained_policy_loss.unwrap_or(train.policy_loss),
        policy_held_out: train.validation_policy_loss,
        value: train.trained_value_loss.unwrap_or(train.value_loss),
        value_held_out: train.validation_value_loss,
    })
}

#[cfg(test)]
mod tests;
