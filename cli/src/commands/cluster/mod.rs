//! `kirin cluster`: the files for the scheduler of a run on many machines.

mod kubernetes;
mod slurm;

use super::run::Configured;
use crate::failure::input;
use crate::out;
use anyhow::Context;
use clap::{Args, Subcommand};
use distributed::deployment::{Deployment, Memory, Needs, Pace, TextFile};
use std::io::Write;
use std::path::{Path, PathBuf};

/// Prepare a run on many machines: the files for its scheduler.
///
/// Workers, trainer and referee share only a store. docs/how-to/cluster.md describes each step from an empty account to a finished
/// run.
#[derive(Args)]
pub struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Slurm(Box<slurm::Arguments>),
    Kubernetes(Box<kubernetes::Arguments>),
}

/// Runs the command.
///
/// # Errors
/// Those of the subcommand.
pub fn main(arguments: &Arguments) -> anyhow::Result<()> {
    match &arguments.command {
        Command::Slurm(arguments) => slurm::main(arguments),
        Command::Kubernetes(arguments) => kubernetes::main(arguments),
    }
}

/// Options of every scheduler.
#[derive(Args)]
struct Deployed {
    #[command(flatten)]
    configured: Configured,
    /// The store that all processes share: file:///FOLDER on a disk that all nodes see, s3://BUCKET/PREFIX,
    /// gs://BUCKET/PREFIX or az://CONTAINER/PREFIX.
    #[arg(long, value_name = "URL")]
    store: String,
    /// How many workers play.
    #[arg(long, value_name = "N")]
    workers: u32,
    /// The name of the run, which the jobs get too. The default is the name of the config file.
    #[arg(long)]
    name: Option<String>,
    /// The folder for the files. The default is NAME-slurm or NAME-kubernetes.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Cores of a worker.
    #[arg(long, value_name = "N", default_value_t = 2)]
    cpus: u32,
    /// Memory of a worker.
    #[arg(long, value_name = "SIZE", default_value = "4G")]
    memory: Memory,
    /// GPUs of a worker.
    #[arg(long, value_name = "N", default_value_t = 0)]
    gpus: u32,
    /// Cores of the trainer.
    #[arg(long, value_name = "N", default_value_t = 8)]
    trainer_cpus: u32,
    /// Memory of the trainer.
    #[arg(long, value_name = "SIZE", default_value = "16G")]
    trainer_memory: Memory,
    /// GPUs of the trainer.
    #[arg(long, value_name = "N", default_value_t = 0)]
    trainer_gpus: u32,
    /// Cores of the referee.
    #[arg(long, value_name = "N", default_value_t = 2)]
    referee_cpus: u32,
    /// Memory of the referee.
    #[arg(long, value_name = "SIZE", default_value = "4G")]
    referee_memory: Memory,
    /// GPUs of the referee.
    #[arg(long, value_name = "N", default_value_t = 0)]
    referee_gpus: u32,
    /// Seconds that a process has to upload its work when it is asked to stop.
    #[arg(long, value_name = "SECONDS", default_value_t = 120)]
    grace: u32,
    /// Disk space for what a worker could not upload yet.
    #[arg(long, value_name = "SIZE", default_value = "1G")]
    spool_size: Memory,
    /// A worker closes a shard this many seconds after its first game. The default is that of `kirin worker`: a minute.
    #[arg(long, value_name = "SECONDS")]
    shard_seconds: Option<f64>,
    /// A worker closes a shard earlier when it has this many games. The default is that of `kirin worker`.
    #[arg(long, value_name = "N")]
    shard_games: Option<u32>,
    /// Seconds between two checks of the store while it has nothing new. The default is that of each role.
    #[arg(long, value_name = "SECONDS")]
    poll_seconds: Option<f64>,
}

/// The trainer's folder, next to the configuration.
const FOLDER: &str = "run.folder=\"run\"";

impl Deployed {
    fn deployment(&self) -> anyhow::Result<Deployment> {
        let (config, _) = self.configured.load(&[FOLDER.to_owned()])?;
        if config.run.budget().is_some() {
            return Err(input(
                "run.budget: a budget is planned from the speed of one machine, and here there are many; say --set \
                 run.budget=none --set run.generations=N",
            ));
        }
        Ok(Deployment {
            name: self.name()?,
            store: self.store.clone(),
            config: config.to_toml()?,
            workers: self.workers,
            worker: Needs { cpus: self.cpus, memory: self.memory, gpus: self.gpus },
            trainer: Needs { cpus: self.trainer_cpus, memory: self.trainer_memory, gpus: self.trainer_gpus },
            referee: Needs { cpus: self.referee_cpus, memory: self.referee_memory, gpus: self.referee_gpus },
            grace: self.grace,
            spool: self.spool_size,
            pace: Pace {
                shard_seconds: self.shard_seconds,
                shard_games: self.shard_games,
                poll_seconds: self.poll_seconds,
            },
        })
    }

    fn name(&self) -> anyhow::Result<String> {
        if let Some(name) = &self.name {
            return Ok(name.clone());
        }
        Ok(self.configured.source()?.name())
    }

    /// The folder for the files of a scheduler.
    fn out(&self, scheduler: &str) -> anyhow::Result<PathBuf> {
        match &self.out {
            Some(out) => out::folder("--out", out),
            None => Ok(PathBuf::from(format!("{}-{scheduler}", self.name()?))),
        }
    }
}

/// Writes the files into a folder. If a file exists with another content, it stays and nothing is written.
fn write(folder: &Path, files: &[TextFile]) -> anyhow::Result<()> {
    for file in files {
        let path = folder.join(&file.name);
        let is_other = match data::bounded::read_ordinary(&path, file.text.len() as u64) {
            Ok(there) => there != file.text.as_bytes(),
            Err(error) => error.kind() == std::io::ErrorKind::FileTooLarge,
        };
        if is_other {
            let path = path.display();
            return Err(input(format!("{path} is there already and is different; choose another --out")));
        }
    }
    data::durable::create_folder(folder)?;
    for file in files {
        let path = folder.join(&file.name);
        data::durable::write_atomically(&path, |out| out.write_all(file.text.as_bytes()))
            .with_context(|| format!("cannot write {}", path.display()))?;
        println!("{}", path.display());
    }
    Ok(())
}
