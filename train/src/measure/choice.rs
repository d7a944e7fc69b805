//! What the machine decides: number format, memory layout, batch and threads of network calls, each the fastest on
//! this machine with this network whose evaluations of real positions agree with fp32's.

use super::{agree, joined, rate, rate_beside_work, real_leaves, trial};
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
/// Batches that are tried on a CPU and on a GPU.
const BATCHES: [usize; 4] = [16, 32, 64, 128];
const GPU_BATCHES: [usize; 4] = [256, 512, 1024, 2048];
/// Callers of a GPU that are tried: two and more batches in flight.
const GPU_CALLERS: [usize; 5] = [2, 3, 4, 6, 8];
/// What a search takes of its thread for each evaluation (`selfplay`, example `overhead`: 2 to 5 µs): between two calls
/// a caller is away for so long, and the more callers, the less a GPU waits for them.
const SEARCH_PER_LEAF: Duration = Duration::from_micros(5);

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
        let (usual, callers) = if device.is_cuda() {
            (8 * USUAL_BATCH, GPU_CALLERS[0].min(load.threads))
        } else {
            (USUAL_BATCH, load.threads)
        };
        config.batch = usual.min(load.most(callers));
    }
    // On a GPU it is not these threads that work.
    if open_threads {
        config.threads = 1;
    }
    // In a thread of its own: the caller's number of threads inside libtorch stays as it is.
    if config.precision == Precision::Auto || config.layout == Layout::Auto {
        config = std::thread::scope(|scope| joined(scope.spawn(|| format_and_layout(file, &config))))?;
    }
    if device.is_cuda() {
        let batches = if open_batch { GPU_BATCHES.to_vec() } else { vec![config.batch] };
        return if open_batch || config.callers == 0 { in_flight(file, config, load, &batches) } else { Ok(config) };
    }
    if open_batch {
        config = batch(file, config, load)?;
    }
    // One call on all threads, instead of a call on each.
    if open_threads && load.threads > 1 {
        let together = EvaluatorConfig { threads: load.threads, ..config.clone() };
        if rate(file, &together, 1, TRIAL)? > WORTH * rate(file, &config, load.threads, TRIAL)? {
            config = together;
        }
    }
    Ok(config)
}

/// Batch and callers of a GPU: the fastest of these batches with callers that search between their calls. Few callers
/// and small batches first: they are filled sooner. One caller where the games fill no second batch.
fn in_flight(file: &NetworkFile, config: EvaluatorConfig, load: Load, batches: &[usize]) -> Result<EvaluatorConfig> {
    let callers = match config.callers {
        0 => GPU_CALLERS.into_iter().filter(|&callers| callers <= load.threads.max(GPU_CALLERS[0])).collect(),
        given => vec![given],
    };
    let (mut best, mut fastest) = (EvaluatorConfig { callers: config.callers.max(1), ..config.clone() }, 0.0);
    for callers in callers {
        for &batch in batches.iter().filter(|&&batch| batch <= load.most(callers)) {
            let candidate = EvaluatorConfig { batch, callers, ..config.clone() };
            // A batch that does not fit into a GPU's memory is no choice.
            let Ok(speed) = rate_beside_work(file, &candidate, callers, TRIAL, SEARCH_PER_LEAF * batch as u32) else {
                break;
            };
            if speed > WORTH * fastest {
                (best, fastest) = (candidate, speed);
            }
        }
    }
    Ok(best)
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

fn batch(file: &NetworkFile, config: EvaluatorConfig, load: Load) -> Result<EvaluatorConfig> {
    let threads = load.threads.div_ceil(config.threads.max(1));
    let (mut best, mut fastest) = (config.clone(), 0.0);
    for batch in BATCHES.into_iter().filter(|&batch| batch <= load.most(threads)) {
        let candidate = EvaluatorConfig { batch, ..config.clone() };
        let speed = rate(file, &candidate, threads, TRIAL)?;
        // Small batches first: they are filled sooner.
        if speed > WORTH * fastest {
            (best, fastest) = (candidate, speed);
        }
    }
    Ok(best)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Blueprint, DeviceChoice, NetworkConfig};

    /// The choice of a GPU, made on the CPU: two or more callers where the games fill their batches, one where not.
    #[test]
    fn a_gpu_has_two_batches_in_flight() {
        let size = NetworkConfig { blocks: 1, channels: 8, ..NetworkConfig::default() };
        let size = NetworkConfig { se_hidden: 4, policy_dim: 4, value_channels: 2, value_hidden: 8, ..size };
        let file = NetworkFile::untrained(Blueprint::of::<rules::Wangqi>(size), 1).unwrap();
        let open = EvaluatorConfig {
            device: DeviceChoice::Cpu,
            precision: Precision::Fp32,
            layout: Layout::ChannelsLast,
            batch: 4,
            threads: 1,
            callers: 0,
        };
        let chosen = |leaves, config: &EvaluatorConfig| {
            in_flight(&file, config.clone(), Load { threads: 2, leaves }, &[2, 4, 8]).unwrap()
        };
        let found = chosen(9, &open);
        assert_eq!(found.callers, 2);
        assert!(found.batch == 2 || found.batch == 4, "8 would fill one call only: {found:?}");
        assert_eq!((chosen(3, &open).callers, chosen(3, &open).batch), (1, 4), "no two batches of these sizes");
        let given = EvaluatorConfig { callers: 1, ..open };
        assert_eq!(chosen(64, &given).callers, 1, "what is given stays");
    }
}
