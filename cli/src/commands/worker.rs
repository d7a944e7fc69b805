//! `kirin worker`: self-play for a run on many machines.

use super::run::{Configured, host};
use super::store::StoreOption;
use crate::console::Console;
use crate::failure::{Failure, input};
use clap::{Args, value_parser};
use lab::cluster::worker::{self, WorkerOptions};
use lab::cluster::{Left, News};
use std::path::PathBuf;
use std::time::Duration;

/// Variables in which schedulers give a task its number: arrays of SLURM, Indexed Jobs of Kubernetes.
const INDEX_VARIABLES: [&str; 2] = ["SLURM_ARRAY_TASK_ID", "JOB_COMPLETION_INDEX"];

/// Play for a run on many machines: with the newest network of the store, until the last one is there.
///
/// Games go into the store as shards, one a minute. A newer network takes over within --poll-seconds: the move being thought
/// about is thought about anew. Ctrl-C or SIGTERM puts what is finished, and the unfinished games for the next process with
/// the same number, and ends with exit code 75; the same command goes on, on any machine. A worker without a trainer waits
/// for it. `docs/cluster.md` explains the whole.
#[derive(Args)]
pub struct Arguments {
    #[command(flatten)]
    configured: Configured,
    #[command(flatten)]
    store: StoreOption,
    /// Number of this worker, 0 to 99999; each has its own. Left out, it is $SLURM_ARRAY_TASK_ID or $JOB_COMPLETION_INDEX,
    /// or else 0.
    #[arg(long, value_name = "I", value_parser = value_parser!(u32).range(..100_000))]
    index: Option<u32>,
    /// Folder for shards that the store does not take at the moment [default: the run's folder with -worker-I].
    #[arg(long, value_name = "FOLDER")]
    spool: Option<PathBuf>,
    /// Megabytes that may wait there; then the worker stops playing until the store takes them.
    #[arg(long, value_name = "MB", default_value_t = 1024)]
    spool_mb: u64,
    /// Seconds after its first game at which a shard is closed.
    #[arg(long, value_name = "SECONDS", default_value_t = 60.0)]
    shard_seconds: f64,
    /// Games with which a shard is closed before that.
    #[arg(long, value_name = "N", default_value_t = 1000)]
    shard_games: usize,
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
    let spool = arguments.spool.clone().unwrap_or_else(|| {
        let name = folder.root().file_name().unwrap_or_default().to_string_lossy();
        folder.root().with_file_name(format!("{name}-worker-{index}"))
    });
    let options = WorkerOptions {
        index,
        spool,
        spool_bytes: arguments.spool_mb.saturating_mul(1_000_000),
        shard_time: seconds("--shard-seconds", arguments.shard_seconds)?,
        shard_games: arguments.shard_games.max(1),
        poll: seconds("--poll-seconds", arguments.poll_seconds)?,
    };
    let (host, console) = host(arguments.quiet)?;
    let store = arguments.store.open(&host.stop)?;
    let tell = |news: News| console.line(&format!("worker {index}: {news}"));
    let left = rules::dispatch!(config.variant()?, V => worker::work::<V>(&config, &store, &options, &host, &tell))?;
    conclude(left, &console, &store)
}

/// Seconds given on the command line.
pub fn seconds(option: &str, seconds: f64) -> anyhow::Result<Duration> {
    match Duration::try_from_secs_f64(seconds) {
        Ok(duration) if seconds >= 0.01 => Ok(duration),
        _ => Err(input(format!("{option} {seconds} is out of range; 0.01 or more"))),
    }
}

/// The number that the scheduler has given this task.
pub fn task_number() -> anyhow::Result<u32> {
    for variable in INDEX_VARIABLES {
        if let Ok(text) = std::env::var(variable) {
            return text.parse().map_err(|_| input(format!("${variable} is {text:?}, not a number; give --index")));
        }
    }
    Ok(0)
}

/// Says how a role has ended.
pub fn conclude(left: Left, console: &Console, store: &store::Store) -> anyhow::Result<()> {
    let usage = store.usage();
    let used = format!("{} requests to the store, {:.1} s in them", usage.requests, usage.time.as_secs_f64());
    match left {
        Left::Over => {
            console.line(&format!("the run is over; {used}"));
            Ok(())
        }
        Left::Stopped => {
            Err(Failure::Drained(format!("stopped; what is finished is kept; the same command goes on; {used}")).into())
        }
    }
}
