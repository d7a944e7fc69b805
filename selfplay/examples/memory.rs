//! Memory of a long run: `cargo run --release -p selfplay --example memory [-- GAMES]`.
//!
//! Plays 10,000 games of Wangqi without a network, generation after generation, with every feature that keeps data in
//! memory: the cache, starts near the ends of earlier games, resigning, fast searches, the journal, shards. Prints the
//! resident memory after every tenth of the games.

#[path = "../tests/resident/mod.rs"]
mod resident;
#[path = "../tests/scratch_run/mod.rs"]
mod scratch_run;

use resident::{long_run, play_until, resident_mib};

fn main() {
    let games: u64 = std::env::args().nth(1).map_or(10_000, |text| text.parse().expect("usage: memory [GAMES]"));
    let (run, mut generation) = (long_run(), 0);
    println!("games  generations  resident MiB");
    for part in 1..=10 {
        play_until(&run, &mut generation, games * part / 10);
        println!("{:5}  {generation:11}  {:12.1}", run.progress.counts().games, resident_mib());
    }
}
