//! `kirin trainer`: training for a run on many machines.

use super::run::{Configured, host};
use super::store::StoreOption;
use super::worker::{conclude, seconds};
use crate::console::Console;
use clap::Args;
use lab::cluster::trainer::Trainer;
use lab::{Config, Host, RunFolder};
use rules::Variant;
use std::time::Duration;
use store::Store;

/// Train for a run on many machines: gather the workers' games from the store, and put the networks there.
///
/// There is one trainer in a run. It begins the run, and its settings are those of all. It trains whenever there are
/// selfplay.slots × selfplay.plies_per_generation new positions, run.generations times. Its folder is an ordinary run
/// folder, for `kirin watch`, `kirin report` and `kirin verify`; where it is gone, it is made again from the store. Ctrl-C
/// or SIGTERM ends it with exit code 75; the same command goes on. `docs/cluster.md` explains the whole.
#[derive(Args)]
pub struct Arguments {
    #[command(flatten)]
    configured: Configured,
    #[command(flatten)]
    store: StoreOption,
    /// Seconds between two looks at a store that had nothing new.
    #[arg(long, value_name = "SECONDS", default_value_t = 5.0)]
    poll_seconds: f64,
    /// Print nothing but errors.
    #[arg(long)]
    quiet: bool,
}

/// Runs the command.
pub fn main(arguments: &Arguments) -> anyhow::Result<()> {
    let (config, folder) = arguments.configured.load(&[])?;
    let poll = seconds("--poll-seconds", arguments.poll_seconds)?;
    let (host, console) = host(arguments.quiet)?;
    let store = arguments.store.open(&host.stop)?;
    rules::dispatch!(config.variant()?, V => train::<V>(&config, folder, &store, poll, host, &console))
}

fn train<V: Variant>(
    config: &Config,
    folder: RunFolder,
    store: &Store,
    poll: Duration,
    host: Host,
    console: &Console,
) -> anyhow::Result<()> {
    let trainer = Trainer::<V>::open(config, folder, store, poll, host)?;
    console.line(&format!("{} in {} and {}", V::TITLE, trainer.run().folder().root().display(), store.url()));
    conclude(trainer.work()?, console, store)
}
