//! Logs of earlier versions, whose lines have no checksums, are read as they are and can be added to.

use super::play;
use data::DataError;
use eval::{MatchConfig, MatchError, MatchLog, PlayerConfig, PlayerSettings, log};
use rules::{GameResult, Side, Termination, VariantId};
use std::path::{Path, PathBuf};

fn stored(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/logs").join(name)
}

#[test]
fn settings_and_games_are_those_that_were_written() {
    let engine = log::read(&stored("unsealed-engine.jsonl")).unwrap();
    let header = engine.header.clone().unwrap();
    assert_eq!((header.seed, header.max_plies, header.openings.as_str()), (1, 16, "random, 2 plies"));
    assert_eq!(header.players[0].settings, PlayerSettings::BuiltIn);
    let PlayerSettings::Engine(settings) = &header.players[1].settings else { panic!("{header:?}") };
    assert_eq!((settings.version.as_str(), settings.limit.to_string().as_str()), ("Scripted 1.0", "nodes:1"));
    assert_eq!(engine.test.unwrap().elo1, 100.0);
    assert_eq!(engine.games.len(), 4);
    let game = &engine.games[&(1, Side::Second)];
    assert_eq!((game.result, game.termination, game.plies), (GameResult::Draw, Termination::MaxPlies, 16));
    assert_eq!(game.scores[2].unwrap().centipawns(), -12);

    let network = log::read(&stored("unsealed-network.jsonl")).unwrap();
    let header = network.header.unwrap();
    let PlayerSettings::Network(settings) = &header.players[0].settings else { panic!("{header:?}") };
    assert_eq!((settings.search.visits, settings.search.c_scale), (6, 0.1));
    for name in ["unsealed-engine.jsonl", "unsealed-network.jsonl"] {
        let recorded = log::read(&stored(name)).unwrap();
        log::check_games(Path::new(name), &recorded.header.unwrap(), &recorded.games).unwrap();
    }
}

#[test]
fn new_games_are_added_behind_the_old_ones() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("match.jsonl");
    std::fs::copy(stored("unsealed-network.jsonl"), &path).unwrap();
    let before = log::read(&path).unwrap();
    let mut log = MatchLog::open(&path, before.header.clone().unwrap()).unwrap();
    let mut more = before.games[&(0, Side::First)].clone();
    (more.pair, more.session) = (9, log.session());
    log.append(vec![more.clone()]).unwrap();
    drop(log);
    let after = log::read(&path).unwrap();
    assert_eq!((after.header, after.games.len()), (before.header, 5));
    assert_eq!(after.games[&(9, Side::First)], more);
    let text = std::fs::read_to_string(&path).unwrap();
    assert!(text.lines().last().unwrap().starts_with("{\"blake3\":"), "{text}");
}

#[test]
fn damage_in_an_old_log_is_noticed_where_it_can_be() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("match.jsonl");
    let text = std::fs::read_to_string(stored("unsealed-network.jsonl")).unwrap();
    for (from, to, part) in [
        ("\"visits\":6", "\"visits\":7", "changed by hand"),
        ("\"kirin_match\":1", "\"kirin_match\":9", "changed by hand"),
        ("\"scores\":[null,", "\"scores\":[", "11 scores for 12 moves"),
        ("\"result\":0", "\"result\":3", "the result 3 is not 1, 0 or -1"),
    ] {
        assert!(text.contains(from), "{from}");
        std::fs::write(&path, text.replacen(from, to, 1)).unwrap();
        let error = log::read(&path).unwrap_err().to_string();
        assert!(error.contains(part), "{from}: {error}");
    }
    // An illegal move shows when the game is replayed.
    std::fs::write(&path, text.replacen(" a6a5 ", " a6a4 ", 1)).unwrap();
    let recorded = log::read(&path).unwrap();
    let error = log::check_games(&path, &recorded.header.unwrap(), &recorded.games).unwrap_err();
    assert!(matches!(error, MatchError::Game { .. }) && error.to_string().contains("a6a4"), "{error}");
}

#[test]
fn a_file_that_is_no_log_is_refused_and_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("thesis.json");
    let header = log::read(&stored("unsealed-engine.jsonl")).unwrap().header.unwrap();
    for text in ["{\"my\":\"only copy\"}", "{\"my\":\"only copy\"}\n", "my only copy\nand more", "{}\n"] {
        std::fs::write(&path, text).unwrap();
        let error = MatchLog::open(&path, header.clone()).unwrap_err();
        assert!(matches!(error, MatchError::Log(DataError::NotALog { .. } | DataError::Line { .. })), "{error}");
        assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
    }
    // The log of a match whose first line is lost is not replaced either.
    let config = MatchConfig { pairs: 1, max_plies: 20, ..MatchConfig::default() };
    let path = folder.path().join("match.jsonl");
    play(VariantId::Wangqi, &config, &PlayerConfig::random(), &PlayerConfig::greedy(), &path);
    let text = std::fs::read_to_string(&path).unwrap();
    let headless = text.split_once('\n').unwrap().1;
    std::fs::write(&path, headless).unwrap();
    let error = log::read(&path).unwrap_err();
    assert!(matches!(error, MatchError::Header { line: 1, .. }), "{error}");
}
