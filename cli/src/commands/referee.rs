//! `kirin referee`: matches for a run on many machines.

use super::run::{Configured, host};
use super::store::StoreOption;
use super::worker::{conclude, seconds, task_number};
use clap::{Args, value_parser};
use lab::cluster::News;
use lab::cluster::referee::{self, RefereeOptions};

/// Play the matches of a run on many machines: those that its networks ask for, pair by pair.
///
/// There may be any number of referees, or none; the first who has played a pair puts it. It ends after the matches of the
/// last network. Ctrl-C or SIGTERM ends it with exit code 75; the same command goes on. `docs/cluster.md` explains the whole.
#[derive(Args)]
pub struct Arguments {
    #[command(flatten)]
    configured: Configured,
    #[command(flatten)]
    store: StoreOption,
    /// Number of this referee: they begin at different pairs. Left out, it is $SLURM_ARRAY_TASK_ID or
    /// $JOB_COMPLETION_INDEX, or else 0.
    #[arg(long, value_name = "I", value_parser = value_parser!(u32).range(..100_000))]
    index: Option<u32>,
    /// Seconds between two looks for a newer network.
    #[arg(long, value_name = "SECONDS", default_value_t = 10.0)]
    poll_seconds: f64,
    /// Print nothing but errors.
    #[arg(long)]
    quiet: bool,
}

/// Runs the command.
pub fn main(arguments: &Arguments) -> anyhow::Result<()> {
    let (config, folder) = arguments.configured.load(&[])?;
    let index = match arguments.index {
        Some(index) => index,
        None => task_number()?,
    };
    let name = folder.root().file_name().unwrap_or_default().to_string_lossy().into_owned();
    let options = RefereeOptions {
        index,
        folder: folder.root().with_file_name(format!("{name}-referee-{index}")),
        poll: seconds("--poll-seconds", arguments.poll_seconds)?,
    };
    let (host, console) = host(arguments.quiet)?;
    let store = arguments.store.open(&host.stop)?;
    let tell = |news: News| console.line(&format!("referee {index}: {news}"));
    let left = rules::dispatch!(config.variant()?, V => referee::work::<V>(&config, &store, &options, &host, &tell))?;
    conclude(left, &console, &store)
}
