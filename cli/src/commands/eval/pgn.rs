//! `kirin eval pgn`: a match for other programs to read.

use super::games;
use clap::Args;
use rules::VariantId;
use std::path::PathBuf;

/// Print games as PGN, the same as `kirin eval export --to pgn` writes to a file.
///
/// These are the games that count: all finished games, but for those that ended after the decision of a sequential test.
/// Moves are in UCI.
#[derive(Args)]
pub struct Arguments {
    /// A match log, a run folder, or a folder with match logs.
    source: PathBuf,
    /// Only the logs of this variant. Without it, those of all.
    #[arg(long, value_parser = crate::commands::variants())]
    variant: Option<VariantId>,
}

/// Runs the command.
pub fn main(arguments: &Arguments) -> anyhow::Result<()> {
    print!("{}", games::pgn(&games::read(&arguments.source, arguments.variant)?));
    Ok(())
}
