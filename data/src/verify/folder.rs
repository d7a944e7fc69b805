//! A data folder: its manifest, shards and journals.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use rayon::prelude::*;
use rules::{Variant, VariantId};

use super::doubles::{SeenIds, repeated};
use super::{Findings, VerifyProblem, game};
use crate::bounded::FileVerdict;
use crate::error::Result;
use crate::game::GameRecord;
use crate::line_log::LineLog;
use crate::manifest::{FileEntry, MANIFEST, ShardEntry};
use crate::store::{DataStore, is_emptied, journal_files, shard_files};

/// Number of games that the manifest of a folder lists, which decides how long [`verify`] takes. 0 where it cannot be
/// read.
pub fn games_in(root: &Path) -> u64 {
    LineLog::<ShardEntry>::survey(&root.join(MANIFEST))
        .map_or(0, |survey| survey.entries.iter().map(|(_, entry)| entry.games.rows).sum())
}

/// Checks a data folder and changes nothing: the checksums of its manifest, digest, size and rows of each file, that
/// every game follows the rules to the result it has, that each row of a position belongs to its game, that no game
/// occurs twice, and the games of its journals. `progress` gets the number of games of each shard after they were
/// replayed.
///
/// # Examples
/// ```
/// # let folder = tempfile::tempdir().unwrap();
/// let (store, _) = data::DataStore::open(folder.path())?;
/// assert!(data::verify::verify(folder.path(), &|_| ()).is_clean());
/// std::fs::write(folder.path().join(data::MANIFEST), "no manifest\n").unwrap();
/// assert!(!data::verify::verify(folder.path(), &|_| ()).is_clean());
/// # Ok::<(), data::DataError>(())
/// ```
pub fn verify(root: &Path, progress: &(dyn Fn(u64) + Sync)) -> Findings {
    let mut findings = Findings::default();
    let manifest = root.join(MANIFEST);
    let store = match DataStore::open_read_only(root) {
        Ok(store) => store,
        Err(error) if error.verdict() == FileVerdict::Unknown => {
            findings.unreadable(&manifest, &error);
            return findings;
        }
        Err(_) => {
            let repair = "restore it from a copy, or give --repair, which lists the shards again";
            findings.problem(&manifest, "it is missing", repair);
            return findings;
        }
    };
    let entries = findings.log::<ShardEntry>(&manifest);
    if shard_files(root).is_ok_and(|shards| is_emptied(root, &shards).unwrap_or(false)) {
        let repair = "restore it from a copy, or give --repair, which lists the shards again";
        findings.problem(&manifest, "it is empty, and there are shards", repair);
    }
    let names = entries.iter().map(|(_, entry)| (&entry.variant, entry.generation, &entry.shard));
    for (variant, generation, shard) in repeated(names) {
        let what = format!("it lists the shard {shard} of generation {generation} of {variant} twice");
        findings.problem(&manifest, what, "restore it from a copy; with --repair one of them stays");
    }
    let mut seen = SeenIds::default();
    let mut read = HashSet::new();
    for (line, entry) in &entries {
        if let Some(stray) = [&entry.games, &entry.positions].into_iter().find(|file| !file.is_inside()) {
            let what = format!("line {line}: {} is no path inside the folder", stray.path);
            findings.problem(&manifest, what, "restore it from a copy; with --repair the other lines stay");
        } else if !entry.is_at_home() {
            let what = format!("line {line}: {} is not the path of a shard of {}", entry.games.path, entry.variant);
            findings.problem(&manifest, what, "restore it from a copy; with --repair the shard is listed again");
        } else if read.insert(&entry.games.path) {
            match entry.variant.parse::<VariantId>() {
                Ok(variant) => rules::dispatch!(variant, V => shard::<V>(&store, entry, &mut seen, &mut findings)),
                Err(unknown) => findings.problem(&manifest, format!("line {line}: {unknown}"), "use a newer kirin"),
            }
            progress(entry.games.rows);
        }
    }
    for file in listed(shard_files(root), root, &mut findings) {
        let is_it = |entry: &FileEntry| root.join(&entry.path) == file;
        if !entries.iter().any(|(_, entry)| is_it(&entry.games) || is_it(&entry.positions)) {
            findings.leftovers.push(VerifyProblem {
                file,
                what: "the manifest does not list it".to_owned(),
                repair: "it is left out; the next run sets it aside in the folder orphans".to_owned(),
            });
        }
    }
    for path in listed(journal_files(root), root, &mut findings) {
        match of_journal(&path) {
            Some((variant, generation)) => {
                rules::dispatch!(variant, V => journal::<V>(&path, generation, &mut findings));
            }
            None => findings.problem(&path, "its name is not that of a journal", "move it away"),
        }
    }
    findings
}

/// The files of a folder that could be listed; one that could not is added to the findings.
fn listed(files: Result<Vec<PathBuf>>, root: &Path, findings: &mut Findings) -> Vec<PathBuf> {
    files.unwrap_or_else(|error| {
        findings.unreadable(root, &error);
        Vec::new()
    })
}

/// Checks a shard that the manifest lists.
fn shard<V: Variant>(store: &DataStore, entry: &ShardEntry, seen: &mut SeenIds, findings: &mut Findings) {
    findings.files += 2;
    match store.read_shard::<V>(entry) {
        Ok(games) => {
            let derived = store.require_derived(entry, &games);
            games_of_shard(store, entry, &games, derived, seen, findings);
        }
        Err(error) => findings.unreadable(&store.root().join(&entry.games.path), &error),
    }
}

/// Checks the games that a shard has; `derived` says whether the columns that no reader needs follow from the others.
fn games_of_shard<V: Variant>(
    store: &DataStore,
    entry: &ShardEntry,
    games: &[GameRecord<V>],
    derived: Result<()>,
    seen: &mut SeenIds,
    findings: &mut Findings,
) {
    let path = store.root().join(&entry.games.path);
    let positions: u64 = games.iter().map(|game| game.positions.len() as u64).sum();
    if positions != entry.positions.rows {
        let what = format!("{positions} of its {} rows belong to games", entry.positions.rows);
        findings.problem(&store.root().join(&entry.positions.path), what, super::RESTORE);
    }
    if let Err(error) = derived {
        findings.unreadable(&path, &error);
    }
    for game in games.iter().filter(|game| !seen.is_new(V::ID, &game.run_id, game.game_id)) {
        let what = format!("game {:016x} of run {} is in the folder twice", game.game_id, game.run_id);
        findings.problem(&path, what, "it counts once, and nothing need be done");
    }
    check(&path, games, entry.generation, findings);
}

/// Whether the files of a shard are what its entry says, and every game in them is sound and not among those seen.
///
/// # Errors
/// The system cannot read a file.
pub(crate) fn sound_shard<V: Variant>(store: &DataStore, entry: &ShardEntry, seen: &mut SeenIds) -> Result<bool> {
    let games = match store.read_shard::<V>(entry) {
        Ok(games) => games,
        Err(error) if error.verdict() == FileVerdict::Unknown => return Err(error),
        Err(_) => return Ok(false),
    };
    let derived = match store.require_derived(entry, &games) {
        Err(error) if error.verdict() == FileVerdict::Unknown => return Err(error),
        derived => derived,
    };
    let mut findings = Findings::default();
    games_of_shard(store, entry, &games, derived, seen, &mut findings);
    Ok(findings.is_clean())
}

/// The variant and the generation in the path `variant=wangqi/gen=0003.jsonl`.
pub(crate) fn of_journal(path: &Path) -> Option<(VariantId, u32)> {
    let variant = path.parent()?.file_name()?.to_str()?.strip_prefix("variant=")?.parse().ok()?;
    Some((variant, path.file_stem()?.to_str()?.strip_prefix("gen=")?.parse().ok()?))
}

/// Checks the games that wait for their shard. A game of a shard may still be there after a kill.
fn journal<V: Variant>(path: &Path, generation: u32, findings: &mut Findings) {
    let games: Vec<GameRecord<V>> = findings.log(path).into_iter().map(|(_, game)| game).collect();
    for id in repeated(games.iter().map(|game| game.game_id)) {
        findings.problem(path, format!("game {id:016x} is there twice"), super::RESTORE);
    }
    check(path, &games, generation, findings);
}

/// Plays the games again, on all threads.
fn check<V: Variant>(path: &Path, games: &[GameRecord<V>], generation: u32, findings: &mut Findings) {
    let faults = |game: &GameRecord<V>| -> Vec<(u64, String)> {
        game::faults(game, generation).into_iter().map(|fault| (game.game_id, fault)).collect()
    };
    // In the order of the games, whatever the threads.
    let faults: Vec<_> = games.par_iter().map(faults).collect();
    for (id, fault) in faults.into_iter().flatten() {
        findings.problem(path, format!("game {id:016x}: {fault}"), super::RESTORE);
    }
    findings.games += games.len() as u64;
    findings.positions += games.iter().map(|game| game.positions.len() as u64).sum::<u64>();
}
