//! Perft of Kirin and of other engines side by side: the same positions, one thread each, leaves counted in bulk on
//! all sides, in turns, the best of several rounds by processor time. Counts are asserted to be equal.
//!
//! `cargo bench -p peers` · `-- xiangqi` measures one variant · `-- --json` prints JSON · `-- --rounds=5`.
//! Positions: `positions/VARIANT.perft`, start and middle game; the last count of a line is measured.

use peers::{CpuClock, Engine, PeerError, or_skip, shogi};
use rules::{Position, Rulebook, Shogi, Variant, VariantId, dispatch, read_suite};
use serde_json::json;
use std::path::Path;
use std::time::Duration;

/// Rounds if the command line does not say.
const ROUNDS: usize = 3;
/// An engine repeats a perft of fewer nodes, so that reading the command does not count.
const LEAST_NODES: u64 = 10_000_000;

/// An engine or a library that counts.
trait Side {
    fn name(&self) -> &str;
    /// The leaves, and the processor time of counting alone.
    fn perft(&mut self, fen: &str, depth: u32) -> Result<(u64, Duration), PeerError>;
}

struct Kirin<V: Variant>(std::marker::PhantomData<V>);

impl<V: Variant> Side for Kirin<V> {
    fn name(&self) -> &str {
        "kirin"
    }

    fn perft(&mut self, fen: &str, depth: u32) -> Result<(u64, Duration), PeerError> {
        let position = Position::<V>::from_fen(fen).expect("the positions of the bench are valid");
        Ok(CpuClock::average(|| position.perft(depth)))
    }
}

impl Side for Engine {
    fn name(&self) -> &str {
        Engine::name(self)
    }

    fn perft(&mut self, fen: &str, depth: u32) -> Result<(u64, Duration), PeerError> {
        let (mut calls, mut leaves, mut time) = (0, 0, Duration::ZERO);
        loop {
            let divide = Engine::perft(self, fen, depth)?;
            calls += 1;
            leaves += divide.nodes;
            time += divide.time;
            if leaves >= LEAST_NODES {
                return Ok((divide.nodes, time / calls));
            }
        }
    }
}

impl Side for shogi::Library {
    fn name(&self) -> &str {
        shogi::Library::name(*self)
    }

    fn perft(&mut self, fen: &str, depth: u32) -> Result<(u64, Duration), PeerError> {
        let position = self.position(&Position::from_fen(fen).expect("the positions of the bench are valid"))?;
        Ok(CpuClock::average(|| position.perft(depth as u8)))
    }
}

/// Kirin first, then every peer that is installed and plays the variant.
fn sides<V: Variant>() -> Vec<Box<dyn Side>> {
    let mut sides: Vec<Box<dyn Side>> = vec![Box::new(Kirin::<V>(std::marker::PhantomData))];
    for engine in [Engine::debian(V::ID), Engine::current(V::ID)] {
        match engine {
            Err(PeerError::Foreign { .. }) => {}
            engine => sides.extend(or_skip(engine).map(|engine| Box::new(engine) as Box<dyn Side>)),
        }
    }
    if V::ID == Shogi::ID {
        sides.extend(shogi::Library::ALL.map(|library| Box::new(library) as Box<dyn Side>));
    }
    sides
}

fn measure<V: Variant>(rounds: usize, as_json: bool) -> Result<(), PeerError> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("positions/{}.perft", V::ID));
    let Ok(text) = std::fs::read_to_string(&path) else {
        eprintln!("{}: no positions, for no peer plays it; cargo bench -p rules measures it alone", V::ID);
        return Ok(());
    };
    let mut sides = sides::<V>();
    let mut least = vec![f64::INFINITY; sides.len()];
    for line in read_suite(&text).expect("the positions can be read") {
        let &(depth, nodes) = line.counts.last().expect("a line has a count");
        let mut best = vec![f64::INFINITY; sides.len()];
        for _ in 0..rounds {
            for (side, best) in sides.iter_mut().zip(&mut best) {
                let (counted, time) = side.perft(line.fen, depth)?;
                assert_eq!(counted, nodes, "{}, perft {depth} of {}", side.name(), line.fen);
                *best = best.min(time.as_secs_f64());
            }
        }
        let speed = |at: usize| nodes as f64 / best[at];
        if as_json {
            let sides: Vec<_> = sides
                .iter()
                .enumerate()
                .map(|(at, side)| json!({"name": side.name(), "nodes_per_second": speed(at).round()}))
                .collect();
            println!("{}", json!({"variant": V::ID, "fen": line.fen, "depth": depth, "nodes": nodes, "sides": sides}));
            continue;
        }
        println!("{}, perft {depth} = {nodes} of {}", V::ID, line.fen);
        for (at, side) in sides.iter().enumerate() {
            let times = speed(0) / speed(at);
            least[at] = least[at].min(times);
            let ratio = if at == 0 { String::new() } else { format!(", kirin is {times:.2} times as fast") };
            println!("  {:7.1} million nodes/s {}{ratio}", speed(at) / 1e6, side.name());
        }
    }
    for (side, least) in sides.iter().zip(least).skip(1).filter(|_| !as_json) {
        println!("{}: kirin is at least {least:.2} times as fast as {}", V::ID, side.name());
    }
    Ok(())
}

fn main() -> Result<(), PeerError> {
    let (mut wanted, mut rounds, mut as_json) = (Vec::new(), ROUNDS, false);
    for word in std::env::args().skip(1) {
        match word.strip_prefix("--") {
            Some("bench") => {} // Cargo's own.
            Some("json") => as_json = true,
            Some(option) => match option.strip_prefix("rounds=").and_then(|number| number.parse().ok()) {
                Some(number) if number > 0 => rounds = number,
                _ => {
                    eprintln!("--{option}: not known; there are --json, --rounds=N, and names of variants");
                    std::process::exit(2);
                }
            },
            None => match word.parse::<VariantId>() {
                Ok(id) => wanted.push(id),
                Err(error) => {
                    eprintln!("{error}");
                    std::process::exit(2);
                }
            },
        }
    }
    for &id in VariantId::ALL {
        if wanted.is_empty() || wanted.contains(&id) {
            dispatch!(id, V => measure::<V>(rounds, as_json))?;
        }
    }
    Ok(())
}
