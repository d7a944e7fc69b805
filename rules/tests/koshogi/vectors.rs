//! The vectors of the rule text, read from text files. Single moves and ends are asked of the crate and of the
//! reference; the perft suite is the crate's in `tests/perft.rs`, and the reference's here.

use crate::both;
use crate::drawn::fen_of;
use crate::reference::Board;
use crate::vectors_of_text::{lines, unrolled};
use rules::{Koshogi, Position, read_suite};
use std::collections::BTreeMap;

/// Deeper counts of the suite took the reference minutes: 11,582,611 at depth 3 of the start were counted once.
const MOST_NODES: u64 = 60_000;

#[test]
fn reference_counts_the_suite() {
    let suite = read_suite(include_str!("../perft/koshogi.perft")).expect("a suite");
    for line in &suite {
        let board = Board::read(line.fen);
        for &(depth, expected) in line.counts.iter().filter(|(_, nodes)| *nodes <= MOST_NODES) {
            assert_eq!(board.perft(depth), expected, "depth {depth} of {}", line.fen);
        }
    }
}

/// Moves of the start by the code of the stone.
const START: &str = "CH 48, SH 24, P 21, E 20, CU 20, HS 16, SU 12, XB 8, C 6, LB 6, PU 6, V 5, CS 4, A 4, WR 4, Q 4, \
                     M 4, CA 4, EN 2, S 2, AC 2, CR 2, SN 2";

#[test]
fn start_by_kind() {
    let start = Position::<Koshogi>::start();
    let moves = both::moves(&start.fen());
    let board = stones(&start.fen());
    let from = |text: &str| {
        let digits = text[1..].find(|c: char| !c.is_ascii_digit()).expect("a second point");
        text[..=digits].to_owned()
    };
    let mut found: BTreeMap<&str, usize> = BTreeMap::new();
    for text in moves.keys() {
        *found.entry(&board[&from(text)]).or_default() += 1;
    }
    let expected: BTreeMap<&str, usize> =
        START.split(", ").map(|entry| entry.split_once(' ').expect("two words")).map(number).collect();
    assert_eq!(found, expected);
    assert_eq!(moves.len(), 226);
    let passes: Vec<&String> =
        moves.keys().filter(|text| text.len() % 2 == 0 && text.starts_with(&text[text.len() / 2..])).collect();
    assert_eq!(passes, ["a4a4", "g1g1", "m1m1", "s4s4"]);
    assert_eq!(moves.keys().filter(|text| text.ends_with('+')).collect::<Vec<_>>(), ["a6a14+", "s6s14+"]);
}

fn number<'a>((code, count): (&'a str, &str)) -> (&'a str, usize) {
    (code, count.parse().expect("a number"))
}

/// Stones by point.
fn stones(fen: &str) -> BTreeMap<String, String> {
    let mut stones = BTreeMap::new();
    for (row, rank) in fen.split([' ', '/']).zip((1..=19).rev()) {
        let mut file = b'a';
        for item in row.split(',') {
            match item.parse::<u8>() {
                Ok(empty) => file += empty,
                Err(_) => {
                    stones.insert(format!("{}{rank}", file as char), item.to_owned());
                    file += 1;
                }
            }
        }
    }
    stones
}

#[test]
fn lone_stones() {
    let mut faces = 0;
    for line in lines(include_str!("lone_stones.txt")) {
        let fields: Vec<&str> = line.split(';').map(str::trim).collect();
        let moves = both::moves(&fen_of(&format!("{} j10 {} G a1 g s19", fields[0], fields[1])));
        let found = moves.keys().filter(|text| text.starts_with("j10")).count();
        assert_eq!(found.to_string(), fields[2], "{line}");
        faces += 1;
    }
    // 65 faces, and the foot soldier without a drum.
    assert_eq!(faces, 66);
}

#[test]
fn single_turns() {
    for line in lines(include_str!("turns.txt")) {
        let fields: Vec<&str> = line.split(';').map(str::trim).collect();
        let [_, before, text, after, end] = fields[..] else { panic!("five fields: {line}") };
        assert_eq!(both::moves(before).get(text).map(String::as_str), Some(after), "{line}");
        let expected = (!end.is_empty()).then(|| (1, end.to_owned()));
        assert_eq!(both::end(before, &[text]), expected, "{line}");
    }
}

#[test]
fn ends_of_games() {
    let start = Position::<Koshogi>::start().fen();
    for line in lines(include_str!("ends.txt")) {
        let fields: Vec<&str> = line.split(';').map(str::trim).collect();
        let [_, fen, moves, expected] = fields[..] else { panic!("four fields: {line}") };
        let end = both::end(if fen == "start" { &start } else { fen }, &unrolled(moves));
        let found = end.map_or("none".to_owned(), |(ply, how)| format!("{ply} {how}"));
        assert_eq!(found, expected, "{line}");
    }
}

#[test]
fn boards_that_cannot_be_read() {
    let board = |rank: &str| format!("{rank}/{} w - - 0 1", ["19"; 18].join("/"));
    assert!(Position::<Koshogi>::from_fen(&board("G,g,+TP,+tp,15")).is_ok());
    for rank in [
        "18", "20", "G,g,18", "G,g,16", "9,10", "9,9,G", "X,18", "Cs,18", "cS,18", "+G,18", "+wr,18", "+E,18", "+,18",
        "CS18", "C S,17", ",19",
    ] {
        let error = Position::<Koshogi>::from_fen(&board(rank)).expect_err(rank).to_string();
        assert!(!error.is_empty(), "{rank}");
    }
}
