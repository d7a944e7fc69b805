//! SQL over the tables `games` and `positions` of data folders, by polars.
//!
//! Polars is handed the columns that a query needs, read with every check of the [reader](crate::reader), and nothing
//! else: it opens no file. Files of earlier schema versions have nulls in the columns that they lack. Both tables have
//! columns that their files do not have: `folder`, the folder's name as it was given, and in `positions` also `variant`.

use std::any::Any;
use std::collections::BTreeMap;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, PoisonError};

use arrow_array::RecordBatch;
use arrow_schema::DataType as FileType;
use polars::prelude::*;
use polars::sql::SQLContext;
use rayon::prelude::*;
use rules::VariantId;
use serde_json::Value;
use settings::ExitKind;

use crate::column::TableSchema;
use crate::error::{DataError, Result};
use crate::figures::write_batch;
use crate::game::GameTable;
use crate::manifest::{FileEntry, ShardEntry};
use crate::output::Output;
use crate::position_table::PositionTable;
use crate::reader::panic_message;
use crate::store::DataStore;
use crate::threads;

mod values;

use values::Values;

/// Why a query has no answer.
#[derive(Debug, thiserror::Error)]
pub enum QueryError {
    /// It is not SQL, or names a table, column or function that is not there.
    #[error("the query: {0}")]
    Sql(String),
    /// The folders hold no games.
    #[error("there are no games in {folders}, so there is nothing to ask")]
    NoGames {
        /// Their names.
        folders: String,
    },
    /// Games or positions cannot be read.
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

/// The rows that a query selects.
pub struct QueryAnswer {
    frame: DataFrame,
}

/// A shard in a folder of this name.
#[derive(Clone)]
struct NamedShard {
    folder: String,
    store: DataStore,
    entry: ShardEntry,
}

/// Runs an SQL query, one `select`, over the games and positions of different folders, each with its name; only over
/// those of `variant`, if one is given.
///
/// # Errors
/// The query is wrong, the folders hold no games, or a file that it needs is not what its manifest says.
///
/// # Examples
/// ```
/// use data::{DataStore, GameRecord, Provenance, query};
/// use rules::{Game, GameResult, Outcome, Position, Rules, Termination, Wangqi};
///
/// # let folder = tempfile::tempdir().unwrap();
/// # let (store, _) = DataStore::open(folder.path())?;
/// let game = Game::<Wangqi>::from_moves_text(Rules::default(), Position::start(), "c3c4 e6e5")?;
/// let outcome = Outcome { result: GameResult::FirstWins, termination: Termination::Adjudicated, points: None };
/// let record = GameRecord { game_id: 7, ..GameRecord::of(&game, outcome) };
/// store.commit_shard(0, "local", &[record], &Provenance::default())?;
///
/// let sql = "select folder, game_id, plies from games where result = 1";
/// let answer = query(&[("mine".to_owned(), store)], None, sql)?;
/// assert_eq!(answer.columns(), ["folder", "game_id", "plies"]);
/// assert_eq!(serde_json::json!(answer.row(0)), serde_json::json!(["mine", 7, 2]));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn query(
    folders: &[(String, DataStore)],
    variant: Option<VariantId>,
    sql: &str,
) -> Result<QueryAnswer, QueryError> {
    if !is_select(sql) {
        return Err(QueryError::Sql("it must be one select".to_owned()));
    }
    let mut shards = Vec::new();
    for (folder, store) in folders {
        let is_wanted = |entry: &ShardEntry| variant.is_none_or(|variant| entry.variant == variant.id());
        let all = store.all_shards()?.into_iter().filter(is_wanted);
        shards.extend(all.map(|entry| NamedShard { folder: folder.clone(), store: store.clone(), entry }));
    }
    let Some(variant) = shards.first().and_then(|shard| shard.entry.variant.parse::<VariantId>().ok()) else {
        let folders = folders.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>().join(", ");
        return Err(QueryError::NoGames { folders });
    };
    // The columns of all variants are the same.
    let [games, positions] = rules::dispatch!(variant, V => {
        [columns::<GameTable<V>>(), columns::<PositionTable<V>>()]
    });
    threads::start_polars()?;
    let failed = Arc::new(Mutex::new(None));
    let tables = [
        ShardTable::new(&shards, games, &[FOLDER], |shard| &shard.games, &failed),
        ShardTable::new(&shards, positions, &[FOLDER, VARIANT], |shard| &shard.positions, &failed),
    ];
    let answer = contained(|| {
        let mut context = SQLContext::new();
        for (name, table) in ["games", "positions"].into_iter().zip(tables) {
            context.register(name, table.lazy(name)?);
        }
        context.execute(sql)?.collect()
    });
    match failed.lock().unwrap_or_else(PoisonError::into_inner).take() {
        Some(error) => Err(QueryError::Data(error)),
        None => Ok(QueryAnswer { frame: answer? }),
    }
}

/// Whether the query begins as one that selects. Polars knows other statements, which would change tables of its own.
fn is_select(sql: &str) -> bool {
    let mut rest = sql.trim_start_matches(|first: char| first.is_whitespace() || first == '(');
    loop {
        let after_comment = match (rest.strip_prefix("--"), rest.strip_prefix("/*")) {
            (Some(comment), _) => comment.split_once('\n').map(|(_, after)| after),
            (_, Some(comment)) => comment.split_once("*/").map(|(_, after)| after),
            (None, None) => break,
        };
        rest = after_comment.unwrap_or_default();
        rest = rest.trim_start_matches(|first: char| first.is_whitespace() || first == '(');
    }
    let word = rest.split(|next: char| !next.is_ascii_alphabetic()).next().unwrap_or_default();
    ["select", "with", "from"].iter().any(|known| known.eq_ignore_ascii_case(word))
}

/// The declared columns of a table.
fn columns<T: TableSchema>() -> Vec<(&'static str, FileType)> {
    T::columns().iter().map(|column| (column.name, column.data_type().clone())).collect()
}

/// Contains panics of polars, which odd queries have caused.
fn contained<T>(work: impl FnOnce() -> PolarsResult<T>) -> Result<T, QueryError> {
    let done = catch_unwind(AssertUnwindSafe(work));
    let done =
        done.map_err(|panic| QueryError::Sql(format!("polars cannot compute it: {}", panic_message(&*panic))))?;
    done.map_err(|error| {
        let text = error.to_string();
        let tables = if text.contains("relation") { "; there are games and positions" } else { "" };
        QueryError::Sql(text + tables)
    })
}

const FOLDER: &str = "folder";
const VARIANT: &str = "variant";

/// A table of all shards: polars asks for the columns that a query needs.
struct ShardTable {
    shards: Vec<NamedShard>,
    columns: Vec<(&'static str, FileType)>,
    /// Columns that the files do not have.
    beside: &'static [&'static str],
    file: fn(&ShardEntry) -> &FileEntry,
    /// Why the columns could not be read. The error that polars makes of it is of no use.
    failed: Arc<Mutex<Option<DataError>>>,
}

impl ShardTable {
    fn new(
        shards: &[NamedShard],
        columns: Vec<(&'static str, FileType)>,
        beside: &'static [&'static str],
        file: fn(&ShardEntry) -> &FileEntry,
        failed: &Arc<Mutex<Option<DataError>>>,
    ) -> ShardTable {
        ShardTable { shards: shards.to_vec(), columns, beside, file, failed: Arc::clone(failed) }
    }

    fn lazy(self, name: &'static str) -> PolarsResult<LazyFrame> {
        let of_file = self.columns.iter().map(|(name, kind)| Field::new((*name).into(), Values::kind(kind)));
        let beside = self.beside.iter().map(|&name| Field::new(name.into(), DataType::String));
        let schema = Some(Arc::new(of_file.chain(beside).collect::<Schema>()));
        LazyFrame::anonymous_scan(Arc::new(self), ScanArgsAnonymous { schema, name, ..Default::default() })
    }

    /// These columns of a shard.
    fn read(&self, shard: &NamedShard, names: &[PlSmallStr]) -> Result<DataFrame> {
        let file = (self.file)(&shard.entry);
        let is_wanted = |(name, _): &&(&'static str, FileType)| names.iter().any(|wanted| wanted == name);
        let in_file: Vec<&(&'static str, FileType)> = self.columns.iter().filter(is_wanted).collect();
        let mut values: Vec<Values> = in_file.iter().map(|(_, kind)| Values::new(kind)).collect();
        let read_names: Vec<&str> = in_file.iter().map(|(name, _)| *name).collect();
        shard.store.read_batches(file, &read_names, |batch, _| {
            for (&(name, _), values) in in_file.iter().copied().zip(&mut values) {
                values.extend(name, batch.column_by_name(name), batch.num_rows())?;
            }
            Ok(())
        })?;
        // Only now, because the reader has compared it with the file.
        let rows = file.rows as usize;
        let mut of_file: BTreeMap<&str, Values> = read_names.into_iter().zip(values).collect();
        let column = |name: &PlSmallStr| match of_file.remove(name.as_str()) {
            Some(values) => values.finish(name.clone()),
            None if name == FOLDER => constant(name, &shard.folder, rows),
            None => constant(name, &shard.entry.variant, rows),
        };
        let columns: Vec<Column> = names.iter().map(column).collect();
        Ok(DataFrame::new(rows, columns).expect("columns of a file are equally long"))
    }
}

fn constant(name: &PlSmallStr, text: &str, rows: usize) -> Column {
    Column::new_scalar(name.clone(), Scalar::new(DataType::String, AnyValue::StringOwned(text.into())), rows)
}

impl AnonymousScan for ShardTable {
    fn as_any(&self) -> &dyn Any {
        self
    }

    fn scan(&self, wanted: AnonymousScanArgs) -> PolarsResult<DataFrame> {
        let all = || wanted.schema.iter_names().cloned().collect::<Vec<_>>();
        let names = wanted.with_columns.as_ref().map_or_else(all, |names| names.to_vec());
        // The engine does not cut off what a table gives beyond a limit that it has passed on.
        let most = wanted.n_rows.unwrap_or(usize::MAX);
        let mut before = 0;
        let is_needed = |shard: &&NamedShard| {
            let is_needed = before == 0 || before < most;
            before = before.saturating_add((self.file)(&shard.entry).rows as usize);
            is_needed
        };
        let needed: Vec<&NamedShard> = self.shards.iter().filter(is_needed).collect();
        let read = needed.into_par_iter().map(|shard| self.read(shard, &names)).collect::<Result<Vec<_>>>();
        let frames = read.map_err(|error| {
            let told = PolarsError::ComputeError(error.to_string().into());
            *self.failed.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
            told
        })?;
        let mut frames = frames.into_iter();
        let first = frames.next().expect("there is a shard");
        let all = frames.try_fold(first, |mut all, next| {
            all.vstack_mut(&next)?;
            PolarsResult::Ok(all)
        })?;
        Ok(all.head(Some(most)))
    }

    fn allows_projection_pushdown(&self) -> bool {
        true
    }
}

impl QueryAnswer {
    /// Rows.
    pub fn rows(&self) -> usize {
        self.frame.height()
    }

    /// The names of the columns.
    pub fn columns(&self) -> Vec<&str> {
        self.frame.columns().iter().map(|column| column.name().as_str()).collect()
    }

    /// Writes all rows as a Parquet file or stream.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn write_parquet(&self, out: &Output) -> Result<()> {
        let columns = self.frame.columns().iter().map(|column| (column.name().as_str(), values::array(column), true));
        let batch = RecordBatch::try_from_iter_with_nullable(columns).map_err(io::Error::other);
        out.write(|file| write_batch(&batch?, file))
    }

    /// A row: numbers, texts, lists; keys of positions as hexadecimal digits, times as `2026-11-25 22:10:05`.
    ///
    /// # Panics
    /// There is no such row.
    pub fn row(&self, row: usize) -> Vec<Value> {
        assert!(row < self.rows(), "row {row} of {}", self.rows());
        self.frame
            .columns()
            .iter()
            .map(|column| column.get(row).map_or(Value::Null, |value| values::plain(&value)))
            .collect()
    }
}
