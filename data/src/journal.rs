//! The finished games of the generation in progress, safe before their shard exists.
//!
//! A Parquet file is unreadable until it is closed, so a generation's games wait here, one sealed JSON line each,
//! until [`DataStore::commit_shard`](crate::DataStore::commit_shard) makes them a shard.

use std::fs;
use std::path::Path;

use crate::durable::{self, AppendFile, fault};
use crate::error::{DataError, Result};
use crate::record::GameRecord;
use crate::sealed;

const TAG: &str = "game";

/// An open journal.
///
/// # Examples
/// ```
/// use data::{GameRecord, Journal};
/// # let folder = tempfile::tempdir().unwrap();
/// let path = folder.path().join("gen=0003.jsonl");
/// let game = GameRecord {
///     game_id: 7,
///     moves: vec![5],
///     moves_text: "a1a2".into(),
///     termination: "checkmate".into(),
///     ..GameRecord::default()
/// };
/// let (mut journal, recovered) = Journal::open(&path).unwrap();
/// assert!(recovered.games.is_empty());
/// journal.append(&game).unwrap();
/// drop(journal); // or a kill at any moment after the append
///
/// let (_, recovered) = Journal::open(&path).unwrap();
/// assert_eq!(recovered.games, [game]);
/// ```
#[derive(Debug)]
pub struct Journal {
    log: AppendFile,
}

/// What a journal held when it was opened.
#[derive(Debug, Default, PartialEq)]
pub struct Recovered {
    /// The finished games in the order they were appended.
    pub games: Vec<GameRecord>,
    /// Bytes of an unfinished last line that were cut off; the append of that game had not returned.
    pub torn_bytes: u64,
}

impl Journal {
    /// Opens or creates a journal in a folder that is there and reads it; a torn last line is cut off the file.
    ///
    /// A damaged line before the end is an error that names it.
    pub fn open(path: &Path) -> Result<(Journal, Recovered)> {
        let held = sealed::read(path, TAG)?;
        let log = AppendFile::open(path, Some(held.length))?;
        Ok((Journal { log }, Recovered { games: held.entries, torn_bytes: held.torn }))
    }

    /// Adds a finished game; when this returns it survives a kill and a power cut.
    pub fn append(&mut self, game: &GameRecord) -> Result<()> {
        self.append_all(std::slice::from_ref(game))
    }

    /// Adds several finished games with one sync.
    pub fn append_all(&mut self, games: &[GameRecord]) -> Result<()> {
        let mut lines = String::new();
        for game in games {
            game.check()?;
            lines += &sealed::seal(TAG, game);
        }
        if lines.is_empty() { Ok(()) } else { self.log.append(lines.as_bytes()) }
    }

    /// The file.
    pub fn path(&self) -> &Path {
        self.log.path()
    }

    /// Deletes the journal, once its games are committed.
    pub fn remove(self) -> Result<()> {
        let path = self.log.path();
        fault::step(fault::Step::Remove).and_then(|()| fs::remove_file(path)).map_err(DataError::io("remove", path))?;
        durable::sync_folder(path.parent().unwrap_or(Path::new(".")))
    }
}
