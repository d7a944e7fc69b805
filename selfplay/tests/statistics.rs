//! Shares and frequencies of a generation, with fixed seeds.

mod scratch_run;

use rules::{Variant, Wangqi, Xiangqi};
use scratch_run::ScratchRun;
use selfplay::{HashEvaluator, SelfplayConfig, UniformEvaluator};

#[test]
fn fast_searches_have_their_share() {
    let run = ScratchRun::new(2);
    for generation in 0..3 {
        run.generate::<Wangqi, _>(generation, |_| Ok(HashEvaluator::new(6, 1))).expect("a generation");
    }
    let games = run.games::<Wangqi>();
    let positions: Vec<_> = games.iter().flat_map(|game| &game.positions).collect();
    let fast = positions.iter().filter(|position| !position.full_search).count();
    let (n, share) = (positions.len() as f64, 0.3);
    assert!((fast as f64 - n * share).abs() < 4.0 * (n * share * (1.0 - share)).sqrt(), "{fast} of {n}");
    for position in positions {
        let limit = if position.full_search { 12 } else { 4 };
        assert!(position.visits <= limit, "{} visits", position.visits);
        // Only a proof ends a search early.
        assert!(position.visits == limit || position.root_q.abs() == 1.0 || position.root_wdl[1] == 1.0);
    }
}

/// The first games of a run begin at different depths, whatever the number of its first generation.
#[test]
fn first_games_are_staggered() {
    for first_generation in [0, 1] {
        let mut run = ScratchRun::new(2);
        (run.selfplay.opening_share, run.selfplay.plies_per_generation) = (0.0, 80);
        run.generate::<Xiangqi, _>(first_generation, |_| Ok(HashEvaluator::new(6, 1))).expect("a generation");
        let mut starts: Vec<u16> = run.games::<Xiangqi>().iter().map(|game| game.positions[0].ply).collect();
        starts.sort_unstable();
        starts.dedup();
        // Slot i of 12 begins with 60 i / 12 random moves.
        let expected: Vec<u16> = (0..12).map(|i| 5 * i).collect();
        assert_eq!(starts, expected, "from generation {first_generation}");
    }
}

/// Share of decisive games in a generation 0 without a network, at a limit of 200 plies.
fn decisive_share<V: Variant>(win_in_one: bool) -> f64 {
    let mut run = ScratchRun::new(2);
    run.search.visits = 2;
    run.search.win_in_one = win_in_one;
    run.selfplay = SelfplayConfig { slots: 48, plies_per_generation: 300, max_plies: 200, ..Default::default() };
    let report = run.generate::<V, _>(0, |_| Ok(UniformEvaluator::new(16))).expect("a generation");
    report.counts.decisive_share()
}

/// Wins are not absent from early games; players walk past them. (With more simulations the proof also finds
/// the defence, and games grow longer again.)
#[test]
fn proof_makes_early_games_decisive() {
    let (with, without) = (decisive_share::<Xiangqi>(true), decisive_share::<Xiangqi>(false));
    assert!(with > without + 0.15, "xiangqi: {with:.2} with, {without:.2} without");
    let (with, without) = (decisive_share::<Wangqi>(true), decisive_share::<Wangqi>(false));
    assert!(with > without + 0.15, "wangqi: {with:.2} with, {without:.2} without");
}
