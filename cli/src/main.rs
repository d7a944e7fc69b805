//! `kirin`: the whole self-play laboratory as one program. Each subcommand is a file in `commands`.

#![forbid(unsafe_code)]

// First, because its macros are known to what follows.
#[macro_use]
mod output;

mod commands;
mod configs;
mod console;
mod failure;
mod format;
mod help;
mod out;
mod panics;
#[cfg_attr(unix, path = "signals/unix.rs")]
#[cfg_attr(windows, path = "signals/windows.rs")]
mod signals;
mod table;
mod terminal;
mod version;

use clap::error::ErrorKind;
use clap::{FromArgMatches, Parser, Subcommand};
use std::io::Write;
use std::process::ExitCode;

/// Self-play laboratory for East-Asian chess.
#[derive(Parser)]
#[command(name = "kirin", version = version::VERSION, max_term_width = 80, arg_required_else_help = true)]
#[command(disable_help_subcommand = true)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

/// The subcommands in groups, in the order of the help. Each is a file in `commands`, whose `Arguments` are its options and
/// whose `main` is its work.
macro_rules! commands {
    ($($group:literal: { $($name:ident = $module:ident, $works:ident;)+ })+) => {
        #[derive(Subcommand)]
        enum Command {
            $($($name(Box<commands::$module::Arguments>),)+)+
        }

        /// The groups of the subcommands, each with the names of its own.
        const GROUPS: &[(&str, &[&str])] = &[$(($group, &[$(stringify!($module)),+])),+];

        impl Command {
            /// How it works.
            fn works(&self) -> Works {
                match self {
                    $($(Command::$name(_) => Works::$works,)+)+
                }
            }

            fn main(&self) -> anyhow::Result<()> {
                match self {
                    $($(Command::$name(arguments) => commands::$module::main(arguments),)+)+
                }
            }
        }
    };
}

/// How a command works.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Works {
    /// On the threads that all packages share.
    Together,
    /// Without them, so it begins sooner.
    Alone,
}

commands! {
    "Train": {
        Run = run, Together;
        Watch = watch, Alone;
        Ablate = ablate, Together;
        Config = config, Alone;
        Selfplay = selfplay, Together;
        Train = train, Together;
    }
    "Play": {
        Play = play, Alone;
        Engine = engine, Alone;
        Analyse = analyse, Alone;
        Serve = serve, Together;
        Show = show, Alone;
        Judge = judge, Alone;
    }
    "Measure": {
        Eval = eval, Together;
        Bench = bench, Together;
        Perft = perft, Alone;
    }
    "Data": {
        Openings = openings, Together;
        Stats = stats, Together;
        Query = query, Together;
        Report = report, Together;
        Data = data, Together;
        Verify = verify, Together;
    }
    "Cluster": {
        Cluster = cluster, Together;
        Trainer = trainer, Together;
        Worker = worker, Together;
        Referee = referee, Together;
        Store = store, Together;
    }
    "Help": {
        Help = help, Alone;
    }
}

fn main() -> ExitCode {
    panics::contained(|| failure::exit_code(run(arguments().command)))
}

/// The command line. What is wrong with a number is said without the names of Rust's types.
fn arguments() -> Arguments {
    let read = help::program().try_get_matches().and_then(|matches| Arguments::from_arg_matches(&matches));
    read.unwrap_or_else(|error| {
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
    if command.works() == Works::Together {
        data::threads::start()?;
    }
    command.main()
}
