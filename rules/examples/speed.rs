//! Speed of a variant on one thread: `cargo run --release -p rules --example speed -- xiangqi 5 [FEN]`
//! prints perft nodes per second, the times of copy and play,
//! of listing moves and of looking for a win in one, and the size of a position.

use rules::{MoveList, Position, Variant, VariantId};
use std::hint::black_box;
use std::time::Instant;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut args = std::env::args().skip(1);
    let id: VariantId = args.next().ok_or("which variant?")?.parse()?;
    let depth: u32 = args.next().ok_or("which depth?")?.parse()?;
    let fen = args.next();
    rules::dispatch!(id, V => measure::<V>(fen.as_deref(), depth))
}

fn measure<V: Variant>(fen: Option<&str>, depth: u32) -> Result<(), Box<dyn std::error::Error>> {
    let position = fen.map_or_else(|| Ok(Position::<V>::start()), Position::from_fen)?;
    for _ in 0..3 {
        let clock = Instant::now();
        let nodes = position.perft(depth);
        let seconds = clock.elapsed().as_secs_f64();
        println!("perft {depth}: {nodes} nodes, {:.1} million nodes/s", nodes as f64 / seconds / 1e6);
    }
    let mut legal = MoveList::new();
    position.legal_moves(&mut legal);
    let rounds = 100_000;
    let clock = Instant::now();
    for _ in 0..rounds {
        for &mv in legal.iter() {
            let mut next = black_box(&position).clone();
            next.play(mv);
            black_box(&next);
        }
    }
    let plays = (rounds * legal.len()) as f64;
    println!("copy and play: {:.1} ns", clock.elapsed().as_secs_f64() / plays * 1e9);
    let clock = Instant::now();
    for _ in 0..rounds * 10 {
        black_box(&position).legal_moves(&mut legal);
        black_box(&legal);
    }
    println!("legal moves: {:.1} ns", clock.elapsed().as_secs_f64() / rounds as f64 / 10.0 * 1e9);
    let mut scratch = MoveList::new();
    let clock = Instant::now();
    for _ in 0..rounds {
        black_box(black_box(&position).win_in_one(&legal, &mut scratch));
    }
    println!("win in one: {:.1} ns", clock.elapsed().as_secs_f64() / rounds as f64 * 1e9);
    println!("position: {} bytes", size_of::<Position<V>>());
    Ok(())
}
