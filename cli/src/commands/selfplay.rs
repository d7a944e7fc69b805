//! `kirin selfplay`: the self-play of the generation whose turn it is, and nothing else.

use super::run::Configured;
use crate::failure::{Failure, input};
use crate::run::config::Config;
use crate::run::folder::RunFolder;
use crate::run::progress::Progress;
use crate::run::session::{Next, Session};
use crate::signals;
use clap::Args;
use rules::Variant;

/// Play one generation of self-play games with the newest network of a run, into its Parquet files.
///
/// The same as the self-play part of `kirin run`; training (`kirin train`) and matches (`kirin run`) are separate
/// steps that may be made later.
#[derive(Args)]
pub struct Arguments {
    #[command(flatten)]
    configured: Configured,
}

/// Runs the command.
pub fn main(arguments: &Arguments) -> anyhow::Result<()> {
    let (config, folder) = arguments.configured.load(&[])?;
    rules::dispatch!(config.variant()?, V => stage::<V>(&config, folder, Next::Selfplay))
}

/// Runs one stage of a run if it is its turn; matches that are due are played first.
pub fn stage<V: Variant>(config: &Config, folder: RunFolder, wanted: Next) -> anyhow::Result<()> {
    let stop = signals::stop_flag()?;
    let mut session = Session::<V>::open(config, folder, Progress::new(false), stop)?;
    loop {
        let Some((plan, next)) = session.next()? else {
            return Err(input(format!(
                "the run in {} is complete; raise run.generations to go on",
                session.folder.root().display()
            )));
        };
        let other = match next {
            next if next == wanted => None,
            Next::Match | Next::FinalMatch => None,
            Next::Selfplay => Some("selfplay"),
            Next::Train => Some("train"),
        };
        if let Some(other) = other {
            return Err(input(format!("generation {} waits for `kirin {other}`", plan.generation)));
        }
        if !session.run_stage(&plan, next)? {
            return Err(Failure::Drained("stopped; the same command goes on".into()).into());
        }
        if next == wanted {
            return Ok(());
        }
    }
}
