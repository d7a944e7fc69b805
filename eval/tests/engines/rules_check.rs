//! Which engines are accepted, and what is reported about the others.

use super::{config, entries, play, prepare};
use engine::protocol::Protocol;
use engine::{EngineConfig, EngineError, EngineProfile, Limit};
use eval::{MatchConfig, PlayerConfig};
use rules::VariantId;

fn refusal(config: &EngineConfig, variant: VariantId) -> String {
    EngineProfile::prepare(config, variant, Limit::Own, &|| false).unwrap_err().to_string()
}

#[test]
fn every_variant_is_played_by_an_engine_that_knows_it() {
    let folder = tempfile::tempdir().unwrap();
    for &variant in VariantId::ALL {
        let profile =
            EngineProfile::prepare(&config(&["--variant", variant.id()]), variant, Limit::Own, &|| false).unwrap();
        assert!(profile.rules_check().starts_with("perft 2 compared in "), "{}", profile.rules_check());
        assert_eq!(profile.version(), "Scripted 1.0");
        let engine = PlayerConfig::engine(profile);
        let match_config = MatchConfig { pairs: 1, max_plies: 40, ..MatchConfig::default() };
        let log = folder.path().join(format!("{variant}.jsonl"));
        play(variant, &match_config, [&engine, &PlayerConfig::random()], &log);
        let games = entries(&log);
        assert!(games.iter().all(|game| game.reason.is_empty() && game.spent_ms.len() == game.plies as usize));
    }
}

#[test]
fn another_game_is_refused_with_the_difference() {
    let other = refusal(&config(&["--other-game"]), VariantId::Xiangqi);
    assert!(other.contains("Scripted 1.0) plays another game than xiangqi: in the position rnbakabnr/"), "{other}");
    assert!(other.contains("it does not have the legal moves "), "{other}");
    assert!(other.contains("use an engine that plays by these rules"), "{other}");
    // The right number of other pieces: one variant's engine asked to play another.
    let wrong = EngineConfig { variant: "none".into(), ..config(&["--plain", "--variant", "wangqi"]) };
    assert!(refusal(&wrong, VariantId::Xiangqi).contains("it has no option UCI_Variant: leave `variant` out"));
}

#[test]
fn one_that_does_not_count_is_asked_to_move() {
    let profile = EngineProfile::prepare(&config(&["--plain"]), VariantId::Xiangqi, Limit::Own, &|| false).unwrap();
    assert!(profile.rules_check().starts_with("played a legal move in each of "), "{}", profile.rules_check());
    let illegal = refusal(&config(&["--plain", "--fault", "illegal", "--at", "2"]), VariantId::Xiangqi);
    assert!(illegal.contains("plays another game than xiangqi: \"a1a9\" is not a legal move in "), "{illegal}");
}

#[test]
fn what_is_wrong_before_game_one_says_what_to_do() {
    let xiangqi = VariantId::Xiangqi;
    let with = |command: &str| EngineConfig { command: command.into(), ..config(&[]) };
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    std::fs::write(&file, "").unwrap();
    let unlimited = EngineConfig { limit: Limit::Own, ..config(&[]) };
    let option =
        |name: &str, value: &str| EngineConfig { options: [(name.to_owned(), value.to_owned())].into(), ..config(&[]) };
    for (config, parts) in [
        (with("/nowhere/fairy-stockfish"), ["there is no program", "apt-get install fairy-stockfish"]),
        (with("no-such-engine"), ["not on the search path", "give the path of the engine's program"]),
        (with(file.to_str().unwrap()), ["not executable", "chmod +x"]),
        (with(folder.path().to_str().unwrap()), ["it is a folder", "the program in it"]),
        (with("/bin/true"), ["no answer in uci", "is it an engine?"]),
        (unlimited, ["nothing limits its thinking", "add nodes=1000"]),
        (option("Hush", "1"), ["option Hush: the engine has no such option", "Hash"]),
        (option("Hash", "99"), ["\"99\" is not a value of it", "1 to 16"]),
        (config(&["--variant", "wangqi"]), ["does not know the variant xiangqi", "choose one that it has"]),
        (config(&["--fault", "crash", "--at", "0"]), ["no answer in uci", "something terrible"]),
    ] {
        let text = refusal(&config, xiangqi);
        assert!(parts.iter().all(|part| text.contains(part)), "{parts:?}: {text}");
    }
    let stopped = EngineProfile::prepare(&config(&[]), xiangqi, Limit::Own, &|| true).unwrap_err();
    assert!(matches!(stopped, EngineError::Stopped), "{stopped}");
}

#[test]
fn the_protocol_is_found_out() {
    let folder = tempfile::tempdir().unwrap();
    // An engine that knows one protocol does not answer another; each writes moves and positions in its own way.
    for (word, variant) in [("ucci", VariantId::Xiangqi), ("usi", VariantId::Shogi), ("uci", VariantId::Wangqi)] {
        let mut engine = config(&["--only", word, "--variant", variant.id()]);
        engine.handshake_ms = 1_000;
        let profile = EngineProfile::prepare(&engine, variant, Limit::Own, &|| false).unwrap();
        assert_eq!(profile.protocol().to_string(), word);
        let match_config = MatchConfig { pairs: 1, max_plies: 60, ..MatchConfig::default() };
        let log = folder.path().join(format!("{word}.jsonl"));
        let report = play(variant, &match_config, [&PlayerConfig::engine(profile), &PlayerConfig::random()], &log);
        assert!(!report.terminations.contains_key("error"), "{:?}", entries(&log));
    }
    let slow = || EngineConfig { handshake_ms: 10_001, ..config(&["--fault", "slow", "--at", "0"]) };
    EngineProfile::prepare(&slow(), VariantId::Xiangqi, Limit::Own, &|| false).expect("more time than the default");
    let usi = EngineConfig { protocol: Protocol::Usi.into(), ..config(&[]) };
    assert_eq!(refusal(&usi, VariantId::Xiangqi), "engine scripted: xiangqi cannot be played over usi; use uci, ucci");
}

#[test]
fn an_engine_is_set_up_for_one_variant() {
    let engine = prepare(&config(&[]), VariantId::Xiangqi);
    let (random, folder) = (PlayerConfig::random(), tempfile::tempdir().unwrap());
    let error = eval::Match {
        variant: VariantId::Wangqi,
        config: &MatchConfig::default(),
        players: [&engine, &random],
        log: &folder.path().join("match.jsonl"),
    }
    .play(&std::sync::atomic::AtomicBool::new(false), |_| {})
    .unwrap_err();
    assert_eq!(error.to_string(), "scripted was set up for xiangqi, not for wangqi");
}
