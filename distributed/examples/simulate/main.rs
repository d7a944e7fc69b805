//! Plays through a run on many machines: evaluations, games, requests and money for any number of workers, and which part is
//! the bottleneck.
//!
//! [`simulate`] goes through the requests of workers and trainer, one event after the other: workers play, close a shard,
//! upload it, and look for a newer network; the trainer looks for shards, reads them, trains, and uploads a network. It is fed
//! with [`Measurements`] of one worker, one trainer and the store. There is no randomness, so the same measurements give the
//! same [`Outcome`]. [`Limits`] says by formulas how many workers each part can bear. Left out are matches, lost machines, and
//! differences between workers.
//!
//! ```sh
//! cargo run --release -p distributed --example simulate -- 1 10 100 samples_per_second=50000 worker_hour=0.08
//! ```
//! Numbers are workers to compare; `KEY=NUMBER` replaces a measurement or a price. Those not given are the measurements of
//! docs/research/2026-11-23-cluster-simulation.md and prices of 0. `keys` alone prints all of them, and `json` first gives
//! the outcomes as JSON.

mod limits;
mod measurements;
mod outcome;
mod play;
mod store;

use limits::Limits;
use measurements::{Measurements, Prices};
use outcome::Outcome;
use play::simulate;
use serde_json::{Map, Value};
use settings::Complaints;
use std::process::ExitCode;

/// Numbers of workers to compare where none is given.
const WORKERS: [u32; 5] = [1, 10, 100, 1000, 10_000];

/// Most workers of a run.
const MOST_WORKERS: u32 = 100_000;

fn main() -> ExitCode {
    match run(&std::env::args().skip(1).collect::<Vec<_>>()) {
        Ok(text) => {
            println!("{text}");
            ExitCode::SUCCESS
        }
        Err(problem) => {
            eprintln!("error: {problem}");
            ExitCode::from(2)
        }
    }
}

/// The table for these arguments, in Markdown, and the bottleneck.
fn run(arguments: &[String]) -> Result<String, String> {
    let (mut measured, mut prices) = (fields(&Measurements::default())?, fields(&Prices::default())?);
    if arguments == ["keys"] {
        let lines = measured.iter().chain(&prices).map(|(key, number)| format!("{key}={number}"));
        return Ok(lines.collect::<Vec<_>>().join("\n"));
    }
    let as_json = arguments.first().is_some_and(|first| first == "json");
    let mut workers = Vec::new();
    for argument in &arguments[usize::from(as_json)..] {
        match argument.split_once('=') {
            Some((key, number)) => {
                let number: f64 = number.parse().map_err(|_| format!("{argument}: expected KEY=NUMBER"))?;
                let section = [&mut measured, &mut prices].into_iter().find(|section| section.contains_key(key));
                let section =
                    section.ok_or_else(|| format!("{argument}: no measurement and no price is called {key}"))?;
                section.insert(key.to_owned(), number.into());
            }
            None => {
                let number: Option<u32> = argument.parse().ok().filter(|number| (1..=MOST_WORKERS).contains(number));
                workers.push(
                    number.ok_or_else(|| format!("{argument}: expected a number of workers up to {MOST_WORKERS}"))?,
                );
            }
        }
    }
    let wrong = |error: serde_json::Error| error.to_string();
    let measured: Measurements = serde_json::from_value(Value::Object(measured)).map_err(wrong)?;
    let prices: Prices = serde_json::from_value(Value::Object(prices)).map_err(wrong)?;
    let mut complaints = Complaints::default();
    measured.check(&mut complaints);
    prices.check(&mut complaints);
    if let Some(complaint) = complaints.list().first() {
        return Err(complaint.to_string());
    }
    let workers = if workers.is_empty() { WORKERS.to_vec() } else { workers };
    let outcomes: Vec<Outcome> = workers.iter().map(|&workers| simulate(&measured, workers)).collect();
    if as_json {
        return serde_json::to_string(&outcomes).map_err(wrong);
    }
    let rows = outcomes.iter().map(|outcome| row(outcome, &prices));
    let (part, at) = Limits::of(&measured).first();
    Ok(format!(
        "{HEADER}\n{}\n\nBottleneck: {}, from {at:.1} workers. What moves it: {}.",
        rows.collect::<Vec<_>>().join("\n"),
        part.name(),
        part.remedy()
    ))
}

const HEADER: &str = "| workers | evaluations/s | games/h | workers in the store | training | reading | used | networks/h | puts/s | gets/s | put, MB/s | got, MB/s | a day |
|---|---|---|---|---|---|---|---|---|---|---|---|---|";

fn row(outcome: &Outcome, prices: &Prices) -> String {
    format!(
        "| {} | {:.0} | {:.0} | {:.1} % | {:.1} % | {:.1} % | {:.1} % | {:.1} | {:.2} | {:.2} | {:.3} | {:.3} | {:.2} |",
        outcome.workers,
        outcome.evaluations_per_second,
        outcome.games_per_hour,
        100.0 * outcome.store_share,
        100.0 * outcome.training_share,
        100.0 * outcome.reading_share,
        100.0 * outcome.used_share,
        outcome.networks_per_hour,
        outcome.store.puts,
        outcome.store.gets,
        outcome.store.bytes_put / 1e6,
        outcome.store.bytes_got / 1e6,
        outcome.money(prices).sum(),
    )
}

fn fields(section: &impl serde::Serialize) -> Result<Map<String, Value>, String> {
    match serde_json::to_value(section) {
        Ok(Value::Object(fields)) => Ok(fields),
        other => Err(format!("{other:?}")),
    }
}

#[cfg(test)]
mod tests;
