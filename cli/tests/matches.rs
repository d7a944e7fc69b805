//! Matches from books, and what is written about matches for other programs.

use crate::kirin::{Ran, kirin_in};
use std::path::Path;

fn play(folder: &Path, players: [&str; 2], log: &str, more: &[&str]) -> Ran {
    let fixed = ["eval", "match", players[0], players[1], "--variant", "xiangqi", "--pairs", "3", "--max-plies", "60"];
    kirin_in(folder, &[&fixed[..], &["--log", log], more].concat())
}

#[test]
fn a_match_is_played_from_a_book_and_goes_on_with_no_other() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("book.txt"), "# two\nstartpos moves h3e3\nh3e3 h10g8\nh3e3 h10g8\n").unwrap();
    let book = ["--openings", "book:book.txt"];
    let ran = play(folder.path(), ["greedy", "random"], "a.jsonl", &book);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert!(ran.err.contains("book.txt, line 4 leads to the same position as line 3"), "{}", ran.err);
    let log = std::fs::read_to_string(folder.path().join("a.jsonl")).unwrap();
    assert_eq!(log.matches("\"moves\":\"h3e3 h10g8 ").count(), 2, "the second pair of three");
    let ran = play(folder.path(), ["greedy", "random"], "a.jsonl", &[]);
    assert_eq!(ran.code, Some(78), "{}", ran.err);
    assert!(ran.err.contains("openings is \"random, 6 plies\" now and \"book "), "{}", ran.err);
}

#[test]
fn a_bad_book_is_refused_with_its_lines() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("bad.txt"), "h3e3\nh3e9\n3k5/R8/9 w\n").unwrap();
    let ran = play(folder.path(), ["greedy", "random"], "a.jsonl", &["--openings", "book:bad.txt"]);
    assert_eq!(ran.code, Some(78), "{}", ran.err);
    assert!(ran.err.contains("bad.txt, line 2: move 1: "), "{}", ran.err);
    assert!(ran.err.contains("bad.txt, line 3: FEN board: 3 ranks; expected 10"), "{}", ran.err);
    assert!(!folder.path().join("a.jsonl").exists(), "nothing was begun");
    let ran = play(folder.path(), ["greedy", "random"], "a.jsonl", &["--openings", "book:none.txt"]);
    assert_eq!(ran.code, Some(74), "{}", ran.err);
    let ran = play(folder.path(), ["greedy", "random"], "a.jsonl", &["--openings", "statistics:."]);
    assert!(ran.code == Some(78) && ran.err.contains("holds no games"), "{}", ran.err);
    let ran = play(folder.path(), ["greedy", "random"], "a.jsonl", &["--openings", "bok:x"]);
    assert!(ran.err.contains("random, balanced, book:FILE or statistics:FOLDER"), "{}", ran.err);
}

#[test]
fn the_matches_of_a_folder_become_files_and_a_page() {
    let folder = tempfile::tempdir().unwrap();
    for (players, log) in [(["greedy", "random"], "a.jsonl"), (["mcts:5", "random"], "b.jsonl")] {
        assert_eq!(play(folder.path(), players, log, &["--openings", "balanced"]).code, Some(0));
    }
    std::fs::create_dir(folder.path().join("out")).unwrap();
    for format in ["parquet", "csv", "json", "pgn"] {
        let out = format!("out/games.{format}");
        let ran = kirin_in(folder.path(), &["eval", "export", ".", "--to", format, "--out", &out]);
        assert_eq!(ran.code, Some(0), "{}", ran.err);
        assert!(ran.out.starts_with("12 games of 2 matches: "), "{}", ran.out);
    }
    let read = |name: &str| std::fs::read(folder.path().join("out").join(name)).unwrap();
    let text = |name: &str| String::from_utf8(read(name)).unwrap();
    assert!(read("games.parquet").starts_with(b"PAR1") && read("games.parquet").ends_with(b"PAR1"));
    assert_eq!(text("games.csv").lines().count(), 13);
    let games: serde_json::Value = serde_json::from_str(&text("games.json")).unwrap();
    assert_eq!(games.as_array().map(Vec::len), Some(12));
    assert_eq!(text("games.pgn").matches("[Event ").count(), 12);
    let ran = kirin_in(folder.path(), &["eval", "export", "a.jsonl", "--to", "csv", "--out", "one.csv"]);
    assert!(ran.out.starts_with("6 games of 1 match: "), "{}", ran.out);
    let ran = kirin_in(folder.path(), &["eval", "export", "out", "--to", "csv", "--out", "none.csv"]);
    assert_eq!(ran.code, Some(78), "{}", ran.err);
    assert!(!folder.path().join("none.csv").exists());

    let csv = kirin_in(folder.path(), &["eval", "table", ".", "--csv", "--anchor", "random"]).out;
    assert_eq!(csv.lines().count(), 4, "{csv}");
    let ran = kirin_in(folder.path(), &["report", ".", "--anchor", "random"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let page = std::fs::read_to_string(folder.path().join("report.html")).unwrap();
    assert!(page.contains("2 matches.") && page.contains("<small>"), "{page}");
    let ran = kirin_in(folder.path(), &["report", "out"]);
    assert!(ran.code == Some(78) && ran.err.contains("is no source of games"), "{}", ran.err);
}
