//! What the machine decides: number format, memory layout, batch and threads of network calls, each the fastest on
//! this machine with this network whose evaluations of real positions agree with fp32's.

use super::{agree, joined, rate, real_leaves, trial};
use crate::error::Result;
use crate::evaluator::{EvaluatorConfig, Layout, Precision};
use crate::network_file::NetworkFile;
use std::time::Duration;
use tch::Device;

/// Another setting must be this much faster to be taken: less is noise.
const WORTH: f64 = 1.03;
/// bf16 must be this much faster than fp32 to be worth its rounding.
const WORTH_ROUNDING: f64 = 1.1;
/// How long each batch and split of threads is timed.
const TRIAL: Duration = Duration::from_millis(350);
/// Positions that both number formats must agree on.
const COMPARED: usize = 64;
/// Batch with which the first questions are settled.
const USUAL_BATCH: usize = 64;

/// What play asks of a network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Load {
    /// Threads that may work at once.
    pub threads: usize,
    /// Positions that may wait at once, over all threads: a larger batch than their share would never fill.
    pub leaves: usize,
}

impl Default for Load {
    /// One thread that evaluates one batch at a time.
    fn default() -> Self {
        Load { threads: 1, leaves: USUAL_BATCH }
    }
}

impl Load {
    /// The largest batch that `threads` threads can fill.
    fn most(&self, threads: usize) -> usize {
        (self.leaves / threads.max(1)).max(1)
    }
}

/// Settles what is open in `config`. Its device is settled already.
pub(crate) fn settle(
    file: &NetworkFile,
    config: &EvaluatorConfig,
    load: Load,
    device: Device,
) -> Result<EvaluatorConfig> {
    let mut config = config.clone();
    let (open_batch, open_threads) = (config.batch == 0, config.threads == 0);
    if open_batch {
        let usual = if device.is_cuda() { 8 * USUAL_BATCH } else { USUAL_BATCH };
        config.batch = usual.min(load.most(load.threads));
    }
    if open_threads {
        config.threads = 1;
    }
    // In a thread of its own: the caller's number of threads inside libtorch stays as it is.
    if config.precision == Precision::Auto || config.layout == Layout::Auto {
        config = std::thread::scope(|scope| joined(scope.spawn(|| format_and_layout(file, &config))))?;
    }
    if open_batch {
        config = batch(file, config, load, device)?;
    }
    // One call on all threads, instead of a call on each. On a GPU it is not these threads that work.
    if open_threads && load.threads > 1 && !device.is_cuda() {
        let together = EvaluatorConfig { threads: load.threads, ..config.clone() };
        if rate(file, &together, 1, TRIAL)? > WORTH * rate(file, &config, load.threads, TRIAL)? {
            config = together;
        }
    }
    Ok(config)
}

fn format_and_layout(file: &NetworkFile, config: &EvaluatorConfig) -> Result<EvaluatorConfig> {
    let positions = real_leaves(file, COMPARED.min(config.batch))?;
    let first_layout = if config.layout == Layout::Auto { Layout::ChannelsLast } else { config.layout };
    let with = |precision, layout| EvaluatorConfig { precision, layout, ..config.clone() };
    let (mut best, mut time) = match config.precision {
        Precision::Auto => {
            let (reference, slow) = trial(file, &with(Precision::Fp32, first_layout), &positions)?;
            let fp32 = (with(Precision::Fp32, first_layout), slow);
            // A format that this machine cannot do at all is no error: fp32 remains.
            match trial(file, &with(Precision::Bf16, first_layout), &positions) {
                Ok((found, fast))
                    if fast.as_secs_f64() * WORTH_ROUNDING < slow.as_secs_f64()
                        && agree(&positions, &reference, &found) =>
                {
                    (with(Precision::Bf16, first_layout), fast)
                }
                _ => fp32,
            }
        }
        given => (with(given, first_layout), Duration::MAX),
    };
    if config.layout == Layout::Auto {
        if time == Duration::MAX {
            time = trial(file, &best, &positions)?.1;
        }
        let other = EvaluatorConfig { layout: Layout::Contiguous, ..best.clone() };
        if trial(file, &other, &positions)?.1.as_secs_f64() * WORTH < time.as_secs_f64() {
            best = other;
        }
    }
    Ok(best)
}

fn batch(file: &NetworkFile, config: EvaluatorConfig, load: Load, device: Device) -> Result<EvaluatorConfig> {
    let candidates: &[usize] = if device.is_cuda() { &[256, 512, 1024, 2048] } else { &[16, 32, 64, 128] };
    let threads = load.threads.div_ceil(config.threads.max(1));
    let (mut best, mut fastest) = (config.clone(), 0.0);
    for &batch in candidates.iter().filter(|&&batch| batch <= load.most(threads)) {
        let candidate = EvaluatorConfig { batch, ..config.clone() };
        // A batch that does not fit into a GPU's memory is no choice.
        let Ok(speed) = rate(file, &candidate, threads, TRIAL) else { break };
        // Small batches first: they are filled sooner.
        if speed > WORTH * fastest {
            (best, fastest) = (candidate, speed);
        }
    }
    Ok(best)
}
