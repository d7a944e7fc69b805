//! `kirin run`: the whole loop.

use crate::failure::Failure;
use crate::run::config::Config;
use crate::run::folder::RunFolder;
use crate::run::progress::Progress;
use crate::run::session::Session;
use crate::signals;
use clap::Args;
use rules::Variant;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;

/// Self-play, training and matches, generation after generation; then ratings, openings and a report.
///
/// Run it again to go on where it stopped, whatever stopped it. Ctrl-C once stops cleanly (exit code 75), twice at
/// once. `configs/README.md` explains the config.
#[derive(Args)]
pub struct Arguments {
    #[command(flatten)]
    configured: Configured,
    /// Clock time for the whole run, for example 90s, 30m, 1h30m: generations, self-play, training and the
    /// learning rate are planned from measured speeds.
    #[arg(long, value_name = "TIME")]
    budget: Option<String>,
    /// Print nothing on the way, and the tables of the end as JSON.
    #[arg(long)]
    json: bool,
}

/// A config file and what overrides it.
#[derive(Args)]
pub struct Configured {
    /// The config, a TOML file.
    config: PathBuf,
    /// Override a config value, for example --set search.visits=64; may be given more than once.
    #[arg(long = "set", value_name = "KEY=VALUE")]
    overrides: Vec<String>,
}

impl Configured {
    /// Reads and checks the config, and finds the folder of its run.
    pub fn load(&self, more: &[String]) -> anyhow::Result<(Config, RunFolder)> {
        let overrides: Vec<String> = self.overrides.iter().chain(more).cloned().collect();
        let config = Config::load(&self.config, &overrides)?;
        let folder = match config.run.folder.as_str() {
            "" => Path::new("runs").join(self.config.file_stem().unwrap_or_default()),
            folder => PathBuf::from(folder),
        };
        Ok((config, RunFolder::new(folder)))
    }
}

/// Runs the command.
pub fn main(arguments: &Arguments) -> anyhow::Result<()> {
    let budget = arguments.budget.iter().map(|budget| format!("run.budget=\"{budget}\"")).collect::<Vec<_>>();
    let (config, folder) = arguments.configured.load(&budget)?;
    rules::dispatch!(config.variant()?, V => run::<V>(&config, folder, arguments.json))
}

fn run<V: Variant>(config: &Config, folder: RunFolder, json: bool) -> anyhow::Result<()> {
    let stop = signals::stop_flag()?;
    let mut session = Session::<V>::open(config, folder, Progress::new(json), stop)?;
    session.progress.line(&format!(
        "{} in {}, rule set {}, {} threads, network {}x{} in {}",
        V::TITLE,
        session.folder.root().display(),
        session.rules.name(),
        session.threads(),
        session.config.network.blocks,
        session.config.network.channels,
        session.config.evaluator.precision,
    ));
    while let Some((plan, next)) = session.next()? {
        if session.stop.load(Ordering::Relaxed) || !session.run_stage(&plan, next)? {
            return Err(Failure::Drained(format!(
                "stopped; all finished games are kept in {}; the same command goes on",
                session.folder.root().display()
            ))
            .into());
        }
    }
    super::report::conclude(session.folder.root(), json)
}
