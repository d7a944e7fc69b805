//! `kirin data`: import, export and upkeep of data folders.

mod compact;
mod export;
#[cfg(test)]
mod faults;
mod features;
mod filter;
mod folder;
mod head;
mod import;
pub mod rows;
mod sources;

pub use export::record as file_record;
pub use filter::{FilterArguments, filter_json, left_out_lines, none_left};
pub use folder::{
    FolderArguments, NamedStores, OpenFolders, data_folder, doubled_line, is_log, must_be_folder, only_variant, open,
    stores,
};
pub use import::{FileGame, read_record_files};

use clap::{Args, Subcommand};

/// Import, export and merge games, and look into data folders.
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
    Compact(compact::Arguments),
    Features(features::Arguments),
}

/// Runs the command.
///
/// # Errors
/// Those of the subcommand.
pub fn main(arguments: &Arguments) -> anyhow::Result<()> {
    match &arguments.command {
        Command::Import(arguments) => import::main(arguments),
        Command::Export(arguments) => export::main(arguments),
        Command::Head(arguments) => head::main(arguments),
        Command::Compact(arguments) => compact::main(arguments),
        Command::Features(arguments) => features::main(arguments),
    }
}
