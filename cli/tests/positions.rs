//! `kirin perft` and `kirin show`, as promised to scripts.

use crate::kirin::{kirin, kirin_in};
use serde_json::Value;

#[test]
fn perft_prints_a_count_for_each_move_and_the_sum_last() {
    for (variant, depth, nodes) in [("xiangqi", "3", 79_666), ("wangqi", "3", 14_825)] {
        let ran = kirin(&["perft", "--variant", variant, "--depth", depth]);
        assert_eq!(ran.code, Some(0), "{}", ran.err);
        assert_eq!(ran.out.trim_end().lines().last(), Some(format!("Nodes searched: {nodes}").as_str()));
        let sum: u64 = ran
            .out
            .lines()
            .filter(|line| !line.starts_with("Nodes"))
            .filter_map(|line| line.split_once(": ")?.1.parse::<u64>().ok())
            .sum();
        assert_eq!(sum, nodes);
    }
}

#[test]
fn a_suite_names_the_lines_that_differ() {
    let folder = tempfile::tempdir().expect("a folder");
    let start = "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w - - 0 1";
    let suite = format!("# the start\n{start} ;D1 44 ;D2 1920\n{start} ;D1 44 ;D2 1921\n");
    std::fs::write(folder.path().join("s.perft"), suite).expect("written");
    let ran = kirin_in(folder.path(), &["perft", "--variant", "xiangqi", "--suite", "s.perft"]);
    assert_eq!(ran.code, Some(1));
    assert!(ran.out.contains("line 3, depth 2: expected 1921, counted 1920"), "{}", ran.out);
    assert!(ran.out.contains('俥'), "the board is drawn");
    assert!(!ran.out.contains("line 2"));
    let good = kirin_in(folder.path(), &["perft", "--variant", "xiangqi", "--suite", "s.perft", "--depth", "1"]);
    assert_eq!(good.code, Some(0), "{}", good.err);
}

#[test]
fn the_suites_of_the_repository_pass() {
    for variant in rules::VariantId::ALL {
        let file = format!("{}/../rules/tests/perft/{variant}.perft", env!("CARGO_MANIFEST_DIR"));
        let ran = kirin(&["perft", "--variant", variant.id(), "--suite", &file, "--depth", "3"]);
        assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);
    }
}

#[test]
fn show_tells_the_outcome_and_its_reason() {
    let moves = "a9a10 d10d9 a10a9 d9d10 a9a10 d10d9 a10a9 d9d10";
    let fen = "3k5/R8/9/9/9/9/9/9/9/4K4 w - - 0 1";
    let ran = kirin(&["show", "--variant", "xiangqi", "--fen", fen, "--moves", moves, "--json"]);
    let shown: Value = serde_json::from_str(&ran.out).expect("JSON");
    assert_eq!(shown["outcome"], "second");
    assert_eq!(shown["termination"], "perpetual_check");
    let ran = kirin(&["show", "--variant", "wangqi", "--json"]);
    let shown: Value = serde_json::from_str(&ran.out).expect("JSON");
    assert_eq!(shown["outcome"], Value::Null);
    assert_eq!(shown["legal_moves"].as_array().map(Vec::len), Some(25));
    assert_eq!(shown["check"], false);
    assert_eq!(shown["fen"], "lnsiksnl/1r4b1/pppppppp/8/8/PPPPPPPP/1B4R1/LNSIKSNL[] w - - 0 1");
}

#[test]
fn a_batch_goes_on_after_a_bad_line() {
    let folder = tempfile::tempdir().expect("a folder");
    let start = "lnsiksnl/1r4b1/pppppppp/8/8/PPPPPPPP/1B4R1/LNSIKSNL[] w - - 0 1";
    let mut text = format!("{start}\n{start} ; a3a4 a6a5\nnonsense\n{start} ; a3a9\n\n").into_bytes();
    text.extend(b"\xff\xfe ; a1a2\n");
    std::fs::write(folder.path().join("lines"), text).expect("written");
    let ran = kirin_in(folder.path(), &["show", "--variant", "wangqi", "--batch", "lines"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let lines: Vec<Value> = ran.out.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert_eq!(lines.len(), 5);
    assert_eq!(lines[0]["termination"], Value::Null);
    assert!(lines[1]["fen"].as_str().is_some_and(|fen| fen.starts_with("lnsiksnl/1r4b1/1ppppppp/p7/P7/1PPPPPPP")));
    for (line, number) in [(2, 3), (3, 4), (4, 6)] {
        assert_eq!(lines[line]["line"], number);
        assert!(lines[line]["error"].is_string());
    }
}

#[test]
fn wrong_input_is_named_and_exits_with_78() {
    for (arguments, names) in [
        (vec!["show", "--variant", "xiangqi", "--fen", "9/9 w"], "FEN board"),
        (vec!["show", "--variant", "xiangqi", "--moves", "a1a5"], "move 1"),
        (vec!["show", "--variant", "xiangqi", "--ruleset", "ful"], "no rule set"),
        (vec!["perft", "--variant", "wangqi", "--fen", "k w", "--depth", "2"], "FEN"),
        (vec!["perft", "--variant", "wangqi", "--depth", "1", "--notation", "wxf"], "there are: uci"),
        (vec!["show", "--variant", "xiangqi", "--notation", "kif"], "there are: uci, ucci, chinese, wxf"),
        (vec!["show", "--variant", "xiangqi", "--moves", "h3e3 smoke"], "(chinese)"),
        (vec!["show", "--variant", "xiangqi", "--moves", "h3e3 h9g7"], "move 2: \"h9g7\" is not legal"),
        (vec!["show", "--variant", "xiangqi", "--notation", "chinese", "--moves", "俥一進九"], "not legal"),
    ] {
        let ran = kirin(&arguments);
        assert_eq!(ran.code, Some(78), "{arguments:?}: {}", ran.err);
        assert!(ran.err.contains(names), "{arguments:?}: {}", ran.err);
        assert_eq!(ran.err.trim_end().lines().count(), 1, "one message: {}", ran.err);
    }
    let ran = kirin(&["perft", "--variant", "wangqi", "--suite", "/nowhere", "--depth", "2"]);
    assert_eq!(ran.code, Some(74), "{}", ran.err);
    let ran = kirin(&["show", "--variant", "xiangki"]);
    assert!(ran.err.contains("a similar value exists: 'xiangqi'"), "{}", ran.err);
}

#[test]
fn moves_are_translated_into_every_notation() {
    for (variant, notation, moves, rows) in [
        (
            "xiangqi",
            "chinese",
            "炮二平五 馬8進7",
            &[
                ["uci", "h3e3", "h10g8"],
                ["ucci", "h2e2", "h9g7"],
                ["chinese", "炮二平五", "馬8進7"],
                ["wxf", "C2=5", "H8+7"],
            ][..],
        ),
        ("janggi", "janggi-old", "七1卒七2 四1兵五1", &[["uci", "a4b4", "a7a6"], ["janggi", "71卒72", "41兵51"]]),
        (
            "shogi",
            "ki2",
            "▲７六歩 △３四歩",
            &[
                ["uci", "c3c4", "g7g6"],
                ["usi", "7g7f", "3c3d"],
                ["kif", "７六歩(77)", "３四歩(33)"],
                ["csa", "+7776FU", "-3334FU"],
            ],
        ),
    ] {
        let arguments = ["show", "--variant", variant, "--notation", notation, "--moves", moves];
        let ran = kirin(&[&arguments[..], &["--json"]].concat());
        let shown: Value = serde_json::from_str(&ran.out).unwrap_or_else(|_| panic!("{}", ran.err));
        let table = kirin(&arguments).out;
        for [name, texts @ ..] in rows {
            for (at, text) in texts.iter().enumerate() {
                assert_eq!(shown["moves"][at][name], *text, "{variant} {name}");
                assert!(table.contains(text), "{table}");
            }
        }
    }
}

#[test]
fn sfen_is_read_where_a_fen_is() {
    let sfen = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1";
    let ran = kirin(&["show", "--variant", "shogi", "--fen", sfen, "--notation", "usi"]);
    assert!(ran.out.contains(&format!("SFEN: {sfen}")) && ran.out.contains(" 7g7f "), "{}{}", ran.out, ran.err);
    let ran = kirin(&["perft", "--variant", "shogi", "--fen", sfen, "--depth", "2", "--notation", "kif"]);
    assert!(ran.out.contains("７六歩(77): 30"), "{}{}", ran.out, ran.err);
    assert!(ran.out.ends_with("Nodes searched: 900\n"), "{}", ran.out);
}

#[test]
fn a_pass_is_called_one_and_setups_have_names() {
    let ran = kirin(&["show", "--variant", "janggi", "--moves", "pass"]);
    assert!(
        ran.out.contains("e9e9 (pass 한수쉼)") && ran.out.contains("95楚95 (pass 한수쉼)"),
        "{}{}",
        ran.out,
        ran.err
    );
    let ran = kirin(&["show", "--variant", "janggi", "--moves", "pass", "--json"]);
    assert!(ran.out.contains("\"uci\":\"e2e2\"") && !ran.out.contains("(pass"), "{}{}", ran.out, ran.err);
    let fen = "rnba1abnr/4k4/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/4K4/RBNA1ANBR w - - 0 1";
    let ran = kirin(&["show", "--variant", "janggi", "--fen", fen]);
    assert!(
        ran.out.contains("setups: outer elephants 상마마상 – inner elephants 마상상마\n"),
        "{}{}",
        ran.out,
        ran.err
    );
}
