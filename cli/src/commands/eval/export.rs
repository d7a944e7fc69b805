//! `kirin eval export`: games of matches for other programs.

use crate::failure::input;
use clap::{Args, ValueEnum};
use eval::log::{Games, Header};
use std::io::Write as _;
use std::path::{Path, PathBuf};

/// Write the games of a match log, or of all logs of a run or a folder, to a file.
///
/// Parquet, CSV and JSON have one row a game: match, variant, rule set, players with their settings, pair and side,
/// opening, start position, moves, result (+1: who moved first won), termination, times and scores. The logs stay the
/// truth; the file can be made again at any time, and appears whole or not at all.
#[derive(Args)]
pub struct Arguments {
    /// A match log, a run folder, or a folder with match logs.
    source: PathBuf,
    /// The format.
    #[arg(long)]
    to: Format,
    /// The file, which is replaced if it is there.
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
}

/// A format of games.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// For DuckDB, polars, pandas.
    Parquet,
    /// With a line of names; lists separated by spaces.
    Csv,
    /// An array of objects.
    Json,
    /// Moves in UCI, with start position, clocks and scores.
    Pgn,
}

/// Runs the command.
pub fn main(arguments: &Arguments) -> anyhow::Result<()> {
    let logs = read(&arguments.source)?;
    let count: usize = logs.iter().map(|(_, _, games)| games.len()).sum();
    if count == 0 {
        return Err(input(format!("{} holds no finished game of a match", arguments.source.display())));
    }
    if let Some(folder) = arguments.out.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        data::durable::create_folder(folder)?;
    }
    let rows = || -> Vec<_> {
        logs.iter()
            .flat_map(|(path, header, games)| eval::export::rows(&eval::standings::log_name(path), header, games))
            .collect()
    };
    let text = match arguments.to {
        Format::Parquet => {
            data::write_match_games(&arguments.out, &rows())?;
            None
        }
        Format::Csv => Some(eval::export::csv(&rows())),
        Format::Json => Some(eval::export::json(&rows())),
        Format::Pgn => Some(logs.iter().map(|(_, header, games)| eval::pgn::export(header, games)).collect()),
    };
    if let Some(text) = text {
        data::durable::write_atomically(&arguments.out, |file| file.write_all(text.as_bytes()))?;
    }
    println!("{count} games of {} matches: {}", logs.len(), arguments.out.display());
    Ok(())
}

/// A log, or those of a folder, with the games that count.
fn read(source: &Path) -> anyhow::Result<Vec<(PathBuf, Header, Games)>> {
    if source.is_dir() {
        return Ok(eval::log::read_folder(&super::logs_of(source))?);
    }
    if !source.exists() {
        return Err(input(format!("{} is not there; give a match log, or a folder with match logs", source.display())));
    }
    let recorded = eval::log::read(source)?;
    let header = recorded.header.clone();
    Ok(header.map(|header| (source.to_owned(), header, recorded.counted())).into_iter().collect())
}
