//! Statistics over committed games, computed by polars; its data frames stay inside this module.

use std::panic::{AssertUnwindSafe, catch_unwind};

use polars::prelude::*;

use crate::error::{DataError, Result};
use crate::manifest::{FileEntry, ShardEntry};
use crate::reader::panic_message;
use crate::store::DataStore;

mod interval;
mod openings;
mod summary;

pub use interval::wilson;
pub use openings::{OpeningQuery, OpeningRow, OpeningTable};
pub use summary::GenerationSummary;

impl DataStore {
    /// A lazy frame over one table of some shards, whose digests are compared first.
    fn scan(&self, shards: &[ShardEntry], table: fn(&ShardEntry) -> &FileEntry) -> Result<LazyFrame> {
        let mut paths = Vec::with_capacity(shards.len());
        for shard in shards {
            let file = table(shard);
            self.verified_bytes(file)?;
            paths.push(PlRefPath::try_from_pathbuf(self.root().join(&file.path)).map_err(|error| self.failed(error))?);
        }
        let hive_options = HiveOptions { enabled: Some(false), ..HiveOptions::default() };
        let options = ScanArgsParquet { glob: false, hive_options, ..ScanArgsParquet::default() };
        LazyFrame::scan_parquet_files(paths.into(), options).map_err(|error| self.failed(error))
    }

    /// Runs a computation whose errors and panics become errors of ours.
    fn compute<T>(&self, work: impl FnOnce() -> PolarsResult<T>) -> Result<T> {
        match catch_unwind(AssertUnwindSafe(work)) {
            Ok(value) => value.map_err(|error| self.failed(error)),
            Err(panic) => Err(self.failed(panic_message(&*panic))),
        }
    }

    fn failed(&self, reason: impl ToString) -> DataError {
        DataError::Statistics { path: self.root().to_owned(), reason: reason.to_string() }
    }
}

/// Rows as a count of ours.
fn count() -> Expr {
    len().cast(DataType::UInt64)
}

/// How many rows have this result of the first player.
fn count_of(result: i32) -> Expr {
    col("result").eq(lit(result)).sum().cast(DataType::UInt64)
}

/// A column without nulls as numbers.
fn u64s(frame: &DataFrame, name: &str) -> PolarsResult<Vec<u64>> {
    Ok(frame.column(name)?.u64()?.into_no_null_iter().collect())
}

/// A text column.
fn texts(frame: &DataFrame, name: &str) -> PolarsResult<Vec<Option<String>>> {
    Ok(frame.column(name)?.str()?.iter().map(|text| text.map(str::to_owned)).collect())
}

/// One row for each element of a list column.
fn explode(frame: LazyFrame, column: &str) -> LazyFrame {
    let options = ExplodeOptions { empty_as_null: false, keep_nulls: false };
    frame.explode(by_name([column], true, false), options)
}
