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

use arrow_array::RecordBatch;
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use rules::Variant;

use crate::column::{self, Columns, Table};
use crate::durable::fault;
use crate::error::{DataError, FileFault, Result};
use crate::game::{GameRecord, Games};
use crate::manifest::{FileEntry, ShardEntry};
use crate::position::{PositionDraft, Positions};
use crate::store::DataStore;
use crate::tables::{FOOTER_CONFIG, FOOTER_GIT_REVISION, FOOTER_SCHEMA_VERSION, SCHEMA_VERSION};
use crate::writer::Provenance;

/// Rows decoded at a time: few enough that they stay in the processor's cache while column after column is filled in.
const BATCH_ROWS: usize = 1024;

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
        fault::step(fault::Step::Read).map_err(DataError::io("read", &path))?;
        if !file.is_inside() {
            return Err(DataError::Outside { path: file.path.clone(), manifest: self.manifest_path() });
        }
        let changed =
            |difference: String| DataError::Changed { path: path.clone(), manifest: self.manifest_path(), difference };
        let bytes = match fs::read(&path) {
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

    }

    /// What the columns of a committed file take without compression, but with their encodings, in bytes.
    ///
    /// # Errors
    /// The file is not what was written.
    pub fn plain_bytes(&self, file: &FileEntry) -> Result<u64> {
        let bytes = self.verified_bytes(file)?;
        let builder = ParquetRecordBatchReaderBuilder::try_new(bytes::Bytes::from(bytes))
            .map_err(|error| DataError::Malformed { path: self.root().join(&file.path), fault: error.into() })?;
        let groups = builder.metadata().row_groups();
        Ok(groups.iter().map(|group| u64::try_from(group.total_byte_size()).unwrap_or_default()).sum())
