//! The games of a folder, whatever has played them, opened for reading.

use crate::error::ReportError;
use data::{DataStore, GameRecord, Provenance};
use eval::log::{FinishedGames, MatchHeader, read_folder};
use lab::RunFolder;
use rules::{Variant, VariantId};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// The games of a folder.
pub struct FolderGames {
    /// Where they are read.
    pub store: DataStore,
    /// The temporary folder into which games of matches were copied, to be kept as long as they are read.
    pub copied: Option<TempDir>,
}

/// Opens the games of a run, of a data folder or of a folder with match logs; `None` if the folder is none of these.
///
/// # Errors
/// The data folder cannot be read; a log is damaged, or a game in it breaks the rules; games cannot be copied.
pub fn games_in(folder: &Path) -> Result<Option<FolderGames>, ReportError> {
    if let Some(root) = DataStore::folder_of(folder)? {
        return Ok(Some(FolderGames { store: DataStore::open_read_only(&root)?, copied: None }));
    }
    let place = tempfile::tempdir().map_err(|source| ReportError::Copy { folder: folder.to_owned(), source })?;
    let store = match_store(folder, place.path())?;
    Ok(store.map(|store| FolderGames { store, copied: Some(place) }))
}

/// The games of all logs in a folder that count, in a data folder in `place`; `None` if the folder has no logs.
///
/// # Errors
/// A log is damaged, or a game in it breaks the rules; the data folder cannot be written.
fn match_store(folder: &Path, place: &Path) -> Result<Option<DataStore>, ReportError> {
    // The other logs of a run are not logs of matches.
    if !folder.is_dir() || RunFolder::new(folder).is_run()? {
        return Ok(None);
    }
    let mut of_variants: BTreeMap<String, Vec<(PathBuf, MatchHeader, FinishedGames)>> = BTreeMap::new();
    for (log, header, games) in read_folder(folder)? {
        of_variants.entry(header.variant.clone()).or_default().push((log, header, games));
    }
    if of_variants.is_empty() {
        return Ok(None);
    }
    let (store, _) = DataStore::open(place)?;
    for (name, logs) in of_variants {
        let variant: VariantId =
            name.parse().map_err(|source| ReportError::Variant { folder: folder.to_owned(), source })?;
        rules::dispatch!(variant, V => commit::<V>(&store, &logs))?;
    }
    Ok(Some(store))
}

fn commit<V: Variant>(store: &DataStore, logs: &[(PathBuf, MatchHeader, FinishedGames)]) -> Result<(), ReportError> {
    let mut ids = BTreeSet::new();
    let mut all: Vec<GameRecord<V>> = Vec::new();
    for (log, header, games) in logs {
        let games = eval::export::records::<V>(header, games)
            .map_err(|source| ReportError::Match { log: log.clone(), source })?;
        // A log may be there under two names.
        all.extend(games.into_iter().filter(|game| ids.insert(game.game_id)));
    }
    store.commit_shard(0, "matches", &all, &Provenance::default())?;
    Ok(())
}
