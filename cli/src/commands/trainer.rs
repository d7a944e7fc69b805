//! `kirin trainer`: training for a run on many machines.

use super::role::{Role, RoleOptions, seconds};
use clap::Args;
use lab::cluster::trainer::Trainer;
use rules::Variant;
use std::time::Duration;

/// Train for a run on many machines: gather the workers' games from the store, and put the networks there.
///
/// There is one trainer in a run. It begins the run, and its settings are those of all. It trains whenever there are
/// selfplay.slots × selfplay.plies_per_generation new positions, run.generations times. Its folder is an ordinary run
/// folder, for `kirin watch`, `kirin report` and `kirin verify`; where it is gone, it is made again from the store. Ctrl-C
/// or SIGTERM ends it with exit code 75; the same command goes on. `docs/cluster.md` explains the whole.
#[derive(Args)]
pub struct Arguments {
    #[command(flatten)]
    role: RoleOptions,
    /// Seconds between two looks at a store that had nothing new.
    #[arg(long, value_name = "SECONDS", default_value_t = 5.0)]
    poll_seconds: f64,
}

/// Runs the command.
pub fn main(arguments: &Arguments) -> anyhow::Result<()> {
    let role = arguments.role.open()?;
    let poll = seconds("--poll-seconds", arguments.poll_seconds)?;
    rules::dispatch!(role.config.variant()?, V => train::<V>(&role, poll))
}

fn train<V: Variant>(role: &Role, poll: Duration) -> anyhow::Result<()> {
    let Role { config, folder, store, host, console } = role;
    let trainer = Trainer::<V>::open(config, folder.clone(), store, poll, host.clone())?;
    console.line(&format!("{} in {} and {}", V::TITLE, folder.root().display(), store.url()));
    role.conclude(trainer.work()?)
}
