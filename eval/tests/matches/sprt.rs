//! Matches that a sequential test ends: the end is a function of seeds and settings.

use super::{games, play, timeless};
use eval::ratings::{Model, Pentanomial, Sample, Sprt, SprtDecision};
use eval::{Match, MatchConfig, MatchReport, PlayerConfig, log};
use rules::{Side, VariantId};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

const WANGQI: VariantId = VariantId::Wangqi;

fn config(elo0: f64, elo1: f64, threads: u32) -> MatchConfig {
    MatchConfig {
        pairs: 400,
        threads,
        concurrency: 3,
        max_plies: 36,
        sprt: Some(Sprt { model: Model::Logistic, elo0, elo1, ..Sprt::default() }),
        ..MatchConfig::default()
    }
}

fn players() -> [PlayerConfig; 2] {
    [PlayerConfig::greedy(), PlayerConfig::mcts(1)]
}

/// A report without what may differ: times, and games that came too late.
fn essence(report: &MatchReport) -> MatchReport {
    MatchReport { uncounted_games: 0, ..timeless(report) }
}

/// The result of a log, computed slowly with a look after every fifth pair: how many pairs count, and their results.
fn by_hand(log: &Path, sprt: &Sprt) -> (u64, Pentanomial, SprtDecision) {
    let games = log::read(log).unwrap().games;
    let mut pairs = Pentanomial::default();
    for pair in 0.. {
        let (Some(a), Some(b)) = (games.get(&(pair, Side::First)), games.get(&(pair, Side::Second))) else { break };
        pairs.count([a.result_of_first_named(), b.result_of_first_named()]);
        let decision = sprt.decide(Sample::Pairs(pairs));
        if pairs.pairs() % 5 == 0 && decision != SprtDecision::Continue {
            return (pairs.pairs(), pairs, decision);
        }
    }
    (pairs.pairs(), pairs, SprtDecision::Continue)
}

#[test]
fn the_decision_does_not_depend_on_threads() {
    let folder = tempfile::tempdir().unwrap();
    let [a, b] = players();
    for (elo0, elo1, expected) in [(0.0, 60.0, SprtDecision::H1), (400.0, 500.0, SprtDecision::H0)] {
        let mut reports = Vec::new();
        for threads in [1, 2, 4] {
            let log = folder.path().join(format!("{elo0} {threads}.jsonl"));
            let config = config(elo0, elo1, threads);
            let report = play(WANGQI, &config, &a, &b, &log);
            let sprt = report.sprt.unwrap();
            let (pairs, penta, decision) = by_hand(&log, &sprt.test);
            assert_eq!((sprt.pairs, report.pairs, sprt.decision), (pairs, penta, decision));
            assert_eq!((decision, report.results.games(), report.missing_games), (expected, 2 * pairs, 0), "{report}");
            assert!((5..400).contains(&pairs), "{report}");
            assert_eq!(report.terminations.values().sum::<u64>(), 2 * pairs);
            let logged = games(&log).len() as u64;
            assert_eq!(logged, 2 * pairs + report.uncounted_games);
            // Unfinished games are dropped. With more threads it may be many, if the machine lets one wait.
            assert!(threads > 1 || report.uncounted_games <= 10, "{report}");
            reports.push(essence(&report));
        }
        assert!(reports.iter().all(|report| *report == reports[0]), "{reports:#?}");
        println!("{}", reports[0]);
    }
}

#[test]
fn nor_on_interruptions() {
    let folder = tempfile::tempdir().unwrap();
    // Slow enough for a stop to come in time.
    let [a, b] = [PlayerConfig::greedy(), PlayerConfig::mcts(20)];
    let whole = essence(&play(WANGQI, &config(0.0, 60.0, 2), &a, &b, &folder.path().join("whole.jsonl")));
    let log = folder.path().join("stopped.jsonl");
    let mut runs = 0;
    loop {
        let config = config(0.0, 60.0, 1 + runs % 4);
        let stop = AtomicBool::new(false);
        let report = Match { variant: WANGQI, config: &config, players: [&a, &b], log: &log }
            .play(&stop, |_| stop.store(true, Ordering::Relaxed))
            .unwrap();
        runs += 1;
        if report.missing_games == 0 {
            assert_eq!(essence(&report), whole);
            break;
        }
        assert_eq!(report.sprt.unwrap().decision, SprtDecision::Continue);
    }
    assert!(runs > 3, "{runs} runs");
    // It is decided: nothing more is played, whatever is asked.
    let before = games(&log);
    let again = play(WANGQI, &MatchConfig { pairs: 10_000, ..config(0.0, 60.0, 2) }, &a, &b, &log);
    assert_eq!((essence(&again), games(&log)), (whole, before));
}

#[test]
fn games_in_the_log_beyond_the_decision_count_nowhere() {
    let folder = tempfile::tempdir().unwrap();
    let [a, b] = players();
    // A match without a test, of which a test then uses its part.
    let path = folder.path().join("match.jsonl");
    let free = MatchConfig { sprt: None, pairs: 60, ..config(0.0, 60.0, 2) };
    play(WANGQI, &free, &a, &b, &path);
    let tested = play(WANGQI, &config(0.0, 60.0, 2), &a, &b, &path);
    let sprt = tested.sprt.unwrap();
    assert!(sprt.decision == SprtDecision::H1 && sprt.pairs < 60, "{tested}");
    assert_eq!(tested.uncounted_games, 2 * (60 - sprt.pairs));
    // The report is broken between words.
    let text = tested.to_string().split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        text.contains("SPRT logistic 0 to 60, α 0.05, β 0.05: LLR ") && text.contains(", H1 accepted after"),
        "{text}"
    );
    let uncounted = format!("not counted, because finished after the decision: {} games", tested.uncounted_games);
    assert!(text.contains(&uncounted), "{text}");
    let json: BTreeMap<String, serde_json::Value> =
        serde_json::from_str(&serde_json::to_string(&tested).unwrap()).unwrap();
    assert_eq!((&json["sprt"]["decision"], &json["sprt"]["pairs"]), (&"h1".into(), &sprt.pairs.into()));

    // The rest can be read from the log alone.
    let recorded = log::read(&path).unwrap();
    assert_eq!(recorded.test, free_test());
    assert_eq!(recorded.games.len(), 120);
    assert_eq!(recorded.counted().len() as u64, 2 * sprt.pairs);
    let ladder = eval::ladder(folder.path(), None).unwrap();
    assert_eq!(ladder.ratings.rows[0].games, 2 * sprt.pairs);

    // Without the test all games count again.
    assert_eq!(play(WANGQI, &free, &a, &b, &path).results.games(), 120);
    assert_eq!(log::read(&path).unwrap().test, None);
    let mut text = std::fs::read_to_string(&path).unwrap();
    text.push_str("{\"sprt\":{\"elo0\":\"low\"}}\n");
    std::fs::write(&path, text).unwrap();
    assert!(log::read(&path).is_err(), "a damaged line");
}

fn free_test() -> Option<Sprt> {
    config(0.0, 60.0, 1).sprt
}

#[test]
fn too_few_pairs_decide_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let [a, b] = players();
    let log = folder.path().join("match.jsonl");
    let report = play(WANGQI, &MatchConfig { pairs: 3, ..config(0.0, 5.0, 2) }, &a, &b, &log);
    let sprt = report.sprt.unwrap();
    assert_eq!((sprt.decision, sprt.pairs, report.missing_games), (SprtDecision::Continue, 3, 0));
    assert!(report.to_string().contains("not decided"), "{report}");
}
