//! `kirin eval stats`: the calculator.

use super::hypotheses::Hypotheses;
use crate::failure::{input, sound};
use clap::Args;
use eval::ratings::Sample;

/// Elo, error bars, likelihood of superiority and a sequential test (SPRT) of counted results.
#[derive(Args)]
pub struct Arguments {
    /// Pairs of games by score: LL,LD,WLDD,WD,WW, or six counts LL,LD,WL,DD,WD,WW.
    #[arg(long, value_name = "COUNTS", required_unless_present = "wdl", conflicts_with = "wdl")]
    penta: Option<String>,
    /// Games won, drawn, lost: W,D,L.
    #[arg(long, value_name = "W,D,L")]
    wdl: Option<String>,
    #[command(flatten)]
    hypotheses: Hypotheses,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

/// Runs the command.
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
    let mut complaints = Vec::new();
    test.complaints("sprt", &mut complaints);
    sound(&complaints)?;
    let stats = eval::stats::stats(sample, &test);
    if arguments.json {
        println!("{}", serde_json::to_string(&stats)?);
        return Ok(());
    }
    let known = |value: Option<f64>| value.map_or_else(|| "n/a".to_owned(), |value| format!("{value:.2}"));
    println!("Elo    {} ± {}", known(stats.elo), known(stats.elo_error));
    println!("nElo   {} ± {}", known(stats.nelo), known(stats.nelo_error));
    println!("LOS    {} %", known(stats.los.map(|los| 100.0 * los)));
    println!("draws  {} %", known(stats.draw_ratio.map(|ratio| 100.0 * ratio)));
    let [low, high] = stats.llr_bounds;
    println!("LLR    {} ({low:.2} to {high:.2}): {:?}", known(stats.llr), stats.decision);
    Ok(())
}
