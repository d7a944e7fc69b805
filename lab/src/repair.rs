//! Repairing a run: files in which [`verify`](crate::verify) finds damage are quarantined, and the run resumes from the
//! rest.
//!
//! Nothing is trusted that cannot be checked. Games in the journal, matches, plans and the newest network are made
//! again by the run itself, with the same result on a CPU; network 0 is made immediately. Older files that cannot be
//! made again remain a finding: they must come from a copy.

use crate::about::About;
use crate::config::Config;
use crate::error::{LabError, Result, readable};
use crate::events::{self, Event, Stage};
use crate::folder::{RunFolder, SHARD};
use crate::gaps;
use crate::network_files::{network_files, training_states};
use crate::plan::Plan;
use crate::planner::Planner;
use crate::stages::committed;
use crate::verify::{match_logs, other_results, rows_by_generation, wrong_with};
use data::bounded::FileVerdict;
use data::durable::is_there;
use data::repair::{Aside, Repair, Salvage, salvage_log};
use data::{DataStore, LineLog};
use rules::{Variant, VariantId};
use selfplay::generator::{GenerateError, begin_slots, check_slots};
use std::path::Path;
use train::{Blueprint, FileError, MetricsEntry, NetworkFile};

/// Quarantines the damaged files of a run in its folder `damaged`, and rebuilds what it can; returns what was done, a
/// line for each file. The resumed run does the rest.
///
/// # Errors
/// Another program works in the run, network 0 must be made again and libtorch cannot be opened, or a file cannot be read or
/// written. A file that the machine cannot read is never treated as damaged.
pub fn repair(folder: &RunFolder) -> Result<Vec<Repair>> {
    let _lock = folder.lock()?;
    let mut aside = Aside::new(folder.root());
    // Without its settings nothing is known of a run. They must come from a copy, as must the file or run that it began
    // from.
    let config = readable(Config::load(&folder.config(), &[]))?;
    let about = readable(About::read(folder))?.flatten();
    if let Some(config) = &config
        && let Some(about) = about
        && let Ok(variant) = config.run.variant.parse::<VariantId>()
    {
        rules::dispatch!(variant, V => repair_all::<V>(folder, config, about.from.is_none(), &mut aside)?);
    } else {
        data::repair::repair(&folder.data(), false, &mut aside)?;
    }
    Ok(aside.into_repairs())
}

fn repair_all<V: Variant>(folder: &RunFolder, config: &Config, begun_alone: bool, aside: &mut Aside) -> Result<()> {
    let planned = plans(folder, config, begun_alone, aside)?;
    let recorded = data::repair::salvage::<Event>(&folder.events())?.entries;
    data::repair::repair(&folder.data(), short_of_games(folder, &recorded)?, aside)?;
    let events = events::<V>(folder, planned, aside)?;
    networks::<V>(folder, config, begun_alone, &events, aside)?;
    let logs = readable(match_logs(folder).map_err(LabError::io("list", &folder.matches())))?;
    for log in logs.unwrap_or_default() {
        eval::log::repair(&log, aside)?;
    }
    forget(
        folder,
        "the games of a match are not those of its record",
        "the match is recorded again",
        aside,
        |event| matches!(&event.stage, Stage::Match(played) if other_results(folder, played).is_some()),
    )?;
    metrics(folder, &events, aside)?;
    let Ok(rules) = config.rules.resolve::<V>() else { return Ok(()) };
    match check_slots::<V>(&folder.slots(), config.run.seed, rules) {
        Err(GenerateError::Snapshot(error)) if is_there(&folder.slots())? => {
            slots::<V>(folder, config, error.reason, aside)
        }
        Ok(None) => {
            let plans = LineLog::<Plan>::survey(&folder.plan()).map(|plans| plans.entries).unwrap_or_default();
            let plans: Vec<Plan> = plans.into_iter().map(|(_, plan)| plan).collect();
            match gaps::newest_searched(folder, &plans, &events)? {
                Some(_) => slots::<V>(folder, config, "it is missing".to_owned(), aside),
                None => Ok(()),
            }
        }
        // A failing disk says nothing about the file.
        Err(error) => Err(error.into()),
        Ok(_) => Ok(()),
    }
}

/// Writes a slots file in which every slot begins a new game, for the next generation.
fn slots<V: Variant>(folder: &RunFolder, config: &Config, what: String, aside: &mut Aside) -> Result<()> {
    let events = readable(events::read(&folder.events()))?.unwrap_or_default();
    let played = events.iter().filter(|event| matches!(event.stage, Stage::Selfplay(_)));
    let played = played.map(|event| event.generation);
    // After a kill there may be committed games that are not on record yet.
    let shards = readable(DataStore::open_read_only(&folder.data()).and_then(|store| store.shards(V::ID)))?;
    let shards = shards.unwrap_or_default();
    let committed = shards.iter().filter(|shard| shard.shard == SHARD).map(|shard| shard.generation);
    let newest = played.chain(committed).max().unwrap_or(0);
    aside.copy(&folder.slots(), what, "new games begin in all slots")?;
    Ok(begin_slots::<V>(&folder.slots(), config.run.seed, newest + 1)?)
}

/// Keeps the intact lines of the metrics.
fn metrics(folder: &RunFolder, events: &[Event], aside: &mut Aside) -> Result<()> {
    let salvaged = data::repair::salvage::<MetricsEntry>(&folder.metrics())?;
    let entries: Vec<MetricsEntry> = salvaged.entries.iter().map(|(_, entry)| entry.clone()).collect();
    let lacks = gaps::of_metrics(folder, events, &entries)?.map(|gap| gap.what);
    salvage_log::<MetricsEntry>(&folder.metrics(), aside, |salvaged| {
        let what = if salvaged.is_clean() { lacks? } else { salvaged.what() };
        Some((what, format!("{} lines are kept; the curves lack the others", salvaged.entries.len())))
    })?;
    Ok(())
}

/// Repairs the plans. Without a budget they are a function of the settings and are made again; returns the number of
/// plans.
fn plans(folder: &RunFolder, config: &Config, begun_alone: bool, aside: &mut Aside) -> Result<usize> {
    let events = data::repair::salvage::<Event>(&folder.events())?.entries;
    let begun = events.iter().map(|(_, event)| event.generation).max().unwrap_or(0) as usize;
    let planner = Planner::of(config, None, begun_alone);
    let plans = salvage_log::<Plan>(&folder.plan(), aside, |salvaged| {
        let wanted = begun.max(salvaged.entries.len() + salvaged.lost.len());
        let mut what = salvaged.what();
        if what.is_empty() && salvaged.entries.len() < begun {
            what = format!("{} plans are missing", begun - salvaged.entries.len());
        }
        if what.is_empty() {
            return None;
        }
        let end = salvaged.lost.first().copied().unwrap_or(usize::MAX);
        let mut plans: Vec<Plan> =
            salvaged.entries.iter().filter(|(line, _)| *line < end).map(|(_, plan)| plan.clone()).collect();
        let kept = plans.len();
        while plans.len() < wanted && planner.budget.is_none() {
            plans.push(planner.next(&plans, &[])?);
        }
        // A plan made by the clock whose work has begun cannot be made again.
        if plans.len() < begun {
            return None;
        }
        let done = match plans.len() - kept {
            0 => "all plans are kept".to_owned(),
            more => format!("{more} plans were made again from the settings"),
        };
        salvaged.entries = (1..).zip(plans).collect();
        Some((what, done))
    })?;
    Ok(plans.len())
}

/// Whether a finished generation has fewer games than its record says; games that repairs removed count as present.
fn short_of_games(folder: &RunFolder, events: &[(usize, Event)]) -> Result<bool> {
    let rows = rows_by_generation(folder)?;
    Ok(events.iter().any(|(_, event)| match &event.stage {
        Stage::Selfplay(played) => rows.get(&event.generation).copied().unwrap_or_default().0 < played.games,
        _ => false,
    }))
}

/// Repairs the record. The run itself records missing matches, the newest games and the newest training again; earlier
/// games are counted here. An earlier training cannot be recorded again.
fn events<V: Variant>(folder: &RunFolder, planned: usize, aside: &mut Aside) -> Result<Vec<Event>> {
    let store = readable(DataStore::open_read_only(&folder.data()))?;
    let events = salvage_log::<Event>(&folder.events(), aside, |salvaged| {
        let what = salvaged.what();
        if what.is_empty() || planned == 0 && !salvaged.lost.is_empty() {
            return None;
        }
        let before = salvaged.entries.len() + salvaged.lost.len();
        let left = salvaged.entries.len();
        let again = recounted::<V>(salvaged, store.as_ref())?;
        Some((
            what,
            format!(
                "{left} of {before} lines are kept, {again} were counted again from the games; the run does the rest"
            ),
        ))
    })?;
    Ok(events.into_iter().map(|(_, event)| event).collect())
}

/// Restores the stages that the run would not repeat; returns their number, or `None` where that is impossible.
fn recounted<V: Variant>(salvaged: &mut Salvage<Event>, store: Option<&DataStore>) -> Option<usize> {
    let newest = salvaged.entries.iter().map(|(_, event)| event.generation).max().unwrap_or(0);
    let has = |salvaged: &Salvage<Event>, generation: u32, is: fn(&Stage) -> bool| {
        salvaged.entries.iter().any(|(_, event)| event.generation == generation && is(&event.stage))
    };
    let mut again = 0;
    for generation in 1..=newest {
        let trained = has(salvaged, generation, |stage| matches!(stage, Stage::Train(_) | Stage::Untrained(_)));
        if generation < newest && !trained {
            return None;
        }
        if has(salvaged, generation, |stage| matches!(stage, Stage::Selfplay(_))) || generation == newest && !trained {
            continue;
        }
        let played = committed::<V>(store?, generation).ok()?;
        let line = salvaged.lost.get(again).copied()?;
        let at_ms = salvaged.entries.iter().rev().find(|(at, _)| *at < line).map_or(0, |(_, event)| event.at_ms);
        let stage = Stage::Selfplay(played);
        salvaged.entries.push((line, Event { at_ms, generation, seconds: 0.0, seconds_before: 0.0, stage }));
        again += 1;
    }
    salvaged.entries.sort_by_key(|(line, _)| *line);
    Some(again)
}

/// Takes events out of the record, so that the run does their stages again.
fn forget(
    folder: &RunFolder,
    what: &str,
    done: &str,
    aside: &mut Aside,
    is_forgotten: impl Fn(&Event) -> bool,
) -> Result<()> {
    let path = folder.events();
    let Some(contents) = readable(LineLog::<Event>::read(&path))? else { return Ok(()) };
    let kept: Vec<&Event> = contents.entries.iter().filter(|event| !is_forgotten(event)).collect();
    if kept.len() < contents.entries.len() {
        aside.copy(&path, what, done)?;
        LineLog::replace(&path, kept)?;
    }
    Ok(())
}

/// Networks and training states. The newest ones are trained again from the state before; network 0 is made immediately.
fn networks<V: Variant>(
    folder: &RunFolder,
    config: &Config,
    begun_alone: bool,
    events: &[Event],
    aside: &mut Aside,
) -> Result<()> {
    let blueprint = Blueprint::of::<V>(config.network.clone());
    let newest =
        events.iter().filter(|event| matches!(event.stage, Stage::Train(_))).map(|event| event.generation).max();
    let before = newest.map(|newest| {
        let trained = events.iter().filter(|event| matches!(event.stage, Stage::Train(_)));
        trained.map(|event| event.generation).filter(|&generation| generation < newest).max().unwrap_or(0)
    });
    // The state that the newest network was trained from: none, or a file.
    let can_train_again = match before {
        Some(0) if begun_alone => true,
        Some(before) => match train::check_checkpoint(&folder.checkpoint(before), &blueprint) {
            Ok(()) => true,
            Err(error) => damage(error).map(|_| false)?,
        },
        None => false,
    };
    let mut train_again = false;
    for (path, id) in network_files(folder, events)? {
        let Some(what) = broken_network(&path, id)? else { continue };
        let is_newest = newest.is_some_and(|newest| path == folder.network(newest));
        if path == folder.network(0) && begun_alone {
            // Made before anything is moved: it needs libtorch.
            let again = train::untrained(blueprint.clone(), config.run.seed)?;
            aside.take(&path, what, "it was made again from the seed", None)?;
            again.write(&path)?;
        } else if is_newest && can_train_again {
            aside.take(&path, what, "the run trains it again from the state before", None)?;
            train_again = true;
        } else if is_there(&path)? {
            aside.take(&path, what, "it cannot be made again: bring it back from a copy", None)?;
        }
    }
    for path in training_states(folder, newest)? {
        let Err(error) = train::check_checkpoint(&path, &blueprint) else { continue };
        let what = damage(error)?;
        let is_newest = newest.is_some_and(|newest| path == folder.checkpoint(newest));
        if is_newest && can_train_again {
            aside.take(&path, what, "the run trains it again from the state before", None)?;
            train_again = true;
        } else if is_there(&path)? && !is_newest && path != folder.checkpoint(0) {
            aside.take(&path, what, "nothing needs it while the newest state is sound", None)?;
        }
    }
    if train_again {
        let newest = newest.unwrap_or_default();
        let is_training = |event: &Event| event.generation == newest && matches!(event.stage, Stage::Train(_));
        forget(
            folder,
            "the network or the state of the newest training is damaged",
            "the run trains again",
            aside,
            is_training,
        )?;
    }
    Ok(())
}

/// What is wrong with a network that should have this id.
fn broken_network(path: &Path, id: Option<&str>) -> Result<Option<String>> {
    Ok(match NetworkFile::read(path) {
        Err(error) => Some(damage(error)?),
        Ok(file) => {
            id.filter(|id| *id != file.id()).map(|id| format!("it is network {}, and the record says {id}", file.id()))
        }
    })
}

/// What is wrong with a file, in words. If the machine fails, nothing is known about the file, and the result is an
/// error.
fn damage(error: FileError) -> Result<String> {
    match error.verdict() {
        FileVerdict::Damaged => Ok(wrong_with(&error)),
        FileVerdict::Unknown => Err(error.into()),
    }
}
