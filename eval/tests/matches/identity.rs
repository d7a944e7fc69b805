//! A player is what it plays with and the settings that change its moves: no path, no name, no batch size.

use super::{blank, network, play};
use eval::ratings::Sprt;
use eval::{Ladder, Match, MatchConfig, MatchError, PlayerConfig, PlayerId, Roster, log};
use rules::VariantId;
use search::fakes::HashEvaluator;
use search::{Algorithm, Evaluator, SearchConfig};
use serde_json::json;
use std::path::Path;
use std::sync::atomic::AtomicBool;

const PATH: &str = "runs/wangqi-smoke/nets/gen-0015.safetensors";
const ABSOLUTE: &str = "/home/me/kirin/runs/wangqi-smoke/nets/gen-0015.safetensors";

fn config(pairs: u32) -> MatchConfig {
    MatchConfig { pairs, max_plies: 40, threads: 1, ..MatchConfig::default() }
}

/// The same network by this name, evaluated in batches of this size.
fn evaluated(name: &str, batch: usize) -> PlayerConfig {
    network(name, 7, 4).evaluated(json!({ "batch": batch, "threads": batch / 8, "precision": "fp32" }))
}

fn ladder(folder: &Path, anchor: Option<&str>) -> Ladder {
    eval::ladder(folder, anchor).expect("rated")
}

#[test]
fn one_network_under_two_paths_and_in_two_batches_is_one_player() {
    let folder = tempfile::tempdir().unwrap();
    let log = |name: &str| folder.path().join(name);
    let (one, same) = (evaluated(PATH, 8), evaluated(ABSOLUTE, 16));
    play(VariantId::Wangqi, &config(4), &one, &PlayerConfig::greedy(), &log("a.jsonl"));
    play(VariantId::Wangqi, &config(4), &same, &PlayerConfig::random(), &log("b.jsonl"));
    let id = one.id(engine::Limit::Own);
    assert_eq!(id, same.id(engine::Limit::Own));
    // Whatever the anchor is called: its identity, its name, either path, or its digest.
    for anchor in [id.as_str(), "wangqi-smoke 15", PATH, ABSOLUTE, "hash 7"] {
        let ladder = match eval::ladder(folder.path(), Some(anchor)) {
            Ok(ladder) => ladder,
            // A digest is of hexadecimal digits.
            Err(error) if anchor == "hash 7" => {
                assert!(error.to_string().contains("is not among the players"), "{error}");
                continue;
            }
            Err(error) => panic!("{anchor}: {error}"),
        };
        assert_eq!(ladder.ratings.unrated, Vec::<Vec<String>>::new(), "the network connects them");
        assert_eq!((ladder.ratings.rows.len(), ladder.players.len()), (3, 3));
        assert_eq!(ladder.ratings.anchor, "wangqi-smoke 15");
        assert_eq!((ladder.name_of(&id), ladder.row(&id).unwrap().games), (Some("wangqi-smoke 15"), 16));
    }
    let shown = ladder(folder.path(), None).to_string();
    assert!(shown.contains(" wangqi-smoke 15 ") && !shown.contains(".safetensors"), "{shown}");
}

#[test]
fn visits_and_search_settings_make_another_player() {
    let folder = tempfile::tempdir().unwrap();
    let named = |visits: u32| network("net", 7, visits);
    play(VariantId::Wangqi, &config(2), &named(4), &PlayerConfig::greedy(), &folder.path().join("a.jsonl"));
    play(VariantId::Wangqi, &config(2), &named(6), &PlayerConfig::greedy(), &folder.path().join("b.jsonl"));
    let shown = ladder(folder.path(), None);
    let names: Vec<&str> = shown.players.iter().map(|player| player.name.as_str()).collect();
    assert!(names.contains(&"net (4 visits)") && names.contains(&"net (6 visits)"), "{names:?}");
    let error = eval::ladder(folder.path(), Some("net")).unwrap_err();
    assert!(matches!(&error, MatchError::Ambiguous { names, .. } if names.len() == 2), "{error}");
    assert_eq!(ladder(folder.path(), Some("net (6 visits)")).ratings.anchor, "net (6 visits)");

    let id = |search: &SearchConfig| {
        let factory = || Ok(Box::new(HashEvaluator::new(8, 7)) as Box<dyn Evaluator>);
        PlayerConfig::network("net", "d", search, factory).id(engine::Limit::Own)
    };
    let puct = SearchConfig { algorithm: Algorithm::Puct, visits: 4, ..SearchConfig::default() };
    for same in [
        // Exploration is for learning, and the constants of Gumbel search are of another algorithm.
        SearchConfig { forced_playouts: 1.0, noise_fraction: 0.1, ..puct.clone() },
        SearchConfig { c_scale: 0.5, max_considered: 3, ..puct.clone() },
    ] {
        assert_eq!(id(&puct), id(&same), "{same:?}");
    }
    for other in [
        SearchConfig { cpuct: 2.0, ..puct.clone() },
        SearchConfig { fpu_reduction: 0.3, ..puct.clone() },
        SearchConfig { algorithm: Algorithm::Gumbel, ..puct.clone() },
    ] {
        assert_ne!(id(&puct), id(&other), "{other:?}");
    }
}

#[test]
fn a_match_resumes_by_another_path_and_in_other_batches() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("match.jsonl");
    let config = |pairs| MatchConfig { sprt: Some(Sprt::default()), ..config(pairs) };
    play(VariantId::Wangqi, &config(1), &evaluated(PATH, 8), &PlayerConfig::random(), &log);
    let report = play(VariantId::Wangqi, &config(2), &evaluated(ABSOLUTE, 16), &PlayerConfig::random(), &log);
    assert_eq!(report.sprt.unwrap().pairs, 2, "its test goes on too");
    assert_eq!((report.results.games(), report.players[0].as_str()), (4, "wangqi-smoke 15"));
    let header = log::read(&log).unwrap().header.unwrap();
    assert_eq!(header.players[0].name, PATH, "the log is as it was begun");
    // The match is not continued with another player.
    let error = Match {
        variant: VariantId::Wangqi,
        config: &config(2),
        players: [&blank(PATH, 4), &PlayerConfig::random()],
        log: &log,
    }
    .play(&AtomicBool::new(false), |_| {})
    .unwrap_err();
    assert!(error.to_string().contains("players.0.identity is \"uniform\" now and \"hash 7\" in the log"), "{error}");
}

#[test]
fn a_log_of_an_earlier_version_has_the_players_of_today() {
    let stored = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/logs/unsealed-network.jsonl");
    let header = log::read(&stored).unwrap().header.unwrap();
    let search = SearchConfig { algorithm: Algorithm::Gumbel, visits: 6, ..SearchConfig::default() };
    let factory = || Ok(Box::new(HashEvaluator::new(8, 7)) as Box<dyn Evaluator>);
    let now = PlayerConfig::network("any name", "8c12a78ea59423e6", &search, factory).evaluated(json!({ "batch": 32 }));
    assert_eq!(PlayerId::of(&header.players[0]), now.id(engine::Limit::Own));
    assert_eq!(PlayerId::of(&header.players[1]), PlayerConfig::greedy().id(engine::Limit::Own));
    let names = Roster::of(&header.players).names();
    assert_eq!(names[&PlayerId::of(&header.players[0])], "run 0");
}
