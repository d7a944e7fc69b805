//! `kirin eval export`: games of matches for other programs.

use crate::failure::{input, must_exist};
use crate::out;
use clap::{Args, ValueEnum};
use eval::export::{csv, json, rows_of_logs};
use eval::log::LoggedGames;
use records::pgn;
use report::number::counted;
use rules::{Variant, VariantId};
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
    /// The notation of the moves in PGN, such as `wxf`; the tag Format names it [default: uci]. A game with a move that
    /// could not be read again in it is in UCI.
    #[arg(long)]
    notation: Option<String>,
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
    /// Moves in UCI or another notation, with start position, clocks and scores.
    Pgn,
}

/// Runs the command.
///
/// # Errors
/// The source does not exist, is damaged, or holds no finished game; a variant does not have the notation; or the file
/// cannot be written.
pub fn main(arguments: &Arguments) -> anyhow::Result<()> {
    let notation = arguments.notation.as_deref();
    if notation.is_some() && arguments.to != Format::Pgn {
        return Err(input("--notation is for `--to pgn`"));
    }
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
        Format::Pgn => {
            let text = |logged: &LoggedGames| {
                let variant: VariantId = logged.header.variant.parse()?;
                rules::dispatch!(variant, V => pgn_text::<V>(logged, notation))
            };
            Some(logs.iter().map(text).collect::<anyhow::Result<String>>()?)
        }
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

/// The games of a log in PGN. `notation` is that of their moves, UCI without one.
fn pgn_text<V: Variant>(logged: &LoggedGames, notation: Option<&str>) -> anyhow::Result<String> {
    let Some(name) = notation else { return Ok(eval::pgn::export(&logged.header, &logged.games)) };
    let notation = pgn::notation_named::<V>(name).map_err(|error| input(error.to_string()))?;
    Ok(eval::pgn::export_in(&logged.header, &logged.games, notation)?)
}
