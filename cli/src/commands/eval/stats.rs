//! `kirin eval stats`: the calculator.

use super::hypotheses::Hypotheses;
use crate::failure::{input, sound};
use clap::Args;
use eval::ratings::Sample;
use eval::stats::Stats;
use settings::Complaints;

/// Print Elo, error bars, likelihood of superiority and a sequential test (SPRT) of counted results.
///
/// If all points went one way, no finite Elo is the likeliest; then the end of the 95 % interval that is finite is
/// printed.
#[derive(Args)]
pub struct Arguments {
    /// Counts of pairs of games by their score: LL,LD,WLDD,WD,WW, or with six counts LL,LD,WL,DD,WD,WW.
    #[arg(long, value_name = "COUNTS", required_unless_present = "wdl", conflicts_with = "wdl")]
    penta: Option<String>,
    /// Counts of games won, drawn and lost: W,D,L.
    #[arg(long, value_name = "W,D,L")]
    wdl: Option<String>,
    #[command(flatten)]
    hypotheses: Hypotheses,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

/// Elo with its error bar; or, if all points went one way, the bound that is known.
fn elo(stats: &Stats) -> String {
    match (stats.elo, stats.elo_error, stats.strength.elo_low, stats.strength.elo_high) {
        (Some(elo), Some(error), ..) => format!("{elo:.2} ± {error:.2}"),
        (_, _, Some(low), None) => format!("above {low:.2} (95 %): every point was won"),
        (_, _, None, Some(high)) => format!("below {high:.2} (95 %): every point was lost"),
        _ => "n/a: there are too few results".to_owned(),
    }
}

/// Runs the command.
///
/// # Errors
/// The results or the hypotheses given make no sense.
pub fn main(arguments: &Arguments) -> anyhow::Result<()> {
    let sample = match (&arguments.penta, &arguments.wdl) {
        (Some(counts), _) => {
            Sample::Pairs(counts.parse().map_err(|error| input(format!("--penta {counts}: {error}")))?)
        }
        (None, counts) => {
            let counts = counts.as_deref().unwrap_or_default();
            Sample::Games(counts.parse().map_err(|error| input(format!("--wdl {counts}: {error}")))?)
        }
    };
    let test = arguments.hypotheses.test();
    let mut complaints = Complaints::default();
    complaints.section("sprt", |complaints| test.check(complaints));
    sound(complaints)?;
    let stats = eval::stats::stats(sample, &test);
    if arguments.json {
        println!("{}", serde_json::to_string(&stats)?);
        return Ok(());
    }
    let known = |value: Option<f64>| value.map_or_else(|| "n/a".to_owned(), |value| format!("{value:.2}"));
    println!("Elo    {}", elo(&stats));
    match (stats.nelo, stats.nelo_error) {
        (Some(nelo), Some(error)) => println!("nElo   {nelo:.2} ± {error:.2}"),
        _ => println!("nElo   n/a: it needs results that differ"),
    }
    println!("LOS    {} %", known(stats.los.map(|los| 100.0 * los)));
    let (name, ratio) = match sample {
        Sample::Games(_) => ("draws ", stats.draw_ratio),
        Sample::Pairs(_) => ("level ", stats.level_ratio),
    };
    let of_pairs = if matches!(sample, Sample::Pairs(_)) { " of the pairs (a win each, or two draws)" } else { "" };
    println!("{name} {} %{of_pairs}", known(ratio.map(|ratio| 100.0 * ratio)));
    let [low, high] = stats.llr_bounds;
    println!("LLR    {} ({low:.2} to {high:.2}): {:?}", known(stats.llr), stats.decision);
    Ok(())
}
