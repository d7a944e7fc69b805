//! `kirin referee`: matches for a run on many machines.

use super::role::{RoleOptions, number, seconds};
use clap::{Args, value_parser};
use distributed::RunEvent;
use distributed::referee::{self, RefereeOptions};

/// Play the matches of a run on many machines, pair by pair.
///
/// A run may have any number of referees, or none; the first to finish a pair uploads it. A referee ends after the matches
/// of the last network. Ctrl-C or SIGTERM ends it with exit code 75; resume with the same command. `docs/how-to/cluster.md`
/// explains such runs.
#[derive(Args)]
pub struct Arguments {
    #[command(flatten)]
    role: RoleOptions,
    /// Number of this referee: referees with different numbers begin at different pairs. The default is $SLURM_ARRAY_TASK_ID
    /// or $JOB_COMPLETION_INDEX, or else 0.
    #[arg(long, value_name = "I", value_parser = value_parser!(u32).range(..100_000))]
    index: Option<u32>,
    /// Seconds between two checks for a newer network.
    #[arg(long, value_name = "SECONDS", default_value_t = 10.0)]
    poll_seconds: f64,
}

/// Runs the command.
///
/// # Errors
/// An option or the config is wrong, the store cannot be used, a match fails, or a signal asked to stop.
pub fn main(arguments: &Arguments) -> anyhow::Result<()> {
    let role = arguments.role.open()?;
    let index = number(arguments.index)?;
    let poll = seconds("--poll-seconds", arguments.poll_seconds)?;
    let options = RefereeOptions { index, folder: role.own_folder("referee", index), poll };
    let tell = |event: RunEvent| role.console.line(&format!("referee {index}: {event}"));
    let left = rules::dispatch!(role.config.variant()?, V => referee::work::<V>(&role.post(&tell), &options))?;
    role.conclude(left)
}
