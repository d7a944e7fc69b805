//! The log of a match: one JSON object a line, first the settings, then one for each finished game. It only
//! grows, and everything that is said of a match is computed from it.
//!
//! A line `{"sprt": …}` says by which sequential test the match ends; the last such line counts, and `{"sprt": null}` is
//! none. The test changes no game, so it may change in the course of a match; which games count follows from the games
//! and the test ([`Trial`]).

mod record;

pub use record::{GameEntry, Header, PlayerRecord};

use crate::error::MatchError;
use crate::matches::Trial;
use crate::ratings::Sprt;
use data::durable::{self, AppendFile};
use record::FORMAT;
use rules::Side;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};

/// A game's place in the match: number of the pair, and the side that the first named player has.
pub type GameKey = (u32, Side);

/// Finished games by their place.
pub type Games = BTreeMap<GameKey, GameEntry>;

#[derive(Serialize, Deserialize)]
struct FirstLine {
    #[serde(flatten)]
    header: Header,
    digest: String,
}

/// The line that names the test of a match.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct TestLine {
    // A way of its own makes the key a must, though its value may be null.
    #[serde(deserialize_with = "Option::deserialize")]
    sprt: Option<Sprt>,
}

/// What a log holds.
#[derive(Clone, Debug, PartialEq)]
pub struct Recorded {
    /// The settings; `None` if not even the first line was finished.
    pub header: Option<Header>,
    /// The test by which the match ends, if there is one.
    pub test: Option<Sprt>,
    /// The games by their place, those too that were finished after the test's decision. A game that is there twice
    /// counts once.
    pub games: Games,
    /// Bytes of whole lines; what follows was torn by a kill.
    length: u64,
}

impl Recorded {
    /// The games that count: where the test has decided, those of the pairs up to its decision.
    pub fn counted(mut self) -> Games {
        let mut trial = Trial::new(self.test);
        trial.follow(&self.games);
        if let Some(end) = trial.end() {
            self.games.split_off(&end);
        }
        self.games
    }
}

/// Reads a log; one that is not there is empty. A last line without its end is left out.
///
/// # Errors
/// The file cannot be read, or a whole line is damaged.
pub fn read(path: &Path) -> Result<Recorded, MatchError> {
    let bytes = match std::fs::read(path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Vec::new(),
        bytes => bytes.map_err(|source| MatchError::Read { path: path.to_owned(), source })?,
    };
    let length = bytes.iter().rposition(|&byte| byte == b'\n').map_or(0, |last| last + 1);
    let mut recorded = Recorded { header: None, test: None, games: Games::new(), length: length as u64 };
    for (index, line) in bytes[..length].split(|&byte| byte == b'\n').enumerate() {
        if index > 0 && line.is_empty() {
            continue; // what follows the last newline
        }
        let fault = |reason: String| MatchError::Line { path: path.to_owned(), line: index + 1, reason };
        if index == 0 {
            recorded.header = if length == 0 { None } else { Some(first_line(line).map_err(fault)?) };
        } else {
            match serde_json::from_slice::<GameEntry>(line) {
                Ok(game) => {
                    game.check().map_err(fault)?;
                    recorded.games.entry(game.key()).or_insert(game);
                }
                Err(error) => {
                    let test: TestLine = serde_json::from_slice(line).map_err(|_| fault(error.to_string()))?;
                    recorded.test = test.sprt;
                }
            }
        }
    }
    Ok(recorded)
}

fn first_line(line: &[u8]) -> Result<Header, String> {
    let first: FirstLine =
        serde_json::from_slice(line).map_err(|error| format!("not the first line of a match log: {error}"))?;
    if first.header.kirin_match != FORMAT {
        return Err(format!("format {} is not known here; {FORMAT} is", first.header.kirin_match));
    }
    if first.header.digest() != first.digest {
        return Err("its settings were changed by hand, or damaged".to_owned());
    }
    Ok(first.header)
}

/// A log open for appending.
#[derive(Debug)]
pub struct MatchLog {
    file: AppendFile,
    header: Header,
    test: Option<Sprt>,
    games: Games,
    session: u32,
    /// Held open for its lock, which ends with the process, however that ends.
    _lock: File,
}

impl MatchLog {
    /// Opens the log of a match with these settings, or begins one. A torn last line is cut off.
    ///
    /// # Errors
    /// The log belongs to other settings (each difference is named), is damaged, in use by another process, or
    /// cannot be written.
    pub fn open(path: &Path, header: Header) -> Result<MatchLog, MatchError> {
        if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
            durable::create_folder(folder)?;
        }
        AppendFile::open(path, None)?;
        let lock = lock(path)?;
        let recorded = read(path)?;
        let mut file = AppendFile::open(path, Some(recorded.length))?;
        match recorded.header {
            Some(found) if found == header => {}
            Some(found) => {
                return Err(MatchError::Changed { path: path.to_owned(), differences: header.differences(&found) });
            }
            None => {
                let first = FirstLine { digest: header.digest(), header: header.clone() };
                file.append(format!("{}\n", value(&first)).as_bytes())?;
            }
        }
        let session = 1 + recorded.games.values().map(|game| game.session).max().unwrap_or(0);
        Ok(MatchLog { file, header, test: recorded.test, games: recorded.games, session, _lock: lock })
    }

    /// Says by which test the match ends.
    ///
    /// # Errors
    /// The file cannot be written; it is then as before.
    pub fn set_test(&mut self, test: Option<Sprt>) -> Result<(), MatchError> {
        if self.test != test {
            self.file.append(format!("{}\n", value(&TestLine { sprt: test })).as_bytes())?;
            self.test = test;
        }
        Ok(())
    }

    /// Adds finished games with one sync; when this returns they survive a kill and a power cut.
    ///
    /// # Errors
    /// The file cannot be written; it is then as before.
    pub fn append(&mut self, games: Vec<GameEntry>) -> Result<(), MatchError> {
        let lines: String = games.iter().map(|game| format!("{}\n", value(game))).collect();
        self.file.append(lines.as_bytes())?;
        self.games.extend(games.into_iter().map(|game| (game.key(), game)));
        Ok(())
    }

    /// The settings.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// The test by which the match ends, if there is one.
    pub fn test(&self) -> Option<Sprt> {
        self.test
    }

    /// The finished games, those too that were finished after the test's decision.
    pub fn games(&self) -> &Games {
        &self.games
    }

    /// Number of this run of the program, from 1.
    pub fn session(&self) -> u32 {
        self.session
    }
}

/// Two writers would cut each other's lines off.
fn lock(path: &Path) -> Result<File, MatchError> {
    let fault = |source| MatchError::Read { path: path.to_owned(), source };
    let file = File::open(path).map_err(fault)?;
    file.try_lock().map_err(|error| match error {
        TryLockError::WouldBlock => MatchError::InUse { path: path.to_owned() },
        TryLockError::Error(source) => fault(source),
    })?;
    Ok(file)
}

/// The match logs of a folder in the order of their names, with the games that count; none if the folder is not there.
///
/// # Errors
/// The folder or a log cannot be read.
pub fn read_folder(folder: &Path) -> Result<Vec<(PathBuf, Header, Games)>, MatchError> {
    let fault = |source| MatchError::Read { path: folder.to_owned(), source };
    let entries = match std::fs::read_dir(folder) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries.map_err(fault)?,
    };
    let mut paths = Vec::new();
    for entry in entries {
        let path = entry.map_err(fault)?.path();
        if path.extension().is_some_and(|extension| extension == "jsonl") {
            paths.push(path);
        }
    }
    paths.sort();
    let mut logs = Vec::new();
    for path in paths {
        let recorded = read(&path)?;
        if let Some(header) = recorded.header.clone() {
            logs.push((path, header, recorded.counted()));
        }
    }
    Ok(logs)
}

/// A record as JSON; its maps have string keys and its numbers are finite, so that always succeeds.
fn value(record: &impl Serialize) -> Value {
    serde_json::to_value(record).unwrap_or_default()
}
