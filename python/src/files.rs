//! The Parquet files of runs and imports, and games of match logs as such a file.

use crate::refusal::Refusal;
use data::{DataStore, MatchGame, Output};
use eval::Roster;
use eval::log::{self, FinishedGames, MatchHeader};
use lab::RunFolder;
use pyo3::prelude::*;
use rules::VariantId;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The Parquet files of the table 'games' or 'positions' of a run or of a data folder (`kirin data import --out`), in the
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
    let logs: Vec<_> = logs_of(source)?
        .into_iter()
        .filter(|(_, header, _)| variant.is_none_or(|variant| header.variant == variant.id()))
        .collect();
    if logs.iter().all(|(.., games)| games.is_empty()) {
        let of = variant.map_or_else(String::new, |variant| format!(" in {variant}"));
        return Err(Refusal::new(format!("{} holds no finished game of a match{of}", source.display())));
    }
    // One name for each player in all logs, even where logs have different names for it.
    let names = Roster::of(logs.iter().flat_map(|(_, header, _)| &header.players)).names();
    let names: BTreeMap<String, String> = names.into_iter().map(|(id, name)| (id.to_string(), name)).collect();
    let name = |player: &str, logged: String| names.get(player).cloned().unwrap_or(logged);
    let mut rows = Vec::new();
    for (path, header, games) in &logs {
        log::check_games(path, header, games)?;
        let of_log = eval::export::rows(&eval::standings::match_name(path), header, games);
        rows.extend(of_log.into_iter().map(|row| MatchGame {
            first: name(&row.first_player, row.first),
            second: name(&row.second_player, row.second),
            ..row
        }));
    }
    Ok(data::write_match_games(&Output::new(file)?, &rows)?)
}

/// The logs that a path stands for, with the games that count: that log, or those of a run or of a folder.
fn logs_of(source: &Path) -> Result<Vec<(PathBuf, MatchHeader, FinishedGames)>, Refusal> {
    if source.is_dir() {
        let of_run = RunFolder::new(source).matches();
        return Ok(log::read_folder(if of_run.is_dir() { &of_run } else { source })?);
    }
    let recorded = log::read(source)?;
    let header = recorded.header.clone();
    Ok(header.into_iter().map(|header| (source.to_owned(), header, recorded.clone().counted())).collect())
}
