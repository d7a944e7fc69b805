//! Matches with known outcomes, and the log as the only truth.

use eval::ratings::Wdl;
use eval::{Contender, Match, MatchConfig, MatchError, MatchReport, Player, log};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rules::{VariantId, Xiangqi};
use selfplay::fakes::{HashEvaluator, NotFiniteEvaluator, UniformEvaluator};
use selfplay::{EvaluationError, Evaluations, Evaluator, LeafBatch, SearchConfig};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

fn play(variant: VariantId, config: &MatchConfig, a: &Contender, b: &Contender, log: &Path) -> MatchReport {
    Match { variant, config, players: [a, b], log }.play(&AtomicBool::new(false), |_| {}).unwrap()
}

/// A network with opinions of its own, drawn from `seed`.
fn network(name: &str, seed: u64, visits: u32) -> Contender {
    let search = SearchConfig { visits, ..SearchConfig::default() };
    Contender::network(name, format!("hash {seed}"), &search, move || {
        Ok(Box::new(HashEvaluator::new(8, seed)) as Box<dyn Evaluator>)
    })
}

/// A network that knows nothing: its search is one of exact proofs alone.
fn blank(name: &str, visits: u32) -> Contender {
    let search = SearchConfig { visits, ..SearchConfig::default() };
    Contender::network(name, "uniform", &search, || Ok(Box::new(UniformEvaluator::new(8)) as Box<dyn Evaluator>))
}

/// The same report, whenever and wherever it was played.
fn timeless(report: &MatchReport) -> MatchReport {
    MatchReport { seconds: 0.0, games_per_second: None, ..report.clone() }
}

/// The games of a log without the times, which are all that may differ.
fn games(log: &Path) -> log::Games {
    let mut games = log::read(log).unwrap().games;
    for game in games.values_mut() {
        (game.session, game.elapsed_ms) = (0, 0);
    }
    games
}

#[test]
fn random_against_random_is_even() {
    let folder = tempfile::tempdir().unwrap();
    for &variant in VariantId::ALL {
        let other = Contender { name: "other".into(), ..Contender::random() };
        let config = MatchConfig { pairs: 100, ..MatchConfig::default() };
        let log = folder.path().join(format!("{variant}.jsonl"));
        let report = play(variant, &config, &Contender::random(), &other, &log);
        println!("{report}");
        let s = &report.strength;
        assert!(s.score_low.unwrap() < 0.5 && s.score_high.unwrap() > 0.5, "{report}");
        assert_eq!((report.results.games(), report.repeated_games, report.missing_games), (200, 0, 0));
        assert_eq!(report.moving_first + report.moving_second, report.results);
        assert_eq!(report.terminations.values().sum::<u64>(), 200);
    }
}

#[test]
fn stronger_players_win() {
    let folder = tempfile::tempdir().unwrap();
    let random = Contender::random();
    for &variant in VariantId::ALL {
        for (player, pairs) in [(Contender::greedy(), 40), (Contender::mcts(100), 4), (blank("proofs", 32), 20)] {
            let config = MatchConfig { pairs, ..MatchConfig::default() };
            let log = folder.path().join(format!("{variant} {}.jsonl", player.name));
            let report = play(variant, &config, &player, &random, &log);
            println!("{report}");
            assert!(report.strength.score_low.unwrap() > 0.5, "{pairs} pairs: {report}");
        }
    }
}

#[test]
fn threads_and_concurrency_do_not_change_a_game() {
    let folder = tempfile::tempdir().unwrap();
    for &variant in VariantId::ALL {
        let (a, b) = (network("a", 1, 12), network("b", 2, 8));
        let mut logs = Vec::new();
        for (threads, concurrency) in [(1, 1), (1, 0), (2, 5), (8, 3)] {
            let log = folder.path().join(format!("{variant} {threads} {concurrency}.jsonl"));
            let config = MatchConfig { pairs: 10, threads, concurrency, max_plies: 60, ..MatchConfig::default() };
            let report = play(variant, &config, &a, &b, &log);
            logs.push((timeless(&report), games(&log)));
        }
        assert!(logs.iter().all(|log| *log == logs[0]));
        assert_eq!(logs[0].1.len(), 20);
        let config = MatchConfig { pairs: 10, max_plies: 60, seed: 2, ..MatchConfig::default() };
        let log = folder.path().join(format!("{variant} other seed.jsonl"));
        play(variant, &config, &a, &b, &log);
        assert_ne!(games(&log), logs[0].1);
    }
}

#[test]
fn a_match_goes_on_after_a_cut_at_any_line_and_within_lines() {
    let folder = tempfile::tempdir().unwrap();
    let (a, b) = (Contender::greedy(), network("net", 3, 6));
    let config = MatchConfig { pairs: 5, max_plies: 40, threads: 2, ..MatchConfig::default() };
    let whole = folder.path().join("whole.jsonl");
    let report = timeless(&play(VariantId::Wangqi, &config, &a, &b, &whole));
    let bytes = std::fs::read(&whole).unwrap();
    let ends: Vec<usize> = (0..bytes.len()).filter(|&i| bytes[i] == b'\n').map(|i| i + 1).collect();
    assert_eq!(ends.len(), 11, "a header and ten games");
    let torn = ends.iter().flat_map(|&end| [end - 1, end, (end + 17).min(bytes.len())]);
    for cut in [0, 1].into_iter().chain(torn) {
        let log = folder.path().join(format!("cut {cut}.jsonl"));
        std::fs::write(&log, &bytes[..cut]).unwrap();
        assert_eq!(timeless(&play(VariantId::Wangqi, &config, &a, &b, &log)), report, "cut at byte {cut}");
        assert_eq!(games(&log), games(&whole), "cut at byte {cut}");
    }
}

#[test]
fn a_stopped_match_loses_nothing_finished() {
    let folder = tempfile::tempdir().unwrap();
    let (a, b) = (network("a", 1, 8), network("b", 2, 8));
    let config = MatchConfig { pairs: 12, max_plies: 50, threads: 2, ..MatchConfig::default() };
    let whole = folder.path().join("whole.jsonl");
    let report = play(VariantId::Wangqi, &config, &a, &b, &whole);
    assert_eq!(report.missing_games, 0);

    let log = folder.path().join("stopped.jsonl");
    let mut runs = 0;
    loop {
        let stop = AtomicBool::new(false);
        let players = [&a, &b];
        let seen = AtomicUsize::new(0);
        let part = Match { variant: VariantId::Wangqi, config: &config, players, log: &log }
            .play(&stop, |progress| {
                seen.store(progress.games as usize, Ordering::Relaxed);
                stop.store(true, Ordering::Relaxed);
            })
            .unwrap();
        assert!(part.results.games() as usize >= seen.load(Ordering::Relaxed));
        runs += 1;
        if part.missing_games == 0 {
            break;
        }
    }
    assert!(runs > 1, "it was stopped at least once");
    assert_eq!(games(&log), games(&whole));
}

#[test]
fn a_longer_match_keeps_its_games() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("match.jsonl");
    let (a, b) = (Contender::greedy(), Contender::random());
    let short = MatchConfig { pairs: 3, ..MatchConfig::default() };
    play(VariantId::Wangqi, &short, &a, &b, &log);
    let before = games(&log);
    let report = play(VariantId::Wangqi, &MatchConfig { pairs: 6, ..short }, &a, &b, &log);
    assert_eq!(report.results.games(), 12);
    let after = games(&log);
    assert!(before.iter().all(|(key, game)| after[key] == *game));
}

#[test]
fn a_log_of_other_settings_is_refused_with_the_differences() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("match.jsonl");
    let config = MatchConfig { pairs: 1, ..MatchConfig::default() };
    play(VariantId::Wangqi, &config, &Contender::random(), &network("net", 1, 4), &log);
    let changed = MatchConfig { opening_plies: 4, seed: 9, ..config };
    let error = Match {
        variant: VariantId::Wangqi,
        config: &changed,
        players: [&Contender::random(), &network("net", 2, 5)],
        log: &log,
    }
    .play(&AtomicBool::new(false), |_| {})
    .unwrap_err();
    let text = error.to_string();
    for part in [
        "openings is \"random, 4 plies\" now and \"random, 6 plies\" in the log",
        "players.1.identity is \"hash 2\" now and \"hash 1\" in the log",
        "players.1.search.visits is 5 now and 4 in the log",
        "seed is 9 now and 1 in the log",
    ] {
        assert!(text.contains(part), "{text}");
    }
}

#[test]
fn damage_is_named_and_never_a_panic() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("match.jsonl");
    let config = MatchConfig { pairs: 1, ..MatchConfig::default() };
    play(VariantId::Wangqi, &config, &Contender::random(), &Contender::greedy(), &log);
    let good = std::fs::read_to_string(&log).unwrap();
    for (from, to, line) in [
        ("\"seed\":1", "\"seed\":2", 1),
        ("\"kirin_match\":1", "\"kirin_match\":9", 1),
        ("{", "", 1),
        ("\"pair\":0", "\"pair\":x", 2),
        ("\"opening_plies\":6", "\"opening_plies\":9999", 2),
    ] {
        assert!(good.contains(from), "{from}");
        std::fs::write(&log, good.replacen(from, to, 1)).unwrap();
        match log::read(&log) {
            Err(MatchError::Line { line: found, .. }) => assert_eq!(found, line, "{from} → {to}"),
            other => panic!("{from} → {to}: {other:?}"),
        }
    }
}

#[test]
fn a_network_that_breaks_ends_the_match_with_its_name() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("match.jsonl");
    let broken = Contender::network("broken", "x", &SearchConfig::default(), || {
        Ok(Box::new(NotFiniteEvaluator::new(UniformEvaluator::new(4), 30)) as Box<dyn Evaluator>)
    });
    let config = MatchConfig { pairs: 4, ..MatchConfig::default() };
    let error =
        Match { variant: VariantId::Wangqi, config: &config, players: [&broken, &Contender::random()], log: &log }
            .play(&AtomicBool::new(false), |_| {})
            .unwrap_err();
    assert!(error.to_string().starts_with("broken, pair "), "{error}");
}

#[test]
fn repeated_games_are_warned_of() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("match.jsonl");
    let config = MatchConfig { pairs: 4, opening_plies: 0, max_plies: 30, ..MatchConfig::default() };
    let report = play(VariantId::Wangqi, &config, &network("a", 1, 4), &network("b", 2, 4), &log);
    assert_eq!(report.repeated_games, 6, "four equal pairs");
    assert!(report.warnings[0].contains("6 of 8 games are move for move like another one"), "{report}");
}

#[test]
fn listed_openings_are_played_from_both_sides() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("match.jsonl");
    let config = MatchConfig { pairs: 2, ..MatchConfig::default() };
    let list = "startpos ; h3e3 h8e8\n3k5/R8/1R7/9/9/9/9/9/9/5K3 w - - 0 1\n";
    let (greedy, random) = (Contender::greedy(), Contender::random());
    let report = Match { variant: VariantId::Xiangqi, config: &config, players: [&greedy, &random], log: &log }
        .play_from(list, &AtomicBool::new(false), |_| {})
        .unwrap();
    let mut recorded = log::read(&log).unwrap();
    let games: Vec<_> = recorded.games.values().collect();
    assert!(games[..2].iter().all(|game| game.moves.starts_with("h3e3 h8e8 ") && game.opening_plies == 2));
    assert!(games[2..].iter().all(|game| game.fen.starts_with("3k5/R8/")));
    assert_eq!((games[2].plies, games[2].result), (1, 1), "greedy sees the mate");
    let pgn = eval::pgn::export(&recorded.header.take().unwrap(), &recorded.games);
    assert!(pgn.contains("[FEN \"3k5/R8/") && pgn.contains(&format!("\n1. {} 1-0\n", games[2].moves)), "{pgn}");
    assert_eq!(report.results.games(), 4);
}

#[test]
fn bad_settings_are_refused_at_once() {
    let config = MatchConfig { pairs: 0, ruleset: "nonsense".into(), ..MatchConfig::default() };
    let random = Contender::random();
    let log = Path::new("/nonexistent/never-written.jsonl");
    let error = Match { variant: VariantId::Xiangqi, config: &config, players: [&random, &random], log }
        .play(&AtomicBool::new(false), |_| {})
        .unwrap_err();
    assert_eq!(error.to_string().lines().count(), 3, "{error}");
}

#[test]
fn a_ladder_over_the_matches_of_a_folder() {
    let folder = tempfile::tempdir().unwrap();
    assert!(eval::ladder(folder.path(), None).is_err(), "no games yet");
    let config = MatchConfig { pairs: 10, max_plies: 80, ..MatchConfig::default() };
    let players = [Contender::random(), Contender::greedy(), network("net", 1, 8), network("net", 2, 8)];
    for (i, j) in [(0, 1), (1, 2), (0, 3)] {
        let log = folder.path().join(format!("{i}-{j}.jsonl"));
        play(VariantId::Wangqi, &config, &players[i], &players[j], &log);
    }
    let ladder = eval::ladder(folder.path(), Some("random")).unwrap();
    println!("{ladder}");
    let names: Vec<_> = ladder.ratings.rows.iter().map(|row| row.player.as_str()).collect();
    assert!(names.contains(&"net (hash 1, 8 visits)") && names.contains(&"net (hash 2, 8 visits)"), "{names:?}");
    assert_eq!((ladder.matches, ladder.ratings.anchor.as_str(), ladder.encounters.len()), (3, "random", 6));
    let total = ladder.encounters.iter().fold(Wdl::default(), |sum, e| sum + e.results);
    assert_eq!(total.games(), 60);
    assert!(serde_json::to_string(&ladder).unwrap().contains("\"first_advantage\""));

    play(
        VariantId::Xiangqi,
        &MatchConfig { pairs: 1, ..config },
        &players[0],
        &players[1],
        &folder.path().join("z.jsonl"),
    );
    assert!(eval::ladder(folder.path(), None).unwrap_err().to_string().contains("is a match of xiangqi"));
}

/// Counts how full its batches are.
struct Counting {
    inner: HashEvaluator,
    calls: Arc<AtomicUsize>,
    leaves: Arc<AtomicUsize>,
}

impl Evaluator for Counting {
    fn batch_size(&self) -> usize {
        self.inner.batch_size()
    }

    fn evaluate(&mut self, batch: &LeafBatch, out: &mut Evaluations) -> Result<(), EvaluationError> {
        self.calls.fetch_add(1, Ordering::Relaxed);
        self.leaves.fetch_add(batch.len(), Ordering::Relaxed);
        self.inner.evaluate(batch, out)
    }
}

#[test]
fn batches_fill() {
    const BATCH: usize = 16;
    let folder = tempfile::tempdir().unwrap();
    let counters: [Arc<AtomicUsize>; 2] = Default::default();
    let counting = |name: &str, seed| {
        let [calls, leaves] = counters.clone();
        let search = SearchConfig { visits: 16, ..SearchConfig::default() };
        Contender::network(name, format!("hash {seed}"), &search, move || {
            let (calls, leaves) = (Arc::clone(&calls), Arc::clone(&leaves));
            Ok(Box::new(Counting { inner: HashEvaluator::new(BATCH, seed), calls, leaves }) as Box<dyn Evaluator>)
        })
    };
    // Enough games for every slot of both threads to be filled six times; at the end batches run dry.
    let config = MatchConfig { pairs: 200, max_plies: 40, threads: 2, ..MatchConfig::default() };
    let log = folder.path().join("match.jsonl");
    let report = play(VariantId::Wangqi, &config, &counting("a", 1), &counting("b", 2), &log);
    let [calls, leaves] = counters.map(|counter| counter.load(Ordering::Relaxed));
    let fill = leaves as f64 / (calls * BATCH) as f64;
    println!("{leaves} evaluations, {:.1} % of the room, {:.0} a second", 100.0 * fill, leaves as f64 / report.seconds);
    assert!(fill > 0.8, "batches are {:.1} % full", 100.0 * fill);
}

#[test]
fn a_player_for_one_game_finds_what_the_match_player_finds() {
    let position = rules::Position::<Xiangqi>::from_fen("3k5/R8/1R7/9/9/9/9/9/9/5K3 w - - 0 1").unwrap();
    let game = rules::Game::from_position(rules::Rules::default(), position);
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    for contender in [Contender::greedy(), Contender::mcts(1_000), network("net", 1, 16)] {
        let mv = Player::new(&contender).unwrap().choose(&game, &mut rng).unwrap();
        let mut after = game.clone();
        after.play(mv);
        let mut legal = rules::MoveList::new();
        after.legal_moves(&mut legal);
        let outcome = after.outcome(&legal).map(|outcome| outcome.score(rules::Side::First));
        assert_eq!(outcome, Some(1.0), "{contender:?} plays {}", game.position().format_move(mv));
    }
}
