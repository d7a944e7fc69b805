//! Random-play games, before any network:
//! `cargo run --release -p selfplay --example by_rules [-- GAMES LIMIT VARIANT…]`. Each variant has a table
//! row: how fast the games are played, how many have a winner, how long they are, and how they end. A limit of 0 is the
//! rule set's.

#[path = "../tests/scratch_run/mod.rs"]
mod scratch_run;

use rules::{Termination, Variant, VariantId};
use scratch_run::ScratchRun;
use selfplay::SelfplayConfig;
use std::time::Instant;

fn row<V: Variant>(games: u32, max_plies: u32) {
    let mut run = ScratchRun::new(settings::threads(0));
    run.selfplay = SelfplayConfig { rules_games: games, max_plies, ..SelfplayConfig::default() };
    let begin = Instant::now();
    let report = run.play_by_rules::<V>(0).expect("games");
    let seconds = begin.elapsed().as_secs_f64();
    let counts = run.progress.counts();
    let rows = report.shard.map_or(0, |shard| shard.positions.rows);
    let mut ends: Vec<_> = Termination::ALL.iter().map(|&end| (counts.terminated_by(end), end)).collect();
    ends.sort_by_key(|&(games, _)| std::cmp::Reverse(games));
    let share = |games: u64| 100.0 * games as f64 / counts.games as f64;
    let ends = ends.into_iter().filter(|&(games, _)| games > 0);
    let ends: Vec<String> = ends.map(|(games, end)| format!("{end} {:.1} %", share(games))).collect();
    println!(
        "| {} | {max_plies} | {:.0} | {:.1} % | {:.1} % | {:.1} % | {:.0} | {rows} | {} |",
        V::TITLE,
        f64::from(games) / seconds,
        share(counts.first_wins + counts.second_wins),
        share(counts.first_wins),
        share(report.undecided),
        counts.mean_plies(),
        ends.join(", "),
    );
}

fn main() {
    let usage = "usage: by_rules [GAMES LIMIT VARIANT…]";
    let mut arguments = std::env::args().skip(1);
    let games = arguments.next().map_or(1000, |text| text.parse().expect(usage));
    let limit = arguments.next().map_or(0, |text| text.parse().expect(usage));
    let named: Vec<VariantId> = arguments.map(|text| text.parse().expect(usage)).collect();
    let variants = if named.is_empty() { VariantId::ALL.to_vec() } else { named };
    println!("| variant | limit | games/s | decided | by the first player | left out | mean plies | rows | ended by |");
    println!("|---|---|---|---|---|---|---|---|---|");
    for variant in variants {
        rules::dispatch!(variant, V => row::<V>(games, limit));
    }
}
