//! The probes of `vectors.txt`.

use crate::vectors_of_text as vectors;
use rules::{Position, Wangqi};

/// Copied at every node of a search; four cache lines of 64 bytes hold it.
const _: () = assert!(size_of::<Position<Wangqi>>() == 240);

#[test]
fn probes() {
    vectors::probes::<Wangqi>(include_str!("vectors.txt"));
}

#[test]
fn boards_that_cannot_be() {
    vectors::boards_that_cannot_be::<Wangqi>(&[
        ("8/8/8/8/8/8/8/4K3[] w - - 0 1", "the second player has 0 kings"),
        ("4k3/8/8/8/8/8/8/3KK3[] w - - 0 1", "the first player has 2 kings"),
        ("4k3/4R3/8/8/8/8/8/4K3[] w - - 0 1", "could take the king"),
        ("P3k3/8/8/8/8/8/8/4K3[] b - - 0 1", "P on a8 could never move"),
        ("4k3/8/8/8/8/8/n7/4K3[] b - - 0 1", "N on a2 could never move"),
        ("4k3/8/8/P7/P7/8/8/4K3[] b - - 0 1", "two unpromoted pawns"),
        ("4k3/8/8/8/8/8/8/4K3[K] w - - 0 1", "cannot be in hand"),
        ("4k3/8/8/8/8/8/8/4K3[+P] w - - 0 1", "cannot be in hand"),
        ("4k3/8/8/8/8/8/8/4K2G[] w - - 0 1", "unknown piece \"G\""),
        ("4k3/8/8/8/8/8/8/4K3[ w - - 0 1", "closing ]"),
        ("4k3/8/8/8/8/8/44/4K3[] w - - 0 1", "unknown piece \"44\""),
    ]);
}
