//! The gain from proving wins in one before training:
//! `cargo run --release -p selfplay --example decisive [-- VISITS GAMES VARIANT…]`.
//!
//! Games without a network, with and without the search for a win in one. Each variant has a table row. A game is decisive
//! if a player won on the board: points counted at the ply limit do not count as a win here.

#[path = "../tests/scratch_run/mod.rs"]
mod scratch_run;

use data::{DataStore, GameRecord, Provenance};
use rules::{Rules, Termination, Variant, VariantId};
use scratch_run::ScratchRun;
use search::UniformEvaluator;
use selfplay::{GamesJob, Origin, SelfplayConfig, play_games};

/// Ply limit; games of random moves are very long in most variants.
const LIMIT: u32 = 300;
/// Limit on large boards, where armies take long to meet.
const LARGE_LIMIT: u32 = 1000;
/// Squares from which a board counts as large.
const LARGE: usize = 200;

struct DecisiveShare {
    games: usize,
    decisive: f64,
    plies: f64,
    at_limit: f64,
}

fn play<V: Variant>(visits: u32, games: u32, limit: u32, win_in_one: bool) -> DecisiveShare {
    let mut run = ScratchRun::new(settings::threads(0));
    (run.search.visits, run.search.win_in_one) = (visits, win_in_one);
    run.selfplay = SelfplayConfig { slots: games, max_plies: limit, stagger_plies: 0, ..SelfplayConfig::default() };
    let (store, _) = DataStore::open(&run.data()).expect("a data folder");
    let job = GamesJob {
        rules: Rules::<V>::default(),
        search: &run.search,
        selfplay: &run.selfplay,
        origin: Origin { network: "uniform".into(), worker: "local".into(), ..Origin::default() },
        provenance: Provenance::default(),
        games,
        seed: 5,
        threads: run.threads,
        store: &store,
    };
    let evaluators = |_| Ok(UniformEvaluator::new(64));
    play_games(&job, evaluators, &run.progress, &run.stop, || ()).expect("games");
    let played = run.games::<V>();
    let judged = [Termination::MaxPlies, Termination::Points];
    let at_limit = |game: &GameRecord<V>| judged.contains(&game.sheet.outcome.termination);
    let share = |is: &dyn Fn(&GameRecord<V>) -> bool| {
        played.iter().filter(|game| is(game)).count() as f64 / played.len().max(1) as f64
    };
    DecisiveShare {
        games: played.len(),
        decisive: share(&|game| game.sheet.outcome.winner().is_some() && !at_limit(game)),
        at_limit: share(&at_limit),
        plies: played.iter().map(|game| game.plies() as f64).sum::<f64>() / played.len().max(1) as f64,
    }
}

fn row<V: Variant>(visits: u32, games: u32) {
    let limit = if V::SQUARES >= LARGE { LARGE_LIMIT } else { LIMIT };
    let [with, without] = [true, false].map(|win_in_one| play::<V>(visits, games, limit, win_in_one));
    println!(
        "| {} | {visits} | {} + {} | {limit} | {:.0} % | {:.0} % | {:.0} | {:.0} | {:.0} % | {:.0} % |",
        V::TITLE,
        with.games,
        without.games,
        100.0 * with.decisive,
        100.0 * without.decisive,
        with.plies,
        without.plies,
        100.0 * with.at_limit,
        100.0 * without.at_limit,
    );
}

fn main() {
    let usage = "usage: decisive [VISITS GAMES VARIANT…]";
    let mut arguments = std::env::args().skip(1);
    let mut number = |default: u32| arguments.next().map_or(default, |text| text.parse().expect(usage));
    let (visits, games) = (number(16), number(200));
    let named: Vec<VariantId> = arguments.map(|text| text.parse().expect(usage)).collect();
    let variants = if named.is_empty() { VariantId::ALL.to_vec() } else { named };
    println!(
        "| variant | visits | games with + without | limit | decisive with | without | plies with | without | at the limit with | without |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|");
    for variant in variants {
        rules::dispatch!(variant, V => row::<V>(visits, games));
    }
}
