//! The log of a match: one JSON object a line, first the settings, then one for each finished game. It only
//! grows, and everything that is said of a match is computed from it.

use crate::error::MatchError;
use data::durable::AppendFile;
use rules::Side;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Version of the format.
const FORMAT: u32 = 1;

/// A game's place in the match: number of the pair, and the side that the first named player has.
pub type GameKey = (u32, Side);

/// Finished games by their place.
pub type Games = BTreeMap<GameKey, GameEntry>;

/// The first line of a log: everything the games depend on, so that a match goes on only with the settings it
/// began with. The number of pairs is not among them: a match may be made longer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Header {
    /// Version of the format.
    pub kirin_match: u32,
    /// Variant.
    pub variant: String,
    /// Rule-set preset.
    pub ruleset: String,
    /// Limit of plies.
    pub max_plies: u32,
    /// Seed of openings and chance.
    pub seed: u64,
    /// How the openings are made: `random N plies`, or a digest of the list.
    pub openings: String,
    /// The players.
    pub players: [PlayerRecord; 2],
}

/// A player as the log names it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PlayerRecord {
    /// Name in tables.
    pub name: String,
    /// What it is: `random`, `mcts:100`, or the digest of a network.
    pub identity: String,
    /// Settings of its search, if it has one.
    pub search: Value,
}

impl PlayerRecord {
    /// Whether it may play the same opening differently: a network's search has no noise in a match.
    pub fn plays_by_chance(&self) -> bool {
        self.search.is_null()
    }
}

impl Header {
    /// A header of this version of the format.
    pub fn new(variant: &str, rules: (&str, u32), seed: u64, openings: String, players: [PlayerRecord; 2]) -> Header {
        Header {
            kirin_match: FORMAT,
            variant: variant.to_owned(),
            ruleset: rules.0.to_owned(),
            max_plies: rules.1,
            seed,
            openings,
            players,
        }
    }

    /// BLAKE3 of the settings, 16 hex digits.
    pub fn digest(&self) -> String {
        blake3::hash(value(self).to_string().as_bytes()).to_hex()[..16].to_owned()
    }
}

/// One finished game.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GameEntry {
    /// Number of the pair, from 0.
    pub pair: u32,
    /// Whether the first named player moved first.
    pub first_named_first: bool,
    /// Start position, empty for the variant's own.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub fen: String,
    /// How many of the moves belong to the opening.
    pub opening_plies: u32,
    /// All moves in UCI, separated by spaces.
    pub moves: String,
    /// Number of moves.
    pub plies: u32,
    /// +1 the player who moved first won, 0 drawn, −1 lost.
    pub result: i8,
    /// Why the game ended ([`rules::Termination::name`]).
    pub termination: String,
    /// Which run of the program finished it, from 1.
    pub session: u32,
    /// Milliseconds since that run began.
    pub elapsed_ms: u64,
}

impl GameEntry {
    /// The game's place in the match.
    pub fn key(&self) -> GameKey {
        (self.pair, if self.first_named_first { Side::First } else { Side::Second })
    }

    /// The result for the first named player: +1, 0, −1.
    pub fn result_of_first_named(&self) -> i8 {
        if self.first_named_first { self.result } else { -self.result }
    }

    fn check(&self) -> Result<(), String> {
        if !(-1..=1).contains(&self.result) {
            return Err(format!("{} is no result", self.result));
        }
        let moves = self.moves.split_whitespace().count();
        if moves != self.plies as usize || self.opening_plies > self.plies {
            return Err(format!("{moves} moves where {} plies are stated", self.plies));
        }
        Ok(())
    }
}

#[derive(Serialize, Deserialize)]
struct FirstLine {
    #[serde(flatten)]
    header: Header,
    digest: String,
}

/// What a log holds.
#[derive(Clone, Debug, PartialEq)]
pub struct Recorded {
    /// The settings; `None` if not even the first line was finished.
    pub header: Option<Header>,
    /// The games by their place. A game that is there twice counts once.
    pub games: Games,
    /// Bytes of whole lines; what follows was torn by a kill.
    length: u64,
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
    let mut recorded = Recorded { header: None, games: Games::new(), length: length as u64 };
    for (index, line) in bytes[..length].split(|&byte| byte == b'\n').enumerate() {
        if index > 0 && line.is_empty() {
            continue; // what follows the last newline
        }
        let fault = |reason: String| MatchError::Line { path: path.to_owned(), line: index + 1, reason };
        if index == 0 {
            recorded.header = if length == 0 { None } else { Some(first_line(line).map_err(fault)?) };
        } else {
            let game: GameEntry = serde_json::from_slice(line).map_err(|error| fault(error.to_string()))?;
            game.check().map_err(fault)?;
            recorded.games.entry(game.key()).or_insert(game);
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
    games: Games,
    session: u32,
}

impl MatchLog {
    /// Opens the log of a match with these settings, or begins one. A torn last line is cut off.
    ///
    /// # Errors
    /// The log belongs to other settings (each difference is named), is damaged, or cannot be written.
    pub fn open(path: &Path, header: Header) -> Result<MatchLog, MatchError> {
        let recorded = read(path)?;
        let mut file = AppendFile::open(path, Some(recorded.length))?;
        match recorded.header {
            Some(found) if found == header => {}
            Some(found) => {
                let mut differences = Vec::new();
                compare("", &value(&header), &value(&found), &mut differences);
                return Err(MatchError::Changed { path: path.to_owned(), differences });
            }
            None => {
                let first = FirstLine { digest: header.digest(), header: header.clone() };
                file.append(format!("{}\n", value(&first)).as_bytes())?;
            }
        }
        let session = 1 + recorded.games.values().map(|game| game.session).max().unwrap_or(0);
        Ok(MatchLog { file, header, games: recorded.games, session })
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

    /// The finished games.
    pub fn games(&self) -> &Games {
        &self.games
    }

    /// Number of this run of the program, from 1.
    pub fn session(&self) -> u32 {
        self.session
    }
}

/// The match logs of a folder in the order of their names; none if the folder is not there.
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
        logs.extend(recorded.header.map(|header| (path, header, recorded.games)));
    }
    Ok(logs)
}

/// A record as JSON; its maps have string keys and its numbers are finite, so that always succeeds.
fn value(record: &impl Serialize) -> Value {
    serde_json::to_value(record).unwrap_or_default()
}

/// One text for each leaf in which two JSON values differ.
fn compare(at: &str, now: &Value, logged: &Value, out: &mut Vec<String>) {
    let below = |key: &str| if at.is_empty() { key.to_owned() } else { format!("{at}.{key}") };
    match (now, logged) {
        (Value::Object(a), Value::Object(b)) => {
            for key in a.keys().chain(b.keys().filter(|key| !a.contains_key(*key))) {
                compare(&below(key), a.get(key).unwrap_or(&Value::Null), b.get(key).unwrap_or(&Value::Null), out);
            }
        }
        (Value::Array(a), Value::Array(b)) if a.len() == b.len() => {
            for (index, (a, b)) in a.iter().zip(b).enumerate() {
                compare(&below(&index.to_string()), a, b, out);
            }
        }
        _ if now != logged => out.push(format!("{at} is {now} now and {logged} in the log")),
        _ => {}
    }
}
