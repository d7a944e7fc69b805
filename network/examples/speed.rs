//! How fast networks of random weights are evaluated by each kernel and number format.
//!
//! `cargo run --release -p network --example speed`; with `KIRIN_KERNEL` in the environment, only that kernel.

#[path = "../tests/random.rs"]
mod random;

use network::{
    Blueprint, KERNEL_VARIABLE, Kernel, NativeEvaluator, NetworkConfig, Peaks, PlayNetwork, QuantisedNetwork,
};
use rules::encode::Features;
use search::{Evaluations, LeafBatch};
use std::error::Error;
use std::slice::from_ref;
use std::time::{Duration, Instant};

/// How long each number is measured.
const FOR: Duration = Duration::from_millis(1500);

/// The best and the mean time of a call, in seconds.
fn measured(evaluator: &mut NativeEvaluator, leaves: &LeafBatch) -> network::Result<(f64, f64)> {
    let mut out = Evaluations::default();
    evaluator.evaluate_leaves(leaves, &mut out)?;
    let (begin, mut best, mut calls) = (Instant::now(), f64::INFINITY, 0);
    while begin.elapsed() < FOR {
        let call = Instant::now();
        evaluator.evaluate_leaves(leaves, &mut out)?;
        best = best.min(call.elapsed().as_secs_f64());
        calls += 1;
    }
    Ok((best, begin.elapsed().as_secs_f64() / f64::from(calls)))
}

/// Evaluations a second of `threads` evaluators together.
fn together(evaluator: &NativeEvaluator, leaves: &LeafBatch, threads: usize) -> f64 {
    let rate = |evaluator: &mut NativeEvaluator| {
        measured(evaluator, leaves).map_or(0.0, |(_, mean)| leaves.len() as f64 / mean)
    };
    std::thread::scope(|scope| {
        let running: Vec<_> = (0..threads)
            .map(|_| {
                let mut evaluator = evaluator.clone();
                scope.spawn(move || rate(&mut evaluator))
            })
            .collect();
        running.into_iter().map(|thread| thread.join().unwrap_or_default()).sum()
    })
}

fn main() -> Result<(), Box<dyn Error>> {
    let features = Features::ALL;
    let (one, many) = (
        search::random_leaves::<rules::Xiangqi>(1, 5, features),
        search::random_leaves::<rules::Xiangqi>(32, 5, features),
    );
    let kernels =
        if std::env::var_os(KERNEL_VARIABLE).is_some() { vec![Kernel::chosen()?] } else { Kernel::possible() };
    println!("{} threads; kernels: {kernels:?}", std::thread::available_parallelism()?);
    println!(
        "network  kernel      format  batch 1: best, mean µs   batch 32: mean µs   1 thread, 2 threads: evaluations/s"
    );
    for (blocks, channels) in [(4, 64), (6, 96)] {
        let size = NetworkConfig { blocks, channels, features, ..NetworkConfig::default() };
        let network = random::network(&Blueprint::of::<rules::Xiangqi>(size), 1);
        let quantised =
            QuantisedNetwork::new(&network, &Peaks::measured(&network, Kernel::chosen()?, from_ref(&many))?)?;
        for &kernel in &kernels {
            let formats = [("int8", PlayNetwork::int8(&quantised)), ("fp32", PlayNetwork::fp32(&network)?)];
            for (format, play) in formats {
                if kernel == Kernel::Portable && format == "fp32" && channels > 64 {
                    continue;
                }
                let mut evaluator = NativeEvaluator::new(&play, kernel, 32)?;
                let (best, mean) = measured(&mut evaluator, &one)?;
                let (_, wide) = measured(&mut evaluator, &many)?;
                let [single, double] = [1, 2].map(|threads| together(&evaluator, &many, threads));
                println!(
                    "{blocks} × {channels:<4} {kernel:<11} {format:<7} {:>12.1} {:>8.1} {:>16.1} {single:>18.0} {double:>8.0}",
                    best * 1e6,
                    mean * 1e6,
                    wide / 32.0 * 1e6,
                );
            }
        }
    }
    Ok(())
}
