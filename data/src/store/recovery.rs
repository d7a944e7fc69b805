//! Tidying up a data folder whose last writer was killed.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::{DataStore, GAMES, JOURNAL, ORPHANS, POSITIONS};
use crate::durable::{self, is_there};
use crate::error::{DataError, Result};
use crate::line_log::LineLog;
use crate::manifest::{MANIFEST, ShardEntry};

/// What a killed writer had left behind and was tidied up; empty after an orderly end.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Recovery {
    /// Temporary files that were removed.
    pub temporaries: Vec<PathBuf>,
    /// Shard files that no manifest line lists, by their new place in the folder `orphans`. They are moved, not deleted,
    /// so that a damaged manifest costs no games. The shard they belong to is written again.
    pub orphans: Vec<PathBuf>,
    /// Bytes of an unfinished last manifest line that were cut off.
    pub torn_manifest_bytes: u64,
}

impl Recovery {
    /// Nothing was left behind.
    pub fn is_clean(&self) -> bool {
        *self == Recovery::default()
    }
}

/// Tidies up after a kill: removes stale temporary files, and moves shard files that the manifest does not list aside.
///
/// # Errors
/// The manifest is missing, empty or damaged though there are shards, or a file or folder cannot be listed, read, moved or
/// removed.
pub(super) fn tidy(store: &DataStore) -> Result<Recovery> {
    let mut recovery = Recovery { temporaries: durable::remove_stale_temporaries(&store.root)?, ..Recovery::default() };
    for table in [GAMES, POSITIONS, JOURNAL] {
        for folder in folders_from(store.root.join(table))? {
            recovery.temporaries.extend(durable::remove_stale_temporaries(&folder)?);
        }
    }
    let shards = shard_files(&store.root)?;

    let manifest_path = store.manifest_path();
    if (!is_there(&manifest_path)? && !shards.is_empty()) || is_emptied(&store.root, &shards)? {
        return Err(DataError::ManifestMissing { path: manifest_path });
    }
    let (_, manifest) = LineLog::<ShardEntry>::open(&manifest_path)?;
    recovery.torn_manifest_bytes = manifest.torn_bytes;

    let files = manifest.entries.iter().flat_map(|entry| [&entry.games, &entry.positions]);
    let committed: BTreeSet<PathBuf> = files.map(|file| store.root.join(&file.path)).collect();
    for orphan in shards.into_iter().filter(|path| !committed.contains(path)) {
        recovery.orphans.push(move_orphan(store, &orphan)?);
    }
    Ok(recovery)
}

/// Whether the manifest of a folder with these shard files lists none of them, though it must have listed some: a kill
/// leaves at most one shard that is not listed.
///
/// # Errors
/// The manifest cannot be read.
pub(crate) fn is_emptied(root: &Path, shards: &[PathBuf]) -> Result<bool> {
    let inside = |path: &PathBuf| -> Option<PathBuf> {
        let path = path.strip_prefix(root).ok()?;
        path.strip_prefix(GAMES).or_else(|_| path.strip_prefix(POSITIONS)).ok().map(Path::to_owned)
    };
    let shards: BTreeSet<PathBuf> = shards.iter().filter_map(inside).collect();
    let manifest = root.join(MANIFEST);
    Ok(shards.len() > 1
        && is_there(&manifest)?
        && fs::metadata(&manifest).map_err(DataError::io("look at", &manifest))?.len() == 0)
}

/// Moves a file that no manifest lists into the folder of orphans. Returns where it is.
fn move_orphan(store: &DataStore, orphan: &Path) -> Result<PathBuf> {
    let inside = orphan.strip_prefix(&store.root).unwrap_or(orphan);
    let aside = store.root.join(ORPHANS).join(inside);
    if let Some(folder) = aside.parent() {
        durable::create_folder(folder)?;
    }
    durable::rename(orphan, &aside).map_err(DataError::io("quarantine", orphan))?;
    Ok(aside)
}

/// The Parquet files of both tables, whether they are listed or not, in the order of their paths.
///
/// # Errors
/// A folder cannot be listed.
pub(crate) fn shard_files(root: &Path) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for table in [GAMES, POSITIONS] {
        for folder in folders_from(root.join(table))? {
            let (_, files) = list(&folder)?;
            found.extend(files.into_iter().filter(|file| file.extension().is_some_and(|end| end == "parquet")));
        }
    }
    found.sort();
    Ok(found)
}

/// The journals of generations in progress, in the order of their paths.
///
/// # Errors
/// A folder cannot be listed.
pub(crate) fn journal_files(root: &Path) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for folder in folders_from(root.join(JOURNAL))? {
        let (_, files) = list(&folder)?;
        found.extend(files.into_iter().filter(|file| file.extension().is_some_and(|end| end == "jsonl")));
    }
    found.sort();
    Ok(found)
}

/// A folder and all below it; none where it does not exist.
fn folders_from(top: PathBuf) -> Result<Vec<PathBuf>> {
    let mut found = vec![top];
    let mut at = 0;
    while at < found.len() {
        let (below, _) = list(&found[at])?;
        found.extend(below);
        at += 1;
    }
    Ok(found)
}

/// Folders and files directly in a folder; none where it does not exist.
fn list(folder: &Path) -> Result<(Vec<PathBuf>, Vec<PathBuf>)> {
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok((Vec::new(), Vec::new())),
        entries => entries.map_err(DataError::io("list", folder))?,
    };
    let (mut folders, mut files) = (Vec::new(), Vec::new());
    for entry in entries {
        let entry = entry.map_err(DataError::io("list", folder))?;
        let kind = entry.file_type().map_err(DataError::io("read", &entry.path()))?;
        if kind.is_dir() { folders.push(entry.path()) } else { files.push(entry.path()) }
    }
    Ok((folders, files))
}
