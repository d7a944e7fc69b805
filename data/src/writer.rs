//! Records into Parquet files: the same records give the same bytes.

use std::collections::BTreeSet;
use std::io::{self, Write};
use std::path::Path;

use arrow::array::RecordBatch;
use arrow::datatypes::SchemaRef;
use arrow::error::ArrowError;
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_writer::ArrowWriterOptions;
use parquet::basic::{Compression, Encoding, ZstdLevel};
use parquet::errors::ParquetError;
use parquet::file::metadata::{KeyValue, SortingColumn};
use parquet::file::properties::WriterProperties;
use parquet::schema::types::ColumnPath;

use crate::durable;
use crate::error::DataError;
use crate::match_game::MatchGame;
use crate::record::GameRecord;
use crate::schema::{self, FOOTER_SCHEMA_VERSION, ROW_GROUP_ROWS, SCHEMA_VERSION};

mod batches;
mod matches;

use batches::{games_batch, positions_batch};
use matches::match_games_batch;

/// What made a shard, beside what its games say themselves; kept in the footers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Provenance {
    /// Digest of the resolved configuration.
    pub config_digest: String,
    /// Git revision of the program.
    pub git_revision: String,
}

/// Rows written and bytes of the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Written {
    pub rows: u64,
    pub bytes: u64,
    pub digest: blake3::Hash,
}

/// Writes the games table; `games` sorted by id.
pub(crate) fn write_games(
    games: &[&GameRecord],
    provenance: &Provenance,
    out: impl Write + Send,
) -> io::Result<Written> {
    write_table(properties(&schema::GAMES, true, footer(games, provenance)), &schema::GAMES, out, games, games_batch)
}

/// Writes the positions table of the same games.
pub(crate) fn write_positions(
    games: &[&GameRecord],
    provenance: &Provenance,
    out: impl Write + Send,
) -> io::Result<Written> {
    let mut rows = Vec::with_capacity(games.iter().map(|game| game.positions.len()).sum());
    for &game in games {
        rows.extend(game.positions.iter().map(|at| (game, at)));
    }
    let properties = properties(&schema::POSITIONS, true, footer(games, provenance));
    write_table(properties, &schema::POSITIONS, out, &rows, positions_batch)
}

/// Writes games of matches as a Parquet file, which is there whole or not at all.
///
/// # Errors
/// The file cannot be written.
pub fn write_match_games(path: &Path, games: &[MatchGame]) -> Result<(), DataError> {
    let properties = properties(&schema::MATCH_GAMES, false, Vec::new());
    durable::write_atomically(path, |file| {
        write_table(properties, &schema::MATCH_GAMES, file, games, match_games_batch).map(drop)
    })
}

fn write_table<Row>(
    properties: WriterProperties,
    schema: &SchemaRef,
    out: impl Write + Send,
    rows: &[Row],
    batch: fn(&[Row]) -> Result<RecordBatch, ArrowError>,
) -> io::Result<Written> {
    let mut out = Digesting { out, hasher: blake3::Hasher::new(), bytes: 0 };
    let options = ArrowWriterOptions::new().with_properties(properties).with_skip_arrow_metadata(true);
    let mut writer = ArrowWriter::try_new_with_options(&mut out, schema.clone(), options).map_err(into_io)?;
    for rows in rows.chunks(ROW_GROUP_ROWS) {
        let batch = batch(rows).map_err(io::Error::other)?;
        writer.write(&batch).map_err(into_io)?;
    }
    writer.close().map_err(into_io)?;
    Ok(Written { rows: rows.len() as u64, bytes: out.bytes, digest: out.hasher.finalize() })
}

/// Columns whose values hardly repeat, where a dictionary would only be built to be thrown away.
const NO_DICTIONARY: [&str; 5] = ["game_id", "seed", "moves_text", "pos_key", "parent_key"];

/// `by_first`: whether the rows are in the order of the first column.
fn properties(schema: &SchemaRef, by_first: bool, footer: Vec<KeyValue>) -> WriterProperties {
    let level = ZstdLevel::try_new(3).expect("3 is a level of zstd");
    let by_game = SortingColumn { column_idx: 0, descending: false, nulls_first: false };
    let mut builder = WriterProperties::builder()
        .set_compression(Compression::ZSTD(level))
        .set_max_row_group_row_count(Some(ROW_GROUP_ROWS))
        .set_sorting_columns(by_first.then(|| vec![by_game]))
        .set_key_value_metadata((!footer.is_empty()).then_some(footer));
    for field in schema.fields() {
        let column = ColumnPath::from(field.name().as_str());
        if NO_DICTIONARY.contains(&field.name().as_str()) {
            builder = builder.set_column_dictionary_enabled(column, false);
        } else if field.data_type().is_floating() {
            // Measured values share exponents, not mantissas: split bytes compress better.
            builder = builder
                .set_column_dictionary_enabled(column.clone(), false)
                .set_column_encoding(column, Encoding::BYTE_STREAM_SPLIT);
        }
    }
    builder.build()
}

fn footer(games: &[&GameRecord], provenance: &Provenance) -> Vec<KeyValue> {
    let runs: BTreeSet<&str> = games.iter().map(|game| game.run_id.as_str()).collect();
    let nets = games.iter().flat_map(|game| [game.net_first.as_str(), game.net_second.as_str()]);
    let nets: BTreeSet<&str> = nets.collect();
    let seeds = || games.iter().map(|game| game.seed);
    let joined = |set: BTreeSet<&str>| set.into_iter().collect::<Vec<_>>().join(",");
    let entry = |key: &str, value: String| KeyValue::new(key.to_owned(), value);
    vec![
        entry(FOOTER_SCHEMA_VERSION, SCHEMA_VERSION.to_string()),
        entry("kirin.run", joined(runs)),
        entry("kirin.config", provenance.config_digest.clone()),
        entry("kirin.nets", joined(nets)),
        entry("kirin.git_revision", provenance.git_revision.clone()),
        entry("kirin.seed_min", seeds().min().map_or(String::new(), |seed| seed.to_string())),
        entry("kirin.seed_max", seeds().max().map_or(String::new(), |seed| seed.to_string())),
    ]
}

/// Errors of the operating system pass through Parquet's error type; a full disk must stay recognisable.
fn into_io(error: ParquetError) -> io::Error {
    match error {
        ParquetError::External(inner) => match inner.downcast::<io::Error>() {
            Ok(inner) => *inner,
            Err(inner) => io::Error::other(inner),
        },
        error => io::Error::other(error),
    }
}

/// Counts and digests what passes through.
struct Digesting<W> {
    out: W,
    hasher: blake3::Hasher,
    bytes: u64,
}

impl<W: Write> Write for Digesting<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.out.write(bytes)?;
        self.hasher.update(&bytes[..written]);
        self.bytes += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}
