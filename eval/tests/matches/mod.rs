//! Matches with known outcomes, and the log as the only truth.

mod adjudication;
mod clocks;
mod identity;
mod old_logs;
mod output;
mod players;
mod refusals;
mod resume;
mod sprt;
mod threads;

use eval::{Match, MatchConfig, MatchReport, PlayerConfig, log};
use rules::VariantId;
use search::fakes::{HashEvaluator, UniformEvaluator};
use search::{Evaluator, SearchConfig};
use std::path::Path;
use std::sync::atomic::AtomicBool;

fn play(variant: VariantId, config: &MatchConfig, a: &PlayerConfig, b: &PlayerConfig, log: &Path) -> MatchReport {
    Match { variant, config, players: [a, b], log }.play(&AtomicBool::new(false), |_| {}).unwrap()
}

/// A network whose evaluations are drawn from `seed`.
fn network(name: &str, seed: u64, visits: u32) -> PlayerConfig {
    let search = SearchConfig { visits, ..SearchConfig::default() };
    PlayerConfig::network(name, format!("hash {seed}"), &search, move || {
        Ok(Box::new(HashEvaluator::new(8, seed)) as Box<dyn Evaluator>)
    })
}

/// A network that knows nothing: its search finds exact proofs only.
fn blank(name: &str, visits: u32) -> PlayerConfig {
    let search = SearchConfig { visits, ..SearchConfig::default() };
    PlayerConfig::network(name, "uniform", &search, || Ok(Box::new(UniformEvaluator::new(8)) as Box<dyn Evaluator>))
}

/// A report without what depends on time: equal whenever and wherever the match was played.
fn timeless(report: &MatchReport) -> MatchReport {
    MatchReport { seconds: 0.0, games_per_second: None, ..report.clone() }
}

/// The games of a log without the times, which are all that may differ.
fn games(log: &Path) -> log::FinishedGames {
    let mut games = log::read(log).unwrap().games;
    for game in games.values_mut() {
        (game.session, game.elapsed_ms, game.finished_at) = (0, 0, None);
    }
    games
}
