//! `kirin eval`: matches between players, rating tables, and the calculator behind them.

mod benchmark;
mod export;
mod hypotheses;
pub mod live;
mod matches;
mod openings;
mod options;
mod players;
mod stats;
mod table;
mod tournament;

use crate::commands::data::must_be_folder;
use crate::failure::{Failure, input};
use clap::{Args, Subcommand};
use std::path::{Path, PathBuf};

/// Play matches, rate players, and do statistics on results.
#[derive(Args)]
pub struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Match(matches::Arguments),
    Benchmark(benchmark::Arguments),
    Tournament(tournament::Arguments),
    Table(table::Arguments),
    Stats(stats::Arguments),
    Export(export::Arguments),
}

/// Runs the command.
///
/// # Errors
/// Those of the subcommand.
pub fn main(arguments: &Arguments) -> anyhow::Result<()> {
    match &arguments.command {
        Command::Match(arguments) => matches::main(arguments),
        Command::Benchmark(arguments) => benchmark::main(arguments),
        Command::Tournament(arguments) => tournament::main(arguments),
        Command::Table(arguments) => table::main(arguments),
        Command::Stats(arguments) => stats::main(arguments),
        Command::Export(arguments) => export::main(arguments),
    }
}

/// The folder of the match logs: the folder `matches` of a run, or the folder itself.
///
/// # Errors
/// The folder does not exist, or it is a file.
fn logs_of(folder: &Path) -> anyhow::Result<PathBuf> {
    must_be_folder(folder)?;
    Ok(eval::log::folder_of(folder))
}

/// The end of a match or tournament, of which so many games are left to play.
///
/// # Errors
/// It was stopped, or no game was played to its end.
fn conclude(missing_games: u64, every_game_failed: bool) -> anyhow::Result<()> {
    if missing_games > 0 {
        let left = report::number::counted(missing_games, "game", "games");
        let text = format!("stopped with {left} left to play; run the same command to resume");
        return Err(Failure::Drained(text).into());
    }
    if every_game_failed { Err(self::every_game_failed()) } else { Ok(()) }
}

/// The end of a match in which no game was played to its end.
fn every_game_failed() -> anyhow::Error {
    Failure::Check("every game ended with an error of a player, so the results say nothing about strength".to_owned())
        .into()
}

/// Makes a folder for logs. The folder that it lies in must exist: a mistyped path is not created.
///
/// # Errors
/// The folder above does not exist, or the folder cannot be made.
fn make_folder(folder: &Path) -> anyhow::Result<()> {
    match folder.parent().filter(|parent| !parent.as_os_str().is_empty()) {
        Some(parent) if !parent.is_dir() => {
            Err(input(format!("cannot make {}: the folder {} does not exist", folder.display(), parent.display())))
        }
        _ => Ok(data::durable::create_folder(folder)?),
    }
}
