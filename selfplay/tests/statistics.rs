//! Shares and frequencies of a generation, with fixed seeds.

use crate::scratch_run::ScratchRun;
use data::GameRecord;
use rules::{Janggi, Side, SquareSet, Termination, Variant, Wangqi, Xiangqi};
use search::{Algorithm, HashEvaluator, UniformEvaluator};
use selfplay::SelfplayConfig;
use std::collections::HashMap;

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

/// Searches differ in cost: fast ones and proofs are cheap. Slots that fall behind come first, so that none plays alone
/// at the end.
#[test]
fn batches_are_full_to_the_end_of_a_generation() {
    const BATCH: u32 = 8;
    for threads in [1, 2] {
        let mut run = ScratchRun::new(threads);
        run.selfplay.slots = 2 * BATCH * threads as u32;
        let evaluators = |_| Ok(HashEvaluator::new(BATCH as usize, 1));
        for generation in 1..3 {
            let report = run.generate::<Wangqi, _>(generation, evaluators).expect("a generation");
            let fill = report.counts.batch_fill();
            assert!(fill > 0.98, "{:.1} % full on {threads} threads", 100.0 * fill);
        }
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

/// Whether a game continues another one that was decided on the board, from 4 to 40 plies before its end.
fn goes_on<V: Variant>(game: &GameRecord<V>, earlier: &GameRecord<V>) -> bool {
    let copied = &game.sheet.moves[..usize::from(game.positions[0].ply)];
    let outcome = &earlier.sheet.outcome;
    outcome.winner().is_some()
        && outcome.termination != Termination::Resign
        && earlier.sheet.moves.starts_with(copied)
        && (4..=40).contains(&(earlier.plies() - copied.len()))
}

#[test]
fn games_begin_shortly_before_the_end_of_decided_games() {
    let mut run = ScratchRun::new(2);
    run.selfplay = SelfplayConfig {
        slots: 48,
        plies_per_generation: 200,
        max_plies: 200,
        ending_share: 0.5,
        ending_until: 0.8,
        ..SelfplayConfig::default()
    };
    run.search.visits = 2;
    let (mut begun, mut from_endings) = (0, 0);
    for generation in 0..4 {
        run.progress_of_run = 0.4; // half of the way to where it ends: a quarter of the games
        run.generate::<Wangqi, _>(generation, |_| Ok(UniformEvaluator::new(16))).expect("a generation");
    }
    let games = run.games::<Wangqi>();
    // No game has a long random start from the second generation on.
    for game in games.iter().filter(|game| game.generation >= 2) {
        begun += 1;
        if u32::from(game.positions[0].ply) > run.selfplay.opening_plies {
            from_endings += 1;
            // A game that ends in this generation began in it or in the one before.
            let mut earlier = games.iter().filter(|earlier| (1..=2).contains(&(game.generation - earlier.generation)));
            assert!(earlier.any(|earlier| goes_on(game, earlier)), "{} is near no end", game.moves_text);
        }
    }
    // Games from endings are short, so more of them end: their share is higher than among the games begun.
    let share = f64::from(from_endings) / f64::from(begun);
    assert!((0.2..0.7).contains(&share), "{from_endings} of {begun}");
    run.progress_of_run = 0.8;
    for generation in 4..6 {
        run.generate::<Wangqi, _>(generation, |_| Ok(UniformEvaluator::new(16))).expect("a generation");
    }
    let late = run.games::<Wangqi>().into_iter().filter(|game| game.generation == 5);
    let from_endings = late.filter(|game| u32::from(game.positions[0].ply) > run.selfplay.opening_plies);
    assert_eq!(from_endings.count(), 0, "annealed");
}

/// Draws by the limit get more weight late in the run.
#[test]
fn games_drawn_by_the_limit_weigh_more_later() {
    for (progress, weight) in [(0.0, 0.2), (0.2, 0.35), (0.6, 0.5)] {
        let mut run = ScratchRun::new(2);
        run.progress_of_run = progress;
        run.generate::<Xiangqi, _>(0, |_| Ok(HashEvaluator::new(6, 1))).expect("a generation");
        let games = run.games::<Xiangqi>();
        let drawn: Vec<_> = games.iter().filter(|game| game.sheet.outcome.is_cut_off()).collect();
        assert!(!drawn.is_empty());
        let mut rows = drawn.iter().flat_map(|game| &game.positions);
        assert!(rows.all(|row| (row.target_weight - weight).abs() < 1e-6), "at {progress}");
    }
}

#[test]
fn resigning_is_steered_by_games_played_through() {
    let mut run = ScratchRun::new(2);
    run.selfplay = SelfplayConfig {
        slots: 64,
        plies_per_generation: 120,
        max_plies: 120,
        resign_below: 0.45,
        resign_after: 1,
        resign_playthrough: 0.5,
        resign_false_rate: 1.0,
        resign_from: 0.0,
        ..SelfplayConfig::default()
    };
    run.search.visits = 2;
    let generate = |run: &ScratchRun, generation| {
        run.generate::<Wangqi, _>(generation, |_| Ok(HashEvaluator::new(16, 7))).expect("a generation")
    };
    assert_eq!(generate(&run, 0).resign_below, 0.0, "nothing is known yet");
    let report = generate(&run, 1);
    assert!((report.resign_below - 0.45).abs() < 1e-6, "any rate of error will do: {}", report.resign_below);
    let careless = report.counts.terminated_by(Termination::Resign);
    assert!(careless > 10, "{:?}", report.counts);
    assert!(report.tally.played_through > 10 && report.tally.wrong_resignations > 0);
    // Random values are wrong about half of the time; only proven values are both low and right.
    run.selfplay.resign_false_rate = 0.03;
    let report = generate(&run, 2);
    assert!(report.resign_below < 0.3, "{}", report.resign_below);
    assert!(report.counts.terminated_by(Termination::Resign) < careless / 2, "{:?}", report.counts);
    // Before `resign_from` no player resigns.
    (run.selfplay.resign_false_rate, run.selfplay.resign_from, run.progress_of_run) = (1.0, 0.5, 0.49);
    assert_eq!(generate(&run, 3).resign_below, 0.0);
}

/// Its random moves are no choice of a player.
#[test]
fn a_game_that_is_resigned_before_its_first_move_is_all_opening() {
    let mut run = ScratchRun::new(2);
    run.selfplay = SelfplayConfig {
        slots: 64,
        plies_per_generation: 120,
        max_plies: 120,
        opening_share: 1.0,
        opening_plies: 6,
        resign_below: 0.45,
        resign_after: 1,
        resign_playthrough: 0.5,
        resign_false_rate: 1.0,
        resign_from: 0.0,
        ..SelfplayConfig::default()
    };
    run.search.visits = 2;
    for generation in 0..2 {
        run.generate::<Wangqi, _>(generation, |_| Ok(HashEvaluator::new(16, 7))).expect("a generation");
    }
    let games = run.games::<Wangqi>();
    let (unsearched, searched): (Vec<_>, Vec<_>) = games.iter().partition(|game| game.positions.is_empty());
    assert!(!unsearched.is_empty() && !searched.is_empty(), "{} of {}", unsearched.len(), games.len());
    for game in unsearched {
        assert_eq!(game.sheet.outcome.termination, Termination::Resign);
        assert_eq!(game.opening_plies as usize, game.sheet.moves.len());
    }
    assert!(searched.iter().all(|game| game.opening_plies == 0));
}

#[test]
fn set_ups_are_drawn_for_each_player() {
    let mut run = ScratchRun::new(2);
    run.search.visits = 1;
    run.selfplay = SelfplayConfig {
        slots: 300,
        plies_per_generation: 30,
        max_plies: 20,
        stagger_plies: 0,
        setups: ["inner", "outer", "left"].map(str::to_owned).to_vec(),
        ..SelfplayConfig::default()
    };
    run.generate::<Janggi, _>(0, |_| Ok(UniformEvaluator::new(16))).expect("a generation");
    let games = run.games::<Janggi>();
    let mut counts = HashMap::new();
    for game in &games {
        let chosen = game.sheet.start.setups().expect("a start position").map(|setup| setup.name);
        assert!(chosen.iter().all(|name| run.selfplay.setups.iter().any(|listed| listed == name)), "{chosen:?}");
        *counts.entry(chosen).or_insert(0) += 1;
    }
    assert_eq!(counts.len(), 9, "{counts:?}");
    let expected = games.len() as f64 / 9.0;
    let chi_squared: f64 = counts.values().map(|&n| (f64::from(n) - expected).powi(2) / expected).sum();
    // 8 degrees of freedom: 26.1 is exceeded once in a thousand.
    assert!(games.len() >= 300 && chi_squared < 26.1, "{chi_squared} of {counts:?}");
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

/// Early games contain wins, but players miss them. (With more visits the proof also finds the defence, and games
/// get longer again.)
#[test]
fn proof_makes_early_games_decisive() {
    let (with, without) = (decisive_share::<Xiangqi>(true), decisive_share::<Xiangqi>(false));
    assert!(with > without + 0.15, "xiangqi: {with:.2} with, {without:.2} without");
    let (with, without) = (decisive_share::<Wangqi>(true), decisive_share::<Wangqi>(false));
    assert!(with > without + 0.15, "wangqi: {with:.2} with, {without:.2} without");
}

/// Games from sparse boards begin at positions of long random-play games, with no plies played; the limits count from there.
#[test]
fn games_begin_from_sparse_boards() {
    let mut run = ScratchRun::new(2);
    run.selfplay = SelfplayConfig {
        slots: 40,
        plies_per_generation: 120,
        max_plies: 60,
        max_quiet_plies: 20,
        sparse_share: 0.5,
        stagger_plies: 0,
        ..SelfplayConfig::default()
    };
    run.search.visits = 2;
    run.generate::<Xiangqi, _>(0, |_| Ok(UniformEvaluator::new(16))).expect("a generation");
    let games = run.games::<Xiangqi>();
    let pieces = |game: &GameRecord<Xiangqi>| {
        let start = &game.sheet.start;
        Side::BOTH.map(|side| start.pieces(side).squares().count() as f64).iter().sum::<f64>()
    };
    let sparse: Vec<_> = games.iter().filter(|game| game.sheet.start.start_fen().is_some()).collect();
    let share = sparse.len() as f64 / games.len() as f64;
    assert!((0.3..0.7).contains(&share), "{} of {}", sparse.len(), games.len());
    let left = sparse.iter().map(|game| pieces(game)).sum::<f64>() / sparse.len() as f64;
    assert!((12.0..27.0).contains(&left), "{left} of 32 pieces");
    for game in sparse {
        assert_eq!(game.positions[0].ply, 0, "no random moves after the start");
        let played = game.sheet.replay().finish().expect("a legal game");
        assert!(game.plies() <= 60 && played.position().quiet_plies() <= 20);
    }
    assert_eq!(games[0].sheet.rules.to_string(), "full max-plies=60 max-quiet-plies=20");
}

/// Fast searches by Gumbel have noise, so that two games that begin alike differ.
#[test]
fn fast_searches_by_gumbel_have_noise() {
    let games = |fast_algorithm: Algorithm| {
        let mut run = ScratchRun::new(2);
        run.selfplay = SelfplayConfig {
            slots: 12,
            plies_per_generation: 30,
            max_plies: 30,
            fast_share: 1.0,
            fast_visits: 4,
            fast_algorithm,
            sample_plies: 0,
            opening_share: 0.0,
            ending_share: 0.0,
            stagger_plies: 0,
            ..SelfplayConfig::default()
        };
        run.generate::<Wangqi, _>(0, |_| Ok(HashEvaluator::new(6, 1))).expect("a generation");
        let mut texts: Vec<String> = run.games::<Wangqi>().into_iter().map(|game| game.moves_text).collect();
        texts.sort_unstable();
        texts.dedup();
        texts.len()
    };
    assert_eq!(games(Algorithm::Puct), 1, "the same search in each game");
    assert_eq!(games(Algorithm::Gumbel), 12);
}
