//! `kirin selfplay`: the self-play of the generation whose turn it is, and nothing else.

use super::run::{Configured, host};
use crate::failure::{Failure, input};
use clap::Args;
use lab::events::{Stage, Untrained};
use lab::{Config, Ended, Run, RunFolder, Task};
use rules::Variant;

/// Play one generation of self-play games with a run's newest network.
///
/// The games are written to the Parquet files of the run. This is the self-play part of `kirin run`. Training (`kirin train`) and matches (`kirin run`) are separate steps.
#[derive(Args)]
pub struct Arguments {
    #[command(flatten)]
    configured: Configured,
}

/// Runs the command.
///
/// # Errors
/// The config is wrong, or as for [`stage`].
pub fn main(arguments: &Arguments) -> anyhow::Result<()> {
    let (config, folder) = arguments.configured.load(&[])?;
    rules::dispatch!(config.variant()?, V => stage::<V>(&config, folder, Task::Selfplay))
}

/// Runs the self-play or the training of a run if it is its turn. Matches are left to `kirin run`.
///
/// # Errors
/// Nothing is left to do, the other stage is due, there is nothing to train on, the stage fails, or a signal asked to
/// stop.
pub fn stage<V: Variant>(config: &Config, folder: RunFolder, wanted: Task) -> anyhow::Result<()> {
    let mut run = Run::<V>::open(config, folder, None, host(false)?.0)?;
    let Some((plan, task)) = run.next_task_but_matches()? else {
        let folder = run.folder().root().display();
        return Err(input(format!(
            "all generations of the run in {folder} are played and trained; to extend it, raise run.generations or, in a run \
             with a budget, run.budget"
        )));
    };
    // In place of its first self-play a run may have random-play games.
    let turn = if task == Task::RulesGames { Task::Selfplay } else { task };
    if turn != wanted {
        let other = if turn == Task::Selfplay { "selfplay" } else { "train" };
        return Err(input(format!("generation {} waits for `kirin {other}`", plan.generation)));
    }
    match run.perform(&plan, task)? {
        Ended::Stopped => Err(Failure::Drained("stopped; resume with the same command".into()).into()),
        Ended::Done(Stage::Untrained(window)) => Err(input(nothing_to_train_on(plan.generation, window))),
        Ended::Done(_) => Ok(()),
    }
}

/// Why there was no training, and how to continue.
fn nothing_to_train_on(generation: u32, window: Untrained) -> String {
    let games = match window {
        Untrained { games: 0, .. } => "no game has ended yet".to_owned(),
        Untrained { games, held_out } if held_out > 0 => {
            format!("all {held_out} positions of {games} finished games are validation positions")
        }
        Untrained { games, .. } => format!("no game has ended since the last training ({games} before it)"),
    };
    format!(
        "generation {generation} has nothing to train on: {games}. No network was written. Play on with `kirin \
         selfplay`; with more slots or more plies_per_generation more games end in a generation"
    )
}
