//! The finished games of the generation in progress, safe before their shard exists.
//!
//! A Parquet file is unreadable until it is closed, so a generation's games wait here, one line of a [`LineLog`] each,
//! until [`DataStore::commit_shard`](crate::DataStore::commit_shard) makes them a shard.

use std::path::Path;

use rules::Variant;

use crate::error::Result;
use crate::game::GameRecord;
use crate::line_log::LineLog;

/// An open journal.
///
/// # Examples
/// ```
/// use data::{GameRecord, Journal};
/// use rules::{Game, Outcome, Position, Rules, Side, Termination, Wangqi};
/// # let folder = tempfile::tempdir().unwrap();
/// let path = folder.path().join("gen=0003.jsonl");
/// let game = Game::<Wangqi>::from_moves_text(Rules::default(), Position::start(), "c3c4 e6e5")?;
/// let record = GameRecord::of(&game, Outcome::win(Side::First, Termination::Resign));
/// let (mut journal, recovered) = Journal::open(&path)?;
/// assert!(recovered.games.is_empty());
/// journal.append(&record)?;
/// drop(journal); // or a kill at any moment after the append
///
/// let (_, recovered) = Journal::<Wangqi>::open(&path)?;
/// assert_eq!(recovered.games, [record]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Journal<V: Variant> {
    log: LineLog<GameRecord<V>>,
}

/// What a journal held when it was opened.
#[derive(Debug, PartialEq)]
pub struct Recovered<V: Variant> {
    /// The finished games in the order they were appended.
    pub games: Vec<GameRecord<V>>,
    /// Bytes of an unfinished last line that were cut off; the append of that game had not returned.
    pub torn_bytes: u64,
}

impl<V: Variant> Journal<V> {
    /// Opens or begins a journal in a folder that is there, reads it, and cuts off a torn last line.
    ///
    /// # Errors
    /// A line before the end is damaged; the file cannot be read or written.
    pub fn open(path: &Path) -> Result<(Self, Recovered<V>)> {
        let (log, contents) = LineLog::open(path)?;
        Ok((Journal { log }, Recovered { games: contents.entries, torn_bytes: contents.torn_bytes }))
    }

    /// Adds a finished game; when this returns it survives a kill and a power cut.
    ///
    /// # Errors
    /// The game contradicts itself; the file cannot be written.
    pub fn append(&mut self, game: &GameRecord<V>) -> Result<()> {
        self.append_all(std::slice::from_ref(game))
    }

    /// Adds several finished games with one sync.
    ///
    /// # Errors
    /// A game contradicts itself; the file cannot be written.
    pub fn append_all(&mut self, games: &[GameRecord<V>]) -> Result<()> {
        games.iter().try_for_each(GameRecord::check)?;
        self.log.append_all(games)
    }

    /// The file.
    pub fn path(&self) -> &Path {
        self.log.path()
    }

    /// Deletes the journal, once its games are committed.
    ///
    /// # Errors
    /// The file cannot be deleted.
    pub fn remove(self) -> Result<()> {
        self.log.remove()
    }
}
