//! `kirin`: the whole self-play laboratory as one program. Each subcommand is a file in `commands`.

#![forbid(unsafe_code)]

// First, because its macros are known to what follows.
#[macro_use]
mod output;

mod commands;
mod console;
mod failure;
#[cfg(test)]
mod help;
mod out;
mod panics;
mod signals;
mod table;
mod terminal;
mod version;

use clap::error::ErrorKind;
use clap::{Parser, Subcommand};
use std::io::Write;
use std::process::ExitCode;

/// Self-play laboratory for East-Asian chess: rules, search, training, matches, opening statistics.
#[derive(Parser)]
#[command(name = "kirin", version = version::VERSION, max_term_width = 80, arg_required_else_help = true)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Run(commands::run::Arguments),
    Watch(commands::watch::Arguments),
    Trainer(commands::trainer::Arguments),
    Worker(commands::worker::Arguments),
    Referee(commands::referee::Arguments),
    Store(commands::store::Arguments),
    Ablate(commands::ablate::Arguments),
    Cluster(commands::cluster::Arguments),
    Selfplay(commands::selfplay::Arguments),
    Train(commands::train::Arguments),
    Eval(Box<commands::eval::Arguments>),
    Openings(commands::openings::Arguments),
    Data(Box<commands::data::Arguments>),
    Stats(commands::stats::Arguments),
    Query(commands::query::Arguments),
    Report(commands::report::Arguments),
    Verify(commands::verify::Arguments),
    Perft(commands::perft::Arguments),
    Show(commands::show::Arguments),
    Analyse(commands::analyse::Arguments),
    Play(commands::play::Arguments),
    Engine(commands::engine::Arguments),
    Bench(commands::bench::Arguments),
}

impl Command {
    /// Whether it works on the threads that all crates share. The others need none, and begin sooner.
    fn shares_threads(&self) -> bool {
        !matches!(
            self,
            Command::Watch(_)
                | Command::Perft(_)
                | Command::Show(_)
                | Command::Analyse(_)
                | Command::Play(_)
                | Command::Engine(_)
        )
    }
}

fn main() -> ExitCode {
    panics::contained(|| failure::exit_code(run(arguments().command)))
}

/// The command line. What is wrong with a number is said without the names of Rust's types.
fn arguments() -> Arguments {
    Arguments::try_parse().unwrap_or_else(|error| {
        if error.kind() != ErrorKind::ValueValidation {
            error.exit();
        }
        let text = error.render();
        let text = if terminal::has_colour() { text.ansi().to_string() } else { text.to_string() };
        // A closed standard error is no reason to panic.
        let _ = std::io::stderr().write_all(settings::in_words(&text).as_bytes());
        std::process::exit(error.exit_code());
    })
}

fn run(command: Command) -> anyhow::Result<()> {
    signals::let_large_writes_fail()?;
    if command.shares_threads() {
        data::threads::start()?;
    }
    match command {
        Command::Run(arguments) => commands::run::main(&arguments),
        Command::Watch(arguments) => commands::watch::main(&arguments),
        Command::Trainer(arguments) => commands::trainer::main(&arguments),
        Command::Worker(arguments) => commands::worker::main(&arguments),
        Command::Referee(arguments) => commands::referee::main(&arguments),
        Command::Store(arguments) => commands::store::main(&arguments),
        Command::Ablate(arguments) => commands::ablate::main(&arguments),
        Command::Cluster(arguments) => commands::cluster::main(&arguments),
        Command::Selfplay(arguments) => commands::selfplay::main(&arguments),
        Command::Train(arguments) => commands::train::main(&arguments),
        Command::Eval(arguments) => commands::eval::main(&arguments),
        Command::Openings(arguments) => commands::openings::main(&arguments),
        Command::Data(arguments) => commands::data::main(&arguments),
        Command::Stats(arguments) => commands::stats::main(&arguments),
        Command::Query(arguments) => commands::query::main(&arguments),
        Command::Report(arguments) => commands::report::main(&arguments),
        Command::Verify(arguments) => commands::verify::main(&arguments),
        Command::Perft(arguments) => commands::perft::main(&arguments),
        Command::Show(arguments) => commands::show::main(&arguments),
        Command::Analyse(arguments) => commands::analyse::main(&arguments),
        Command::Play(arguments) => commands::play::main(&arguments),
        Command::Engine(arguments) => commands::engine::main(&arguments),
        Command::Bench(arguments) => commands::bench::main(&arguments),
    }
}
