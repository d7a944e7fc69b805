//! Parquet files back into records.
//!
//! A file is read once into memory and its digest compared with the manifest before a byte of it is
//! interpreted: Parquet alone does not see most flipped bits. The Parquet reader runs where its panics are
//! contained, since it has had some on malformed files.

use std::any::Any;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};

use arrow_array::RecordBatch;
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use rules::Variant;

use crate::bounded;
use crate::column::{self, Columns, Table};
use crate::error::{DataError, FileFault, Result};
use crate::game::{GameRecord, Games};
use crate::manifest::{FileEntry, ShardEntry};
use crate::pages;
use crate::position::{PositionDraft, Positions};
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
        self.read_file::<Games<V>>(&shard.games, |rows| {
            games.extend(rows);
            Ok(())
        })?;
        Ok(games)
    }

    /// Reads the games of a shard with all their positions.
    ///
    /// # Errors
    /// A file is not what was written, or holds something else than games of the variant.
    pub fn read_shard<V: Variant>(&self, shard: &ShardEntry) -> Result<Vec<GameRecord<V>>> {
        let mut games = self.read_games(shard)?;
        // Both tables are in the order of the games' ids.
        let mut at = 0;
        self.read_file::<Positions<V>>(&shard.positions, |rows| {
            for PositionDraft { game_id, at: position } in rows {
                while games.get(at).is_some_and(|game| game.game_id < game_id) {
                    at += 1;
                }
                let game = games.get_mut(at).filter(|game| game.game_id == game_id);
                game.ok_or(FileFault::NoGame { game_id })?.positions.push(position);
            }
            Ok(())
        })?;
        Ok(games)
    }

    /// The contents of a committed file, proven to be what was written.
    pub(crate) fn verified_bytes(&self, file: &FileEntry) -> Result<Vec<u8>> {
        let path = self.root().join(&file.path);
        if !file.is_inside() {
            return Err(DataError::Outside { path: file.path.clone(), manifest: self.manifest_path() });
        }
        let changed =
            |difference: String| DataError::Changed { path: path.clone(), manifest: self.manifest_path(), difference };
        let bytes = match bounded::read_ordinary(&path, MOST_FILE_BYTES) {
            // Without the manifest the whole folder is gone, not this file.
            Err(error) if error.kind() == io::ErrorKind::NotFound && self.manifest_path().exists() => {
                if !self.is_listed(file)? {
                    return Err(DataError::Merged { path });
                }
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

    /// Whether the manifest still names a file.
    fn is_listed(&self, file: &FileEntry) -> Result<bool> {
        Ok(self.all_shards()?.iter().any(|shard| shard.games == *file || shard.positions == *file))
    }

    /// What made a shard, as the footer of one of its files says.
    pub(crate) fn provenance(&self, file: &FileEntry) -> Result<Provenance> {
        let bytes = self.verified_bytes(file)?;
        let path = self.root().join(&file.path);
        let builder = ParquetRecordBatchReaderBuilder::try_new(bytes::Bytes::from(bytes))
            .map_err(|error| DataError::Malformed { path, fault: error.into() })?;
        let value = |key| footer(&builder, key).unwrap_or_default().to_owned();
        Ok(Provenance { config_digest: value(FOOTER_CONFIG), git_revision: value(FOOTER_GIT_REVISION) })
    }

    /// Hands the rows of a committed file over, some hundreds at a time.
    fn read_file<T: Table>(
        &self,
        file: &FileEntry,
        mut each: impl FnMut(Vec<T::Draft>) -> Result<(), FileFault>,
    ) -> Result<()> {
        let columns = T::columns();
        let names: Vec<&str> = columns.iter().filter(|column| column.is_read()).map(|column| column.name).collect();
        self.read_batches(file, &names, |batch, version| each(column::drafts(&columns, batch, version)?))
    }

    /// Hands these columns of a committed file over, some hundred rows at a time.
    pub(crate) fn read_columns(
        &self,
        file: &FileEntry,
        names: &[&str],
        mut each: impl FnMut(&Columns<'_>) -> Result<(), FileFault>,
    ) -> Result<()> {
        self.read_batches(file, names, |batch, _| each(&Columns(batch)))
    }

    fn read_batches(
        &self,
        file: &FileEntry,
        names: &[&str],
        each: impl FnMut(&RecordBatch, u32) -> Result<(), FileFault>,
    ) -> Result<()> {
        let bytes = self.verified_bytes(file)?;
        // What `each` has collected is thrown away by every caller on an error.
        let read = catch_unwind(AssertUnwindSafe(|| read_parquet(bytes, file.rows, names, each)));
        let read = read.unwrap_or_else(|panic| Err(FileFault::Panic(panic_message(&*panic))));
        read.map_err(|fault| {
            let path = self.root().join(&file.path);
            match fault {
                FileFault::TooNew { found } => DataError::TooNew { path, found },
                fault => DataError::Malformed { path, fault },
            }
        })
    }
}

/// Decodes these columns of a file of `rows` rows from memory; `each` gets the schema version, too.
fn read_parquet(
    bytes: Vec<u8>,
    rows: u64,
    names: &[&str],
    mut each: impl FnMut(&RecordBatch, u32) -> Result<(), FileFault>,
) -> Result<(), FileFault> {
    let bytes = bytes::Bytes::from(bytes);
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
    pages::check(&bytes, builder.metadata())?;
    let mask = ProjectionMask::columns(builder.parquet_schema(), names.iter().copied());
    for batch in builder.with_projection(mask).with_batch_size(BATCH_ROWS).build()? {
        each(&batch?, version)?;
    }
    Ok(())
}

fn panic_message(panic: &(dyn Any + Send)) -> String {
    let message = panic.downcast_ref::<&str>().copied();
    let message = message.or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    message.unwrap_or("no reason given").to_owned()
}

fn schema_version(builder: &ParquetRecordBatchReaderBuilder<bytes::Bytes>) -> Result<u32, FileFault> {
    let value = footer(builder, FOOTER_SCHEMA_VERSION).ok_or(FileFault::Foreign)?;
    value.parse().map_err(|_| FileFault::Version(value.to_owned()))
}

/// What the footer says under a key.
fn footer<'a>(builder: &'a ParquetRecordBatchReaderBuilder<bytes::Bytes>, key: &str) -> Option<&'a str> {
    let entries = builder.metadata().file_metadata().key_value_metadata();
    entries.into_iter().flatten().find(|entry| entry.key == key)?.value.as_deref()
}
