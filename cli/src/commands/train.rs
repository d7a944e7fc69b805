//! `kirin train`: the training of the generation whose turn it is, and nothing else.

use super::run::Configured;
use super::selfplay::stage;
use crate::run::session::Next;
use clap::Args;

/// Train the network of a run for one generation on its games, from the last checkpoint.
///
/// The same as the training part of `kirin run`: writes the checkpoint and the network that plays next.
#[derive(Args)]
pub struct Arguments {
    #[command(flatten)]
    configured: Configured,
}

/// Runs the command.
pub fn main(arguments: &Arguments) -> anyhow::Result<()> {
    let (config, folder) = arguments.configured.load(&[])?;
    rules::dispatch!(config.variant()?, V => stage::<V>(&config, folder, Next::Train))
}
