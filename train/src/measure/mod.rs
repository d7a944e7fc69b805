//! How fast a network evaluates and trains on this machine, and which settings are the fastest that can be trusted.

mod choice;

pub use choice::Load;
pub(crate) use choice::settle;

use crate::blueprint::Blueprint;
use crate::descent;
use crate::error::{Result, TrainError};
use crate::evaluator::{EvaluatorConfig, Precision, TorchEvaluator};
use crate::loss::LossConfig;
use crate::network::Network;
use crate::network_file::NetworkFile;
use crate::sample::Batch;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rules::VariantId;
use rules::encode::MoveTokens;
use selfplay::{Evaluations, Evaluator, LeafBatch};
use std::time::{Duration, Instant};
use tch::{Device, Kind};

/// Moves of each position that is made up for measuring.
const MOVES: usize = 40;
/// bf16 must be this much faster than fp32 to be worth its rounding.
const WORTH: f64 = 1.1;
/// Largest difference of a win, draw or loss probability from fp32's that is trusted.
pub const WDL_TOLERANCE: f32 = 0.03;
/// Largest difference of a move's probability from fp32's that is trusted.
pub const POLICY_TOLERANCE: f32 = 0.03;
/// How long each candidate is timed.
const TRIAL: Duration = Duration::from_millis(350);

/// Samples of the steps that are timed.
const TRAINING_BATCH: usize = 64;

/// Evaluations per second of `threads` threads with an evaluator each, on positions of random games.
///
/// # Errors
/// The network cannot be prepared or fails.
pub fn rate(file: &NetworkFile, config: &EvaluatorConfig, threads: usize, duration: Duration) -> Result<f64> {
    rate_beside_work(file, config, threads, duration, Duration::ZERO)
}

/// The same where each thread is busy for `between` with other things after each call, as a search is.
fn rate_beside_work(
    file: &NetworkFile,
    config: &EvaluatorConfig,
    threads: usize,
    duration: Duration,
    between: Duration,
) -> Result<f64> {
    let leaves = real_leaves(file, config.batch)?;
    let rates = std::thread::scope(|scope| {
        let work = || -> Result<f64> {
            let mut evaluator = TorchEvaluator::new(file, config)?;
            let mut out = Evaluations::default();
            evaluate(&mut evaluator, &leaves, &mut out)?;
            let (start, mut batches) = (Instant::now(), 0usize);
            while start.elapsed() < duration {
                evaluate(&mut evaluator, &leaves, &mut out)?;
                batches += 1;
                let answered = Instant::now();
                while answered.elapsed() < between {
                    std::hint::spin_loop();
                }
            }
            Ok((batches * config.batch) as f64 / start.elapsed().as_secs_f64())
        };
        let running: Vec<_> = (0..threads.max(1)).map(|_| scope.spawn(work)).collect();
        running.into_iter().map(joined).collect::<Result<Vec<f64>>>()
    })?;
    Ok(rates.iter().sum())
}

/// The largest difference of a win, draw or loss probability, and of a move's probability, between two settings on
/// positions of random games.
///
/// # Errors
/// The network cannot be prepared or fails.
pub fn difference(file: &NetworkFile, a: &EvaluatorConfig, b: &EvaluatorConfig) -> Result<[f32; 2]> {
    let leaves = real_leaves(file, a.batch.min(b.batch))?;
    let answers = [a, b].map(|config| {
        let mut out = Evaluations::default();
        evaluate(&mut TorchEvaluator::new(file, config)?, &leaves, &mut out).map(|()| out)
    });
    let [a, b] = answers;
    Ok(differences(&leaves, &a?, &b?))
}

/// The number format that trains faster on this device: a few steps of each are timed on one thread.
pub(crate) fn fastest_training(blueprint: &Blueprint, device: Device) -> Result<Precision> {
    std::thread::scope(|scope| {
        joined(scope.spawn(|| {
            tch::set_num_threads(1);
            let network = Network::new(blueprint.clone(), 1, device)?;
            let batch = made_up_samples(&NetworkFile::of_network(&network, 0, 0)?);
            let slow = step_time(&network, &batch, Kind::Float)?;
            // A format that this machine cannot train in at all is no error: fp32 remains.
            let fast = step_time(&network, &batch, Kind::BFloat16).unwrap_or(Duration::MAX);
            Ok(if fast.as_secs_f64() * WORTH < slow.as_secs_f64() { Precision::Bf16 } else { Precision::Fp32 })
        }))
    })
}

/// The shortest time of a step's gradients.
fn step_time(network: &Network, batch: &Batch, kind: Kind) -> Result<Duration> {
    let step = || -> Result<Duration> {
        let before = Instant::now();
        let sums = descent::gradients(network, batch, kind, &LossConfig::default())?;
        // Reading a value waits for a GPU to have finished.
        sums.f_double_value(&[0])?;
        Ok(before.elapsed())
    };
    step()?;
    let times = (0..4).map(|_| step()).collect::<Result<Vec<_>>>()?;
    Ok(times.into_iter().min().unwrap_or(Duration::MAX))
}

/// The evaluations of a batch and the time one takes: the lower quartile, which a busy machine disturbs least.
fn trial(file: &NetworkFile, config: &EvaluatorConfig, batch: &LeafBatch) -> Result<(Evaluations, Duration)> {
    let mut evaluator = TorchEvaluator::new(file, config)?;
    let mut out = Evaluations::default();
    evaluate(&mut evaluator, batch, &mut out)?;
    let start = Instant::now();
    let mut times = Vec::new();
    while times.len() < 3 || start.elapsed() < TRIAL {
        let before = Instant::now();
        evaluate(&mut evaluator, batch, &mut out)?;
        times.push(before.elapsed());
    }
    times.sort_unstable();
    Ok((out, times[times.len() / 4]))
}

fn evaluate(evaluator: &mut TorchEvaluator, batch: &LeafBatch, out: &mut Evaluations) -> Result<()> {
    evaluator.evaluate(batch, out).map_err(|error| TrainError::Torch(error.to_string()))
}

fn joined<T>(thread: std::thread::ScopedJoinHandle<'_, Result<T>>) -> Result<T> {
    thread.join().unwrap_or_else(|_| Err(TrainError::Torch("a measuring thread panicked".to_owned())))
}

/// Whether two evaluations of a batch are the same up to the tolerances, as probabilities.
pub(crate) fn agree(batch: &LeafBatch, a: &Evaluations, b: &Evaluations) -> bool {
    let [wdl, policy] = differences(batch, a, b);
    // A NaN agrees with nothing.
    wdl <= WDL_TOLERANCE && policy <= POLICY_TOLERANCE
}

fn differences(batch: &LeafBatch, a: &Evaluations, b: &Evaluations) -> [f32; 2] {
    let largest = |pairs: &mut dyn Iterator<Item = (f32, f32)>| {
        pairs.map(|(x, y)| (x - y).abs()).fold(0.0, |most: f32, next| if next.is_nan() { next } else { most.max(next) })
    };
    let wdl = largest(&mut a.wdl.iter().flatten().copied().zip(b.wdl.iter().flatten().copied()));
    let policy = (0..batch.len()).map(|leaf| {
        let range = batch.range_of(leaf);
        let (x, y) = (probabilities(&a.logits[range.clone()]), probabilities(&b.logits[range]));
        largest(&mut x.into_iter().zip(y))
    });
    [wdl, policy.fold(0.0, |most: f32, next| if next.is_nan() { next } else { most.max(next) })]
}

fn probabilities(logits: &[f32]) -> Vec<f32> {
    let max = logits.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let exp: Vec<f32> = logits.iter().map(|logit| (logit - max).exp()).collect();
    let sum: f32 = exp.iter().sum();
    exp.into_iter().map(|value| value / sum).collect()
}

/// Positions of random games of the network's variant.
pub(crate) fn real_leaves(file: &NetworkFile, count: usize) -> Result<LeafBatch> {
    let id: VariantId = file
        .blueprint()
        .variant
        .parse()
        .map_err(|error: rules::UnknownVariant| TrainError::Torch(error.to_string()))?;
    Ok(rules::dispatch!(id, V => selfplay::random_leaves::<V>(count, 1)))
}

/// Samples with targets that nobody would learn from.
fn made_up_samples(file: &NetworkFile) -> Batch {
    let leaves = made_up(file, TRAINING_BATCH);
    Batch {
        policy: vec![1.0 / MOVES as f32; TRAINING_BATCH * MOVES],
        policy_weight: vec![1.0; TRAINING_BATCH],
        wdl: vec![1.0 / 3.0; TRAINING_BATCH * 3],
        value_weight: vec![1.0; TRAINING_BATCH],
        short_wdl: vec![1.0 / 3.0; TRAINING_BATCH * 3],
        plies_left: vec![1.0; TRAINING_BATCH],
        plies_weight: vec![1.0; TRAINING_BATCH],
        material: vec![1.0; TRAINING_BATCH * file.blueprint().shape.material],
        leaves,
    }
}

/// Positions that look like positions to the network: each plane is set on about a tenth of its squares.
fn made_up(file: &NetworkFile, positions: usize) -> LeafBatch {
    let shape = file.blueprint().shape;
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let mut batch = LeafBatch::default();
    for _ in 0..positions {
        batch.planes.extend((0..shape.input_len()).map(|_| if rng.random_range(0..10) == 0 { 1.0 } else { 0.0 }));
        let squares = shape.squares() as u16;
        let moves = (0..MOVES).map(|_| MoveTokens {
            source: rng.random_range(0..squares),
            target: rng.random_range(0..squares),
            ..MoveTokens::default()
        });
        batch.push_moves(moves.collect::<Vec<_>>().into_iter());
    }
    batch
}
