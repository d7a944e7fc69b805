//! `kirin cluster simulate`: what a run on many machines will do and cost.

use crate::failure::{input, sound};
use crate::number::{bytes, fixed, percent};
use crate::table;
use anyhow::Context;
use clap::Args;
use cluster::simulation::{Limits, Measurements, Outcome, Prices, simulate};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use settings::Complaints;
use std::path::{Path, PathBuf};

/// Most bytes that are read of a file of measurements or prices.
const MOST_VALUES_BYTES: u64 = 1 << 20;

/// Play a run on many machines through: evaluations, games, requests and money for any number of workers, and which
/// part is the first to be busy all the time.
///
/// Without options the measurements are those of docs/cluster.md. Give your own for your machines and your store:
/// --json prints all of them, in the form that --measured reads. Prices are 0 until you give them. There is no chance
/// in it: the same numbers give the same table. Matches and lost machines are left out.
#[derive(Args)]
pub struct Arguments {
    /// Numbers of workers to compare.
    #[arg(
        long, value_name = "N,N,…", value_delimiter = ',', default_value = "1,10,100,1000,10000",
        value_parser = clap::value_parser!(u32).range(1..=100_000)
    )]
    workers: Vec<u32>,
    /// A JSON file with measurements; those it does not have are the usual ones.
    #[arg(long, value_name = "FILE")]
    measured: Option<PathBuf>,
    /// A JSON file with prices.
    #[arg(long, value_name = "FILE")]
    prices: Option<PathBuf>,
    /// One measurement or price: --set samples_per_second=50000. May be given more than once.
    #[arg(long = "set", value_name = "KEY=NUMBER")]
    overrides: Vec<String>,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

/// What is printed as JSON.
#[derive(Serialize)]
struct Report<'a> {
    measured: &'a Measurements,
    prices: &'a Prices,
    limits: Limits,
    outcomes: Vec<Row>,
}

#[derive(Serialize)]
struct Row {
    #[serde(flatten)]
    outcome: Outcome,
    /// A day's cost.
    money: f64,
}

/// Runs the command.
pub fn main(arguments: &Arguments) -> anyhow::Result<()> {
    let (measured, prices) = given(arguments)?;
    let mut complaints = Complaints::default();
    measured.check(&mut complaints);
    prices.check(&mut complaints);
    sound(complaints)?;
    let rows = arguments.workers.iter().map(|&workers| {
        let outcome = simulate(&measured, workers);
        Row { money: outcome.money(&prices).sum(), outcome }
    });
    let report =
        Report { measured: &measured, prices: &prices, limits: Limits::of(&measured), outcomes: rows.collect() };
    if arguments.json {
        println!("{}", serde_json::to_string(&report)?);
    } else {
        print(&report);
    }
    Ok(())
}

/// Measurements and prices: the usual ones, then those of the files, then those of the command line.
fn given(arguments: &Arguments) -> anyhow::Result<(Measurements, Prices)> {
    let mut measured = read(arguments.measured.as_deref(), "measured", &Measurements::default())?;
    let mut prices = read(arguments.prices.as_deref(), "prices", &Prices::default())?;
    for text in &arguments.overrides {
        let (key, number) = text.split_once('=').unwrap_or((text, ""));
        let number: f64 = number.trim().parse().map_err(|_| input(format!("--set {text}: write KEY=NUMBER")))?;
        let number = serde_json::Number::from_f64(number)
            .ok_or_else(|| input(format!("--set {text}: the number is not finite")))?;
        let section = [&mut measured, &mut prices].into_iter().find(|section| section.get(key).is_some());
        let Some(section) = section else {
            let keys = keys();
            let near = settings::nearest(key, keys.iter().map(String::as_str));
            let hint = near.map_or_else(String::new, |near| format!("; did you mean {near}?"));
            return Err(input(format!("--set {text}: no measurement and no price is called {key:?}{hint}")));
        };
        section[key] = Value::Number(number);
    }
    Ok((serde_json::from_value(measured)?, serde_json::from_value(prices)?))
}

/// The names of all measurements and prices.
fn keys() -> Vec<String> {
    let sections = [serde_json::to_value(Measurements::default()), serde_json::to_value(Prices::default())];
    let objects = sections.into_iter().flatten().filter_map(|value| value.as_object().cloned());
    objects.flat_map(|object| object.into_iter().map(|(key, _)| key)).collect()
}

/// The values of a JSON file, or of this section of it, over the usual ones.
fn read<T: DeserializeOwned + Serialize>(path: Option<&Path>, section: &str, usual: &T) -> anyhow::Result<Value> {
    let Some(path) = path else { return Ok(serde_json::to_value(usual)?) };
    let text = data::bounded::read_named_text(path, MOST_VALUES_BYTES)
        .with_context(|| format!("cannot read {}", path.display()))?;
    let wrong = |error| input(format!("{}: {error}", path.display()));
    let file: Value = serde_json::from_str(&text).map_err(wrong)?;
    let read: T = serde_json::from_value(file.get(section).unwrap_or(&file).clone()).map_err(wrong)?;
    Ok(serde_json::to_value(read)?)
}

fn print(report: &Report) {
    let header = [
        ">workers",
        ">evals/s",
        ">games/h",
        ">in store",
        ">training",
        ">reading",
        ">used",
        ">networks/h",
        ">puts/s",
        ">gets/s",
        ">in/s",
        ">out/s",
        ">a day",
    ];
    let rate = |x: f64| fixed(x, if x < 10.0 { 2 } else { 0 });
    let cells: Vec<Vec<String>> = report
        .outcomes
        .iter()
        .map(|Row { outcome, money }| {
            vec![
                fixed(f64::from(outcome.workers), 0),
                fixed(outcome.evaluations_per_second, 0),
                fixed(outcome.games_per_hour, 0),
                percent(outcome.store_share, 1),
                percent(outcome.training_share, 1),
                percent(outcome.reading_share, 1),
                percent(outcome.used_share, 0),
                rate(outcome.networks_per_hour),
                rate(outcome.store.puts),
                rate(outcome.store.gets),
                bytes(outcome.store.bytes_put as u64),
                bytes(outcome.store.bytes_got as u64),
                fixed(*money, 2),
            ]
        })
        .collect();
    table::print(&header, &cells, &["reading", "in/s", "out/s", "networks/h", "training", "in store"]);
    let (part, workers) = report.limits.first();
    println!(
        "\nin store: the workers' time for the store. training, reading: the trainer's time. used: the part of the \
         positions that is trained on.\nThe first part to be busy all the time: {}, at {} workers. What moves this: {}.",
        part.name(),
        fixed(workers, if workers < 10.0 { 1 } else { 0 }),
        part.remedy()
    );
}
