//! Which search plays best with a network: `cargo run --release -p lab --example searches -- NETWORK VARIANT PAIRS FIRST
//! JSON…`.
//!
//! Each JSON is a search configuration (`{"visits": 64, "algorithm": "puct"}`), which may say how the network is evaluated
//! (`{"visits": 64, "evaluator": {"precision": "fp32"}}`). All play with the same network, without noise, and meet FIRST:
//! another search configuration, or an engine, written as `kirin eval match` takes it (`engine:fairy-stockfish?nodes=10`).
//! A row gives the score of the later one.

use engine::{EngineConfig, EngineProfile, Limit};
use eval::{Match, MatchConfig, PlayerConfig};
use lab::{match_evaluator, network_player};
use rules::VariantId;
use search::SearchConfig;
use std::error::Error;
use std::path::Path;
use std::sync::atomic::AtomicBool;
use train::{EvaluatorConfig, NetworkFile, Workload};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [network, variant, pairs, first, others @ ..] = arguments.as_slice() else {
        return Err("NETWORK VARIANT PAIRS JSON… are needed".into());
    };
    let (variant, pairs): (VariantId, u32) = (variant.parse()?, pairs.parse()?);
    let file = NetworkFile::read(Path::new(network))?;
    let config = MatchConfig { pairs, ..MatchConfig::default() };
    let load = Workload { leaves: 2 * pairs as usize, ..Workload::default() };
    let player = |text: &String| -> Result<PlayerConfig, Box<dyn Error>> {
        let mut settings: serde_json::Map<String, serde_json::Value> = serde_json::from_str(text)?;
        let open: EvaluatorConfig = match settings.remove("evaluator") {
            Some(given) => serde_json::from_value(given)?,
            None => EvaluatorConfig::default(),
        };
        let evaluator = match_evaluator(pairs, &open.resolve(&file, load)?);
        let search: SearchConfig = serde_json::from_value(settings.into())?;
        Ok(network_player(text.clone(), file.clone(), &search, &evaluator))
    };
    let against = match first.strip_prefix("engine:") {
        None => player(first)?,
        Some(engine) => {
            let engine: EngineConfig = engine.parse()?;
            PlayerConfig::engine(EngineProfile::prepare(&engine, variant, Limit::Own, &|| false)?)
        }
    };
    let folder = tempfile::tempdir()?;
    println!("| search against {first} | score | 95 % | Elo | games | seconds |\n|---|---|---|---|---|---|");
    for (number, text) in others.iter().enumerate() {
        let log = folder.path().join(format!("{number}.jsonl"));
        let players = [&player(text)?, &against];
        let report = Match { variant, config: &config, players, log: &log }.play(&AtomicBool::new(false), |_| {})?;
        let strength = &report.strength;
        let percent = |share: Option<f64>| 100.0 * share.unwrap_or(f64::NAN);
        println!(
            "| {text} | {:.1} % | {:.1} to {:.1} | {:+.0} ± {:.0} | {} | {:.0} |",
            percent(strength.score),
            percent(strength.score_low),
            percent(strength.score_high),
            strength.elo.unwrap_or(f64::NAN),
            strength.elo_error.unwrap_or(f64::NAN),
            report.results.games(),
            report.seconds,
        );
    }
    Ok(())
}
