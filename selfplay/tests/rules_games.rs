//! Random-play games: how many are decided, that threads and interruptions make no difference, the contents of their
//! rows, and their use in the next generation.

use crate::scratch_run::ScratchRun;
use data::{GameRecord, PositionRecord};
use rules::{MoveList, Shogi, Variant, VariantId, Wangqi, Xiangqi};
use search::{EvaluationError, Evaluations, Evaluator, HashEvaluator, LeafBatch, UniformEvaluator};
use selfplay::{BY_RULES, SelfplayConfig};
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};

/// A run that begins with this number of games of at most so many plies.
fn run(games: u32, max_plies: u32) -> ScratchRun {
    let mut run = ScratchRun::new(2);
    run.selfplay = SelfplayConfig { slots: 12, rules_games: games, max_plies, ..SelfplayConfig::default() };
    run
}

/// Share of the games with a winner.
fn decisive<V: Variant>(games: u32, max_plies: u32) -> f64 {
    let run = run(games, max_plies);
    let report = run.play_by_rules::<V>(0).expect("games");
    let counts = run.progress.counts();
    assert_eq!((report.complete, counts.games), (true, u64::from(games)));
    assert_eq!(report.shard.map_or(0, |shard| shard.games.rows) + report.undecided, counts.games);
    counts.decisive_share()
}

/// With a limit of 400 plies, 34 % of Xiangqi's games and 47 % of Shogi's are decided by random moves, and 96 % and 99 % where
/// a win in one is taken.
#[test]
fn random_games_are_decided_where_a_win_in_one_is_taken() {
    for (id, least) in [("xiangqi", 0.92), ("shogi", 0.96), ("wangqi", 0.96), ("janggi", 0.96)] {
        let id: VariantId = id.parse().expect("a variant");
        let share = rules::dispatch!(id, V => decisive::<V>(200, 400));
        assert!(share >= least, "{id}: {share}");
    }
}

#[test]
fn the_games_do_not_depend_on_threads() {
    fn same_files<V: Variant>() {
        let mut reference = None;
        for threads in [1, 2, 8] {
            let mut run = run(60, 200);
            run.threads = threads;
            run.play_by_rules::<V>(0).expect("games");
            let found = run.digests::<V>();
            assert_eq!(found.len(), 1);
            assert_eq!(*reference.get_or_insert(found.clone()), found, "{threads} threads");
        }
    }
    same_files::<Wangqi>();
    same_files::<Xiangqi>();
}

/// A stopped job leaves nothing, and repeating a finished job changes nothing.
#[test]
fn games_are_there_whole_or_not_at_all_and_never_twice() {
    let run = run(50, 300);
    run.stop.store(true, Ordering::Relaxed);
    let report = run.play_by_rules::<Wangqi>(1).expect("a stop");
    assert!(!report.complete && report.shard.is_none());
    assert!(run.games::<Wangqi>().is_empty());
    run.stop.store(false, Ordering::Relaxed);
    let report = run.play_by_rules::<Wangqi>(1).expect("games");
    let counted = run.progress.counts();
    let again = run.play_by_rules::<Wangqi>(1).expect("the same games");
    assert_eq!((&again, run.progress.counts()), (&report, counted), "nothing is played anew");
    assert_eq!(run.games::<Wangqi>().len() as u64 + report.undecided, 50);
}

fn rows_tell_the_result<V: Variant>() {
    let run = run(100, 300);
    run.play_by_rules::<V>(0).expect("games");
    let mut with_policy = 0;
    for game in run.games::<V>() {
        assert_eq!((game.worker.as_str(), game.net_first.as_str()), (BY_RULES, BY_RULES));
        assert!(!game.sheet.outcome.is_cut_off());
        assert!(game.positions.len() <= 8 && game.positions[0].ply > 0, "its opening was chosen by nobody");
        assert_eq!(game.positions.last().map(|row| usize::from(row.ply)), Some(game.plies() - 1));
        let played = game.sheet.replay().finish().expect("a legal game");
        for row in &game.positions {
            let score = game.sheet.outcome.score(row.side);
            assert_eq!((row.root_q, row.target_weight), (score, 1.0));
            assert_eq!(row.root_wdl[0] - row.root_wdl[2], score);
            assert_eq!(row.pos_key, played.positions()[usize::from(row.ply)].key().to_bytes());
            if row.full_search {
                with_policy += 1;
                assert_eq!(row.root_wdl, [1.0, 0.0, 0.0]);
                assert!(row.policy_move.contains(&row.mv));
                wins_at_once(&game, row);
            }
        }
    }
    assert!(with_policy >= 70, "{with_policy} games ended by a move that won");
}

/// The policy contains exactly the winning moves.
fn wins_at_once<V: Variant>(game: &GameRecord<V>, row: &PositionRecord) {
    let (mut legal, mut replies) = (MoveList::new(), MoveList::new());
    let mut at = game.sheet.replay_unchecked(usize::from(row.ply));
    at.legal_moves(&mut legal);
    for &mv in legal.iter() {
        at.play(mv);
        at.legal_moves(&mut replies);
        let wins = at.outcome(&replies).is_some_and(|outcome| outcome.winner() == Some(row.side));
        at.undo();
        assert_eq!(wins, row.policy_move.contains(&mv));
    }
}

#[test]
fn rows_tell_the_result_and_the_wins_in_one() {
    rows_tell_the_result::<Wangqi>();
    rows_tell_the_result::<Xiangqi>();
    rows_tell_the_result::<Shogi>();
}

/// Stops the run after this number of batches.
struct Stopping<'a> {
    inner: HashEvaluator,
    left: &'a AtomicI64,
    stop: &'a AtomicBool,
}

impl Evaluator for Stopping<'_> {
    fn batch_size(&self) -> usize {
        self.inner.batch_size()
    }

    fn evaluate(&mut self, batch: &LeafBatch, out: &mut Evaluations) -> Result<(), EvaluationError> {
        if self.left.fetch_sub(1, Ordering::Relaxed) <= 0 {
            self.stop.store(true, Ordering::Relaxed);
        }
        self.inner.evaluate(batch, out)
    }
}

/// A run whose second generation begins near the ends of the games of its first.
fn goes_on(ending_share: f32, sample_plies: u32) -> ScratchRun {
    let mut run = run(60, 150);
    run.search.visits = 8;
    run.selfplay = SelfplayConfig {
        plies_per_generation: 120,
        ending_share,
        ending_until: 1.0,
        // No game is so short that it has no start near its end.
        ending_plies_max: 8,
        sample_plies,
        temperature: 10.0,
        temperature_end: 10.0,
        stagger_plies: 0,
        ..run.selfplay
    };
    run.play_by_rules::<Wangqi>(0).expect("games");
    run
}

/// Games that begin near the end of another contain all of its earlier moves, and choose the best move from there on,
/// however early that is and after any interruption.
#[test]
fn games_from_endings_have_their_history_and_draw_no_move() {
    let second = |run: &ScratchRun| {
        run.generate::<Wangqi, _>(1, |_| Ok(HashEvaluator::new(6, 1))).expect("a generation");
        (run.digests::<Wangqi>(), std::fs::read_to_string(run.slots_file()).expect("slots"))
    };
    let (drawing, best) = (goes_on(1.0, 10_000), goes_on(1.0, 0));
    let reference = second(&best);
    assert_eq!(second(&drawing), reference, "no move is drawn");
    assert_ne!(second(&goes_on(0.0, 10_000)), second(&goes_on(0.0, 0)), "elsewhere moves are drawn");
    // Stopped many times, often before a game's first search is finished.
    let stopped = goes_on(1.0, 10_000);
    let mut pieces = 0;
    loop {
        pieces += 1;
        stopped.stop.store(false, Ordering::Relaxed);
        let left = AtomicI64::new(11 * pieces);
        let evaluators = |_| Ok(Stopping { inner: HashEvaluator::new(6, 1), left: &left, stop: &stopped.stop });
        if stopped.generate::<Wangqi, _>(1, evaluators).expect("a piece").complete {
            break;
        }
    }
    assert!(pieces > 5, "{pieces}");
    stopped.stop.store(false, Ordering::Relaxed);
    assert_eq!(second(&stopped), reference);

    let games = best.games::<Wangqi>();
    let (by_rules, later): (Vec<_>, Vec<_>) = games.iter().partition(|game| game.generation == 0);
    assert!(later.len() >= 12, "{}", later.len());
    for game in later {
        let copied = &game.sheet.moves[..usize::from(game.positions[0].ply)];
        assert!(by_rules.iter().any(|earlier| earlier.sheet.moves.starts_with(copied)), "of no earlier game");
        assert!(game.sheet.start.start_fen().is_none() && game.plies() <= 150, "the limit counts all plies");
    }
}

/// If no network has played before, slots begin as usual; random-play games are no evidence on resigning.
#[test]
fn slots_begin_after_games_by_the_rules_alone() {
    let run = run(20, 200);
    run.play_by_rules::<Wangqi>(0).expect("games");
    let report = run.generate::<Wangqi, _>(1, |_| Ok(UniformEvaluator::new(16))).expect("a generation");
    assert_eq!((report.complete, report.resign_below, report.damaged_shards.len()), (true, 0.0, 0));
}
