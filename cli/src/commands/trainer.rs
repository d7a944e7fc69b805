//! `kirin trainer`: training for a run on many machines.

use super::role::{Role, RoleOptions, seconds};
use clap::Args;
use distributed::trainer::{Trainer, TrainerOptions};
use rules::Variant;

/// Train for a run on many machines.
///
/// The trainer gathers the workers' games from the store, and uploads the networks. A run has one trainer. It begins the run, and all machines use its settings. It trains whenever there are selfplay.slots
/// × selfplay.plies_per_generation new positions, run.generations times. Its folder is an ordinary run folder, for `kirin
/// watch`, `kirin report` and `kirin verify`; if it is lost, the trainer makes it again from the store. Ctrl-C or SIGTERM
/// ends it with exit code 75; resume with the same command. `docs/how-to/cluster.md` explains such runs.
#[derive(Args)]
pub struct Arguments {
    #[command(flatten)]
    role: RoleOptions,
    /// Seconds between two checks of the store while it has nothing new.
    #[arg(long, value_name = "SECONDS", default_value_t = 5.0)]
    poll_seconds: f64,
    /// Continue without shards that the store has lost. Without this option the trainer names such a shard and waits until
    /// it is restored from a copy; meanwhile it takes the shards of other workers.
    #[arg(long)]
    skip_lost: bool,
}

/// Runs the command.
///
/// # Errors
/// An option or the config is wrong, the store cannot be used, a stage of the run fails, or a signal asked to stop.
pub fn main(arguments: &Arguments) -> anyhow::Result<()> {
    let role = arguments.role.open()?;
    let poll = seconds("--poll-seconds", arguments.poll_seconds)?;
    let options = TrainerOptions { poll, skip_lost: arguments.skip_lost };
    rules::dispatch!(role.config.variant()?, V => train::<V>(&role, options))
}

fn train<V: Variant>(role: &Role, options: TrainerOptions) -> anyhow::Result<()> {
    let Role { config, folder, store, host, console } = role;
    let trainer = Trainer::<V>::open(config, folder.clone(), store, options, host.clone())?;
    console.line(&format!("{} in {} and {}", V::TITLE, folder.root().display(), store.url()));
    role.conclude(trainer.work()?)
}
