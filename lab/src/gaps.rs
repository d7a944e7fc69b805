//! Gaps in a run's record that its other files reveal.
//!
//! Each line of the record is bound to the one before it ([`data::LineLog`]), so only missing last lines can go
//! unnoticed. A kill leaves the record behind by one stage at most, on many machines by one generation: files of later
//! stages show that lines are missing. After a repair of the record, files may be ahead of it, and no gap is reported.

use crate::error::{LabError, Result, readable};
use crate::events::{Event, Stage};
use crate::folder::{RunFolder, SHARD, generation_of};
use crate::gathered::has_been_in_a_store;
use crate::network_files::{network_files, training_states};
use crate::plan::Plan;
use data::durable::is_there;
use data::repair::{Repair, list_of};
use data::{LineLog, MANIFEST, ShardEntry};
use selfplay::generator::BY_RULES;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use train::MetricsEntry;

/// Stages that a log lacks, judged by other files.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Gap {
    /// The log.
    pub file: PathBuf,
    /// What is missing, and which file shows it.
    pub what: String,
    /// What to do.
    pub repair: &'static str,
}

const PLANS: &str = "restore it from a copy, or let `kirin verify --repair` make its plans again";
const EVENTS: &str = "restore it from a copy, or begin another run from the newest network with --from";
pub(crate) const METRICS: &str =
    "restore it from a copy, or let `kirin verify --repair` note that its curves lack them";

/// Refuses a record with missing stages.
///
/// # Errors
/// Stages are missing, or the machine cannot list or read the files that show it.
pub(crate) fn require_whole(folder: &RunFolder, plans: &[Plan], events: &[Event]) -> Result<()> {
    match of_record(folder, plans, events)?.into_iter().next() {
        None => Ok(()),
        Some(Gap { file, what, repair }) => Err(LabError::Gap { file, what, repair }),
    }
}

/// What plans and events lack.
///
/// # Errors
/// The machine cannot list or read the files that show it.
pub(crate) fn of_record(folder: &RunFolder, plans: &[Plan], events: &[Event]) -> Result<Vec<Gap>> {
    let mut gaps = Vec::new();
    let done = |is: fn(&Stage) -> bool| -> BTreeSet<u32> {
        events.iter().filter(|event| is(&event.stage)).map(|event| event.generation).collect()
    };
    let played = done(|stage| matches!(stage, Stage::Selfplay(_)));
    let trained = done(|stage| matches!(stage, Stage::Train(_) | Stage::Untrained(_)));
    let planned = plans.iter().map(|plan| plan.generation).max().unwrap_or(0);
    if let Some(&last) = played.union(&trained).max()
        && last > planned
    {
        let what = format!("it ends with generation {planned}, and events.jsonl has stages of generation {last}");
        gaps.push(Gap { file: folder.plan(), what, repair: PLANS });
    }
    if is_repaired(folder, &folder.events())? {
        return Ok(gaps);
    }
    let mut lacks = |what: String| gaps.push(Gap { file: folder.events(), what, repair: EVENTS });
    let is_done = |generation: &u32| played.contains(generation) && trained.contains(generation);
    let before = plans.iter().map(|plan| plan.generation).filter(|&generation| generation < planned);
    if let Some(first) = before.clone().find(|generation| !is_done(generation)) {
        let stage = if played.contains(&first) { "training" } else { "self-play" };
        lacks(format!("it lacks the {stage} of generation {first}, and plan.jsonl has a later generation"));
    }
    // A kill may leave this: the last plan's stage, or a generation that a trainer was taking over from its store.
    let on_its_way = |generation: u32| generation == planned && !is_done(&generation);
    let in_store = has_been_in_a_store(folder)?;
    let taken_over = trained.last().copied().unwrap_or(0) + 1;
    let networks = network_files(folder, &[])?.into_keys().chain(training_states(folder, None)?);
    let networks: BTreeSet<u32> =
        networks.filter_map(|path| generation_of(&path)).filter(|&network| network > 0).collect();
    let is_unknown = |network: &u32| {
        let may_be_there = (on_its_way(*network) && played.contains(network)) || (in_store && *network == taken_over);
        !trained.contains(network) && !may_be_there
    };
    if let Some(network) = networks.into_iter().find(is_unknown) {
        lacks(format!("it lacks the training of generation {network}, whose network or training state is there"));
    }
    let shards = readable(LineLog::<ShardEntry>::survey(&folder.data().join(MANIFEST)))?;
    let shards = shards.map_or(Vec::new(), |survey| survey.entries);
    let is_unknown = |shard: &&ShardEntry| {
        let is_ours = [SHARD, BY_RULES].contains(&shard.shard.as_str());
        let may_be_there = on_its_way(shard.generation) || (in_store && shard.generation == taken_over);
        is_ours && shard.generation > 0 && !played.contains(&shard.generation) && !may_be_there
    };
    if let Some(shard) = shards.iter().map(|(_, shard)| shard).find(is_unknown) {
        lacks(format!("it lacks the self-play of generation {}, whose games are there", shard.generation));
    }
    Ok(gaps)
}

/// What the log of metrics lacks.
///
/// # Errors
/// The machine cannot tell what there is.
pub(crate) fn of_metrics(folder: &RunFolder, events: &[Event], metrics: &[MetricsEntry]) -> Result<Option<Gap>> {
    let trained = events.iter().filter(|event| matches!(event.stage, Stage::Train(_)));
    let Some(newest) = trained.map(|event| event.generation).max() else { return Ok(None) };
    // A trainer's folder that was rebuilt from its store has no earlier metrics.
    if metrics.iter().any(|entry| entry.generation >= newest)
        || is_repaired(folder, &folder.metrics())?
        || has_been_in_a_store(folder)?
    {
        return Ok(None);
    }
    let what = format!("it lacks the training of generation {newest}, which events.jsonl has");
    Ok(Some(Gap { file: folder.metrics(), what, repair: METRICS }))
}

/// The newest generation whose games were searched in this folder: its unfinished games lie in the file of the slots.
///
/// # Errors
/// The machine cannot tell.
pub(crate) fn newest_searched(folder: &RunFolder, plans: &[Plan], events: &[Event]) -> Result<Option<u32>> {
    // Workers keep their own unfinished games.
    if has_been_in_a_store(folder)? {
        return Ok(None);
    }
    let is_searched =
        |generation: &u32| plans.iter().any(|plan| plan.generation == *generation && plan.rules_games == 0);
    let played = events.iter().filter(|event| matches!(event.stage, Stage::Selfplay(_)));
    Ok(played.map(|event| event.generation).filter(is_searched).max())
}

/// Whether a repair has changed a log of the run.
fn is_repaired(folder: &RunFolder, log: &Path) -> Result<bool> {
    let list = list_of(folder.root());
    if !is_there(&list)? {
        return Ok(false);
    }
    let repairs = readable(LineLog::<Repair>::read(&list))?.map_or(Vec::new(), |list| list.entries);
    Ok(repairs.iter().any(|repair| folder.root().join(&repair.file) == log))
}
