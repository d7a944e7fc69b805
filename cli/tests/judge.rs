//! `kirin judge`: who brought a repetition about, in text and JSON, from moves and files.

use crate::kirin::{json_in as json, kirin_in, run_in as run};
use serde_json::json;
use std::path::Path;

/// A chariot checks and chases in turn.
const FEN: &str = "9/1R4c2/5k3/P8/9/9/9/9/1n1K5/7c1 w";
const CYCLE: &str = "b9f9 f8e8 f9b9 e8f8";

fn twice(cycle: &str) -> String {
    format!("{cycle} {cycle}")
}

#[test]
fn every_authority_rules() {
    let here = Path::new(".");
    let judged = json(here, &["judge", &twice(CYCLE), "--variant", "xiangqi", "--fen", FEN]);
    let repetition = &judged["games"][0]["repetitions"][0];
    assert_eq!((&repetition["from"], &repetition["to"], &repetition["occurrences"]), (&0.into(), &8.into(), &3.into()));
    assert_eq!(repetition["moves"][0], json!({ "ply": 1, "side": "first", "uci": "b9f9", "native": "俥八平四" }));
    let said = |what: &str| {
        let rulings = repetition["authorities"].as_array().expect("a list");
        rulings.iter().map(|ruling| ruling[what].clone()).collect::<Vec<_>>()
    };
    assert_eq!(said("authority"), ["kirin", "asian", "chinese", "wxf"]);
    assert_eq!(said("loser"), [json!("first"), json!(null), json!("first"), json!(null)]);
    let kirin = &repetition["authorities"][0];
    assert_eq!((&kirin["termination"], &kirin["first"]["offence"]), (&"perpetual_chase".into(), &true.into()));
    assert_eq!(kirin["first"]["conduct"], "check and chase in turn 一將一捉");
    assert_eq!(kirin["moves"][0]["kind"], "check");
    let numbers: Vec<_> = said("rule").iter().map(|rule| rule["number"].clone()).collect();
    assert_eq!(numbers, ["", "3.2", "25.3", "20.2"]);
}

#[test]
fn moves_are_read_in_any_notation() {
    let here = Path::new(".");
    let with =
        |moves: &str| json(here, &["judge", moves, "--variant", "xiangqi", "--fen", FEN, "--authority", "asian"]);
    let uci = with(&twice(CYCLE));
    assert_eq!(with(&twice("車八平四 將6平5 車四平八 將5平6")), uci);
    // Words of their own, too.
    let words: Vec<&str> = CYCLE.split(' ').chain(CYCLE.split(' ')).collect();
    let fixed = ["judge", "--variant", "xiangqi", "--fen", FEN, "--authority", "asian"];
    assert_eq!(json(here, &[&fixed[..], &words].concat()), uci);
}

/// The examples of the page are what the program prints.
#[test]
fn the_page_shows_what_is_printed() {
    let page = include_str!("../../docs/how-to/judge.md");
    let call = |more: &[&str]| {
        let moves = twice(CYCLE);
        run(Path::new("."), &[&["judge", &moves, "--variant", "xiangqi", "--fen", FEN], more].concat()).out
    };
    for printed in [call(&[]), call(&["--authority", "kirin"])] {
        let shown = printed.lines().map(str::trim_end).collect::<Vec<_>>().join("\n");
        assert!(
            page.contains(&format!("```text\n{}\n```", shown.trim_end())),
            "docs/how-to/judge.md lacks:\n{printed}"
        );
    }
    assert_eq!(page.matches("```text").count(), 2);
}

#[test]
fn games_of_files_are_judged() {
    let folder = tempfile::tempdir().expect("a folder");
    let game = |players: [&str; 2], moves: &str, result: &str| {
        let [first, second] = players;
        let tags = format!("[White \"{first}\"]\n[Black \"{second}\"]\n[Result \"{result}\"]\n[FEN \"{FEN} - - 0 1\"]");
        format!("{tags}\n\n{moves} {result}\n\n")
    };
    let games = game(["Li", "Wang"], "b9f9 f8e8 f9b9", "1/2-1/2") + &game(["Hu", "Xu"], &twice(CYCLE), "0-1");
    std::fs::write(folder.path().join("games.pgn"), games).expect("a file");
    let text = run(folder.path(), &["judge", "games.pgn", "--variant", "xiangqi"]).out;
    assert!(text.starts_with("game 2: Hu – Xu\n"), "{text}");
    assert!(text.ends_with("1 of 2 games with a repetition that is judged\n"), "{text}");
    let judged = json(folder.path(), &["judge", "games.pgn", "--variant", "xiangqi", "--authority", "chinese"]);
    let counts: Vec<usize> =
        [0, 1].iter().map(|at| judged["games"][*at]["repetitions"].as_array().map_or(9, Vec::len)).collect();
    assert_eq!(counts, [0, 1]);
    assert_eq!((&judged["games"][1]["first"], &judged["games"][1]["second"]), (&"Hu".into(), &"Xu".into()));
}

#[test]
fn where_nothing_is_repeated_it_is_said() {
    let here = Path::new(".");
    let text = run(here, &["judge", "h3e3 h10g8", "--variant", "xiangqi"]).out;
    assert_eq!(text, "nothing is repeated: no position stood twice in 2 plies\n");
    let text = run(here, &["judge", CYCLE, "--variant", "xiangqi", "--fen", FEN]).out;
    assert_eq!(
        text,
        "no repetition that the rule set full judges: the position after ply 4 stood 2 times, and none more often\n"
    );
    assert_eq!(
        json(here, &["judge", CYCLE, "--variant", "xiangqi", "--fen", FEN])["games"][0]["repetitions"],
        json!([])
    );
}

#[test]
fn other_variants_rule_by_their_rule_sets() {
    let here = Path::new(".");
    let of = |words: &[&str]| {
        let judged = json(here, &[&["judge"], words].concat());
        let ruling = judged["games"][0]["repetitions"][0]["authorities"][0].clone();
        let kinds: Vec<String> =
            ruling["moves"].as_array().expect("moves").iter().map(|mv| mv["kind"].to_string()).collect();
        let kinds = kinds.join(" ").replace('"', "");
        (ruling["termination"].clone(), ruling["loser"].clone(), ruling["first"]["offence"].clone(), kinds)
    };
    // 連続王手の千日手: the fourth occurrence.
    let fen = "4k4/+R8/9/9/9/9/9/9/6K2[] w - - 0 1";
    let found = of(&[&["a8a9 e9e8 a9a8 e8e9"; 3].join(" "), "--variant", "shogi", "--fen", fen]);
    let kinds = ["check idle"; 6].join(" ");
    assert_eq!(found, ("perpetual_check".into(), "first".into(), true.into(), kinds));
    // 빅장: facing that the opponent accepts by a pass. By points, so neither side offends.
    let fen = "4k4/9/9/p8/9/9/8P/9/3K5/9 w - - 0 1";
    let found = of(&["d2e2 e10e10", "--variant", "janggi", "--fen", fen]);
    assert_eq!(found, ("bikjang".into(), "first".into(), false.into(), "facing pass".to_owned()));
    let draw = of(&["d2e2 e10e10", "--variant", "janggi", "--fen", fen, "--ruleset", "traditional"]);
    assert_eq!(draw, ("bikjang".into(), json!(null), false.into(), "facing pass".to_owned()));
    let passes = of(&["e2e2 한수쉼", "--variant", "janggi"]);
    assert_eq!((passes.0, passes.3), ("mutual_pass".into(), "pass pass".to_owned()));
    // The side that brings a repetition about loses online.
    let repeated = twice("a1a2 a10a9 a2a1 a9a10");
    let online = of(&[&repeated, "--variant", "janggi", "--ruleset", "kakao"]);
    assert_eq!((online.0, online.1, online.2), ("repetition".into(), "second".into(), false.into()));
    let stones = of(&[&["g1g1 g19g19"; 3].join(" "), "--variant", "koshogi"]);
    assert_eq!((stones.0, stones.1), ("repetition".into(), json!(null)));
    let text = run(here, &["judge", "e2e2 e9e9", "--variant", "janggi"]).out;
    assert!(text.contains("plies 1 to 2 end the game") && text.contains("95楚95 (pass 한수쉼)"), "{text}");
    assert!(text.contains("rule: two passes in turn end the game; points decide"), "{text}");
}

#[test]
fn wrong_input_is_refused() {
    let here = Path::new(".");
    let refused = |words: &[&str], code: i32, message: &str| {
        let ran = kirin_in(here, &[&["judge"], words].concat());
        assert_eq!((ran.code, ran.out.as_str()), (Some(code), ""), "{words:?}: {}", ran.err);
        assert!(ran.err.starts_with("error:") && ran.err.contains(message), "{words:?}: {}", ran.err);
    };
    let known = "xiangqi has no authority \"cca\" on repetition; it has: kirin, asian, chinese, wxf";
    refused(&["h3e3", "--variant", "xiangqi", "--authority", "cca"], 78, known);
    refused(&["e2e2", "--variant", "janggi", "--authority", "asian"], 78, "it has: kirin");
    refused(&["h3e3 h3h4", "--variant", "xiangqi"], 78, "move 2");
    refused(&["h3e3", "--variant", "xiangqi", "--fen", "9/9 w"], 78, "FEN board");
    refused(&["h3e3", "--variant", "xiangqi", "--ruleset", "kja"], 78, "kja");
    refused(&["h3e3", "--variant", "xiangqi", "--notation", "kif"], 78, "there are: uci");
    refused(&["missing.pgn", "--variant", "xiangqi"], 74, "missing.pgn");
    let manifest = "Cargo.toml";
    refused(
        &[manifest, "--variant", "xiangqi", "--fen", FEN],
        78,
        "the games of Cargo.toml have positions of their own",
    );
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("bad.pgn"), "1. h3e3 e1e9 1-0\n").expect("written");
    let ran = kirin_in(folder.path(), &["judge", "bad.pgn", "--variant", "xiangqi"]);
    assert_eq!((ran.code, ran.out.as_str()), (Some(78), ""), "{}", ran.err);
    assert!(ran.err.ends_with("error: no game of bad.pgn could be read\n"), "{}", ran.err);
}
