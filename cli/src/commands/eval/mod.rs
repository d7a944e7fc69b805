//! `kirin eval`: matches between any two players, rating tables, and the calculator behind them.

mod benchmark;
mod export;
mod hypotheses;
mod live;
mod matches;
mod openings;
mod options;
mod pgn;
mod players;
mod stats;
mod table;
mod tournament;

use clap::{Args, Subcommand};
use std::path::{Path, PathBuf};

/// Matches, ratings, and statistics of results.
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
    Pgn(pgn::Arguments),
    Export(export::Arguments),
}

/// Runs the command.
pub fn main(arguments: &Arguments) -> anyhow::Result<()> {
    match &arguments.command {
        Command::Match(arguments) => matches::main(arguments),
        Command::Benchmark(arguments) => benchmark::main(arguments),
        Command::Tournament(arguments) => tournament::main(arguments),
        Command::Table(arguments) => table::main(arguments),
        Command::Stats(arguments) => stats::main(arguments),
        Command::Pgn(arguments) => pgn::main(arguments),
        Command::Export(arguments) => export::main(arguments),
    }
}

/// Where the match logs of a run are, or the folder itself.
fn logs_of(folder: &Path) -> PathBuf {
    let inner = folder.join("matches");
    if inner.is_dir() { inner } else { folder.to_owned() }
}
