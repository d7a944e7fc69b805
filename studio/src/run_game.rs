//! The newest games of a run: those of the generation in progress, which wait in its journal, and those of the newest
//! shard.

use crate::error::ApiError;
use crate::live::{Stamp, stamp};
use crate::replay::Replay;
use data::{DataStore, GameFolders, GameRecord};
use rules::{Side, Variant};
use serde::{Deserialize, Serialize};
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use utoipa::ToSchema;

/// Bytes of a journal that are read, from its end.
const TAIL_BYTES: u64 = 4 << 20;
/// Most games that can be chosen.
const MOST_GAMES: usize = 40;

/// A game of a run, and which others there are.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct RunGame {
    /// The game.
    #[serde(flatten)]
    pub replay: Replay,
    /// The newest games, oldest first.
    pub games: Vec<String>,
}

/// The files that hold the newest games of a run.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct NewestFiles {
    /// The journal of the newest generation that has one, and its stamp.
    journal: Option<(PathBuf, Stamp)>,
    manifest: Stamp,
}

impl NewestFiles {
    /// The files of the data folder of a run.
    pub fn of(data: &Path, variant: &str) -> NewestFiles {
        let folder = data.join("journal").join(format!("variant={variant}"));
        let entries = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
        let journals =
            entries.filter(|path| path.extension().is_some_and(|end| end == "jsonl") && stamp(path).is_some());
        let journal = journals.max().map(|path| (path.clone(), stamp(&path)));
        NewestFiles { journal, manifest: stamp(&data.join(data::MANIFEST)) }
    }

    /// Whether there may be a game.
    pub fn is_empty(&self) -> bool {
        self.journal.is_none() && self.manifest.is_none()
    }
}

/// A line of a journal.
#[derive(Deserialize)]
#[serde(bound = "")]
struct JournalLine<V: Variant> {
    game: GameRecord<V>,
}

/// A game of a run: the newest one, or that with this id among the newest.
///
/// # Errors
/// There is none, it is not among the newest, or a file is damaged.
pub(crate) fn game<V: Variant>(data: &Path, files: &NewestFiles, wanted: Option<&str>) -> Result<RunGame, ApiError> {
    let mut waiting: Vec<GameRecord<V>> = Vec::new();
    if let Some((journal, _)) = &files.journal {
        waiting = tail(journal)?;
    }
    let waiting_ids = ids(&waiting);
    let found = match wanted {
        Some(id) => waiting.iter().find(|game| game.game_id.to_string() == id),
        None => waiting.last(),
    };
    if let Some(record) = found {
        return of_journal(record, waiting_ids);
    }
    of_shard::<V>(data, wanted, waiting_ids)
}

/// The newest ids, oldest first.
fn ids<V: Variant>(games: &[GameRecord<V>]) -> Vec<String> {
    games[games.len().saturating_sub(MOST_GAMES)..].iter().map(|game| game.game_id.to_string()).collect()
}

/// The last games of a journal. What a kill has torn, or another version wrote otherwise, is left out.
fn tail<V: Variant>(journal: &Path) -> Result<Vec<GameRecord<V>>, ApiError> {
    let mut file: File = match data::bounded::open_ordinary(journal, File::options().read(true)) {
        // The generation has ended a moment ago.
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        file => file.map_err(ApiError::failed)?,
    };
    let length = file.metadata().map_err(ApiError::failed)?.len();
    let from = length.saturating_sub(TAIL_BYTES);
    file.seek(SeekFrom::Start(from)).map_err(ApiError::failed)?;
    let mut bytes = Vec::new();
    file.take(TAIL_BYTES).read_to_end(&mut bytes).map_err(ApiError::failed)?;
    // Only whole lines count.
    let end = bytes.iter().rposition(|&byte| byte == b'\n').map_or(0, |at| at + 1);
    let begin = if from == 0 { 0 } else { bytes.iter().position(|&byte| byte == b'\n').map_or(end, |at| at + 1) };
    let lines = bytes.get(begin..end).unwrap_or_default().split(|&byte| byte == b'\n').filter(|line| !line.is_empty());
    let last: Vec<&[u8]> = lines.rev().take(MOST_GAMES).collect();
    let games = last.into_iter().rev().filter_map(|line| serde_json::from_slice::<JournalLine<V>>(line).ok());
    Ok(games.map(|line| line.game).filter(|game| game.check().is_ok()).collect())
}

fn of_journal<V: Variant>(record: &GameRecord<V>, games: Vec<String>) -> Result<RunGame, ApiError> {
    let value = |ply: usize| {
        let position = record.positions.iter().find(|position| usize::from(position.ply) == ply)?;
        let [win, draw, _] = position.root_wdl;
        Some(of_first(position.side, win + draw / 2.0))
    };
    let replay = Replay::of(record.game_id.to_string(), &record.sheet, value)?;
    Ok(RunGame { replay: described(replay, record), games })
}

/// A game of the newest shard.
fn of_shard<V: Variant>(data: &Path, wanted: Option<&str>, waiting: Vec<String>) -> Result<RunGame, ApiError> {
    let none = || ApiError::Unknown("the run has not finished a game yet".to_owned());
    if !data.join(data::MANIFEST).is_file() {
        return Err(none());
    }
    let folders = GameFolders::new(vec![DataStore::open_read_only(data).map_err(ApiError::failed)?]);
    let shards = folders.shards(V::ID).map_err(ApiError::failed)?;
    let (Some(shard), Some(store)) =
        (shards.iter().rev().find(|shard| shard.entry.games.rows > 0), folders.stores().first())
    else {
        return Err(none());
    };
    let records = store.read_games::<V>(&shard.entry).map_err(ApiError::failed)?;
    let record = match wanted {
        Some(id) => records.iter().find(|game| game.game_id.to_string() == id).ok_or_else(|| {
            ApiError::Unknown(format!("the game {id:?} is not among the newest of the run (any more)"))
        })?,
        None => records.last().ok_or_else(none)?,
    };
    let chances = folders.win_chances(shard).map_err(ApiError::failed)?;
    let start = record.sheet.start.side();
    let value = |ply: usize| {
        let side = if ply.is_multiple_of(2) { start } else { start.other() };
        chances.get(&(record.game_id, u32::try_from(ply).ok()?)).map(|&chance| of_first(side, chance))
    };
    let replay = Replay::of(record.game_id.to_string(), &record.sheet, value)?;
    let mut games = ids(&records);
    games.extend(waiting);
    games.drain(..games.len().saturating_sub(MOST_GAMES));
    Ok(RunGame { replay: described(replay, record), games })
}

/// The expected score of the first player, from that of a side.
fn of_first(side: Side, score: f32) -> f32 {
    if side == Side::First { score } else { 1.0 - score }
}

fn described<V: Variant>(replay: Replay, record: &GameRecord<V>) -> Replay {
    Replay { generation: Some(record.generation), ..replay }
}
