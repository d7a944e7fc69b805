//! SQL over the tables `games` and `positions` of data folders, by polars.
//!
//! The files that a query needs are compared with their manifest before polars opens them. Files of earlier schema versions
//! have nulls in the columns that they lack. Both tables have two columns more than their files: `folder`, the folder's name
//! as it was given, and in `positions` also `variant`.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};

use polars::prelude::*;
use polars::sql::SQLContext;
use rayon::prelude::*;
use settings::ExitKind;

use crate::error::{DataError, Result};
use crate::manifest::{FileEntry, ShardEntry};
use crate::output::Output;
use crate::reader::panic_message;
use crate::store::DataStore;

/// The tables and their file of a shard.
const TABLES: [(&str, fn(&ShardEntry) -> &FileEntry); 2] =
    [("games", |shard| &shard.games), ("positions", |shard| &shard.positions)];

/// Why a query has no answer.
#[derive(Debug, thiserror::Error)]
pub enum QueryError {
    /// It is not SQL, or names a table, column or function that is not there.
    #[error("the query: {0}")]
    Sql(String),
    /// The folders hold no games.
    #[error("{} no games, so there is nothing to ask", if folders.contains(", ") { format!("{folders} hold") } else { format!("{folders} holds") })]
    NoGames {
        /// Their names.
        folders: String,
    },
    /// Games or positions cannot be read, or the answer cannot be written.
    #[error(transparent)]
    Data(#[from] DataError),
}

impl QueryError {
    /// What the error asks for.
    pub fn exit_kind(&self) -> ExitKind {
        match self {
            QueryError::Sql(_) | QueryError::NoGames { .. } => ExitKind::Input,
            QueryError::Data(_) => ExitKind::Machine,
        }
    }
}

/// How an answer is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AnswerFormat {
    /// A header and a line for each row; keys are in hexadecimal, lists as numbers between spaces.
    Csv,
    /// An object in each line; keys are in hexadecimal.
    JsonLines,
    /// Parquet.
    Parquet,
}

/// The rows that a query selects.
pub struct Answer {
    frame: DataFrame,
}

/// Asks the games and positions in some folders, each with its name, in SQL: one `select`.
///
/// # Errors
/// The query is wrong, the folders hold no games, or a file that it needs is not what its manifest says.
pub fn query(folders: &[(String, DataStore)], sql: &str) -> Result<Answer, QueryError> {
    let asked = sql.to_lowercase();
    let mut context = SQLContext::new();
    let mut shards = Vec::new();
    for (name, store) in folders {
        shards.extend(store.all_shards()?.into_iter().map(|shard| (name.as_str(), store, shard)));
    }
    if shards.is_empty() {
        let folders = folders.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>().join(", ");
        return Err(QueryError::NoGames { folders });
    }
    for (table, file) in TABLES {
        // A table that the query does not name is registered all the same, for the messages of polars.
        if asked.contains(table) {
            shards.par_iter().try_for_each(|(_, store, shard)| store.require_sound(file(shard)))?;
        }
        context.register(table, contained(|| scan(table, &shards, file))?);
    }
    let answer = contained(|| context.execute(sql)?.collect_with_engine(Engine::Streaming))?;
    Ok(Answer { frame: answer.unwrap_single() }) // several answers are of plans with several sinks
}

/// Polars has had panics on odd queries.
fn contained<T>(work: impl FnOnce() -> PolarsResult<T>) -> Result<T, QueryError> {
    let done = catch_unwind(AssertUnwindSafe(work));
    let done =
        done.map_err(|panic| QueryError::Sql(format!("polars cannot compute it: {}", panic_message(&*panic))))?;
    done.map_err(|error| QueryError::Sql(error.to_string()))
}

/// A table of all shards.
fn scan(
    table: &str,
    shards: &[(&str, &DataStore, ShardEntry)],
    file: fn(&ShardEntry) -> &FileEntry,
) -> PolarsResult<LazyFrame> {
    let mut alike: BTreeMap<(&str, &str, u32), Vec<PlRefPath>> = BTreeMap::new();
    for (name, store, shard) in shards {
        let path = PlRefPath::try_from_path(&store.root().join(&file(shard).path))?;
        alike.entry((name, &shard.variant, shard.schema_version)).or_default().push(path);
    }
    let newest = alike.keys().map(|(_, _, version)| *version).max().unwrap_or_default();
    let mut columns: Option<Schema> = None;
    let mut parts = Vec::new();
    for ((folder, variant, version), paths) in alike {
        let arguments = ScanArgsParquet {
            glob: false,
            hive_options: HiveOptions { enabled: Some(false), ..Default::default() },
            ..ScanArgsParquet::default()
        };
        let mut part = LazyFrame::scan_parquet_files(paths.into_iter().collect(), arguments)?;
        part = part.with_column(lit(folder).alias("folder"));
        if table == "positions" {
            part = part.with_column(lit(variant).alias("variant"));
        }
        if version == newest && columns.is_none() {
            columns = Some(part.collect_schema()?.as_ref().clone());
        }
        parts.push(part);
    }
    let columns = columns.unwrap_or_default();
    for part in &mut parts {
        let own = part.collect_schema()?;
        let column = |(name, kind): (&PlSmallStr, &DataType)| match own.contains(name) {
            true => col(name.clone()),
            false => lit(NULL).cast(kind.clone()).alias(name.clone()),
        };
        *part = part.clone().select(columns.iter().map(column).collect::<Vec<_>>());
    }
    concat(parts, UnionArgs::default())
}

impl Answer {
    /// Rows.
    pub fn rows(&self) -> usize {
        self.frame.height()
    }

    /// The titles of the columns, each with whether its values are numbers.
    pub fn columns(&self) -> Vec<(String, bool)> {
        let title = |column: &Column| (column.name().to_string(), column.dtype().is_numeric());
        self.frame.columns().iter().map(title).collect()
    }

    /// The first rows as texts; null is `None`.
    pub fn texts(&self, most: usize) -> Vec<Vec<Option<String>>> {
        let frame = self.frame.head(Some(most));
        let cell = |column: &Column, row: usize| text_of(&column.get(row).unwrap_or(AnyValue::Null));
        (0..frame.height()).map(|row| frame.columns().iter().map(|column| cell(column, row)).collect()).collect()
    }

    /// Writes it.
    ///
    /// # Errors
    /// The file or stream cannot be written.
    pub fn write(&self, out: &Output, format: AnswerFormat) -> Result<()> {
        let mut frame = match format {
            AnswerFormat::Csv => self.flattened(|kind| kind.is_binary() || kind.is_nested()),
            AnswerFormat::JsonLines => self.flattened(DataType::is_binary),
            AnswerFormat::Parquet => self.frame.clone(),
        };
        let mut write = |out: &mut (dyn Write + Send)| match format {
            AnswerFormat::Csv => CsvWriter::new(out).finish(&mut frame),
            AnswerFormat::JsonLines => JsonWriter::new(out).with_json_format(JsonFormat::JsonLines).finish(&mut frame),
            AnswerFormat::Parquet => ParquetWriter::new(out).finish(&mut frame).map(drop),
        };
        out.write(|out| {
            write(out).map_err(|error| match error {
                PolarsError::IO { error, .. } => io::Error::new(error.kind(), error.to_string()),
                error => io::Error::other(error.to_string()),
            })
        })
    }

    /// The same rows with columns of some types as texts.
    fn flattened(&self, is_odd: impl Fn(&DataType) -> bool) -> DataFrame {
        let mut frame = self.frame.clone();
        for column in self.frame.columns().iter().filter(|column| is_odd(column.dtype())) {
            let text = |row| column.get(row).ok().and_then(|value| text_of(&value));
            let texts: Vec<Option<String>> = (0..column.len()).map(text).collect();
            frame.with_column(Column::new(column.name().clone(), texts)).expect("a column as long as the frame");
        }
        frame
    }
}

/// A value as a text; `None` for null.
fn text_of(value: &AnyValue<'_>) -> Option<String> {
    match value {
        AnyValue::Null => None,
        AnyValue::String(text) => Some((*text).to_owned()),
        AnyValue::Binary(bytes) => Some(hex(bytes)),
        AnyValue::BinaryOwned(bytes) => Some(hex(bytes)),
        AnyValue::List(values) => {
            let texts: Vec<String> = values.iter().map(|value| text_of(&value).unwrap_or_default()).collect();
            Some(texts.join(" "))
        }
        value => Some(value.to_string()),
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
