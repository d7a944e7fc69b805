//! `kirin cluster slurm`: job files for SLURM.

use super::{Deployed, write};
use crate::failure::input;
use anyhow::Context;
use clap::Args;
use distributed::deployment::slurm::{Options, files, hint};
use std::path::PathBuf;

/// Write job files for SLURM: a script for the trainer, the referee and the array of workers, and submit.sh.
///
/// A job whose time is nearly over is asked to stop. It saves its work and goes back into the queue by itself. A job whose
/// node is lost goes back as well. With --chain, jobs follow one another instead, for clusters that do not allow this. The
/// folder must lie on a disk that all nodes see. docs/how-to/cluster.md explains each step.
#[derive(Args)]
pub struct Arguments {
    #[command(flatten)]
    deployed: Deployed,
    /// Longest time of a job, such as 4h or 90m.
    #[arg(long, value_name = "TIME", default_value = "4h")]
    time: String,
    /// How many jobs follow one another, each when the one before has succeeded.
    #[arg(long, value_name = "N", default_value_t = 1)]
    chain: u32,
    /// Most workers at the same time; 0 means all.
    #[arg(long, value_name = "N", default_value_t = 0)]
    at_once: u32,
    /// The path of the program on the nodes. The default is the path of this program.
    #[arg(long, value_name = "PATH")]
    kirin: Option<String>,
    /// A shell file that each job reads first, for modules and for the credentials of the store.
    #[arg(long, value_name = "PATH", default_value = "", hide_default_value = true)]
    setup: String,
    /// The folder for what workers could not upload yet. The default is `spool` in the folder of the job files.
    #[arg(long, value_name = "DIR", default_value = "", hide_default_value = true)]
    spool: String,
    /// Partitions, separated by commas.
    #[arg(long, default_value = "", hide_default_value = true)]
    partition: String,
    /// The account that is charged.
    #[arg(long, default_value = "", hide_default_value = true)]
    account: String,
    /// The quality of service.
    #[arg(long, default_value = "", hide_default_value = true)]
    qos: String,
    /// Features that a node must have.
    #[arg(long, default_value = "", hide_default_value = true)]
    constraint: String,
}

/// Runs the command.
///
/// # Errors
/// The config or an option is wrong, the path of this program is unknown, or the files cannot be written.
pub fn main(arguments: &Arguments) -> anyhow::Result<()> {
    let deployment = arguments.deployed.deployment()?;
    let time = settings::parse_duration(&arguments.time).map_err(|error| input(format!("--time: {error}")))?;
    let options = Options {
        time: time.as_secs(),
        chain: arguments.chain,
        at_once: arguments.at_once,
        kirin: arguments.kirin.clone().map_or_else(this_program, Ok)?,
        setup: arguments.setup.clone(),
        spool: arguments.spool.clone(),
        partition: arguments.partition.clone(),
        account: arguments.account.clone(),
        qos: arguments.qos.clone(),
        constraint: arguments.constraint.clone(),
    };
    let files = files(&deployment, &options).map_err(|complaints| input(complaints.to_string()))?;
    let folder = arguments.deployed.out("slurm")?;
    write(&folder, &files)?;
    if let Some(hint) = hint(&deployment) {
        println!("note: {hint}");
    }
    println!("to begin: bash {}/submit.sh", folder.display());
    Ok(())
}

fn this_program() -> anyhow::Result<String> {
    let path: PathBuf = std::env::current_exe().context("the path of this program is unknown; give --kirin")?;
    path.into_os_string().into_string().map_err(|path| input(format!("{}: not UTF-8; give --kirin", path.display())))
}
