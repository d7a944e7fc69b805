//! `kirin worker`: self-play for a run on many machines.

use super::role::{RoleOptions, number, seconds};
use crate::out;
use clap::{Args, value_parser};
use distributed::RunEvent;
use distributed::worker::{self, WorkerOptions};
use std::path::PathBuf;

/// Play games for a run on many machines.
///
/// The worker plays with the newest network of the store until the last network is there. It uploads its games as shards, one a minute. A newer network takes over within --poll-seconds: the current
/// search restarts. On Ctrl-C or SIGTERM the worker uploads its finished games, and its unfinished games for the next
/// process with the same number, and ends with exit code 75; resume with the same command, on any machine. A worker without
/// a trainer waits for it. `docs/how-to/cluster.md` explains such runs.
#[derive(Args)]
pub struct Arguments {
    #[command(flatten)]
    role: RoleOptions,
    /// Number of this worker, 0 to 99999; no two workers have the same. The default is $SLURM_ARRAY_TASK_ID or
    /// $JOB_COMPLETION_INDEX, or else 0.
    #[arg(long, value_name = "I", value_parser = value_parser!(u32).range(..100_000))]
    index: Option<u32>,
    /// Folder for shards that cannot be uploaded at the moment [default: the run's folder with -worker-I].
    #[arg(long, value_name = "FOLDER")]
    spool: Option<PathBuf>,
    /// Most megabytes in that folder. When it is full, the worker stops playing until the store takes shards again.
    #[arg(long, value_name = "MB", default_value_t = 1024)]
    spool_mb: u64,
    /// Close a shard this many seconds after its first game.
    #[arg(long, value_name = "SECONDS", default_value_t = 60.0)]
    shard_seconds: f64,
    /// Close a shard earlier when it has this many games.
    #[arg(long, value_name = "N", default_value_t = 1000)]
    shard_games: usize,
    /// Seconds between two checks for a newer network.
    #[arg(long, value_name = "SECONDS", default_value_t = 10.0)]
    poll_seconds: f64,
}

/// Runs the command.
///
/// # Errors
/// An option or the config is wrong, the store or the spool cannot be used, self-play fails, or a signal asked to stop.
pub fn main(arguments: &Arguments) -> anyhow::Result<()> {
    let role = arguments.role.open()?;
    let index = number(arguments.index)?;
    let spool = match &arguments.spool {
        Some(spool) => out::folder("--spool", spool)?,
        None => role.own_folder("worker", index),
    };
    let options = WorkerOptions {
        index,
        spool,
        spool_bytes: arguments.spool_mb.saturating_mul(1_000_000),
        shard_time: seconds("--shard-seconds", arguments.shard_seconds)?,
        shard_games: arguments.shard_games.max(1),
        poll: seconds("--poll-seconds", arguments.poll_seconds)?,
    };
    let tell = |event: RunEvent| role.console.line(&format!("worker {index}: {event}"));
    let left = rules::dispatch!(role.config.variant()?, V => worker::work::<V>(&role.post(&tell), &options))?;
    role.conclude(left)
}
