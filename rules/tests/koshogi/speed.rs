//! How much faster the crate counts Kō shogi's moves than the reference generator of the tests, on the positions of
//! the perft suite, in one run: `cargo bench -p rules --bench koshogi_reference`.

#[expect(dead_code, reason = "the tests use all of it")]
mod reference;

use reference::Board;
use rules::{Koshogi, Position, read_suite};
use std::time::Instant;

/// Nodes that the reference counts in half a second.
const MOST_NODES: u64 = 60_000;
/// The crate must be faster by this factor on each position.
const LEAST_RATIO: f64 = 100.0;
/// Rounds; the best of each side counts, because other processes only make it slower.
const ROUNDS: usize = 3;

/// Seconds that counting takes, in the best round.
fn seconds(expected: u64, count: impl Fn() -> u64) -> f64 {
    let round = |_| {
        let clock = Instant::now();
        assert_eq!(count(), expected);
        clock.elapsed().as_secs_f64()
    };
    (0..ROUNDS).map(round).fold(f64::INFINITY, f64::min)
}

fn main() {
    let suite = read_suite(include_str!("../perft/koshogi.perft")).expect("the suite can be read");
    let mut least = f64::INFINITY;
    for line in &suite {
        let feasible = line.counts.iter().rfind(|(_, nodes)| *nodes <= MOST_NODES);
        let &(depth, expected) = feasible.expect("a depth within the reference's reach");
        let board = Board::read(line.fen);
        let position = Position::<Koshogi>::from_fen(line.fen).expect("a valid position");
        let slow = seconds(expected, || board.perft(depth));
        let fast = seconds(expected, || position.perft(depth));
        let nodes = expected as f64 / 1e6;
        println!(
            "{:8.3} million nodes/s the reference, {:8.1} the crate: {:.0} times, perft {depth} of {}",
            nodes / slow,
            nodes / fast,
            slow / fast,
            line.fen
        );
        least = least.min(slow / fast);
    }
    assert!(least >= LEAST_RATIO, "only {least:.0} times as fast as the reference");
}
