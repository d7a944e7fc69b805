//! `kirin analyse FILE… --out DIR`: the review of played games.

use crate::explorer::embedded;
use crate::kirin::{json_in, kirin_in, run_in};
use std::path::Path;

/// Red lets a mate in one go.
const XIANGQI: &str = "[Event \"Club, first round\"]\n[Date \"2026.11.26\"]\n[White \"Cai\"]\n[Black \"=Wu\"]\n\
    [Variant \"xiangqi\"]\n[FEN \"3k5/R8/1R7/9/9/9/9/9/9/5K3 w - - 0 1\"]\n[Result \"1-0\"]\n\n\
    1. a9a1 d10e10 2. b8b1 1-0\n";

/// The words of a line of CSV without quoted fields.
fn fields(line: &str) -> Vec<&str> {
    line.split(',').collect()
}

fn read(folder: &Path, name: &str) -> String {
    std::fs::read_to_string(folder.join("out").join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

#[test]
fn a_missed_mate_is_named_with_the_better_move_in_every_output() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path();
    std::fs::write(path.join("club.pgn"), XIANGQI).expect("written");
    let words = ["analyse", "club.pgn", "--variant", "xiangqi", "--net", "none", "--visits", "8", "--out", "out"];
    let summary = json_in(path, &words);
    let of = |player: &str, phase: &str| {
        let players = summary["players"].as_array().expect("players");
        players.iter().find(|row| row["player"] == player && row["phase"] == phase).expect("a row").clone()
    };
    let cai = of("Cai", "game");
    assert_eq!((&cai["moves"], &cai["blunders"]), (&2.into(), &1.into()), "{summary}");
    let mut opening = of("Cai", "opening");
    opening["phase"] = "game".into();
    assert_eq!(opening, cai, "the whole game is an opening");

    let moves = read(path, "moves.csv");
    let rows: Vec<Vec<&str>> = moves.lines().map(fields).collect();
    let column = |name: &str| rows[0].iter().position(|title| *title == name).expect(name);
    let value = |ply: usize, name: &str| rows[ply][column(name)];
    assert_eq!(rows.len(), 4, "{moves}");
    assert_eq!(
        ["side", "move", "proven", "win", "class"].map(|name| value(1, name)),
        ["first", "a9a1", "win in 1", "1.0000", "blunder"]
    );
    assert_eq!(["player", "side"].map(|name| value(2, name)), ["'=Wu", "second"], "a spreadsheet runs no name");

    // The page has a curve of the values that were found.
    let page = embedded(&read(path, "report.html")).expect("the page has games");
    let plies = page["games"][0]["plies"].as_array().expect("plies");
    let of_first = |ply: usize| plies[ply]["value"].as_f64().expect("a value");
    assert!(plies.len() == 3 && of_first(0) == 1.0 && (0.0..=1.0).contains(&of_first(1)), "{plies:?}");
    let pgn = read(path, "games.pgn").split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(pgn.contains("1. a9a1 $4 {100 %, blunder of"), "{pgn}");
    assert!(pgn.contains(&format!(": better {}}}", value(1, "best"))), "{pgn}");
    let again = json_in(path, &["data", "import", "out/games.pgn", "--variant", "xiangqi", "--to", "again"]);
    assert_eq!((&again["kept"], &again["left_out"]), (&1.into(), &serde_json::json!({})));
    for (data, file) in [("again", "a.csv"), ("out/data", "b.csv")] {
        run_in(path, &["data", "export", data, "--to", "csv", "--out", file]);
    }
    let moves = |file: &str| std::fs::read_to_string(path.join(file)).expect("a file").contains("a9a1 d10e10 b8b1");
    assert!(moves("a.csv") && moves("b.csv"));

    // What is there stays as it is.
    let before = read(path, "summary.csv");
    let refused = kirin_in(path, &words);
    assert_eq!(refused.code, Some(78));
    assert!(refused.err.contains("--out out is not empty; name a folder that is not there yet"), "{}", refused.err);
    assert_eq!(read(path, "summary.csv"), before);
}

#[test]
fn a_game_that_is_there_twice_is_reviewed_once() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path();
    for name in ["club.pgn", "copy.pgn"] {
        std::fs::write(path.join(name), XIANGQI).expect("written");
    }
    let of = ["analyse", "club.pgn", "copy.pgn", "--variant", "xiangqi", "--net", "none", "--visits", "8", "--out"];
    // What cannot be made is refused before the search.
    let refused = kirin_in(path, &[&of[..], &["club.pgn/out"]].concat());
    assert!(refused.code == Some(78) && refused.err.contains("club.pgn is not a folder"), "{}", refused.err);
    let ran = run_in(path, &[&of[..], &["out"]].concat());
    assert!(
        ran.out.contains("1 game with 3 moves") && ran.out.contains("1 game is there twice, counted once"),
        "{}",
        ran.out
    );
    assert!(read(path, "moves.csv").lines().count() == 4 && read(path, "games.pgn").matches("[Event ").count() == 1);
    assert!(embedded(&read(path, "report.html")).is_some());
}

#[test]
fn a_game_of_shogi_is_annotated_in_kif_as_well() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path();
    let kif = "手合割：平手\n先手：A\n後手：B\n手数----指手---------\n   1 ７六歩(77)\n   2 ３四歩(33)\n   3 ２二角成(88)\n   4 投了\n";
    std::fs::write(path.join("a.kif"), kif).expect("written");
    let words = ["analyse", "a.kif", "--variant", "shogi", "--visits", "16", "--notation", "kif", "--out", "out"];
    let ran = run_in(path, &words);
    assert!(ran.out.starts_with("1 game with 3 moves, 16 visits a position\n"), "{}", ran.out);
    let kif = read(path, "games.kif");
    let comments = kif.lines().filter(|line| line.starts_with('*') && line.contains(" %")).count();
    assert_eq!(comments, 3, "{kif}");
    assert!(read(path, "moves.csv").contains(",７六歩(77),"), "moves are in the notation asked for");
    let again = json_in(path, &["data", "import", "out/games.kif", "--variant", "shogi", "--to", "again"]);
    assert_eq!(again["kept"], 1);
}

#[test]
fn a_game_in_progress_gets_no_result() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path();
    std::fs::write(path.join("open.pgn"), XIANGQI.replace("1-0", "*").replace(" 2. b8b1", "")).expect("written");
    json_in(path, &["analyse", "open.pgn", "--variant", "xiangqi", "--net", "none", "--visits", "8", "--out", "out"]);
    let pgn = read(path, "games.pgn");
    assert!(pgn.contains("[Result \"*\"]") && pgn.trim_end().ends_with('*') && !pgn.contains("1/2"), "{pgn}");
}

#[test]
fn without_a_game_nothing_is_written() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path();
    std::fs::write(path.join("a.pgn"), "[Variant \"xiangqi\"]\n\n1. a1a9 *\n").expect("written");
    let ran = kirin_in(path, &["analyse", "a.pgn", "--variant", "xiangqi", "--net", "none", "--out", "out"]);
    assert_eq!(ran.code, Some(78), "{}", ran.err);
    assert!(ran.err.contains("a.pgn:3: illegal move: move 1") && ran.err.contains("no game to analyse"), "{}", ran.err);
    assert!(!path.join("out").exists());
}
