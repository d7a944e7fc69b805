//! Real engines, where `scripts/oracles` or Debian installed them: Fairy-Stockfish 11.1 (`KIRIN_FAIRY_STOCKFISH`, or the
//! package fairy-stockfish), and a current one (`scripts/oracles bench`, or `KIRIN_FAIRY_STOCKFISH_CURRENT`).
//!
//! Without them the tests say so and pass; with `KIRIN_ORACLES=required` that is a failure, but for the current one,
//! which is built only for the bench.

use super::{entries, installed, play};
use engine::client::ProtocolChoice;
use engine::protocol::Protocol;
use engine::{EngineConfig, EngineProfile, Limit};
use eval::{MatchConfig, OpeningsConfig, PlayerConfig};
use rules::{Termination, VariantId};
use std::path::PathBuf;
use testkit::oracle;

fn debian() -> Option<String> {
    let package = || installed("fairy-stockfish-debian").map(|folder| folder.join("usr/games/fairy-stockfish"));
    let set = std::env::var_os("KIRIN_FAIRY_STOCKFISH").map(PathBuf::from);
    let program = set.or_else(|| Some("/usr/games/fairy-stockfish".into()).filter(|path: &PathBuf| path.exists()));
    match program.or_else(package).filter(|path| path.exists()) {
        Some(path) => Some(path.display().to_string()),
        None => oracle::missing("Fairy-Stockfish is missing (scripts/oracles, or apt-get install fairy-stockfish)"),
    }
}

fn current() -> Option<String> {
    let set = std::env::var_os("KIRIN_FAIRY_STOCKFISH_CURRENT").map(PathBuf::from);
    match set.or_else(|| installed("fairy-stockfish-0")).filter(|path| path.exists()) {
        Some(path) => Some(path.display().to_string()),
        None => oracle::skipped("a current Fairy-Stockfish is missing (scripts/oracles bench)"),
    }
}

fn nodes(command: String, nodes: u64, protocol: impl Into<ProtocolChoice>) -> EngineConfig {
    EngineConfig { command, limit: Limit::Nodes(nodes), protocol: protocol.into(), ..EngineConfig::default() }
}

/// Two pairs against the greedy player: no faults, and few points lost.
fn beats_greedy(config: &EngineConfig, variant: VariantId) -> String {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("match.jsonl");
    let profile = EngineProfile::prepare(config, variant, Limit::Own, &|| false).unwrap_or_else(|e| panic!("{e}"));
    let match_config =
        MatchConfig { pairs: 2, openings: OpeningsConfig::random(4), max_plies: 200, ..MatchConfig::default() };
    let tested = profile.rules_check().to_owned();
    let report = play(variant, &match_config, [&PlayerConfig::engine(profile), &PlayerConfig::greedy()], &log);
    println!("{report}");
    for game in entries(&log) {
        assert_ne!(game.termination, Termination::Error, "{game:?}");
    }
    assert!(report.results.wins > report.results.losses, "{report}");
    tested
}

#[test]
fn debian_plays_what_it_knows() {
    let Some(program) = debian() else { return };
    for &variant in VariantId::ALL {
        // Wangqi is not known to it, and no engine plays Kō shogi.
        if !["xiangqi", "shogi", "janggi"].contains(&variant.id()) {
            continue;
        }
        let tested = beats_greedy(&nodes(program.clone(), 2_000, ProtocolChoice::Auto), variant);
        assert!(tested.starts_with("perft 2 compared in "), "{tested}");
    }
}

#[test]
fn other_protocols() {
    let Some(program) = debian() else { return };
    beats_greedy(&nodes(program.clone(), 2_000, Protocol::Ucci), VariantId::Xiangqi);
    for &variant in VariantId::ALL.iter().filter(|variant| variant.id() == "shogi") {
        beats_greedy(&nodes(program.clone(), 2_000, Protocol::Usi), variant);
    }
}

#[test]
fn debian_is_refused_where_it_plays_another_game() {
    let Some(program) = debian() else { return };
    let config = nodes(program, 100, ProtocolChoice::Auto);
    let error = EngineProfile::prepare(&config, VariantId::Wangqi, Limit::Own, &|| false).unwrap_err().to_string();
    println!("{error}");
    assert!(error.contains("plays another game than wangqi"), "{error}");
}

#[test]
fn a_current_one_plays_the_variant_that_we_define_for_it() {
    let Some(program) = current() else { return };
    let tested = beats_greedy(&nodes(program, 2_000, ProtocolChoice::Auto), VariantId::Wangqi);
    assert!(tested.starts_with("perft 2 compared in "), "{tested}");
}

#[test]
fn equal_seeds_and_nodes_give_equal_games() {
    let Some(program) = debian() else { return };
    let folder = tempfile::tempdir().unwrap();
    let games = [1, 2].map(|threads| {
        let profile = EngineProfile::prepare(
            &nodes(program.clone(), 500, ProtocolChoice::Auto),
            VariantId::Xiangqi,
            Limit::Own,
            &|| false,
        );
        let engine = PlayerConfig::engine(profile.unwrap());
        let log = folder.path().join(format!("{threads}.jsonl"));
        let config = MatchConfig { pairs: 3, max_plies: 60, threads, ..MatchConfig::default() };
        play(VariantId::Xiangqi, &config, [&engine, &PlayerConfig::greedy()], &log);
        entries(&log).into_iter().map(|game| game.moves).collect::<Vec<_>>()
    });
    assert_eq!(games[0], games[1]);
}

#[test]
fn clocks_of_a_real_engine() {
    let Some(program) = debian() else { return };
    let folder = tempfile::tempdir().unwrap();
    for limit in ["clock:4s+100ms", "byoyomi:0s+400ms", "time:150ms"] {
        let limit: Limit = limit.parse().unwrap();
        let config = EngineConfig {
            command: program.clone(),
            options: [("Move Overhead".to_owned(), "100".to_owned())].into(),
            ..EngineConfig::default()
        };
        let engine =
            PlayerConfig::engine(EngineProfile::prepare(&config, VariantId::Xiangqi, limit, &|| false).unwrap());
        let log = folder.path().join(format!("{}.jsonl", limit.to_string().replace(':', " ")));
        let config =
            MatchConfig { pairs: 1, max_plies: 14, limit, threads: 1, margin_ms: 2_000, ..MatchConfig::default() };
        let report = play(VariantId::Xiangqi, &config, [&engine, &PlayerConfig::greedy()], &log);
        assert!(!report.terminations.contains_key("error"), "{limit}: {:?}", entries(&log));
        let longest = entries(&log).iter().flat_map(|game| game.spent_ms.clone()).max();
        println!("{limit}: {report}\n  longest move {longest:?} ms");
        assert!(longest > Some(5), "{limit}: it thinks by the clock");
    }
}
