//! `kirin eval export`: games of matches for other programs.

use crate::failure::must_exist;
use crate::out;
use clap::{Args, ValueEnum};
use eval::export::{csv, json, rows_of_logs};
use eval::log::LoggedGames;
use report::number::counted;
use rules::VariantId;
use std::path::PathBuf;

/// Write the games of a match log, or of all logs of a run or a folder, to a file.
///
/// These are the games that count: all finished games, but for those that ended after the decision of a sequential test.
/// Parquet, CSV and JSON have one row per game: match, variant, rule set, players with their settings, pair and side,
/// opening, start position, moves, result (+1 if the player who moved first won), termination, times and scores. The file
/// appears whole or not at all, and can be made again from the logs at any time.
#[derive(Args)]
pub struct Arguments {
    /// A match log, a run folder, or a folder with match logs.
    source: PathBuf,
    /// Only the logs of this variant. Without it, those of all.
    #[arg(long, value_parser = crate::commands::variants())]
    variant: Option<VariantId>,
    /// The format.
    #[arg(long)]
    to: Format,
    /// The file to write, or `-` for standard output. A file of that name is replaced; a pipe or a device is written to.
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
}

/// A format of games.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// For DuckDB, polars and pandas.
    Parquet,
    /// With a line of column names. Lists are separated by spaces.
    Csv,
    /// An array of objects.
    Json,
    /// Moves in UCI, with start position, clocks and scores.
    Pgn,
}

/// Runs the command.
///
/// # Errors
/// The source does not exist, is damaged, or holds no finished game; or the file cannot be written.
pub fn main(arguments: &Arguments) -> anyhow::Result<()> {
    must_exist(&arguments.source)?;
    let logs = LoggedGames::read(&arguments.source, arguments.variant)?;
    for logged in logs.iter().filter(|logged| logged.excluded > 0) {
        let excluded = counted(logged.excluded as u64, "game", "games");
        eprintln!("{}: left out, because ended after the decision of the test: {excluded}", logged.log.display());
    }
    let inputs: Vec<_> = logs.iter().map(|logged| logged.log.as_path()).collect();
    let out = out::file_or_stream("--out", &arguments.out, &inputs)?;
    let text = match arguments.to {
        Format::Parquet => {
            data::write_match_games(&out, &rows_of_logs(&logs))?;
            None
        }
        Format::Csv => Some(csv(&rows_of_logs(&logs))),
        Format::Json => Some(json(&rows_of_logs(&logs))),
        Format::Pgn => Some(logs.iter().map(|logged| eval::pgn::export(&logged.header, &logged.games)).collect()),
    };
    if let Some(text) = text {
        out.write(|file| file.write_all(text.as_bytes()))?;
    }
    let count: usize = logs.iter().map(|logged| logged.games.len()).sum();
    let plural = |count: usize| if count == 1 { "" } else { "s" };
    let matches = if logs.len() == 1 { "match" } else { "matches" };
    println!("{count} game{} of {} {matches}: {}", plural(count), logs.len(), arguments.out.display());
    Ok(())
}
