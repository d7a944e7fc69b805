//! Settings, logs and networks that are no good: one clear message each, never a panic.

use super::{network, play};
use data::DataError;
use eval::{Match, MatchConfig, MatchError, OpeningsConfig, PlayerConfig, log};
use rules::VariantId;
use search::fakes::{NotFiniteEvaluator, UniformEvaluator};
use search::{Evaluator, SearchConfig};
use std::path::Path;
use std::sync::atomic::AtomicBool;

#[test]
fn a_log_of_other_settings_is_refused_with_the_differences() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("match.jsonl");
    let config = MatchConfig { pairs: 1, ..MatchConfig::default() };
    play(VariantId::Wangqi, &config, &PlayerConfig::random(), &network("net", 1, 4), &log);
    let changed = MatchConfig { openings: OpeningsConfig::random(4), seed: 9, ..config };
    let error = Match {
        variant: VariantId::Wangqi,
        config: &changed,
        players: [&PlayerConfig::random(), &network("net", 2, 5)],
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
    play(VariantId::Wangqi, &config, &PlayerConfig::random(), &PlayerConfig::greedy(), &log);
    let good = std::fs::read_to_string(&log).unwrap();
    for (from, to, line) in [
        ("\"seed\":1", "\"seed\":2", 1),
        ("\"result\":", "\"result\": ", 2),
        ("\"kirin_match\":1", "\"kirin_match\":9", 1),
        ("{", "", 1),
        ("\"pair\":0", "\"pair\":x", 2),
        ("\"opening_plies\":6", "\"opening_plies\":9999", 2),
    ] {
        assert!(good.contains(from), "{from}");
        std::fs::write(&log, good.replacen(from, to, 1)).unwrap();
        match log::read(&log) {
            Err(MatchError::Log(DataError::Line { line: found, .. })) => assert_eq!(found, line, "{from} → {to}"),
            other => panic!("{from} → {to}: {other:?}"),
        }
    }
}

#[test]
fn a_network_that_breaks_ends_the_match_with_its_name() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("match.jsonl");
    let broken = PlayerConfig::network("broken", "x", &SearchConfig::default(), || {
        Ok(Box::new(NotFiniteEvaluator::new(UniformEvaluator::new(4), 30)) as Box<dyn Evaluator>)
    });
    let config = MatchConfig { pairs: 4, ..MatchConfig::default() };
    let error =
        Match { variant: VariantId::Wangqi, config: &config, players: [&broken, &PlayerConfig::random()], log: &log }
            .play(&AtomicBool::new(false), |_| {})
            .unwrap_err();
    assert!(error.to_string().starts_with("broken, pair "), "{error}");
}

#[test]
fn bad_settings_are_refused_at_once() {
    let config = MatchConfig { pairs: 0, ruleset: "nonsense".into(), ..MatchConfig::default() };
    let random = PlayerConfig::random();
    let log = Path::new("/nonexistent/never-written.jsonl");
    let error = Match { variant: VariantId::Xiangqi, config: &config, players: [&random, &random], log }
        .play(&AtomicBool::new(false), |_| {})
        .unwrap_err();
    assert_eq!(error.to_string().lines().count(), 3, "{error}");
}
