//! `kirin train`: the training of the generation whose turn it is, and nothing else.

use super::run::Configured;
use super::selfplay::stage;
use clap::Args;
use lab::Task;

/// Train the network of a run for one generation on its games, from the last checkpoint.
///
/// This is the training part of `kirin run`. It writes the checkpoint and the network that plays next.
#[derive(Args)]
pub struct Arguments {
    #[command(flatten)]
    configured: Configured,
}

/// Runs the command.
pub fn main(arguments: &Arguments) -> anyhow::Result<()> {
    let (config, folder) = arguments.configured.load(&[])?;
    rules::dispatch!(config.variant()?, V => stage::<V>(&config, folder, Task::Training))
}
