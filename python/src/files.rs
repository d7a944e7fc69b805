//! The Parquet files of runs and imports, and games of match logs as such a file.

use crate::refusal::Refusal;
use data::{DataStore, Output};
use eval::log::LoggedGames;
use pyo3::prelude::*;
use rules::VariantId;
use std::path::{Path, PathBuf};

/// The Parquet files of the table 'games' or 'positions' of a run or of a data folder (`kirin data import --to`), in the
/// order of their generations. Only files that the folder's manifest lists are among them, so none is half written.
/// `variant` chooses those of one variant. docs/reference/files.md has the columns; polars.scan_parquet() and DuckDB read the
/// files as they are.
///
/// >>> import kirin
/// >>> run = "../../data/tests/fixtures/played-1"
/// >>> [file.name for file in kirin.parquet_files(run, variant="wangqi")]
/// ['local.parquet']
#[pyfunction]
#[pyo3(signature = (folder, table="games", *, variant=None))]
pub(crate) fn parquet_files(folder: PathBuf, table: &str, variant: Option<&str>) -> Result<Vec<PathBuf>, Refusal> {
    let variant = variant.map(str::parse::<VariantId>).transpose()?;
    if !["games", "positions"].contains(&table) {
        return Err(Refusal::new(format!("no table is called {table:?}; there are: games, positions")));
    }
    let none = || {
        let (folder, manifest) = (folder.display(), data::MANIFEST);
        Refusal::new(format!("{folder} holds no games: it has neither data/{manifest} nor {manifest}"))
    };
    let root = DataStore::folder_of(&folder)?.ok_or_else(none)?;
    let shards = DataStore::open_read_only(&root)?.all_shards()?;
    let shards = shards.into_iter().filter(|shard| variant.is_none_or(|variant| shard.variant == variant.id()));
    Ok(shards.map(|shard| root.join(if table == "games" { shard.games.path } else { shard.positions.path })).collect())
}

/// Writes the games that count of a match log, or of all logs of a run or a folder, to a Parquet file.
#[pyfunction]
#[pyo3(signature = (source, file, *, variant=None))]
pub(crate) fn _write_matches(py: Python<'_>, source: PathBuf, file: PathBuf, variant: Option<&str>) -> PyResult<()> {
    let variant = variant.map(str::parse::<VariantId>).transpose().map_err(Refusal::from)?;
    // As Python itself says it: FileNotFoundError, PermissionError.
    std::fs::metadata(&source)?;
    Ok(py.detach(|| write_matches(&source, &file, variant))?)
}

fn write_matches(source: &Path, file: &Path, variant: Option<VariantId>) -> Result<(), Refusal> {
    let logs = LoggedGames::read(source, variant)?;
    Ok(data::write_match_games(&Output::new(file)?, &eval::export::rows_of_logs(&logs))?)
}
