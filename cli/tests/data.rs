//! `kirin data`: games out, and back again; games that are chosen and merged.

mod import;

use crate::kirin::{json_in as json, kirin_in, run_in as run};
use data::{DataStore, GameRecord, PositionRecord, Provenance};
use rules::{Game, Outcome, Position, Rules, Shogi, Side, Termination, Wangqi};
use serde_json::Value;
use std::path::Path;

/// A file of games from the tests of `records`.
fn fixture(name: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../records/tests/fixtures");
    folder.join(name).to_str().expect("UTF-8").to_owned()
}

#[test]
fn what_is_exported_is_imported_as_the_same_games() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path();
    run(path, &["data", "import", &fixture("plain.kif"), &fixture("two.csa"), "--variant", "shogi", "--to", "games"]);
    for format in ["pgn", "kif", "csa"] {
        let file = format!("games.{format}");
        let ran = run(path, &["data", "export", "games", "--to", format, "--out", &file]);
        assert_eq!(ran.out, format!("4 games of shogi: {file}\n"));
        let again = json(path, &["data", "import", &file, "--variant", "shogi", "--to", "games"]);
        assert_eq!((&again["kept"], &again["present"]), (&0.into(), &4.into()), "{format}: {again}");
        assert_eq!(again["formats"][format], 1);
    }
}

/// A folder with a game of self-play.
fn self_play(root: &Path) {
    let game = Game::<Wangqi>::from_moves_text(Rules::default(), Position::start(), "c3c4 e6e5 d3d4").expect("legal");
    let record = GameRecord {
        game_id: 7,
        run_id: "night".into(),
        generation: 3,
        net_first: "0123456789abcdef".into(),
        net_second: "say, \"greedy\"".into(),
        started_at: 951_782_400_000,
        ..GameRecord::of(&game, Outcome::win(Side::Second, Termination::Resign))
    };
    let (store, _) = DataStore::open(root).expect("a data folder");
    store.commit_shard(3, "local", &[record], &Provenance::default()).expect("written");
}

/// A game of Shogi whose first two moves no player chose, and one of random play.
fn shogi_self_play(root: &Path) {
    let game = Game::<Shogi>::from_moves_text(Rules::default(), Position::start(), "c3c4 g7g6 b2h8+ g9h8");
    let game = game.expect("legal");
    let position = |ply: usize| PositionRecord {
        ply: ply as u16,
        side: game.positions()[ply].side(),
        pos_key: game.positions()[ply].key().to_bytes(),
        mv: game.moves()[ply],
        policy_move: vec![game.moves()[ply]],
        policy_visits: vec![1],
        root_wdl: [0.0, 1.0, 0.0],
        ..PositionRecord::default()
    };
    let record = |game_id, player: &str, positions| GameRecord {
        game_id,
        run_id: "night".into(),
        generation: 3,
        net_first: player.into(),
        net_second: player.into(),
        started_at: 951_786_123_000,
        positions,
        ..GameRecord::of(&game, Outcome::win(Side::Second, Termination::Resign))
    };
    let games = [
        record(7, "0123456789abcdef", vec![position(2), position(3)]),
        record(8, selfplay::generator::BY_RULES, vec![position(0)]),
    ];
    let (store, _) = DataStore::open(root).expect("a data folder");
    store.commit_shard(3, "local", &games, &Provenance::default()).expect("written");
}

/// Exporting to each format, importing and exporting again gives the same file. Moves that no player chose are no
/// openings.
#[test]
fn what_a_game_is_and_where_it_comes_from_survives_every_format() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path();
    shogi_self_play(&path.join("run/data"));
    for format in ["pgn", "kif", "csa"] {
        let (file, again) = (format!("games.{format}"), format!("again.{format}"));
        run(path, &["data", "export", "run", "--to", format, "--out", &file]);
        run(path, &["data", "import", &file, "--variant", "shogi", "--to", format]);
        let rows = run(path, &["data", "head", format]).out;
        let rows: Vec<Value> = rows.lines().map(|row| serde_json::from_str(row).expect("an object")).collect();
        let of =
            |player: &str| rows.iter().find(|row| row["net_first"] == player).unwrap_or_else(|| panic!("{rows:?}"));
        let (played, random) = (of("0123456789abcdef"), of("Kirin random play"));
        for (row, round, plies) in [(played, "3.7", 2), (random, "3.8", 4)] {
            assert_eq!(
                (&row["event"], &row["site"]),
                (&"Kirin self-play, run night".into(), &"Kirin".into()),
                "{format}"
            );
            assert_eq!((&row["round"], &row["opening_plies"]), (&round.into(), &plies.into()), "{format}: {row}");
            assert_eq!(row["started_at"], 951_786_123_000_i64, "{format}");
        }
        let openings = json(path, &["openings", format]);
        assert_eq!((&openings["games"], &openings["other_starts"]), (&0.into(), &2.into()), "{format}: {openings}");

        run(path, &["data", "export", format, "--to", format, "--out", &again]);
        let sorted = |file: &str| {
            let text = std::fs::read_to_string(path.join(file)).expect("the file");
            let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
            lines.sort();
            lines
        };
        assert_eq!(sorted(&again), sorted(&file), "{format}");
    }
    // An opening that another program names.
    std::fs::write(path.join("named.csa"), "V2.2\nN+A\nN-B\n$OPENING:YAGURA\nPI\n+\n+7776FU\n%TORYO\n")
        .expect("written");
    run(path, &["data", "import", "named.csa", "--variant", "shogi", "--to", "named"]);
    for (format, line) in [("pgn", "[Opening \"YAGURA\"]\n"), ("kif", "戦型：YAGURA\n"), ("csa", "$OPENING:YAGURA\n")]
    {
        run(path, &["data", "export", "named", "--to", format, "--out", "named.out"]);
        let text = std::fs::read_to_string(path.join("named.out")).expect("the file");
        assert!(text.contains(line), "no {line:?} in\n{text}");
    }
}

/// Positions that a search saw, as training data; the moves before them and random play are left out.
#[test]
fn training_data_of_shogi_goes_both_ways() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path();
    shogi_self_play(&path.join("run/data"));
    for (format, size) in [("hcpe", 38), ("psv", 40)] {
        let file = format!("games.{format}");
        run(path, &["data", "export", "run", "--to", format, "--out", &file]);
        assert_eq!(std::fs::read(path.join(&file)).expect("the file").len(), 2 * size, "{format}");
        let summary = json(path, &["data", "import", &file, "--variant", "shogi", "--to", format]);
        assert_eq!((&summary["kept"], &summary["formats"][format]), (&1.into(), &1.into()), "{summary}");
        let row: Value = serde_json::from_str(&run(path, &["data", "head", format]).out).expect("an object");
        assert_eq!((&row["moves_text"], &row["result"]), (&"b2h8+ g9h8".into(), &(-1).into()), "{row}");
    }
    self_play(&path.join("other/data"));
    let ran = kirin_in(path, &["data", "export", "other", "--to", "hcpe", "--out", "x.hcpe"]);
    assert!(ran.code == Some(78) && ran.err.contains("wangqi has no notation \"usi\""), "{}", ran.err);
}

#[test]
fn games_of_self_play_are_exported() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path();
    self_play(&path.join("run/data"));
    run(path, &["data", "export", "run", "--to", "pgn", "--out", "games.pgn"]);
    let wanted = "\
[Event \"Kirin self-play, run night\"]
[Site \"Kirin\"]
[Date \"2000.02.29\"]
[Round \"3.7\"]
[White \"0123456789abcdef\"]
[Black \"say, \\\"greedy\\\"\"]
[Result \"0-1\"]
[Variant \"wangqi\"]
[RuleSet \"standard\"]
[PlyCount \"3\"]
[Termination \"resign\"]

1. c3c4 e6e5 2. d3d4 0-1

";
    assert_eq!(std::fs::read_to_string(path.join("games.pgn")).expect("the file"), wanted);

    run(path, &["data", "export", "run", "--to", "csv", "--out", "games.csv"]);
    let csv = std::fs::read_to_string(path.join("games.csv")).expect("the file");
    assert!(csv.starts_with("game_id,run_id,generation,variant,"), "{csv}");
    assert!(
        csv.contains(
            "7,night,3,wangqi,standard,,0,0123456789abcdef,\"say, \"\"greedy\"\"\",,,,c3c4 e6e5 d3d4,3,-1,resign,"
        ),
        "{csv}"
    );

    run(path, &["data", "export", "run", "--to", "jsonl", "--out", "games.jsonl"]);
    let jsonl = std::fs::read_to_string(path.join("games.jsonl")).expect("the file");
    assert_eq!(run(path, &["data", "head", "run"]).out, jsonl);
    let row: Value = serde_json::from_str(&jsonl).expect("an object");
    assert_eq!(
        (&row["moves_text"], &row["result"], &row["start_fen"]),
        (&"c3c4 e6e5 d3d4".into(), &(-1).into(), &Value::Null)
    );
    assert_eq!(run(path, &["data", "head", "run", "--rows", "0"]).out, "");
    assert_eq!(run(path, &["data", "head", "run", "--table", "positions"]).out, "");

    // Later generations only; what this variant cannot write; a place where data is.
    let none = ["data", "export", "run", "--to", "pgn", "--out", "none.pgn", "--from-generation", "4"];
    let none = kirin_in(path, &none);
    assert_eq!(none.code, Some(78), "{}", none.err);
    assert!(none.err.contains("no game has generation from 4; there are 3 (1 game)"), "{}", none.err);
    assert!(!path.join("none.pgn").exists());
    let ran = kirin_in(path, &["data", "export", "run", "--to", "kif", "--out", "games.kif"]);
    assert_eq!(ran.code, Some(78), "{}", ran.err);
    assert!(ran.err.contains("wangqi has no notation \"kif\"") && !path.join("games.kif").exists(), "{}", ran.err);
    let ran = kirin_in(path, &["data", "export", "run", "--to", "csv", "--out", "run/data/games.csv"]);
    assert_eq!(ran.code, Some(78), "{}", ran.err);
}

/// What the commands say of games that a filter leaves out, and of a filter that leaves none.
#[test]
fn games_are_chosen_by_source_player_result_and_length() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path();
    run(path, &["data", "import", &fixture("plain.kif"), &fixture("two.csa"), "--variant", "shogi", "--to", "games"]);
    let all = json(path, &["openings", "games"]);
    assert_eq!((&all["filter"], &all["rare_lines"]), (&serde_json::json!([]), &0.into()), "{all}");
    let found = |result: &str| json(path, &["openings", "games", "--result", result]);
    let results = ["first", "draw", "second"].map(found);
    let counted =
        |value: &Value| value["games"].as_u64().expect("a number") + value["other_starts"].as_u64().expect("one");
    assert_eq!(results.iter().map(counted).sum::<u64>(), 4);
    for value in &results {
        assert_eq!(value["filter"][0]["left_out"].as_u64(), Some(4 - counted(value)), "{value}");
    }
    let short = run(path, &["openings", "games", "--min-games", "3"]);
    assert!(short.out.contains("of fewer than 3 games each"), "{}", short.out);
    for command in
        [&["openings", "games"][..], &["stats", "games"], &["data", "export", "games", "--to", "csv", "--out", "x"]]
    {
        for (option, value, says) in [
            ("--source", "self-play", "no game has source self-play; there are import (4 games)"),
            ("--network", "ab", "no game has network ab"),
            ("--player", "nobody", "no game has player nobody; there are "),
            ("--max-plies", "0", "no game has length up to 0; there are "),
            ("--ruleset", "strict", "strict"),
        ] {
            let ran = kirin_in(path, &[command, &[option, value]].concat());
            assert_eq!(ran.code, Some(78), "{command:?} {option}: {}", ran.err);
            assert!(ran.err.contains(says), "{command:?} {option}: {}", ran.err);
        }
        let ran = kirin_in(path, &[command, &["--min-plies", "9", "--max-plies", "3"]].concat());
        assert!(ran.code == Some(78) && ran.err.contains("9 is more than 3"), "{}", ran.err);
    }
    assert!(!path.join("x").exists());
}

#[test]
fn files_are_merged_and_the_games_stay() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path();
    for file in ["plain.kif", "two.csa"] {
        run(path, &["data", "import", &fixture(file), "--variant", "shogi", "--to", "games"]);
    }
    let before = json(path, &["openings", "games"]);
    let done = json(path, &["data", "compact", "games"]);
    assert_eq!((&done["shards_before"], &done["shards_after"], &done["games"]), (&2.into(), &1.into(), &4.into()));
    assert_eq!(json(path, &["openings", "games"]), before);
    let again = json(path, &["data", "import", &fixture("two.csa"), "--variant", "shogi", "--to", "games"]);
    assert_eq!(again["kept"], 0, "{again}");
    let ran = run(path, &["data", "compact", "games"]);
    assert!(ran.out.starts_with("shogi: 4 games in 1 shard instead of 1, "), "{}", ran.out);

    // A run that is at work, and any other writer, are left alone.
    self_play(&path.join("run/data"));
    std::fs::write(path.join("run/run.json"), "{}").expect("written");
    let lock = lab::RunFolder::new(path.join("run")).lock().expect("the lock");
    let ran = kirin_in(path, &["data", "compact", "run"]);
    assert!(ran.code != Some(0) && ran.err.contains("run"), "{:?} {}", ran.code, ran.err);
    drop(lock);
    run(path, &["data", "compact", "run"]);
    // The games of the run that it began from keep their order.
    for file in ["plain.kif", "two.csa"] {
        run(path, &["data", "import", &fixture(file), "--variant", "shogi", "--to", "branch/data"]);
    }
    std::fs::write(path.join("branch/run.json"), "{}").expect("written");
    let done = json(path, &["data", "compact", "branch"]);
    assert_eq!((&done["shards_before"], &done["shards_after"]), (&2.into(), &2.into()));
    let (_writer, _) = DataStore::open(&path.join("games")).expect("a store");
    let ran = kirin_in(path, &["data", "compact", "games"]);
    assert!(ran.code != Some(0) && ran.err.contains("in use by another kirin process"), "{:?} {}", ran.code, ran.err);
}
