//! `kirin data features`: the positions of a run as training sees them, for other programs.

use crate::failure::{input, must_exist};
use crate::{out, table};
use clap::Args;
use data::DataStore;
use lab::{Config, RunFolder};
use report::number::{count, counted};
use rules::Variant;
use std::path::PathBuf;
use train::{Blueprint, Dataset, FeatureFolder};

/// Write the positions that a run trains on as planes and targets, for training with another program.
///
/// The rows are those of the run's window over its newest games, at the end of its plan; validation games are
/// in files of their own. The planes are those of the network in the run's config, and so are the targets. docs/reference/files.md
/// has the columns; the Python package reads the folder into PyTorch (kirin.net.features).
#[derive(Args)]
pub struct Arguments {
    /// The folder of a run.
    run: PathBuf,
    /// A new folder, or an empty one.
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

/// Runs the command.
///
/// # Errors
/// There is no run or it has no searched position yet, its games cannot be read, or the files cannot be written.
pub fn main(arguments: &Arguments) -> anyhow::Result<()> {
    must_exist(&arguments.run)?;
    let run = RunFolder::new(&arguments.run);
    if !run.config().exists() {
        let folder = arguments.run.display();
        return Err(input(format!(
            "{folder} is no run: it has no config.toml, which has the input features of its network"
        )));
    }
    let config = Config::load(&run.config(), &[])?;
    let variant = config.variant()?;
    let made = rules::dispatch!(variant, V => write::<V>(arguments, &run, &config))?;
    print(arguments, &made)
}

fn write<V: Variant>(arguments: &Arguments, run: &RunFolder, config: &Config) -> anyhow::Result<FeatureFolder> {
    let store = DataStore::open_read_only(&run.data())?;
    out::own_folder("--out", &arguments.out)?;
    let mut dataset = Dataset::<V>::new(config.training.data.clone(), config.run.seed);
    let window = dataset.refresh(&store)?;
    if window.rows_trained + window.rows_held_out == 0 {
        return Err(input(format!("{} has no searched position yet", arguments.run.display())));
    }
    Ok(dataset.write_features(&arguments.out, &Blueprint::of::<V>(config.network.clone()), 1.0)?)
}

fn print(arguments: &Arguments, made: &FeatureFolder) -> anyhow::Result<()> {
    if arguments.json {
        println!("{}", serde_json::to_string(made)?);
        return Ok(());
    }
    let shape = made.blueprint.shape;
    let variant = &made.blueprint.variant;
    println!(
        "{variant}: planes of {} × {} × {} in {}",
        shape.planes,
        shape.ranks,
        shape.files,
        arguments.out.display()
    );
    let row = |name: &str, files: &train::FeatureFiles| {
        let number = counted(files.files.len() as u64, "file", "files");
        vec![name.to_owned(), count(files.rows), number]
    };
    table::print(
        &["", ">positions", ">"],
        &[row("trained on", &made.training), row("validation", &made.validation)],
        &[],
    );
    Ok(())
}
