//! `kirin openings`: moves in any notation, lines from a position, setups, and answers for other programs.

use crate::kirin::{json_in as json, kirin_in, run_in as run};
use serde_json::{Value, json};
use std::path::Path;

/// Imports games that are written as lists of moves.
fn import(folder: &Path, variant: &str, games: &str) {
    std::fs::write(folder.join("games.txt"), games).expect("a file");
    run(folder, &["data", "import", "games.txt", "--variant", variant, "--to", "games"]);
}

const XIANGQI: &str = "h3e3 h10g8 b1c3 b10c8 1-0\nh3e3 h8e8 b1c3 0-1\nb1c3 h10g8 h3e3 b10c8 1/2-1/2\nc4c5 1-0\n";

#[test]
fn moves_are_read_and_printed_in_any_notation() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path();
    import(path, "xiangqi", XIANGQI);
    let uci = json(path, &["openings", "games", "--moves", "h3e3"]);
    assert_eq!((&uci["moves"], &uci["games"]), (&"h3e3".into(), &2.into()));
    for moves in ["炮二平五", "C2=5", "h2e2"] {
        assert_eq!(json(path, &["openings", "games", "--moves", moves]), uci, "{moves}");
    }
    let chinese = json(path, &["openings", "games", "--moves", "炮二平五 h10g8", "--notation", "chinese"]);
    assert_eq!(
        (&chinese["moves"], &chinese["lines"][0]["line"]),
        (&"h3e3 h10g8".into(), &"炮二平五 馬8進7 傌八進七".into())
    );

    // In a pipe, which has no width, and with the names of the openings.
    let table = run(path, &["openings", "games", "--notation", "chinese"]).out;
    let row = table.lines().find(|line| line.starts_with("炮二平五")).expect("a row");
    assert!(row.ends_with("中炮 Central Cannon"), "{table}");
    assert!(table.contains("1. 炮二平五") && table.contains("1… 馬8進7") && !table.contains("h3e3"), "{table}");
    let after = run(path, &["openings", "games", "--notation", "wxf", "--moves", "炮二平五"]).out;
    assert!(after.contains("after C2=5: 2 games"), "{after}");

    let ran = kirin_in(path, &["openings", "games", "--moves", "炮二平五 smoke"]);
    assert_eq!(ran.code, Some(78));
    assert!(ran.err.contains("--moves: move 2: \"smoke\" is not a move") && ran.err.contains("(wxf)"), "{}", ran.err);
    let ran = kirin_in(path, &["openings", "games", "--notation", "kif"]);
    assert_eq!(ran.code, Some(78));
    assert!(ran.err.contains("there are: uci, ucci, chinese, wxf"), "{}", ran.err);
}

#[test]
fn lines_begin_in_any_position() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path();
    import(path, "xiangqi", XIANGQI);
    let fen_after = |moves: &str| {
        let shown = json(path, &["show", "--variant", "xiangqi", "--moves", moves]);
        shown["fen"].as_str().expect("a text").to_owned()
    };
    // Two games come here, by moves in another order.
    let fen = fen_after("h3e3 h10g8 b1c3");
    let found = json(path, &["openings", "games", "--fen", &fen]);
    assert_eq!((&found["games"], &found["other_starts"], &found["fen"]), (&2.into(), &2.into(), &fen.as_str().into()));
    let row = &found["continuations"][0];
    // The second player moves; it lost one game and drew the other.
    assert_eq!((&row["moves"], &row["games"], &row["score"]), (&"b10c8".into(), &2.into(), &0.25.into()));
    let text = run(path, &["openings", "games", "--fen", &fen, "--notation", "chinese"]).out;
    assert!(text.contains("2 of 4 games reach the position") && text.contains("1… 馬2進3"), "{text}");
    // The start itself, and moves from it.
    let start = fen_after("");
    assert_eq!(json(path, &["openings", "games", "--fen", &start]), json(path, &["openings", "games"]));
    let further = json(path, &["openings", "games", "--fen", &fen_after("h3e3"), "--moves", "馬8進7"]);
    assert_eq!((&further["games"], &further["lines"][0]["moves"]), (&1.into(), &"h10g8 b1c3".into()));
    let none = run(path, &["openings", "games", "--fen", "4k4/9/9/9/9/9/9/9/9/R2K5 w - - 0 1"]).out;
    assert!(none.contains("0 of 4 games reach the position") && none.contains("No game continues"), "{none}");
    let ran = kirin_in(path, &["openings", "games", "--fen", "9/9 w"]);
    assert_eq!(ran.code, Some(78));
    assert!(ran.err.contains("--fen: FEN board"), "{}", ran.err);
}

#[test]
fn other_programs_read_the_lines() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path();
    import(path, "xiangqi", XIANGQI);
    let words = ["openings", "games", "--depth", "4", "--notation", "chinese", "--to"];
    let ask = |more: &[&str]| run(path, &[&words[..], more].concat()).out;
    let jsonl = ask(&["jsonl"]);
    let rows: Vec<Value> = jsonl.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert_eq!(rows.len(), 11);
    assert_eq!(
        (&rows[0]["moves"], &rows[0]["line"], &rows[0]["games"]),
        (&"h3e3".into(), &"炮二平五".into(), &2.into())
    );
    assert_eq!((&rows[0]["opening_first"], &rows[0]["opening_second"]), (&"中炮 Central Cannon".into(), &Value::Null));
    assert_eq!((&rows[0]["score"], &rows[0]["setup_first"]), (&json!(0.5), &Value::Null));
    let csv = ask(&["csv"]);
    let lines: Vec<&str> = csv.lines().collect();
    assert_eq!(lines.len(), rows.len() + 1);
    assert!(lines[0].starts_with("ply,moves,line,setup_first,setup_second,opening_first,opening_second,games,share,"));
    assert!(lines[1].starts_with("1,h3e3,炮二平五,,,中炮 Central Cannon,,2,0.5,1,0,1,0.5,"), "{csv}");
    ask(&["parquet", "--out", "lines.parquet"]);
    let bytes = std::fs::read(path.join("lines.parquet")).expect("a file");
    assert!(bytes.starts_with(b"PAR1") && bytes.ends_with(b"PAR1"));
    for (words, wanted) in [
        (&["openings", "games", "--out", "x.csv"][..], "add --to"),
        (&["openings", "games", "--json", "--to", "csv"], "cannot be used with"),
    ] {
        let ran = kirin_in(path, words);
        assert!(ran.code != Some(0) && ran.err.contains(wanted), "{}", ran.err);
    }
    assert!(!path.join("x.csv").exists());
}

/// Games of two choices of setups; the elephant moves exist in one of them only.
const JANGGI: &str = "\
    rnba1abnr/4k4/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/4K4/RNBA1ABNR w - - 0 1 moves a4b4 e9e9 1-0\n\
    rnba1abnr/4k4/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/4K4/RNBA1ABNR w - - 0 1 moves a4b4 a7b7 0-1\n\
    rnba1abnr/4k4/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/4K4/RBNA1ANBR w - - 0 1 moves a4b4 a7b7 1-0\n\
    rnba1abnr/4k4/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/4K4/RBNA1ANBR w - - 0 1 moves b1d4 a7b7 1-0\n";

#[test]
fn setups_are_summed_named_and_chosen_and_a_pass_is_called_one() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path();
    import(path, "janggi", JANGGI);
    let sum = json(path, &["openings", "games", "--depth", "2"]);
    assert_eq!((&sum["games"], &sum["starts"][1]["games"]), (&4.into(), &2.into()), "{sum}");
    let first = &sum["continuations"][0];
    assert_eq!((&first["moves"], &first["games"], &first["setup_first"]), (&"a4b4".into(), &3.into(), &Value::Null));
    let each = json(path, &["openings", "games", "--depth", "2", "--setup", "each"]);
    assert_eq!(each["continuations"].as_array().map(Vec::len), Some(3), "{each}");
    for (setup, games) in [("outer", 2), ("inner,inner", 2), ("any,inner", 4), ("outer,any", 2)] {
        assert_eq!(json(path, &["openings", "games", "--setup", setup])["games"], games, "{setup}");
    }
    let fen = "rnba1abnr/4k4/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/4K4/RBNA1ANBR w - - 0 1";
    let outer = json(path, &["openings", "games", "--setup", "outer,inner"]);
    assert_eq!(json(path, &["openings", "games", "--fen", fen]), outer);

    let table = run(path, &["openings", "games"]).out;
    assert!(table.contains("Setups (first – second player)") && table.contains("outer – inner"), "{table}");
    assert!(table.contains("1… e9e9 (pass 한수쉼)"), "{table}");
    let board = run(path, &["openings", "games", "--moves", "b1d4"]).out;
    assert!(board.contains("Setups: outer elephants 상마마상 – inner elephants 마상상마"), "{board}");
    let chosen = run(path, &["openings", "games", "--setup", "outer"]).out;
    assert!(chosen.contains("2 games from other setups are left out (--setup)"), "{chosen}");
    // A line with fewer games than asked for has no count.
    let few = ["openings", "games", "--moves", "b1d4", "--min-games", "2"];
    assert_eq!(json(path, &few)["games"], Value::Null);
    let text = run(path, &few).out;
    assert!(
        text.contains("after b1d4: fewer than 2 games (--min-games)") && text.contains("No move from here"),
        "{text}"
    );
    let ran = kirin_in(path, &["openings", "games", "--setup", "iner"]);
    assert_eq!(ran.code, Some(78));
    assert!(ran.err.contains("janggi has no setup \"iner\"; it has: inner, outer"), "{}", ran.err);
    let ran = kirin_in(path, &["openings", "games", "--setup", "fifth"]);
    assert_eq!(ran.code, Some(78));
    assert!(ran.err.contains("none of 4 games is from this setup"), "{}", ran.err);
}

#[test]
fn books_are_written_in_every_format_and_by_minimax() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path();
    import(path, "xiangqi", XIANGQI);
    let book = |file: &str, more: &[&str]| {
        let words = ["openings", "games", "--depth", "2", "--book", file];
        run(path, &[&words[..], more].concat()).out
    };
    assert!(book("a.txt", &[]).contains("3 openings of 2 plies: a.txt"));
    assert!(book("a.epd", &["--book-format", "epd"]).contains("3 openings of 2 plies"));
    assert!(book("a.obk", &["--book-format", "obk"]).contains("3 openings of 2 plies"));
    for file in ["a.txt", "a.epd", "a.obk"] {
        let source = format!("book:{file}");
        let words = ["eval", "match", "--variant", "xiangqi", "random", "greedy", "--pairs", "3", "--log", "m.jsonl"];
        let played = json(path, &[&words[..], &["--openings", &source]].concat());
        let pairs = played["pairs"].as_array().expect("pairs by score").iter().filter_map(|pairs| pairs.as_u64());
        assert_eq!((pairs.sum::<u64>(), &played["failed"]), (3, &json!([])), "{file}: {played}");
        std::fs::remove_file(path.join("m.jsonl")).expect("the log");
    }

    // 1. h3e3 won one game and lost another, 1. c4c5 won its only one, 1. b1c3 was drawn: with one game each the interval
    // decides, and with a wide margin all stay.
    let best = book("best.txt", &["--minimax", "--margin", "0"]);
    assert!(best.contains("1 opening of up to 2 plies"), "{best}");
    assert_eq!(std::fs::read_to_string(path.join("best.txt")).expect("the book"), "startpos moves c4c5\n");
    let all = book("all.txt", &["--minimax", "--margin", "100"]);
    assert!(all.contains("4 openings of up to 2 plies"), "{all}");

    for (words, wanted) in [
        (&["--book-format", "yaneuraou"][..], "usi"),
        (&["--margin", "5"], "--minimax"),
        (&["--minimax", "--margin", "101"], "not between 0 and 100"),
        (&["--min-games", "9"], "take fewer opening plies, or fewer games as a minimum"),
    ] {
        let start = ["openings", "games", "--depth", "2", "--book", "none.txt"];
        let ran = kirin_in(path, &[&start[..], words].concat());
        assert!(ran.code != Some(0) && ran.err.contains(wanted), "{words:?}: {}", ran.err);
        assert!(!path.join("none.txt").exists());
    }
}

#[test]
fn statistics_have_the_results_by_setups() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path();
    let start = |setups: [&str; 2]| rules::Position::<rules::Janggi>::start_with(setups).expect("setups").fen();
    let (one, other) = (start(["inner", "outer"]), start(["left", "left"]));
    import(path, "janggi", &format!("{one} moves a4b4 1-0\n{one} moves i4h4 0-1\n{other} moves a4b4 0-1\n"));
    let found = json(path, &["stats", "games"]);
    let of = |first: &str, second: &str, [wins, losses]: [u32; 2]| {
        json!({"setup_first": first, "setup_second": second, "games": wins + losses, "first_wins": wins, "draws": 0,
            "first_losses": losses})
    };
    assert_eq!(found["setups"], json!([of("inner", "outer", [1, 1]), of("left", "left", [0, 1])]));
    let table = run(path, &["stats", "games"]).out;
    assert!(table.contains("Setups (first – second player)") && table.contains("inner – outer"), "{table}");
}
