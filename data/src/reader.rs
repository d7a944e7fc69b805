//! Reads Parquet files into records.
//!
//! A file is read once into memory and its digest compared with the manifest before a byte of it is
//! interpreted: Parquet alone does not see most flipped bits. The Parquet reader runs where its panics are
//! contained, since it has had some on malformed files.

use std::any::Any;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use arrow_array::RecordBatch;
use bytes::Bytes;
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use rules::Variant;

use crate::bounded;
use crate::column::{self, Columns, TableSchema};
use crate::durable;
use crate::error::{DataError, FileFault, Result};
use crate::game::{GameRecord, GameTable};
use crate::manifest::{FileEntry, ShardEntry};
use crate::pages;
use crate::position_table::{PositionDraft, PositionRow, PositionTable};
use crate::store::DataStore;
use crate::tables::{FOOTER_CONFIG, FOOTER_GIT_REVISION, FOOTER_SCHEMA_VERSION, SCHEMA_VERSION};
use crate::writer::Provenance;

/// Rows decoded at a time: few enough that they stay in the processor's cache while column after column is filled in.
const BATCH_ROWS: usize = 1024;

/// Largest Parquet file that is read, bytes. A shard of a million positions has about 100 MB.
const MOST_FILE_BYTES: u64 = 4 << 30;

impl DataStore {
    /// Reads the games of a shard without their positions (`positions` is empty).
    ///
    /// # Errors
    /// A file is not what was written, or holds something else than games of the variant.
    pub fn read_games<V: Variant>(&self, shard: &ShardEntry) -> Result<Vec<GameRecord<V>>> {
        let mut games = Vec::new();
        self.read_file::<GameTable<V>>(&shard.games, |rows| add(rows, &mut games))?;
        Ok(games)
    }

    /// Reads the games of a shard with all their positions.
    ///
    /// # Errors
    /// A file is not what was written, or holds something else than games of the variant.
    pub fn read_shard<V: Variant>(&self, shard: &ShardEntry) -> Result<Vec<GameRecord<V>>> {
        let mut games = self.read_games(shard)?;
        let mut placing = Placing::default();
        self.read_file::<PositionTable<V>>(&shard.positions, |rows| placing.place(rows, &mut games))?;
        Ok(games)
    }

    /// Checks the columns of a shard that follow from others and are read by other programs only. `games` are its games.
    ///
    /// # Errors
    /// A file is not what was written, or such a column says something else than its games.
    pub(crate) fn require_derived<V: Variant>(&self, shard: &ShardEntry, games: &[GameRecord<V>]) -> Result<()> {
        let rows: Vec<&GameRecord<V>> = games.iter().collect();
        self.require_derived_of::<GameTable<V>>(&shard.games, &rows)?;
        let row = |game| move |at| PositionRow { game, at };
        let rows: Vec<PositionRow<'_, V>> =
            games.iter().flat_map(|game| game.positions.iter().map(row(game))).collect();
        self.require_derived_of::<PositionTable<V>>(&shard.positions, &rows)
    }

    /// `rows` are those of the file, in their order.
    fn require_derived_of<'a, T: TableSchema>(&self, file: &FileEntry, rows: &'a [T::Row<'a>]) -> Result<()> {
        let columns = T::columns();
        let names: Vec<&str> = columns.iter().filter(|column| !column.is_read()).map(|column| column.name).collect();
        let mut at = 0;
        self.read_batches(file, &names, |batch, version| {
            let until = (at + batch.num_rows()).min(rows.len());
            let found = column::require_derived(&columns, batch, version, &rows[at..until]);
            at = until;
            found
        })
    }

    /// The contents of a committed file, proven to be what was written.
    ///
    /// # Errors
    /// The file cannot be read, or is not what the manifest lists.
    pub(crate) fn verified_bytes(&self, file: &FileEntry) -> Result<Vec<u8>> {
        let mut bytes = Vec::new();
        self.verify_into(file, &mut bytes)?;
        Ok(bytes)
    }

    /// Like [`verified_bytes`](Self::verified_bytes), but reuses the memory of `bytes`.
    fn verify_into(&self, file: &FileEntry, bytes: &mut Vec<u8>) -> Result<()> {
        let path = self.root().join(&file.path);
        if !file.is_inside() {
            return Err(DataError::Outside { path: file.path.clone(), manifest: self.manifest_path() });
        }
        let changed =
            |difference: String| DataError::Changed { path: path.clone(), manifest: self.manifest_path(), difference };
        let mut hasher = blake3::Hasher::new();
        match bounded::read_ordinary_into(&path, MOST_FILE_BYTES, bytes, |part| {
            hasher.update(part);
        }) {
            // If the manifest is missing too, the whole folder is gone, not this file.
            Err(error) if error.kind() == io::ErrorKind::NotFound && durable::is_there(&self.manifest_path())? => {
                if !self.is_listed(file)? {
                    return Err(DataError::Merged { path });
                }
                return Err(changed("it is missing".to_owned()));
            }
            read => read.map_err(DataError::io("read", &path))?,
        }
        if bytes.len() as u64 != file.bytes {
            return Err(changed(format!("{} bytes instead of {}", bytes.len(), file.bytes)));
        }
        let found = hasher.finalize().to_hex();
        if found.as_str() != file.blake3 {
            return Err(changed(format!("its blake3 is {found} instead of {}", file.blake3)));
        }
        Ok(())
    }

    /// Whether the manifest still names a file.
    fn is_listed(&self, file: &FileEntry) -> Result<bool> {
        Ok(self.all_shards()?.iter().any(|shard| shard.games == *file || shard.positions == *file))
    }

    /// The provenance of a shard from the footer of one of its files.
    ///
    /// # Errors
    /// The file cannot be read, or is not what the manifest lists.
    pub(crate) fn provenance(&self, file: &FileEntry) -> Result<Provenance> {
        let bytes = self.verified_bytes(file)?;
        let path = self.root().join(&file.path);
        let builder = ParquetRecordBatchReaderBuilder::try_new(Bytes::from(bytes))
            .map_err(|error| DataError::Malformed { path, fault: error.into() })?;
        let value = |key| footer(&builder, key).unwrap_or_default().to_owned();
        Ok(Provenance { config_digest: value(FOOTER_CONFIG), git_revision: value(FOOTER_GIT_REVISION) })
    }

    /// The entry of a shard whose files are there and not listed, as they are now. `games` and `positions` are their paths
    /// inside the folder: `games/variant=wangqi/gen=0003/SHARD.parquet`.
    ///
    /// # Errors
    /// A path is not that of a shard, or a file cannot be read or is damaged.
    pub(crate) fn entry_of_files(&self, games: &Path, positions: &Path) -> Result<ShardEntry> {
        let foreign = || DataError::Malformed { path: self.root().join(games), fault: FileFault::Foreign };
        let mut folders = games.iter().rev().skip(1).map(|name| name.to_str().unwrap_or_default());
        let generation = folders.next().and_then(|name| name.strip_prefix("gen=")?.parse().ok());
        let variant = folders.next().and_then(|name| name.strip_prefix("variant="));
        let shard = games.file_stem().and_then(|name| name.to_str());
        let (Some(generation), Some(variant), Some(shard)) = (generation, variant, shard) else {
            return Err(foreign());
        };
        let (schema_version, games) = self.entry_of_file(games)?;
        let (_, positions) = self.entry_of_file(positions)?;
        let (variant, shard) = (variant.to_owned(), shard.to_owned());
        Ok(ShardEntry { variant, generation, shard, schema_version, games, positions, parts: Vec::new() })
    }

    /// The schema version and the entry of a file as it is now.
    fn entry_of_file(&self, inside: &Path) -> Result<(u32, FileEntry)> {
        let path = self.root().join(inside);
        let bytes = bounded::read_ordinary(&path, MOST_FILE_BYTES).map_err(DataError::io("read", &path))?;
        let (size, blake3) = (bytes.len() as u64, blake3::hash(&bytes).to_hex().to_string());
        let footer = catch_unwind(AssertUnwindSafe(|| {
            let builder = ParquetRecordBatchReaderBuilder::try_new(Bytes::from(bytes))?;
            Ok((schema_version(&builder)?, builder.metadata().file_metadata().num_rows() as u64))
        }));
        let footer = footer.unwrap_or_else(|panic| Err(FileFault::Panic(panic_message(&*panic))));
        let (version, rows) = footer.map_err(|fault| DataError::Malformed { path, fault })?;
        let path = inside.iter().map(|part| part.to_string_lossy()).collect::<Vec<_>>().join("/");
        Ok((version, FileEntry { path, rows, bytes: size, blake3 }))
    }

    /// Size of the columns of a committed file, encoded but not compressed, in bytes.
    ///
    /// # Errors
    /// The file is not what was written.
    pub fn plain_bytes(&self, file: &FileEntry) -> Result<u64> {
        let bytes = self.verified_bytes(file)?;
        let builder = ParquetRecordBatchReaderBuilder::try_new(Bytes::from(bytes))
            .map_err(|error| DataError::Malformed { path: self.root().join(&file.path), fault: error.into() })?;
        let groups = builder.metadata().row_groups();
        Ok(groups.iter().map(|group| u64::try_from(group.total_byte_size()).unwrap_or_default()).sum())
    }

    /// Hands the rows of a committed file over, some hundreds at a time.
    fn read_file<T: TableSchema>(
        &self,
        file: &FileEntry,
        mut each: impl FnMut(Vec<T::Draft>) -> Result<(), FileFault>,
    ) -> Result<()> {
        let columns = T::columns();
        let names: Vec<&str> = columns.iter().filter(|column| column.is_read()).map(|column| column.name).collect();
        self.read_batches(file, &names, |batch, version| each(column::drafts(&columns, batch, version)?))
    }

    /// Hands these columns of a committed file over, some hundred rows at a time.
    ///
    /// # Errors
    /// The file cannot be read, is not what the manifest lists, or `each` refuses a row.
    pub(crate) fn read_columns(
        &self,
        file: &FileEntry,
        names: &[&str],
        each: impl FnMut(&Columns<'_>) -> Result<(), FileFault>,
    ) -> Result<()> {
        self.read_columns_in(&FileMemory::default(), file, names, each)
    }

    /// Like [`read_columns`](Self::read_columns), with memory for the bytes of one file after another.
    ///
    /// # Errors
    /// As of [`read_columns`](Self::read_columns).
    pub(crate) fn read_columns_in(
        &self,
        memory: &FileMemory,
        file: &FileEntry,
        names: &[&str],
        mut each: impl FnMut(&Columns<'_>) -> Result<(), FileFault>,
    ) -> Result<()> {
        let mut bytes = memory.take();
        self.verify_into(file, &mut bytes)?;
        let bytes = SharedBytes(Arc::new(bytes));
        let read = self.read_verified(Bytes::from_owner(bytes.clone()), file, names, |batch, _| each(&Columns(batch)));
        memory.give_back(Arc::try_unwrap(bytes.0).unwrap_or_default());
        read
    }

    /// Hands these columns over as batches of Arrow, with the schema version of the file. A column that the file lacks is
    /// left out.
    ///
    /// # Errors
    /// As of [`read_columns`](Self::read_columns).
    pub(crate) fn read_batches(
        &self,
        file: &FileEntry,
        names: &[&str],
        each: impl FnMut(&RecordBatch, u32) -> Result<(), FileFault>,
    ) -> Result<()> {
        self.read_verified(self.verified_bytes(file)?.into(), file, names, each)
    }

    fn read_verified(
        &self,
        bytes: Bytes,
        file: &FileEntry,
        names: &[&str],
        each: impl FnMut(&RecordBatch, u32) -> Result<(), FileFault>,
    ) -> Result<()> {
        contained(bytes, file.rows, names, each).map_err(|fault| {
            let path = self.root().join(&file.path);
            match fault {
                FileFault::TooNew { found } => DataError::TooNew { path, found },
                fault => DataError::Malformed { path, fault },
            }
        })
    }
}

/// Memory for the bytes of files, which threads take and give back: the system clears each new page, which for large files
/// takes longer than reading them from its cache.
#[derive(Default)]
pub(crate) struct FileMemory(Mutex<Vec<Vec<u8>>>);

impl FileMemory {
    fn take(&self) -> Vec<u8> {
        self.free().pop().unwrap_or_default()
    }

    fn give_back(&self, bytes: Vec<u8>) {
        self.free().push(bytes);
    }

    fn free(&self) -> MutexGuard<'_, Vec<Vec<u8>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Bytes of a file, whose memory is reused when they have been decoded.
#[derive(Clone)]
struct SharedBytes(Arc<Vec<u8>>);

impl AsRef<[u8]> for SharedBytes {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

/// Adds games, which are in the order of their ids.
fn add<V: Variant>(rows: Vec<GameRecord<V>>, games: &mut Vec<GameRecord<V>>) -> Result<(), FileFault> {
    for (row, game) in (0..).zip(rows) {
        let in_order = games.last().is_none_or(|last: &GameRecord<V>| last.game_id < game.game_id);
        let what = if in_order { game.contradiction() } else { Some("the ids of games are not in order".to_owned()) };
        if let Some(what) = what {
            return Err(FileFault::Row { row, what: format!("game {:016x}: {what}", game.game_id) });
        }
        games.push(game);
    }
    Ok(())
}

/// Adds positions to their games. Both tables are in the order of the games' ids.
#[derive(Debug, Default)]
struct Placing {
    at: usize,
    /// Visits of the positions of the present game so far.
    visits: u64,
}

impl Placing {
    fn place<V: Variant>(&mut self, rows: Vec<PositionDraft>, games: &mut [GameRecord<V>]) -> Result<(), FileFault> {
        for (row, PositionDraft { game_id, at: position }) in (0..).zip(rows) {
            while games.get(self.at).is_some_and(|game| game.game_id < game_id) {
                (self.at, self.visits) = (self.at + 1, 0);
            }
            let game = games.get_mut(self.at).filter(|game| game.game_id == game_id);
            let game = game.ok_or(FileFault::NoGame { game_id })?;
            self.visits += u64::from(position.visits);
            let what = match game.positions.last() {
                Some(last) if last.ply >= position.ply => Some("the rows of its game are not in order".to_owned()),
                _ if self.visits > u64::from(game.visits) => {
                    Some("the positions so far have more visits than the whole game".to_owned())
                }
                _ => position.contradiction(&game.sheet.moves),
            };
            if let Some(what) = what {
                let what = format!("game {game_id:016x}, ply {}: {what}", position.ply);
                return Err(FileFault::Row { row, what });
            }
            game.positions.push(position);
        }
        Ok(())
    }
}

/// The games of two tables in memory, whose digests have been compared, with all their positions.
///
/// # Errors
/// A table is damaged, has another number of rows, or its games contradict themselves or the rules.
pub(crate) fn games_of<V: Variant>(
    [games, positions]: [Vec<u8>; 2],
    [game_rows, position_rows]: [u64; 2],
) -> Result<Vec<GameRecord<V>>, FileFault> {
    let mut all: Vec<GameRecord<V>> = Vec::new();
    rows_of::<GameTable<V>>(games, game_rows, |rows| add(rows, &mut all))?;
    let mut placing = Placing::default();
    rows_of::<PositionTable<V>>(positions, position_rows, |rows| placing.place(rows, &mut all))?;
    Ok(all)
}

fn rows_of<T: TableSchema>(
    bytes: Vec<u8>,
    rows: u64,
    mut each: impl FnMut(Vec<T::Draft>) -> Result<(), FileFault>,
) -> Result<(), FileFault> {
    let columns = T::columns();
    let names: Vec<&str> = columns.iter().filter(|column| column.is_read()).map(|column| column.name).collect();
    contained(bytes.into(), rows, &names, |batch, version| each(column::drafts(&columns, batch, version)?))
}

/// Decodes, and turns a panic into an error. On an error every caller discards what `each` has collected.
fn contained(
    bytes: Bytes,
    rows: u64,
    names: &[&str],
    each: impl FnMut(&RecordBatch, u32) -> Result<(), FileFault>,
) -> Result<(), FileFault> {
    let read = catch_unwind(AssertUnwindSafe(|| read_parquet(bytes, rows, names, each)));
    read.unwrap_or_else(|panic| Err(FileFault::Panic(panic_message(&*panic))))
}

/// Decodes these columns of a file of `rows` rows from memory; `each` gets the schema version, too.
fn read_parquet(
    bytes: Bytes,
    rows: u64,
    names: &[&str],
    mut each: impl FnMut(&RecordBatch, u32) -> Result<(), FileFault>,
) -> Result<(), FileFault> {
    let builder = ParquetRecordBatchReaderBuilder::try_new(bytes.clone())?;
    let version = schema_version(&builder)?;
    if version > SCHEMA_VERSION {
        return Err(FileFault::TooNew { found: version });
    }
    // Before anything is decoded: a few bytes may stand for any number of equal rows.
    let found = builder.metadata().file_metadata().num_rows() as u64;
    if found != rows {
        return Err(FileFault::Rows { found, wanted: rows });
    }
    let unfolding = pages::check(&bytes, builder.metadata())?;
    let mask = ProjectionMask::columns(builder.parquet_schema(), names.iter().copied());
    let (mut decoded, mut before) = (0, 0);
    for batch in builder.with_projection(mask).with_batch_size(unfolding.rows_at_once(BATCH_ROWS)).build()? {
        let batch = batch?;
        // Equal values are a few bits each in the file. The caller keeps most of what it gets.
        decoded += batch.get_array_memory_size() as u64;
        unfolding.require(decoded)?;
        each(&batch, version).map_err(|fault| fault.behind(before))?;
        before += batch.num_rows() as u64;
    }
    Ok(())
}

pub(crate) fn panic_message(panic: &(dyn Any + Send)) -> String {
    let message = panic.downcast_ref::<&str>().copied();
    let message = message.or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    message.unwrap_or("no reason given").to_owned()
}

fn schema_version(builder: &ParquetRecordBatchReaderBuilder<Bytes>) -> Result<u32, FileFault> {
    let value = footer(builder, FOOTER_SCHEMA_VERSION).ok_or(FileFault::Foreign)?;
    value.parse().map_err(|_| FileFault::Version(value.to_owned()))
}

/// What the footer says under a key.
fn footer<'a>(builder: &'a ParquetRecordBatchReaderBuilder<Bytes>, key: &str) -> Option<&'a str> {
    let entries = builder.metadata().file_metadata().key_value_metadata();
    entries.into_iter().flatten().find(|entry| entry.key == key)?.value.as_deref()
}
