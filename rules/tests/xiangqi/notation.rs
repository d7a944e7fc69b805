//! Chinese and Western notation: the tables of notation.txt, and moves of composed positions.

use rules::{Move, MoveError, MoveList, Notation, Position, Xiangqi};
use std::collections::HashSet;

const TABLE: &str = include_str!("notation.txt");

fn notation(name: &str) -> &'static Notation<Xiangqi> {
    Notation::named(name).expect("a notation")
}

fn read(name: &str, position: &Position<Xiangqi>, text: &str) -> Move {
    notation(name).read(position, text).unwrap_or_else(|error| panic!("{}: {name} {text}: {error}", position.fen()))
}

/// Lines of the table: position, UCI, Chinese and Western text, other texts that mean the move.
#[test]
fn the_table_holds() {
    let mut rows = 0;
    let mut position = Position::start();
    for line in TABLE.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        if let Some(fen) = line.strip_prefix("position ") {
            position = if fen == "start" { Position::start() } else { Position::from_fen(fen).expect(fen) };
            continue;
        }
        let (line, then_play) = line.strip_suffix(" !").map_or((line, false), |line| (line, true));
        let words: Vec<&str> = line.split_whitespace().collect();
        let [uci, chinese, wxf, others @ ..] = &words[..] else { panic!("{line}") };
        let mv = position.parse_move(uci).unwrap_or_else(|error| panic!("{line}: {error}"));
        assert_eq!(notation("chinese").write(&position, mv), *chinese, "{line}");
        assert_eq!(notation("wxf").write(&position, mv), *wxf, "{line}");
        assert_eq!(read("chinese", &position, chinese), mv, "{line}");
        assert_eq!(read("wxf", &position, wxf), mv, "{line}");
        for other in others {
            let name = if other.is_ascii() && !other.starts_with(char::is_numeric) { "wxf" } else { "chinese" };
            assert_eq!(read(name, &position, other), mv, "{line}: {other}");
        }
        rows += 1;
        if then_play {
            position.play(mv);
        }
    }
    assert!(rows > 60, "{rows} rows");
}

#[test]
fn ucci_counts_ranks_from_0() {
    let start = Position::<Xiangqi>::start();
    for (uci, ucci) in [("h3e3", "h2e2"), ("a1a2", "a0a1"), ("i1i3", "i0i2")] {
        let mv = start.parse_move(uci).expect("legal");
        assert_eq!(notation("ucci").write(&start, mv), ucci);
        assert_eq!(notation("ucci").read(&start, ucci), Ok(mv));
    }
    assert!(matches!(notation("ucci").read(&start, "a0a9"), Err(MoveError::Illegal { .. })));
    assert!(matches!(notation("ucci").read(&start, "a1a10"), Err(MoveError::Malformed(..))));
}

#[test]
fn what_fits_two_moves_is_refused_with_both() {
    let position = Position::<Xiangqi>::from_fen("3k5/9/9/2R6/9/2R6/9/9/9/4K4 w").expect("a position");
    let error = notation("chinese").read(&position, "俥七平五").expect_err("two chariots");
    assert_eq!(error.to_string(), "\"俥七平五\" may be any of 後俥平五, 前俥平五");
    let error = notation("wxf").read(&position, "R7=5").expect_err("two chariots");
    assert_eq!(error.to_string(), "\"R7=5\" may be any of R-=5, R+=5");
    let error = notation("chinese").read(&position, "帥四平三").expect_err("not there");
    assert!(matches!(error, MoveError::Illegal { .. }), "{error}");
}

/// More of a kind than a game has, in every way they can share files: no two moves have one text.
#[test]
fn crowded_boards_have_a_text_for_every_move() {
    for fen in [
        "5k3/2RR5/2RR5/2RR5/2R6/9/9/9/9/4K4 w",
        "3k5/9/9/9/1N1N5/1N1N5/1N1N5/1N7/9/4K4 w",
        "5k3/9/9/9/9/9/9/3A1A3/3A1A3/3AKA3 w",
        "3k5/9/9/9/9/2B6/2B3B2/2B3B2/2B1B1B2/2B1K4 w",
        "5k3/2P1P4/2P1P4/2P1P1P2/2P6/2P6/9/9/2P3P2/3K5 w",
        "5k3/9/C8/C8/C8/C8/C1C1C4/C1C1C4/C1C6/C3K4 w",
        "4k4/c7r/c7r/c7r/c8/9/9/9/9/3K5 b",
        "P4k3/P8/P8/P8/P8/P8/P8/P8/P8/P2K5 w",
    ] {
        let position = Position::<Xiangqi>::from_fen(fen).unwrap_or_else(|error| panic!("{fen}: {error}"));
        let mut legal = MoveList::new();
        position.legal_moves(&mut legal);
        assert!(legal.len() > 4, "{fen}");
        for name in ["chinese", "wxf"] {
            let texts: HashSet<String> = legal.iter().map(|&mv| notation(name).write(&position, mv)).collect();
            assert_eq!(texts.len(), legal.len(), "{name} in {fen}");
            for &mv in &*legal {
                assert_eq!(read(name, &position, &notation(name).write(&position, mv)), mv);
            }
        }
    }
}
