//! The log of a match: JSON lines, each with a checksum ([`data::LineLog`]). The first holds the settings, each of
//! the others a finished game.
//!
//! The log only grows, and everything about a match is computed from it. A line `{"sprt": …}` names the sequential test
//! that ends the match; the last such line counts, and `{"sprt": null}` is no test. The test changes no game, so it may
//! be changed in the course of a match. Which games count follows from the games and the test ([`StoppingRule`]).
//!
//! Logs of earlier versions, whose lines have no checksums, are read too, and new lines can be added to them.

mod logged_games;
mod record;
mod repair;
mod stopping_rule;
mod verify;

pub use logged_games::LoggedGames;
pub use record::{FinishedGames, GameEntry, GameKey, MatchHeader};
pub use repair::repair;
pub(crate) use stopping_rule::LiveStoppingRule;
pub use stopping_rule::{SequentialTestState, StoppingRule};
pub use verify::{games_in, logs_in, verify};

use crate::error::MatchError;
use crate::identity::{NetworkSettings, PlayerSettings};
use crate::ratings::Sprt;
use data::{LineLog, LogEntry};
use record::digest;
pub(crate) use record::game_name;
use rules::VariantId;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// A line of a log.
#[derive(Debug, Serialize)]
#[serde(untagged)]
enum LogLine {
    Header(Box<MatchHeader>),
    Test(TestLine),
    Game(Box<GameEntry>),
}

/// The line that names the test of a match.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct TestLine {
    sprt: Option<Sprt>,
}

impl LogEntry for LogLine {
    const TAG: &'static str = "match";
    const ONCE_WITHOUT_CHECKSUM: bool = true;
}

impl<'de> Deserialize<'de> for LogLine {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = Value::deserialize(deserializer)?;
        if value.get("kirin_match").is_some() {
            return header(value).map(|header| LogLine::Header(Box::new(header))).map_err(D::Error::custom);
        }
        if value.get("sprt").is_some() {
            return serde_json::from_value(value).map(LogLine::Test).map_err(D::Error::custom);
        }
        let game: GameEntry = serde_json::from_value(value).map_err(D::Error::custom)?;
        game.check().map_err(D::Error::custom)?;
        Ok(LogLine::Game(Box::new(game)))
    }
}

/// The header of a line. Those of earlier versions hold a digest of their own.
fn header(mut value: Value) -> Result<MatchHeader, String> {
    // The digest is that of the text, not of the header made of it: other versions of the program had other settings.
    let stored = value.as_object_mut().and_then(|object| object.remove("digest"));
    if stored.is_some_and(|stored| stored.as_str() != Some(&digest(&value))) {
        return Err("the settings of the match were changed by hand, or damaged".to_owned());
    }
    let format = value["kirin_match"].as_u64();
    if format != Some(MatchHeader::FORMAT.into()) {
        return Err(format!(
            "format {} is unknown; this version reads format {}",
            value["kirin_match"],
            MatchHeader::FORMAT
        ));
    }
    serde_json::from_value(value).map_err(|error| error.to_string())
}

/// The contents of a log.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MatchLogContents {
    /// The settings; `None` if not even the first line was finished.
    pub header: Option<MatchHeader>,
    /// The test that ends the match, if there is one.
    pub test: Option<Sprt>,
    /// The games by their place, including those that were finished after the test's decision. A game that the log has
    /// twice counts once.
    pub games: FinishedGames,
}

impl MatchLogContents {
    fn of(path: &Path, lines: Vec<LogLine>) -> Result<MatchLogContents, MatchError> {
        let mut recorded = MatchLogContents::default();
        for (index, line) in lines.into_iter().enumerate() {
            if (index == 0) != matches!(line, LogLine::Header(_)) {
                return Err(MatchError::Header { path: path.to_owned(), line: index + 1 });
            }
            match line {
                LogLine::Header(header) => recorded.header = Some(*header),
                LogLine::Test(TestLine { sprt }) => recorded.test = sprt,
                LogLine::Game(game) => {
                    recorded.games.entry(game.key()).or_insert(*game);
                }
            }
        }
        Ok(recorded)
    }

    /// The games that count: once the test has decided, those of the pairs up to its decision.
    pub fn counted(mut self) -> FinishedGames {
        let mut stopping_rule = StoppingRule::new(self.test);
        stopping_rule.follow(&self.games);
        if let Some(end) = stopping_rule.end() {
            self.games.split_off(&end);
        }
        self.games
    }
}

/// Reads a log and changes nothing. A log that does not exist is empty. A last line that a kill has torn is ignored.
///
/// # Errors
/// The file cannot be read, it is not the log of a match, or a line is damaged.
pub fn read(path: &Path) -> Result<MatchLogContents, MatchError> {
    MatchLogContents::of(path, LineLog::read(path)?.entries)
}

/// The settings of a log; `None` if it cannot be read, or is no log.
pub(crate) fn header_of(path: &Path) -> Option<MatchHeader> {
    match LineLog::first(path) {
        Ok(Some(LogLine::Header(header))) => Some(*header),
        _ => None,
    }
}

/// How networks were evaluated in these logs, by their identities; the first log that records it counts. Logs that are
/// missing or cannot be read are skipped: opening them reports the error.
pub fn evaluations<'a>(paths: impl IntoIterator<Item = &'a Path>) -> BTreeMap<String, Value> {
    let mut found = BTreeMap::new();
    for path in paths {
        let Some(header) = header_of(path) else { continue };
        for player in header.players {
            if let PlayerSettings::Network(NetworkSettings { evaluation: Some(evaluation), .. }) = player.settings {
                found.entry(player.identity).or_insert(evaluation);
            }
        }
    }
    found
}

/// Checks that every game can be replayed by the rules of the match.
///
/// # Errors
/// A game cannot be replayed; the message names it. `path` is the log, for the message.
pub fn check_games(path: &Path, header: &MatchHeader, games: &FinishedGames) -> Result<(), MatchError> {
    let variant: VariantId = header.variant.parse()?;
    for game in games.values() {
        let sheet = rules::dispatch!(variant, V => game.scoresheet::<V>(header).map(|_| ()));
        sheet.map_err(|source| MatchError::Game {
            path: path.to_owned(),
            pair: game.pair,
            side: game.side_of_first_named,
            source,
        })?;
    }
    Ok(())
}

/// A log open for appending.
#[derive(Debug)]
pub struct MatchLog {
    /// Locked, because two writers would cut each other's lines off.
    log: LineLog<LogLine>,
    header: MatchHeader,
    test: Option<Sprt>,
    games: FinishedGames,
    session: u32,
}

impl MatchLog {
    /// Opens the log of a match with these settings, or begins one in a folder that exists. A torn last line is cut off.
    ///
    /// # Errors
    /// The file is not the log of a match (it is then left as it is), the log belongs to other settings (each difference
    /// is named), is damaged, is in use by another process, or cannot be written.
    pub fn open(path: &Path, header: MatchHeader) -> Result<MatchLog, MatchError> {
        let (mut log, contents) = LineLog::open_locked(path)?;
        let recorded = MatchLogContents::of(path, contents.entries)?;
        let header = match recorded.header {
            Some(found) => {
                let differences = header.differences(&found);
                if !differences.is_empty() {
                    return Err(MatchError::Changed { path: path.to_owned(), differences });
                }
                // What the players are called, and how they are evaluated, stays as the log says.
                found
            }
            None => {
                log.append(&LogLine::Header(Box::new(header.clone())))?;
                header
            }
        };
        let session = 1 + recorded.games.values().map(|game| game.session).max().unwrap_or(0);
        Ok(MatchLog { log, header, test: recorded.test, games: recorded.games, session })
    }

    /// Sets the test that ends the match.
    ///
    /// # Errors
    /// The file cannot be written; it is then as before.
    pub fn set_test(&mut self, test: Option<Sprt>) -> Result<(), MatchError> {
        if self.test != test {
            self.log.append(&LogLine::Test(TestLine { sprt: test }))?;
            self.test = test;
        }
        Ok(())
    }

    /// Adds finished games with one sync. When this returns they survive a kill and a power cut.
    ///
    /// # Errors
    /// The file cannot be written; it is then as before.
    pub fn append(&mut self, games: Vec<GameEntry>) -> Result<(), MatchError> {
        let lines: Vec<LogLine> = games.iter().map(|game| LogLine::Game(Box::new(game.clone()))).collect();
        self.log.append_all(&lines)?;
        self.games.extend(games.into_iter().map(|game| (game.key(), game)));
        Ok(())
    }

    /// The settings.
    pub fn header(&self) -> &MatchHeader {
        &self.header
    }

    /// The test that ends the match, if there is one.
    pub fn test(&self) -> Option<Sprt> {
        self.test
    }

    /// The finished games, including those that were finished after the test's decision.
    pub fn games(&self) -> &FinishedGames {
        &self.games
    }

    /// Number of this run of the program, from 1.
    pub fn session(&self) -> u32 {
        self.session
    }
}

/// The folder of match logs that a folder stands for: `matches` of a run, or the folder itself.
pub fn folder_of(folder: &Path) -> PathBuf {
    let of_run = folder.join("matches");
    if of_run.is_dir() { of_run } else { folder.to_owned() }
}

/// Like [`logs_in`]; none if the folder does not exist.
fn paths_in(source: &Path) -> Result<Vec<PathBuf>, MatchError> {
    match logs_in(source) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Vec::new()),
        paths => paths.map_err(|error| MatchError::Read { path: source.to_owned(), source: error }),
    }
}

/// A match log, or those of a folder in the order of their names, with the games that count; none if the folder does not
/// exist.
///
/// # Errors
/// The folder or a log cannot be read.
pub fn read_folder(source: &Path) -> Result<Vec<(PathBuf, MatchHeader, FinishedGames)>, MatchError> {
    let mut logs = Vec::new();
    for path in paths_in(source)? {
        let recorded = read(&path)?;
        if let Some(header) = recorded.header.clone() {
            logs.push((path, header, recorded.counted()));
        }
    }
    Ok(logs)
}
