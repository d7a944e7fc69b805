//! Repair of a data folder.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use rules::{Rulebook, Variant, VariantId};

use super::{Aside, Lost, salvage, salvage_log};
use crate::bounded::FileVerdict;
use crate::durable::is_there;
use crate::error::{DataError, Result};
use crate::game::GameRecord;
use crate::line_log::LineLog;
use crate::manifest::ShardEntry;
use crate::store::{DataStore, GAMES, POSITIONS, is_emptied, journal_files, shard_files};
use crate::verify::{Findings, SeenIds, of_journal, sound_shard};

/// Repairs a data folder, whose lock is held meanwhile.
///
/// Shards whose files have changed since they were written are quarantined with their games. Where lines of the manifest
/// are lost, or `adopt` is true, shard files that it does not list are listed again if they can be read, every game in
/// them follows its rules and none is in another shard. A journal is kept up to its first lost line, because the games
/// after it are played again in the same way.
///
/// # Errors
/// The folder is in use, or a file cannot be read or written.
pub fn repair(root: &Path, adopt: bool, aside: &mut Aside) -> Result<()> {
    let store = DataStore::locked(root)?;
    let manifest = store.manifest_path();
    let salvaged = salvage::<ShardEntry>(&manifest)?;
    let is_there = is_there(&manifest)?;
    let is_stray = |entry: &ShardEntry| !entry.is_at_home();
    let is_emptied = is_emptied(root, &shard_files(root)?)?;
    let adopt = adopt
        || !is_there
        || is_emptied
        || !salvaged.lost.is_empty()
        || salvaged.entries.iter().any(|(_, entry)| is_stray(entry));
    let mut what = salvaged.what();
    if !is_there {
        "it is missing".clone_into(&mut what);
    } else if is_emptied {
        "it is empty".clone_into(&mut what);
    }
    let listed = salvaged.entries.len();
    let (mut kept, mut names, mut seen) = (Vec::new(), BTreeSet::new(), SeenIds::default());
    for (_, entry) in salvaged.entries {
        let is_inside = entry.games.is_inside() && entry.positions.is_inside();
        if !is_inside
            || is_stray(&entry)
            || !names.insert((entry.variant.clone(), entry.generation, entry.shard.clone()))
        {
            continue;
        }
        match checked(&store, &entry, &mut seen)? {
            Some(problem) => quarantine(&store, &entry, &problem, aside)?,
            None => kept.push(entry),
        }
    }
    if what.is_empty() && kept.len() < listed {
        "it lists shards that are damaged, outside the folder, or listed already".clone_into(&mut what);
    }
    let adopted = if adopt { adoptable(&store, &kept, &mut seen)? } else { Vec::new() };
    if what.is_empty() && !adopted.is_empty() {
        format!("{} of its folder are not listed", shards(adopted.len())).clone_into(&mut what);
    }
    if !what.is_empty() {
        let (stayed, again) = (shards(kept.len()), adopted.len());
        kept.extend(adopted);
        aside.copy(&manifest, what, format!("{stayed} stayed listed, {again} were found and listed again"))?;
        LineLog::replace(&manifest, &kept)?;
    }
    for path in journal_files(root)? {
        if let Some((variant, _)) = of_journal(&path) {
            rules::dispatch!(variant, V => journal::<V>(&path, aside)?);
        }
    }
    Ok(())
}

fn shards(number: usize) -> String {
    if number == 1 { "1 shard".to_owned() } else { format!("{number} shards") }
}

/// What is wrong with the files of a shard; `None` where nothing is wrong, or nothing that quarantine would help.
///
/// # Errors
/// The machine could not read them, so nothing is known about them.
fn checked(store: &DataStore, entry: &ShardEntry, seen: &mut SeenIds) -> Result<Option<String>> {
    let Ok(variant) = entry.variant.parse::<VariantId>() else { return Ok(None) };
    Ok(rules::dispatch!(variant, V => match store.read_shard::<V>(entry) {
        Ok(games) => {
            games.iter().for_each(|game| {
                seen.is_new(V::ID, &game.run_id, game.game_id);
            });
            None
        }
        Err(error @ (DataError::Changed { .. } | DataError::Malformed { .. })) => {
            let mut findings = Findings::default();
            findings.unreadable(&store.manifest_path(), &error);
            Some(findings.problems.remove(0).what)
        }
        Err(error) if error.verdict() == FileVerdict::Unknown => return Err(error),
        // Written by a later program.
        Err(_) => None,
    }))
}

/// Quarantines both files of a shard: one is useless without the other.
fn quarantine(store: &DataStore, entry: &ShardEntry, what: &str, aside: &mut Aside) -> Result<()> {
    let lost = Lost {
        variant: entry.variant.clone(),
        generation: entry.generation,
        shard: entry.shard.clone(),
        games: entry.games.rows,
        positions: entry.positions.rows,
    };
    let done =
        format!("the shard is no longer listed: {} games with {} positions are lost", lost.games, lost.positions);
    aside.take(&store.root().join(&entry.games.path), what, done, Some(lost))?;
    aside.take(&store.root().join(&entry.positions.path), what, "it belongs to the same shard", None)
}

/// Shards in the folder that are not listed, and whose games are sound and new.
fn adoptable(store: &DataStore, listed: &[ShardEntry], seen: &mut SeenIds) -> Result<Vec<ShardEntry>> {
    let known: BTreeSet<&str> = listed.iter().map(|entry| entry.games.path.as_str()).collect();
    let mut pairs: BTreeMap<PathBuf, PathBuf> = BTreeMap::new();
    for positions in shard_files(store.root())? {
        let Ok(inside) = positions.strip_prefix(store.root()) else { continue };
        if let Ok(name) = inside.strip_prefix(POSITIONS) {
            let games = Path::new(GAMES).join(name);
            let is_listed = games.to_str().is_none_or(|games| known.contains(games));
            if !is_listed && is_there(&store.root().join(&games))? {
                pairs.insert(games, inside.to_owned());
            }
        }
    }
    let mut found = Vec::new();
    for (games, positions) in pairs {
        let entry = match store.entry_of_files(&games, &positions) {
            Err(error) if error.verdict() == FileVerdict::Unknown => return Err(error),
            Err(_) => continue,
            Ok(entry) => entry,
        };
        let Ok(variant) = entry.variant.parse::<VariantId>() else { continue };
        if rules::dispatch!(variant, V => sound_shard::<V>(store, &entry, seen)?) {
            found.push(entry);
        }
    }
    Ok(found)
}

/// Keeps the games of a journal up to the first that is lost, without duplicates.
fn journal<V: Variant>(path: &Path, aside: &mut Aside) -> Result<()> {
    salvage_log::<GameRecord<V>>(path, aside, |salvaged| {
        let mut ids = BTreeSet::new();
        let before = salvaged.entries.len() + salvaged.lost.len();
        let mut what = salvaged.what();
        let end = salvaged.lost.first().copied().unwrap_or(usize::MAX);
        salvaged.entries.retain(|(line, game)| *line < end && ids.insert(game.game_id));
        let left = salvaged.entries.len();
        if what.is_empty() && left < before {
            "it has games twice".clone_into(&mut what);
        }
        (!what.is_empty()).then(|| (what, format!("{left} of {before} games are kept; the run plays the others again")))
    })?;
    Ok(())
}
