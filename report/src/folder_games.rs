//! The games of a folder or of a match log, whatever has played them, opened for reading.

use crate::error::ReportError;
use data::{DataStore, GameRecord, Provenance};
use eval::log::{FinishedGames, MatchHeader, read_folder};
use lab::RunFolder;
use rules::{Variant, VariantId};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// The games of a folder or of a match log.
pub struct FolderGames {
    /// Where they are read.
    pub store: DataStore,
    /// The temporary folder into which games of matches were copied, to be kept as long as they are read.
    pub copied: Option<TempDir>,
}

/// Opens the games of a run, of a data folder, of a folder with match logs or of a single log; `None` if it is none of
/// these, or a log without settings.
///
/// # Errors
/// The data folder cannot be read; a log is damaged, or a game in it breaks the rules; games cannot be copied.
pub fn games_in(source: &Path) -> Result<Option<FolderGames>, ReportError> {
    // A log is a file, in which no folder can be looked for.
    let root = if source.is_file() { None } else { DataStore::folder_of(source)? };
    if let Some(root) = root {
        return Ok(Some(FolderGames { store: DataStore::open_read_only(&root)?, copied: None }));
    }
    let place = tempfile::tempdir().map_err(|error| ReportError::Copy { folder: source.to_owned(), source: error })?;
    let store = match_store(source, place.path())?;
    Ok(store.map(|store| FolderGames { store, copied: Some(place) }))
}

/// The games that count of a log, or of all logs in a folder, in a data folder in `place`; `None` if there is no log.
///
/// # Errors
/// A log is damaged, or a game in it breaks the rules; the data folder cannot be written.
fn match_store(source: &Path, place: &Path) -> Result<Option<DataStore>, ReportError> {
    // The other logs of a run are not logs of matches.
    if !source.is_file() && RunFolder::new(source).is_run()? {
        return Ok(None);
    }
    let mut of_variants: BTreeMap<String, Vec<(PathBuf, MatchHeader, FinishedGames)>> = BTreeMap::new();
    for (log, header, games) in read_folder(source)? {
        of_variants.entry(header.variant.clone()).or_default().push((log, header, games));
    }
    if of_variants.is_empty() {
        return Ok(None);
    }
    let (store, _) = DataStore::open(place)?;
    for (name, logs) in of_variants {
        let variant: VariantId =
            name.parse().map_err(|error| ReportError::Variant { folder: source.to_owned(), source: error })?;
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

#[cfg(test)]
mod tests {
    use super::*;
    use data::OpeningQuery;
    use eval::log::MatchLog;
    use serde_json::json;

    /// The log of a match of so many pairs, whose games are all of the same moves, the first of which a player chose.
    fn log(folder: &Path, name: &str, pairs: u32) -> PathBuf {
        let path = folder.join(name);
        let player = |name: &str| json!({ "name": name, "identity": name, "search": null });
        let header = json!({
            "kirin_match": MatchHeader::FORMAT, "variant": "wangqi", "ruleset": "standard", "max_plies": 300, "seed": 1,
            "openings": "start", "players": [player(name), player("other")],
        });
        let mut log = MatchLog::open(&path, serde_json::from_value(header).unwrap()).unwrap();
        let game = |number: u32| {
            json!({
                "pair": number / 2, "first_named_first": number.is_multiple_of(2), "opening_plies": 0,
                "moves": "c3c4 e6e5", "plies": 2, "result": 0, "termination": "repetition", "session": 1,
                "elapsed_ms": 1,
            })
        };
        log.append((0..2 * pairs).map(|number| serde_json::from_value(game(number)).unwrap()).collect()).unwrap();
        path
    }

    #[test]
    fn a_log_has_the_openings_of_its_games_alone() {
        let folder = tempfile::tempdir().unwrap();
        let logs = [("a.jsonl", 3), ("b.jsonl", 1)].map(|(name, pairs)| log(folder.path(), name, pairs));
        let counted = |source: &Path| {
            let games = games_in(source).unwrap().unwrap();
            let table = games.store.openings(&OpeningQuery::new("wangqi")).unwrap();
            (table.games, table.rows.last().map(|row| (row.moves.clone(), row.games)))
        };
        let wanted = |games| (games, Some(("c3c4 e6e5".to_owned(), games)));
        assert_eq!(logs.each_ref().map(|log| counted(log)), [wanted(6), wanted(2)]);
        assert_eq!(counted(folder.path()), wanted(8));
    }

    #[test]
    fn a_file_that_is_no_log_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("other.jsonl");
        std::fs::write(&file, "{\"my\":\"only copy\"}\n").unwrap();
        let error = games_in(&file).map(|_| ()).unwrap_err().to_string();
        assert!(error.contains("other.jsonl"), "{error}");
        // The log of a match that was killed before its first line.
        std::fs::write(&file, "").unwrap();
        assert!(games_in(&file).unwrap().is_none());
    }
}
