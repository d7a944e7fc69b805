//! `kirin data`: games into data folders and out of them.

mod export;
mod folder;
mod head;
mod import;
mod rows;

pub use folder::{data_folder, only_variant, refuse_inside};

use clap::{Args, Subcommand};

/// Import games of other programs, export games, and look into data folders.
#[derive(Args)]
pub struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Import(import::Arguments),
    Export(export::Arguments),
    Head(head::Arguments),
}

/// Runs the command.
pub fn main(arguments: &Arguments) -> anyhow::Result<()> {
    match &arguments.command {
        Command::Import(arguments) => import::main(arguments),
        Command::Export(arguments) => export::main(arguments),
        Command::Head(arguments) => head::main(arguments),
    }
}
