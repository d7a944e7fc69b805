//! The probes of `vectors.txt` and the ends of `entering.txt`.

use crate::vectors_of_text as vectors;
use rules::{Position, Shogi};

/// Copied at every node of a search; six cache lines of 64 bytes hold it.
const _: () = assert!(size_of::<Position<Shogi>>() == 384);

#[test]
fn probes() {
    vectors::probes::<Shogi>(include_str!("vectors.txt"));
}

#[test]
fn kings_in_the_enemy_camps() {
    vectors::ends_of_games::<Shogi>(include_str!("entering.txt"));
}

#[test]
fn boards_that_cannot_be() {
    vectors::boards_that_cannot_be::<Shogi>(&[
        ("9/9/9/9/9/9/9/9/4K4[] w", "the second player has 0 kings"),
        ("4k4/9/9/9/9/9/9/9/3KK4[] w", "the first player has 2 kings"),
        ("4k4/4R4/9/9/9/9/9/9/4K4[] w", "could take the king"),
        ("4k4/3+P5/9/9/9/9/9/9/4K4[] w", "could take the king"),
        ("P3k4/9/9/9/9/9/9/9/4K4[] b", "P on a9 could never move"),
        ("L3k4/9/9/9/9/9/9/9/4K4[] b", "L on a9 could never move"),
        ("4k4/9/9/9/9/9/9/n8/4K4[] b", "N on a2 could never move"),
        ("4k4/9/9/9/P8/9/P8/9/4K4[] b", "two unpromoted pawns"),
        ("4k4/9/9/9/9/9/9/9/4K4[K] w", "cannot be in hand"),
        ("4k4/9/9/9/9/9/9/9/4K4[+P] w", "cannot be in hand"),
        ("4k4/9/9/9/9/9/9/9/4K3+G[] w", "unknown piece \"+G\""),
        ("4k4/9/9/9/9/9/9/9/4K4[ w", "closing ]"),
        ("4k4/9/9/9/9/9/9/54/4K4[] w", "unknown piece \"54\""),
        ("4k4/9/9/9/9/9/9/9/4K4[] w 5 - 1", "third field"),
    ]);
}
