//! `kirin run CONFIG --dry-run`: a forecast of the run.

use crate::failure::Failure;
use crate::table;
use anyhow::Context;
use lab::{Config, Forecast, Measured, RunFolder};
use report::number::{ABSENT, bytes, count, duration, fixed};
use rules::Variant;
use serde::Serialize;

/// Least time of the generation of self-play that is measured, seconds; the training takes about as long.
const SECONDS: f64 = 8.0;

/// The whole output, for `--json`.
#[derive(Serialize)]
struct Said<'a> {
    variant: &'static str,
    /// The budget of the forecast, seconds; absent for a run by generations.
    budget_seconds: Option<f64>,
    measured: &'a Measured,
    forecast: &'a Forecast,
}

/// Measures in a temporary folder and prints the forecast.
///
/// # Errors
/// There is no temporary folder, the measurement fails ([`lab::measure`]), or a signal asked to stop.
pub fn tell<V: Variant>(config: &Config, json: bool) -> anyhow::Result<()> {
    let (host, console) = super::host(json)?;
    let temporary = tempfile::tempdir().context("cannot make a temporary folder to measure in; set TMPDIR")?;
    console.line(&format!("measuring {} for about a minute in {}", V::TITLE, temporary.path().display()));
    let folder = RunFolder::new(temporary.path().join("run"));
    let Some(measured) = lab::measure::<V>(config, &folder, SECONDS, &host)? else {
        return Err(Failure::Drained("stopped before there was a forecast; no run was begun".to_owned()).into());
    };
    let forecast = Forecast::of(config, &measured);
    let budget_seconds = config.run.budget().map(|budget| budget.as_secs_f64());
    if json {
        let said = Said { variant: V::ID, budget_seconds, measured: &measured, forecast: &forecast };
        println!("{}", serde_json::to_string_pretty(&said)?);
        return Ok(());
    }
    console.line(&format!("measured in {}", duration(measured.seconds)));
    println!();
    table::print(&["measured", ">value", "unit"], &speeds(&measured), &[]);
    println!();
    table::print(&["forecast", ">value", ">an hour"], &figures(&forecast), &[]);
    println!();
    println!("{}", caution(&forecast));
    Ok(())
}

/// The range of the number of games, which is less certain than the other figures.
fn caution(forecast: &Forecast) -> String {
    let [fewest, most] = forecast.games_between;
    format!("The length of games changes as the network learns: expect {} to {} games.", count(fewest), count(most))
}

/// What was measured, a row each.
fn speeds(measured: &Measured) -> Vec<Vec<String>> {
    let row = |name: &str, value: String, unit: &str| vec![name.to_owned(), value, unit.to_owned()];
    let matches = measured.match_simulations_per_second.map_or_else(|| ABSENT.to_owned(), |speed| fixed(speed, 0));
    vec![
        row("self-play", fixed(measured.simulations_per_second, 0), "visits/s"),
        row("training", fixed(measured.samples_per_second, 0), "samples/s"),
        row("matches", matches, "visits/s"),
        row("length of a game", fixed(measured.positions_per_game, 0), "searched positions"),
        row("a row on disk", fixed(measured.bytes_per_row, 0), "bytes"),
        row("writing, temporary folder", bytes(measured.write_bytes_per_second as u64), "a second"),
        row("opening a run", duration(measured.opening_seconds), ""),
    ]
}

/// The figures of the forecast, a row each.
fn figures(forecast: &Forecast) -> Vec<Vec<String>> {
    let row = |name: &str, value: String| vec![name.to_owned(), value, String::new()];
    let hourly = |name: &str, value: u64, rate: f64| vec![name.to_owned(), count(value), fixed(rate, 0)];
    let time = |seconds: Option<f64>| seconds.map_or_else(|| ABSENT.to_owned(), duration);
    vec![
        row("generations", count(forecast.generations.into())),
        hourly("games", forecast.games, forecast.games_per_hour),
        hourly("rows", forecast.rows, forecast.rows_per_hour),
        row("training steps", count(forecast.steps)),
        row("disk", bytes(forecast.disk_bytes)),
        row("memory", forecast.memory_bytes.map_or_else(|| ABSENT.to_owned(), bytes)),
        row("first network after", time(forecast.seconds_to_first_network)),
        row("first match after", time(forecast.seconds_to_first_match)),
        row("end after", duration(forecast.seconds)),
        row("  of it self-play", duration(forecast.selfplay_seconds)),
        row("  of it training", duration(forecast.training_seconds)),
        row("  of it matches", duration(forecast.match_seconds)),
    ]
}
