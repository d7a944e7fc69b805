//! How fast a network evaluates on this machine, how far one setting is from another, and which settings are the
//! fastest that can be trusted.

pub(crate) mod choice;
pub(crate) mod trust;
pub(crate) mod turns;

use crate::error::Result;
use crate::inference::config::EvaluatorConfig;
use crate::inference::network_evaluator::NetworkEvaluator;
use crate::threads::{joined, start};
use network::NetworkFile;
use rules::VariantId;
use search::{Evaluations, LeafBatch};
use std::time::{Duration, Instant};

/// Largest difference from fp32 in the probability of a win, draw or loss that is accepted.
pub const WDL_TOLERANCE: f32 = 0.03;
/// Largest difference from fp32 in the probability of a move that is accepted.
const POLICY_TOLERANCE: f32 = 0.03;
/// bf16 must be this many times as fast as fp32 to be worth its rounding errors.
pub(crate) const ROUNDING_MARGIN: f64 = 1.1;
/// Positions on which number formats are compared.
const COMPARED: usize = 64;
/// How long each candidate is timed in all its turns together. Tests do not ask which one is the fastest.
const TRIAL: Duration = Duration::from_millis(if cfg!(test) { 20 } else { 360 });

/// The task of a measuring thread.
const MEASURES: &str = "measures";
/// How long one of its turns is.
const TURN: Duration = TRIAL.checked_div(turns::TURNS).expect("there are turns");

/// Evaluations per second on positions of random games, made by `threads` threads with an evaluator each.
///
/// # Errors
/// The network cannot be prepared, or libtorch fails.
pub fn rate(file: &NetworkFile, config: &EvaluatorConfig, threads: usize, duration: Duration) -> Result<f64> {
    rate_beside_work(file, config, threads, duration, Duration::ZERO)
}

/// The speed of settings that [`EvaluatorConfig::resolve`] has chosen, measured in the same way: evaluations per second
/// of the best of some short turns, because other load on the machine makes none of them faster.
///
/// # Errors
/// As [`rate`].
pub fn best_rate(file: &NetworkFile, config: &EvaluatorConfig, threads: usize) -> Result<f64> {
    let turns = (0..turns::TURNS).map(|_| rate(file, config, threads, TURN));
    turns.collect::<Result<Vec<f64>>>().map(|rates| rates.into_iter().fold(0.0, f64::max))
}

/// As [`rate`], but after each call a thread is busy for `between`, as it is in a search.
fn rate_beside_work(
    file: &NetworkFile,
    config: &EvaluatorConfig,
    threads: usize,
    duration: Duration,
    between: Duration,
) -> Result<f64> {
    let leaves = random_leaves(file, config.batch)?;
    let rates = std::thread::scope(|scope| {
        let work = || -> Result<f64> {
            let mut evaluator = NetworkEvaluator::new(file, config)?;
            let mut out = Evaluations::default();
            evaluator.evaluate_leaves(&leaves, &mut out)?;
            let (start, mut batches) = (Instant::now(), 0usize);
            while start.elapsed() < duration {
                evaluator.evaluate_leaves(&leaves, &mut out)?;
                batches += 1;
                let answered = Instant::now();
                while answered.elapsed() < between {
                    std::hint::spin_loop();
                }
            }
            Ok((batches * config.batch) as f64 / start.elapsed().as_secs_f64())
        };
        let running: Vec<_> = (0..threads.max(1)).map(|_| start(scope, MEASURES, work)).collect::<Result<_>>()?;
        running.into_iter().map(|thread| joined(MEASURES, thread)).collect::<Result<Vec<f64>>>()
    })?;
    Ok(rates.iter().sum())
}

/// How far two settings are apart on positions of random games: the largest difference in the probability of a win,
/// draw or loss, and the largest difference in the probability of a move.
///
/// # Errors
/// The network cannot be prepared, or libtorch fails.
pub fn difference(file: &NetworkFile, a: &EvaluatorConfig, b: &EvaluatorConfig) -> Result<[f32; 2]> {
    let leaves = random_leaves(file, a.batch.min(b.batch))?;
    Ok(differences(&leaves, &answers(file, a, &leaves)?, &answers(file, b, &leaves)?))
}

/// The evaluations of a batch.
fn answers(file: &NetworkFile, config: &EvaluatorConfig, batch: &LeafBatch) -> Result<Evaluations> {
    let mut out = Evaluations::default();
    NetworkEvaluator::new(file, config)?.evaluate_leaves(batch, &mut out)?;
    Ok(out)
}

/// Batches a second of one thread, by the fastest batch of a turn.
fn batch_rate(file: &NetworkFile, config: &EvaluatorConfig, batch: &LeafBatch) -> Result<f64> {
    let mut evaluator = NetworkEvaluator::new(file, config)?;
    let mut out = Evaluations::default();
    evaluator.evaluate_leaves(batch, &mut out)?;
    let (start, mut fastest, mut timed) = (Instant::now(), Duration::MAX, 0);
    while timed < 2 || start.elapsed() < TURN {
        let before = Instant::now();
        evaluator.evaluate_leaves(batch, &mut out)?;
        fastest = fastest.min(before.elapsed());
        timed += 1;
    }
    Ok(1.0 / fastest.as_secs_f64().max(f64::MIN_POSITIVE))
}

/// Measures on a thread of its own, so that the caller's number of threads inside libtorch stays as it is.
pub(crate) fn apart<T: Send>(measure: impl FnOnce() -> Result<T> + Send) -> Result<T> {
    std::thread::scope(|scope| joined(MEASURES, start(scope, MEASURES, measure)?))
}

/// Whether two evaluations of a batch are the same up to the tolerances, as probabilities.
fn agree(batch: &LeafBatch, a: &Evaluations, b: &Evaluations) -> bool {
    let [wdl, policy] = differences(batch, a, b);
    // A NaN agrees with nothing.
    wdl <= WDL_TOLERANCE && policy <= POLICY_TOLERANCE
}

fn differences(batch: &LeafBatch, a: &Evaluations, b: &Evaluations) -> [f32; 2] {
    let largest = |x: &[f32], y: &[f32]| {
        let apart = x.iter().zip(y).map(|(x, y)| (x - y).abs());
        // A NaN stays.
        apart.fold(0.0, |most: f32, next| if most.is_nan() || most > next { most } else { next })
    };
    let policy = |out: &Evaluations| -> Vec<f32> {
        (0..batch.len()).flat_map(|leaf| probabilities(&out.logits[batch.range_of(leaf)])).collect()
    };
    [largest(a.wdl.as_flattened(), b.wdl.as_flattened()), largest(&policy(a), &policy(b))]
}

fn probabilities(logits: &[f32]) -> Vec<f32> {
    let max = logits.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let exp: Vec<f32> = logits.iter().map(|logit| (logit - max).exp()).collect();
    let sum: f32 = exp.iter().sum();
    exp.into_iter().map(|value| value / sum).collect()
}

/// Positions of random games of the network's variant.
fn random_leaves(file: &NetworkFile, count: usize) -> Result<LeafBatch> {
    let id: VariantId = file.blueprint().variant.parse()?;
    let features = file.blueprint().config.features;
    Ok(rules::dispatch!(id, V => search::random_leaves::<V>(count, 1, features)))
}
