//! Checking the shards of a run: the games of each generation are those on record.

use crate::error::{LabError, Result, readable};
use crate::events::{self, Event, Stage};
use crate::folder::RunFolder;
use data::verify::{Findings, RESTORE};
use data::{LineLog, MANIFEST, ShardEntry};
use std::collections::{BTreeMap, BTreeSet};

/// The games of a finished generation are committed, and no others are.
pub(super) fn check(folder: &RunFolder, events: &[Event], findings: &mut Findings) {
    let manifest = folder.data().join(MANIFEST);
    // Unreadable files are among the findings already.
    for what in other_games(folder, events).unwrap_or_default() {
        findings.problem(&manifest, what, RESTORE);
    }
}

/// The finished generations whose record differs from the manifest: a message for each.
///
/// # Errors
/// The machine cannot read the manifest or the list of repairs.
fn other_games(folder: &RunFolder, events: &[Event]) -> Result<Vec<String>> {
    let rows = rows_by_generation(folder)?;
    let other = |event: &Event| {
        let Stage::Selfplay(played) = &event.stage else { return None };
        let (games, positions) = rows.get(&event.generation).copied().unwrap_or_default();
        ((games, positions) != (played.games, played.positions)).then(|| {
            format!(
                "generation {} has {games} games with {positions} positions, and events.jsonl says {} with {}",
                event.generation, played.games, played.positions
            )
        })
    };
    Ok(events.iter().filter_map(other).collect())
}

/// Refuses a manifest that lists other games than those on record: the run would train on the rest without saying so.
///
/// # Errors
/// It does, or the manifest or the record is damaged.
pub(crate) fn require_its_games(folder: &RunFolder) -> Result<()> {
    let manifest = folder.data().join(MANIFEST);
    // A damaged line is named by its number.
    LineLog::<ShardEntry>::read(&manifest)?;
    match other_games(folder, &events::read(&folder.events())?)?.into_iter().next() {
        None => Ok(()),
        Some(what) => Err(LabError::OtherGames { manifest, folder: folder.root().to_owned(), what }),
    }
}

/// Games and positions of each generation: those of the listed shards and those that repairs removed. A manifest or
/// list that is damaged as a whole counts as empty.
///
/// # Errors
/// The machine cannot read one of them.
pub(crate) fn rows_by_generation(folder: &RunFolder) -> Result<BTreeMap<u32, (u64, u64)>> {
    let listed = readable(LineLog::<ShardEntry>::survey(&folder.data().join(MANIFEST)))?;
    let listed = listed.map_or(Vec::new(), |survey| survey.entries);
    let mut rows: BTreeMap<u32, (u64, u64)> = BTreeMap::new();
    let mut add = |generation: u32, games: u64, positions: u64| {
        let sums = rows.entry(generation).or_default();
        (sums.0, sums.1) = (sums.0 + games, sums.1 + positions);
    };
    let mut seen = BTreeSet::new();
    for (_, entry) in &listed {
        if seen.insert(&entry.games.path) {
            add(entry.generation, entry.games.rows, entry.positions.rows);
        }
    }
    for lost in readable(data::repair::lost(folder.root()))?.unwrap_or_default() {
        // A shard that was restored from a copy is listed again.
        let is_back = listed.iter().any(|(_, entry)| {
            (&entry.variant, entry.generation, &entry.shard) == (&lost.variant, lost.generation, &lost.shard)
        });
        if !is_back {
            add(lost.generation, lost.games, lost.positions);
        }
    }
    Ok(rows)
}
