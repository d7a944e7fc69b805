//! `kirin train`: only the training of the present generation; or a network from other people's games.

use super::data::data_folder;
use super::run::{Configured, host};
use super::selfplay::stage;
use crate::failure::Failure;
use crate::{out, table};
use clap::Args;
use lab::{Fit, Fitted, Task};
use report::number::count;
use rules::Variant;
use std::path::{Path, PathBuf};
use train::Metrics;

/// Train the network of a run for one generation, or on other games.
///
/// Without --games the network is trained on the games of the run, from the last checkpoint. This is the training part of `kirin run`. It writes the checkpoint and the network that plays next.
///
/// With --games the command changes no run. The network of the config learns from each position of a data folder, such as
/// `kirin data import` makes: the policy learns the move that was played, and the value learns the result. `kirin run CONFIG
/// --from NETWORK` begins a run with it, and `play`, `analyse`, `engine` and `eval` accept it like any other network.
#[derive(Args)]
pub struct Arguments {
    #[command(flatten)]
    configured: Configured,
    /// Fit a network to the games of this data folder or run.
    #[arg(long, value_name = "DIR", requires = "out")]
    games: Option<PathBuf>,
    /// The network's file, with --games. It must not exist yet.
    #[arg(long, value_name = "NETWORK", requires = "games")]
    out: Option<PathBuf>,
    /// How many times each position is trained on, on average, with --games.
    #[arg(long, default_value_t = 4.0, requires = "games", value_parser = passes)]
    passes: f64,
    /// Print the figures of --games as JSON.
    #[arg(long, requires = "games")]
    json: bool,
}

/// Runs the command.
///
/// # Errors
/// The config or an argument is wrong, the training fails, or a signal asked to stop; without `--games`, as for
/// [`stage`].
pub fn main(arguments: &Arguments) -> anyhow::Result<()> {
    let (config, folder) = arguments.configured.load(&[])?;
    let variant = config.variant()?;
    match (&arguments.games, &arguments.out) {
        (Some(games), Some(out)) => {
            let (passes, network) = (arguments.passes, out::file("--out", out)?);
            let fit = Fit { games: data_folder(games)?, passes, network };
            rules::dispatch!(variant, V => fitted::<V>(&config, &fit, arguments.json))
        }
        _ => rules::dispatch!(variant, V => stage::<V>(&config, folder, Task::Training)),
    }
}

fn passes(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(passes) if passes > 0.0 && passes <= 10_000.0 => Ok(passes),
        _ => Err("it is no number above 0 and up to 10000".to_owned()),
    }
}

fn fitted<V: Variant>(config: &lab::Config, fit: &Fit, json: bool) -> anyhow::Result<()> {
    let (host, _) = host(json)?;
    let Some(fitted) = lab::fit::<V>(config, fit, &host)? else {
        return Err(Failure::Drained("stopped; no network was written".to_owned()).into());
    };
    if json {
        println!("{}", serde_json::to_string(&fitted)?);
    } else {
        print(&fitted, &fit.network);
    }
    Ok(())
}

fn print(fitted: &Fitted, network: &Path) {
    let rows = [
        ("games", count(fitted.games)),
        ("positions trained on", count(fitted.positions)),
        ("validation positions", count(fitted.held_out)),
        ("steps", count(fitted.steps)),
        ("samples/s", format!("{:.0}", fitted.samples_per_second)),
    ];
    let rows: Vec<Vec<String>> = rows.into_iter().map(|(what, figure)| vec![what.to_owned(), figure]).collect();
    table::print(&["", ">"], &rows, &[]);
    println!();
    let losses = |name: &str, metrics: Option<Metrics>| {
        metrics.map(|of| {
            let accuracy = format!("{:.1} %", 100.0 * of.policy_accuracy);
            vec![name.to_owned(), format!("{:.3}", of.policy), accuracy, format!("{:.3}", of.value)]
        })
    };
    let rows = [losses("validation games", fitted.validation), losses("games trained on", fitted.trained)];
    let rows: Vec<Vec<String>> = rows.into_iter().flatten().collect();
    table::print(&["loss in nats", ">policy", ">move played is its first", ">value"], &rows, &[]);
    println!("\nnetwork {} in {}", fitted.network, network.display());
}
