//! What the machine decides: number format, memory layout, batch and threads of network calls. Each is the fastest one
//! on this machine, with this network, whose evaluations of real positions agree with those of fp32.

use super::{NOISE_MARGIN, ROUNDING_MARGIN, TRIAL, agree, joined, random_leaves, rate, rate_beside_work, trial};
use crate::error::Result;
use crate::files::network_file::NetworkFile;
use crate::inference::config::{EvaluatorConfig, Layout, Precision};
use std::time::Duration;
use tch::Device;

/// Positions on which both number formats must agree.
pub(super) const COMPARED: usize = 64;
/// Batch with which number format and layout are compared.
const USUAL_BATCH: usize = 64;
/// Batches that are tried on a CPU, and on a GPU.
const BATCHES: [usize; 4] = [16, 32, 64, 128];
const GPU_BATCHES: [usize; 4] = [256, 512, 1024, 2048];
/// Numbers of callers that are tried on a GPU: with two or more, several batches are in flight.
const GPU_CALLERS: [usize; 5] = [2, 3, 4, 6, 8];
/// Time that a search spends on its own thread for each evaluation (`selfplay`, example `overhead`: 2 to 5 µs). A caller
/// is away for that long between two calls; the more callers there are, the less a GPU waits for them.
const SEARCH_PER_LEAF: Duration = Duration::from_micros(5);

/// What play asks of a network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Workload {
    /// Threads that may work at once.
    pub threads: usize,
    /// Positions that may wait at once, over all threads. A batch larger than a thread's share would never fill.
    pub leaves: usize,
}

impl Default for Workload {
    /// One thread that evaluates one batch at a time.
    fn default() -> Self {
        Workload { threads: 1, leaves: USUAL_BATCH }
    }
}

impl Workload {
    /// The largest batch that each of `threads` threads can fill.
    fn largest_batch(&self, threads: usize) -> usize {
        (self.leaves / threads.max(1)).max(1)
    }
}

/// Decides what is left open in `config`, whose device is decided already.
pub(crate) fn settle(
    file: &NetworkFile,
    config: &EvaluatorConfig,
    workload: Workload,
    device: Device,
) -> Result<EvaluatorConfig> {
    let mut config = config.clone();
    let (open_batch, open_threads) = (config.batch == 0, config.threads == 0);
    if open_batch {
        let (usual, callers) = if device.is_cuda() {
            (8 * USUAL_BATCH, GPU_CALLERS[0].min(workload.threads))
        } else {
            (USUAL_BATCH, workload.threads)
        };
        config.batch = usual.min(workload.largest_batch(callers));
    }
    // One thread is enough for a GPU, and on a CPU it is the first candidate.
    if open_threads {
        config.threads = 1;
    }
    // On a thread of its own, so that the caller's number of threads inside libtorch stays as it is.
    if config.precision == Precision::Auto || config.layout == Layout::Auto {
        config = std::thread::scope(|scope| joined(scope.spawn(|| format_and_layout(file, &config))))?;
    }
    if device.is_cuda() {
        let batches = if open_batch { GPU_BATCHES.to_vec() } else { vec![config.batch] };
        return if open_batch || config.callers == 0 {
            in_flight(file, config, workload, &batches)
        } else {
            Ok(config)
        };
    }
    if open_batch {
        config = batch(file, config, workload)?;
    }
    // One call on all threads at a time, instead of a call on each thread.
    if open_threads && workload.threads > 1 {
        let together = EvaluatorConfig { threads: workload.threads, ..config.clone() };
        if rate(file, &together, 1, TRIAL)? > NOISE_MARGIN * rate(file, &config, workload.threads, TRIAL)? {
            config = together;
        }
    }
    Ok(config)
}

/// Batch and callers of a GPU: the fastest combination, where callers search between their calls. Few callers and small
/// batches are tried first, because they are filled sooner. There is one caller where the games fill no second batch.
fn in_flight(
    file: &NetworkFile,
    config: EvaluatorConfig,
    workload: Workload,
    batches: &[usize],
) -> Result<EvaluatorConfig> {
    let callers = match config.callers {
        0 => GPU_CALLERS.into_iter().filter(|&callers| callers <= workload.threads.max(GPU_CALLERS[0])).collect(),
        given => vec![given],
    };
    let (mut best, mut fastest) = (EvaluatorConfig { callers: config.callers.max(1), ..config.clone() }, 0.0);
    for callers in callers {
        for &batch in batches.iter().filter(|&&batch| batch <= workload.largest_batch(callers)) {
            let candidate = EvaluatorConfig { batch, callers, ..config.clone() };
            // A batch that does not fit into the GPU's memory is out of the question.
            let Ok(speed) = rate_beside_work(file, &candidate, callers, TRIAL, SEARCH_PER_LEAF * batch as u32) else {
                break;
            };
            if speed > NOISE_MARGIN * fastest {
                (best, fastest) = (candidate, speed);
            }
        }
    }
    Ok(best)
}

fn format_and_layout(file: &NetworkFile, config: &EvaluatorConfig) -> Result<EvaluatorConfig> {
    let positions = random_leaves(file, COMPARED.min(config.batch))?;
    let first_layout = if config.layout == Layout::Auto { Layout::ChannelsLast } else { config.layout };
    let with = |precision, layout| EvaluatorConfig { precision, layout, ..config.clone() };
    let (mut best, mut time) = match config.precision {
        Precision::Auto => {
            let (reference, slow) = trial(file, &with(Precision::Fp32, first_layout), &positions)?;
            let fp32 = (with(Precision::Fp32, first_layout), slow);
            // It is no error if this machine cannot compute in bf16 at all: fp32 remains.
            match trial(file, &with(Precision::Bf16, first_layout), &positions) {
                Ok((found, fast))
                    if fast.as_secs_f64() * ROUNDING_MARGIN < slow.as_secs_f64()
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
        if trial(file, &other, &positions)?.1.as_secs_f64() * NOISE_MARGIN < time.as_secs_f64() {
            best = other;
        }
    }
    Ok(best)
}

fn batch(file: &NetworkFile, config: EvaluatorConfig, workload: Workload) -> Result<EvaluatorConfig> {
    let threads = workload.threads.div_ceil(config.threads.max(1));
    let (mut best, mut fastest) = (config.clone(), 0.0);
    for batch in BATCHES.into_iter().filter(|&batch| batch <= workload.largest_batch(threads)) {
        let candidate = EvaluatorConfig { batch, ..config.clone() };
        let speed = rate(file, &candidate, threads, TRIAL)?;
        // Small batches are tried first, because they are filled sooner.
        if speed > NOISE_MARGIN * fastest {
            (best, fastest) = (candidate, speed);
        }
    }
    Ok(best)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Blueprint, DeviceChoice, NetworkConfig};

    /// The choice for a GPU, made on the CPU: two or more callers where the games fill their batches, else one.
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
            in_flight(&file, config.clone(), Workload { threads: 2, leaves }, &[2, 4, 8]).unwrap()
        };
        let found = chosen(9, &open);
        assert_eq!(found.callers, 2);
        assert!(found.batch == 2 || found.batch == 4, "8 would fill one call only: {found:?}");
        assert_eq!((chosen(3, &open).callers, chosen(3, &open).batch), (1, 4), "no two batches of these sizes");
        let given = EvaluatorConfig { callers: 1, ..open };
        assert_eq!(chosen(64, &given).callers, 1, "what is given stays");
    }
}
