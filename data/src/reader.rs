//! Parquet files back into records.
//!
//! A file is read once into memory and its digest compared with the manifest before a byte of it is
//! interpreted: Parquet alone does not see most flipped bits. The Parquet reader runs where its panics are
//! contained, since it has had some on malformed files.

use std::any::Any;
use std::fs;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use arrow::array::RecordBatch;
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;

use crate::error::{DataError, Result};
use crate::manifest::{FileEntry, ShardEntry};
use crate::record::{GameRecord, PositionRecord};
use crate::schema::{FOOTER_SCHEMA_VERSION, SCHEMA_VERSION};
use crate::store::DataStore;

mod columns;
mod training;

use columns::Columns;
pub use training::{TrainingGame, TrainingPosition};

/// Rows decoded at a time.
const BATCH_ROWS: usize = 8192;

impl DataStore {
    /// Reads the games of a shard without their positions (`positions` is empty).
    pub fn read_games(&self, shard: &ShardEntry) -> Result<Vec<GameRecord>> {
        let mut games = Vec::new();
        self.read_file(&shard.games, None, |columns| games_of(columns, &mut games))?;
        Ok(games)
    }

    /// Reads the games of a shard with all their positions.
    pub fn read_shard(&self, shard: &ShardEntry) -> Result<Vec<GameRecord>> {
        let mut games = self.read_games(shard)?;
        let mut target = 0;
        self.read_file(&shard.positions, None, |columns| {
            positions_of(columns, |game_id, position| {
                let game = columns::advance(&mut games, &mut target, game_id, |game| game.game_id)?;
                game.positions.push(position);
                Ok(())
            })
        })?;
        Ok(games)
    }

    /// Compares every committed file with its manifest line; stops at the first that differs.
    ///
    /// Returns how many files were compared.
    pub fn verify(&self) -> Result<usize> {
        let mut files = 0;
        for shard in self.all_shards()? {
            for file in [&shard.games, &shard.positions] {
                self.verified_bytes(file)?;
                files += 1;
            }
        }
        Ok(files)
    }

    /// The contents of a committed file, proven to be what was written.
    pub(crate) fn verified_bytes(&self, file: &FileEntry) -> Result<Vec<u8>> {
        let path = self.root().join(&file.path);
        let changed =
            |difference: String| DataError::Changed { path: path.clone(), manifest: self.manifest_path(), difference };
        let bytes = match fs::read(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Err(changed("it is missing".to_owned()));
            }
            bytes => bytes.map_err(DataError::io("read", &path))?,
        };
        if bytes.len() as u64 != file.bytes {
            return Err(changed(format!("{} bytes instead of {}", bytes.len(), file.bytes)));
        }
        let found = blake3::hash(&bytes).to_hex();
        if found.as_str() != file.blake3 {
            return Err(changed(format!("its blake3 is {found} instead of {}", file.blake3)));
        }
        Ok(bytes)
    }

    /// Hands the named columns (`None`: all) of a committed file over, batch by batch.
    pub(crate) fn read_file(
        &self,
        file: &FileEntry,
        names: Option<&[&str]>,
        each: impl FnMut(&Columns<'_>) -> Result<(), String>,
    ) -> Result<()> {
        let path = self.root().join(&file.path);
        let rows = read_parquet(&path, self.verified_bytes(file)?, names, each)?;
        if rows == file.rows {
            return Ok(());
        }
        let reason = format!("{rows} rows, the manifest says {}", file.rows);
        Err(DataError::Malformed { path, reason })
    }
}

/// Reads a Parquet file of ours that stands alone, as copied from somewhere, without a manifest to check it by.
///
/// For the games table; positions are empty.
pub fn read_games_file(path: &Path) -> Result<Vec<GameRecord>> {
    let bytes = fs::read(path).map_err(DataError::io("read", path))?;
    let mut games = Vec::new();
    read_parquet(path, bytes, None, |columns| games_of(columns, &mut games))?;
    Ok(games)
}

/// Reads the positions table of a file that stands alone: each position with its game's id.
pub fn read_positions_file(path: &Path) -> Result<Vec<(u64, PositionRecord)>> {
    let bytes = fs::read(path).map_err(DataError::io("read", path))?;
    let mut positions = Vec::new();
    read_parquet(path, bytes, None, |columns| {
        positions_of(columns, |game_id, position| {
            positions.push((game_id, position));
            Ok(())
        })
    })?;
    Ok(positions)
}

/// Decodes a file from memory; returns its number of rows.
fn read_parquet(
    path: &Path,
    bytes: Vec<u8>,
    names: Option<&[&str]>,
    mut each: impl FnMut(&Columns<'_>) -> Result<(), String>,
) -> Result<u64> {
    let malformed = |reason: String| DataError::Malformed { path: path.to_owned(), reason };
    let work = AssertUnwindSafe(|| -> Result<u64> {
        let builder =
            ParquetRecordBatchReaderBuilder::try_new(bytes.into()).map_err(|error| malformed(error.to_string()))?;
        let version = schema_version(&builder).map_err(malformed)?;
        if version > SCHEMA_VERSION {
            return Err(DataError::TooNew { path: path.to_owned(), found: version });
        }
        let mask = match names {
            Some(names) => ProjectionMask::columns(builder.parquet_schema(), names.iter().copied()),
            None => ProjectionMask::all(),
        };
        let reader = builder.with_projection(mask).with_batch_size(BATCH_ROWS).build();
        let mut rows = 0;
        for batch in reader.map_err(|error| malformed(error.to_string()))? {
            let batch: RecordBatch = batch.map_err(|error| malformed(error.to_string()))?;
            rows += batch.num_rows() as u64;
            each(&Columns(&batch)).map_err(malformed)?;
        }
        Ok(rows)
    });
    // What the closure changes (the rows collected so far) is thrown away by every caller on an error.
    catch_unwind(work).unwrap_or_else(|panic| Err(malformed(panic_message(&*panic))))
}

pub(crate) fn panic_message(panic: &(dyn Any + Send)) -> String {
    let message = panic.downcast_ref::<&str>().copied();
    let message = message.or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    format!("the reader gave up: {}", message.unwrap_or("no reason given"))
}

fn schema_version(builder: &ParquetRecordBatchReaderBuilder<bytes::Bytes>) -> Result<u32, String> {
    let footer = builder.metadata().file_metadata().key_value_metadata();
    let entry = footer.into_iter().flatten().find(|entry| entry.key == FOOTER_SCHEMA_VERSION);
    let value = entry.and_then(|entry| entry.value.as_deref());
    let value = value.ok_or_else(|| format!("its footer has no {FOOTER_SCHEMA_VERSION}, so kirin did not write it"))?;
    value.parse().map_err(|_| format!("{FOOTER_SCHEMA_VERSION} {value:?} is not a number"))
}

fn games_of(columns: &Columns<'_>, games: &mut Vec<GameRecord>) -> Result<(), String> {
    let game_id = columns.u64s("game_id")?;
    let run_id = columns.texts("run_id")?;
    let generation = columns.u32s("generation")?;
    let variant = columns.texts("variant")?;
    let ruleset = columns.texts("ruleset")?;
    let worker = columns.texts("worker")?;
    let seed = columns.u64s("seed")?;
    let net_first = columns.texts("net_first")?;
    let net_second = columns.texts("net_second")?;
    let start_fen = columns.optional_texts("start_fen")?;
    let opening_id = columns.optional_texts("opening_id")?;
    let setup_first = columns.optional_texts("setup_first")?;
    let setup_second = columns.optional_texts("setup_second")?;
    let moves = columns.lists("moves")?;
    let moves_text = columns.texts("moves_text")?;
    let result = columns.results("result")?;
    let termination = columns.texts("termination")?;
    let points_first = columns.optional_f32s("points_first")?;
    let points_second = columns.optional_f32s("points_second")?;
    let visits = columns.u32s("visits")?;
    let resigned_playthrough = columns.flags("resigned_playthrough")?;
    let started_at = columns.milliseconds("started_at")?;
    let wall_ms = columns.u32s("wall_ms")?;
    let engine_version = columns.texts("engine_version")?;
    for row in 0..columns.rows() {
        games.push(GameRecord {
            game_id: game_id(row),
            run_id: run_id(row),
            generation: generation(row),
            variant: variant(row),
            ruleset: ruleset(row),
            worker: worker(row),
            seed: seed(row),
            net_first: net_first(row),
            net_second: net_second(row),
            start_fen: start_fen(row),
            opening_id: opening_id(row),
            setup_first: setup_first(row),
            setup_second: setup_second(row),
            moves: moves(row),
            moves_text: moves_text(row),
            result: result(row)?,
            termination: termination(row),
            points_first: points_first(row),
            points_second: points_second(row),
            visits: visits(row),
            resigned_playthrough: resigned_playthrough(row),
            started_at: started_at(row),
            wall_ms: wall_ms(row),
            engine_version: engine_version(row),
            positions: Vec::new(),
        });
    }
    Ok(())
}

fn positions_of(
    columns: &Columns<'_>,
    mut each: impl FnMut(u64, PositionRecord) -> Result<(), String>,
) -> Result<(), String> {
    let game_id = columns.u64s("game_id")?;
    let ply = columns.u32s("ply")?;
    let side = columns.u32s("side")?;
    let pos_key = columns.keys("pos_key")?;
    let parent_key = columns.keys("parent_key")?;
    let mv = columns.u32s("move")?;
    let policy_move = columns.lists("policy_move")?;
    let policy_visits = columns.lists("policy_visits")?;
    let [win, draw, loss] = ["root_win", "root_draw", "root_loss"].map(|name| columns.f32s(name));
    let (win, draw, loss) = (win?, draw?, loss?);
    let root_q = columns.f32s("root_q")?;
    let net_q = columns.f32s("net_q")?;
    let net_policy_entropy = columns.f32s("net_policy_entropy")?;
    let policy_kld = columns.f32s("policy_kld")?;
    let visits = columns.u32s("visits")?;
    let full_search = columns.flags("full_search")?;
    let target_weight = columns.f32s("target_weight")?;
    let generation = columns.u32s("generation")?;
    for row in 0..columns.rows() {
        let position = PositionRecord {
            ply: columns::narrow("ply", ply(row))?,
            side: columns::narrow("side", side(row))?,
            pos_key: pos_key(row).ok_or("pos_key is null")?,
            parent_key: parent_key(row),
            mv: mv(row),
            policy_move: policy_move(row),
            policy_visits: policy_visits(row),
            root_wdl: [win(row), draw(row), loss(row)],
            root_q: root_q(row),
            net_q: net_q(row),
            net_policy_entropy: net_policy_entropy(row),
            policy_kld: policy_kld(row),
            visits: visits(row),
            full_search: full_search(row),
            target_weight: target_weight(row),
            generation: generation(row),
        };
        each(game_id(row), position)?;
    }
    Ok(())
}
