//! `kirin eval pgn`: a match for other programs to read.

use crate::failure::input;
use anyhow::Context as _;
use clap::Args;
use std::path::PathBuf;

/// Print the games of a match log as PGN.
#[derive(Args)]
pub struct Arguments {
    /// The log.
    log: PathBuf,
}

/// Runs the command.
pub fn main(arguments: &Arguments) -> anyhow::Result<()> {
    let log = &arguments.log;
    let recorded = eval::log::read(log)?;
    let header = recorded.header.with_context(|| input(format!("{} holds no match", log.display())))?;
    print!("{}", eval::pgn::export(&header, &recorded.games));
    Ok(())
}
