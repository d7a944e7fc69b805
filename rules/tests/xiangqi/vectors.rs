//! The vectors of the rule text, read from text files.

use crate::vectors_of_text as vectors;
use rules::{Position, Xiangqi};

/// 256 bytes: 90 cells, nine sets of 16 bytes, key, counters. Copied at every node.
const _: () = assert!(size_of::<Position<Xiangqi>>() == 256);

#[test]
fn moves_of_single_pieces() {
    vectors::moves_of_single_pieces::<Xiangqi>(include_str!("moves.txt"));
}

#[test]
fn ends_of_games() {
    vectors::ends_of_games::<Xiangqi>(include_str!("ends.txt"));
}

#[test]
fn boards_that_cannot_be() {
    vectors::boards_that_cannot_be::<Xiangqi>(&[
        ("9/9/9/9/9/9/9/9/9/4K4 w", "0 generals of the second player"),
        ("3k1k3/9/9/9/9/9/9/9/9/4K4 w", "2 generals of the second player"),
        ("3k5/9/9/9/9/9/9/9/9/2K6 w", "the first player's general on c1 stands outside its palace"),
        ("3k5/9/9/3a5/9/9/9/9/9/4K4 w", "the second player's guard on d7 stands outside its palace"),
        ("3k5/9/9/9/2B6/9/9/9/9/4K4 w", "the first player's elephant on c6 stands over the river"),
        ("4k4/9/9/9/9/9/9/9/9/4K4 w", "the second player's general can be captured at once"),
        ("3k5/9/9/9/3R5/9/9/9/9/4K4 w", "the second player's general can be captured at once"),
    ]);
}
