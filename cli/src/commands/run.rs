//! `kirin run`: the whole loop.

mod forecast;
mod lines;

use crate::configs;
use crate::console::Console;
use crate::failure::{Failure, input};
use crate::signals;
use crate::version::GIT_REVISION;
use clap::Args;
use distributed::deployment::quoted;
use lab::{Config, ConfigSource, Ended, Host, Run, RunFolder};
use report::number::counted;
use rules::Variant;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Run the whole loop of self-play, training and matches.
///
/// At the end, the command prints ratings and openings and writes a report. The same command resumes after any interruption. Extend a finished run with a larger --budget or with more generations.
/// The first Ctrl-C stops cleanly (exit code 75); the second stops at once. `kirin help KEY` explains a key of the configuration,
/// such as `kirin help search.visits`.
#[derive(Args)]
pub struct Arguments {
    #[command(flatten)]
    configured: Configured,
    /// Time for the whole run, such as 90s, 30m or 1h30m. Generations, self-play, training and the learning rate are
    /// planned from measured speeds.
    #[arg(long, value_name = "TIME")]
    budget: Option<String>,
    /// Begin the new run from the newest network, the training state and the games of another run, or from a network file,
    /// such as `kirin train --games` makes. Variant, rule set and network size must be the same.
    #[arg(long, value_name = "RUN|NETWORK")]
    from: Option<PathBuf>,
    /// Length of the run in generations, in place of a budget.
    #[arg(long, value_name = "N", conflicts_with = "budget", value_parser = clap::value_parser!(u32).range(1..))]
    generations: Option<u32>,
    /// Measure for about a minute, then print a forecast of the whole run: games, rows, disk, memory and time. Only a
    /// temporary folder is created, and it is removed.
    #[arg(long, conflicts_with = "from")]
    dry_run: bool,
    /// Print nothing while it runs, and the tables at the end as JSON.
    #[arg(long)]
    json: bool,
}

impl Arguments {
    /// The overrides of the config that the options of `kirin run` make.
    fn overrides(&self) -> Vec<String> {
        let budget = self.budget.iter().map(|budget| format!("run.budget=\"{budget}\""));
        let generations = self.generations.iter();
        let generations = generations.flat_map(|n| [format!("run.generations={n}"), "run.budget=\"none\"".to_owned()]);
        budget.chain(generations).collect()
    }
}

/// A config and its overrides.
#[derive(Args)]
pub struct Configured {
    /// A TOML file; the folder of a run, to resume it; or the name of a configuration that comes with Kirin, such as
    /// shogi-laptop (`kirin config list` has them all). A variant stands for its small one.
    config: PathBuf,
    /// Override a value of the config, for example --set search.visits=64. May be given more than once.
    #[arg(long = "set", value_name = "KEY=VALUE")]
    overrides: Vec<String>,
}

impl Configured {
    /// Reads and checks the config, and finds the folder of its run.
    ///
    /// # Errors
    /// The config cannot be read or is wrong, or the folder has none.
    pub fn load(&self, more: &[String]) -> anyhow::Result<(Config, RunFolder)> {
        let overrides: Vec<String> = self.overrides.iter().chain(more).cloned().collect();
        let run = RunFolder::new(&self.config);
        if self.config.is_dir() {
            if !run.config().exists() {
                let folder = self.config.display();
                return Err(input(format!("{folder} is a folder without a run: it has no config.toml")));
            }
            let config = Config::load(&run.config(), &overrides)?;
            // With another folder the run is another one with the same settings.
            if !overrides.iter().any(|text| text.trim_start().starts_with("run.folder")) {
                return Ok((config, run));
            }
            // "." has no name of its own.
            let path = self.config.canonicalize().unwrap_or_else(|_| self.config.clone());
            let folder = folder_of(&config, path.file_name().unwrap_or_default());
            return Ok((config, folder));
        }
        let source = self.source()?;
        let config = source.load(&overrides)?;
        let folder = folder_of(&config, source.name().as_ref());
        Ok((config, folder))
    }

    /// The overrides.
    pub fn overrides(&self) -> &[String] {
        &self.overrides
    }

    /// The config file, or the configuration of that name which comes with Kirin. A file in the folder `configs` goes
    /// before it.
    ///
    /// # Errors
    /// There is no such file, and the name is not a path.
    pub fn source(&self) -> anyhow::Result<ConfigSource> {
        let here = || Ok(ConfigSource::File(self.config.clone()));
        let Some(name) = self.config.to_str().filter(|_| !self.config.exists()) else { return here() };
        if let Some((name, text)) = configs::named(name) {
            let file = Path::new("configs").join(name).with_extension("toml");
            return Ok(if file.exists() { ConfigSource::File(file) } else { ConfigSource::Bundled { name, text } });
        }
        // What has an extension or a folder is meant as a file, and so is standard input.
        if self.config.extension().is_some() || self.config.components().count() > 1 || name == "-" {
            return here();
        }
        Err(input(format!("{name} is no file, and {}", super::config::unknown(name))))
    }
}

/// The folder of a run with this configuration, which has this name.
fn folder_of(config: &Config, name: &OsStr) -> RunFolder {
    match config.run.folder.as_str() {
        "" => RunFolder::new(Path::new("runs").join(name)),
        folder => RunFolder::new(folder),
    }
}

/// This program as the host of a run.
///
/// # Errors
/// The system refuses to report signals.
pub fn host(quiet: bool) -> anyhow::Result<(Host, Arc<Console>)> {
    let console = Arc::new(Console::new(quiet));
    let host = Host {
        version: env!("CARGO_PKG_VERSION"),
        revision: GIT_REVISION,
        observer: console.clone(),
        stop: signals::stop_flag()?,
    };
    Ok((host, console))
}

/// Runs the command.
///
/// # Errors
/// The config is wrong, a stage of the run fails, or a signal asked to stop.
pub fn main(arguments: &Arguments) -> anyhow::Result<()> {
    let (config, folder) = arguments.configured.load(&arguments.overrides())?;
    if arguments.dry_run {
        return rules::dispatch!(config.variant()?, V => forecast::tell::<V>(&config, arguments.json));
    }
    let from = arguments.from.as_deref();
    rules::dispatch!(config.variant()?, V => run::<V>(&config, folder, from, arguments.json))
}

fn run<V: Variant>(config: &Config, folder: RunFolder, from: Option<&Path>, json: bool) -> anyhow::Result<()> {
    let (host, console) = host(json)?;
    let mut run = Run::<V>::open(config, folder, from, host.clone())?;
    console.line(&format!(
        "{} in {}, rule set {}, {}, network {}x{} in {}",
        V::TITLE,
        run.folder().root().display(),
        run.rules().name(),
        counted(run.threads() as u64, "thread", "threads"),
        run.config().network.blocks,
        run.config().network.channels,
        run.config().evaluator.precision,
    ));
    let mut next = run.next_task()?;
    if next.is_none() {
        console.line("nothing is left to do; a larger --budget or run.generations extends the run");
    }
    while let Some((plan, task)) = next {
        if host.is_stopped() || run.perform(&plan, task)? == Ended::Stopped {
            return Err(Failure::Drained(format!(
                "stopped; all finished games are kept in {}; resume with the same command",
                run.folder().root().display()
            ))
            .into());
        }
        next = run.next_task()?;
    }
    super::report::conclude(run.folder().root(), json)?;
    if !json {
        print!("{}", what_next(run.folder(), run.config()));
    }
    Ok(())
}

/// Three commands to try with a finished run.
fn what_next(run: &RunFolder, config: &Config) -> String {
    let folder = quoted(&run.root().display().to_string());
    let longer = match config.run.budget() {
        Some(budget) => match 2 * budget.as_secs().max(1) {
            seconds if seconds % 60 == 0 => format!("--budget {}m", seconds / 60),
            seconds => format!("--budget {seconds}s"),
        },
        None => format!("--generations {}", 2 * config.run.generations),
    };
    format!(
        "\nTry next:\n  kirin play --net {folder}\n  kirin eval match --variant {} {folder} builtin --pairs 5\n  kirin run \
         {folder} {longer}\n",
        config.run.variant
    )
}
