//! Writes records to Parquet files: the same records give the same bytes.

use std::collections::BTreeSet;
use std::io::{self, Write};

use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_writer::ArrowWriterOptions;
use parquet::basic::{Compression, Encoding, ZstdLevel};
use parquet::errors::ParquetError;
use parquet::file::metadata::{KeyValue, SortingColumn};
use parquet::file::properties::WriterProperties;
use parquet::schema::types::ColumnPath;
use rules::Variant;

use crate::column::{self, Column, TableSchema};
use crate::game::{GameRecord, GameTable};
use crate::position_table::{PositionRow, PositionTable};
use crate::tables::{FOOTER_CONFIG, FOOTER_GIT_REVISION, FOOTER_SCHEMA_VERSION, ROW_GROUP_ROWS, SCHEMA_VERSION};

/// Provenance of a shard, stored in the footers of its files.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Provenance {
    /// Digest of the resolved configuration; of a merged shard those of its parts, separated by commas.
    pub config_digest: String,
    /// Git revision of the program; of a merged shard likewise.
    pub git_revision: String,
}

/// Rows written and bytes of the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct WrittenTable {
    pub rows: u64,
    pub bytes: u64,
    pub digest: blake3::Hash,
}

/// Writes the games table; `games` sorted by id.
///
/// # Errors
/// The output cannot be written.
pub(crate) fn write_games<V: Variant>(
    games: &[&GameRecord<V>],
    provenance: &Provenance,
    out: impl Write + Send,
) -> io::Result<WrittenTable> {
    write_table::<GameTable<V>>(footer(games, provenance), out, games)
}

/// Writes the positions table of the same games.
///
/// # Errors
/// The output cannot be written.
pub(crate) fn write_positions<V: Variant>(
    games: &[&GameRecord<V>],
    provenance: &Provenance,
    out: impl Write + Send,
) -> io::Result<WrittenTable> {
    let mut rows = Vec::with_capacity(games.iter().map(|game| game.positions.len()).sum());
    for &game in games {
        rows.extend(game.positions.iter().map(|at| PositionRow { game, at }));
    }
    write_table::<PositionTable<V>>(footer(games, provenance), out, &rows)
}

/// Writes a table: the same rows give the same bytes.
///
/// # Errors
/// The output cannot be written.
pub(crate) fn write_table<'a, T: TableSchema>(
    footer: Vec<KeyValue>,
    out: impl Write + Send,
    rows: &'a [T::Row<'a>],
) -> io::Result<WrittenTable> {
    write_columns(&T::columns(), footer, out, rows)
}

/// Like [`write_table`], with these columns.
///
/// # Errors
/// The output cannot be written.
pub(crate) fn write_columns<'a, T: TableSchema>(
    columns: &[Column<T>],
    footer: Vec<KeyValue>,
    out: impl Write + Send,
    rows: &'a [T::Row<'a>],
) -> io::Result<WrittenTable> {
    let schema = column::schema(columns);
    let mut out = Digesting { out, hasher: blake3::Hasher::new(), bytes: 0 };
    let options = ArrowWriterOptions::new().with_properties(properties(columns, footer)).with_skip_arrow_metadata(true);
    let mut writer = ArrowWriter::try_new_with_options(&mut out, schema.clone(), options).map_err(into_io)?;
    for rows in rows.chunks(ROW_GROUP_ROWS) {
        let batch = column::batch(&schema, columns, rows).map_err(io::Error::other)?;
        writer.write(&batch).map_err(into_io)?;
    }
    writer.close().map_err(into_io)?;
    Ok(WrittenTable { rows: rows.len() as u64, bytes: out.bytes, digest: out.hasher.finalize() })
}

fn properties<T: TableSchema>(columns: &[Column<T>], footer: Vec<KeyValue>) -> WriterProperties {
    let level = ZstdLevel::try_new(3).expect("3 is a level of zstd");
    let by_first = SortingColumn { column_idx: 0, descending: false, nulls_first: false };
    let mut builder = WriterProperties::builder()
        .set_compression(Compression::ZSTD(level))
        .set_max_row_group_row_count(Some(ROW_GROUP_ROWS))
        .set_sorting_columns(T::SORTED.then(|| vec![by_first]))
        .set_key_value_metadata((!footer.is_empty()).then_some(footer));
    for column in columns {
        let path = ColumnPath::new(column.path());
        if column.varied || column.split {
            builder = builder.set_column_dictionary_enabled(path.clone(), false);
        }
        if column.split {
            builder = builder.set_column_encoding(path, Encoding::BYTE_STREAM_SPLIT);
        }
    }
    builder.build()
}

fn footer<V: Variant>(games: &[&GameRecord<V>], provenance: &Provenance) -> Vec<KeyValue> {
    let runs: BTreeSet<&str> = games.iter().map(|game| game.run_id.as_str()).collect();
    let nets = games.iter().flat_map(|game| [game.net_first.as_str(), game.net_second.as_str()]);
    let nets: BTreeSet<&str> = nets.collect();
    let seeds = || games.iter().map(|game| game.seed);
    let joined = |set: BTreeSet<&str>| set.into_iter().collect::<Vec<_>>().join(",");
    let entry = |key: &str, value: String| KeyValue::new(key.to_owned(), value);
    vec![
        entry(FOOTER_SCHEMA_VERSION, SCHEMA_VERSION.to_string()),
        entry("kirin.run", joined(runs)),
        entry(FOOTER_CONFIG, provenance.config_digest.clone()),
        entry("kirin.nets", joined(nets)),
        entry(FOOTER_GIT_REVISION, provenance.git_revision.clone()),
        entry("kirin.seed_min", seeds().min().map_or(String::new(), |seed| seed.to_string())),
        entry("kirin.seed_max", seeds().max().map_or(String::new(), |seed| seed.to_string())),
    ]
}

/// Errors of the operating system pass through Parquet's error type; a full disk must stay recognisable.
pub(crate) fn into_io(error: ParquetError) -> io::Error {
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
