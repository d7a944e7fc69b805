//! What the machine decides: number format, memory layout, batch and threads of network calls. Each is the fastest one
//! on this machine, with this network, whose evaluations of real positions agree with those of fp32.

use super::trust::{RoundingError, trusted};
use super::turns::{best_speeds, fastest};
use super::{
    COMPARED, ROUNDING_MARGIN, TURN, agree, answers, apart, batch_rate, random_leaves, rate, rate_beside_work,
};
use crate::device::DeviceChoice;
use crate::error::Result;
use crate::inference::config::{Backend, EvaluatorConfig, Layout, Precision};
use crate::inference::evaluator::TorchEvaluator;
use crate::libtorch;
use network::NetworkFile;
use std::time::Duration;
use tch::Device;

/// Leaves that a thread collects for the native backend, whose speed does not depend on it.
const NATIVE_BATCH: usize = 32;
/// Batch with which number format and layout are compared on a CPU, and on a GPU.
const USUAL_BATCH: usize = 64;
const USUAL_GPU_BATCH: usize = 1024;
/// Batches that are tried on a CPU, and on a GPU.
const BATCHES: [usize; 4] = [16, 32, 64, 128];
const GPU_BATCHES: [usize; 4] = [256, 512, 1024, 2048];
/// Numbers of callers that are tried on a GPU: with two or more, several batches are in flight.
const GPU_CALLERS: [usize; 7] = [2, 3, 4, 6, 8, 12, 16];
/// Time that a search spends on its own thread for each evaluation (`selfplay`, example `overhead`: 2 to 5 µs). A caller
/// is away for that long between two calls; the more callers there are, the less a GPU waits for them.
const SEARCH_PER_LEAF: Duration = Duration::from_micros(5);

/// What play asks of a network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Workload {
    /// Threads that may work at the same time.
    pub threads: usize,
    /// Positions that may wait at the same time, over all threads. A batch larger than a thread's share would never fill.
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

impl EvaluatorConfig {
    /// A copy in which nothing is left to `auto` or 0. Backend and device are those that are present. With libtorch the rest
    /// is found by measuring this network under this workload for a few seconds; without it nothing is measured, and
    /// libtorch is not opened.
    ///
    /// # Errors
    /// A GPU is asked for and cannot be used, or libtorch fails.
    pub fn resolve(&self, network: &NetworkFile, workload: Workload) -> Result<EvaluatorConfig> {
        if !self.needs_libtorch()? {
            return Ok(self.without_libtorch(workload));
        }
        let device = self.device.resolve()?;
        let config = EvaluatorConfig { backend: Backend::Torch, device: DeviceChoice::naming(device), ..self.clone() };
        settle(network, &config, workload, device)
    }

    /// Like [`resolve`](Self::resolve), for this network alone: where its int8 or bf16 is not close enough to fp32, the copy
    /// says fp32, and how far it is off comes with it.
    ///
    /// # Errors
    /// As [`resolve`](Self::resolve).
    pub fn for_network(
        &self,
        network: &NetworkFile,
        workload: Workload,
    ) -> Result<(EvaluatorConfig, Option<RoundingError>)> {
        trusted(network, &self.resolve(network, workload)?)
    }

    /// The settings for one search of one position at a time, on the CPU: a GPU is no faster there.
    ///
    /// # Errors
    /// As [`resolve`](Self::resolve).
    pub fn alone(network: &NetworkFile) -> Result<EvaluatorConfig> {
        let open = EvaluatorConfig { backend: Backend::Native, batch: 1, ..EvaluatorConfig::default() };
        Ok(open.for_network(network, Workload::default())?.0)
    }

    /// Whether libtorch evaluates networks.
    ///
    /// # Errors
    /// There is a GPU, and libtorch cannot be opened.
    pub fn needs_libtorch(&self) -> Result<bool> {
        Ok(match (self.backend, self.device) {
            (Backend::Native, _) => false,
            (Backend::Torch, _) | (_, DeviceChoice::Cuda) => true,
            _ if self.precision == Precision::Int8 => false,
            _ if self.precision == Precision::Bf16 || self.layout != Layout::Auto => true,
            (_, DeviceChoice::Auto) => libtorch::has_driver() && self.device.resolve()?.is_cuda(),
            (_, DeviceChoice::Cpu) => false,
        })
    }

    fn without_libtorch(&self, workload: Workload) -> EvaluatorConfig {
        let precision = if self.precision == Precision::Fp32 { Precision::Fp32 } else { Precision::Int8 };
        let fitting = NATIVE_BATCH.min(workload.largest_batch(workload.threads));
        EvaluatorConfig {
            backend: Backend::Native,
            device: DeviceChoice::Cpu,
            precision,
            layout: Layout::ChannelsLast,
            batch: if self.batch == 0 { fitting } else { self.batch },
            threads: 1,
            callers: self.callers,
        }
    }
}

impl TorchEvaluator {
    /// Prepares a network for play. What `config` leaves open is first measured for one thread, see
    /// [`EvaluatorConfig::resolve`].
    ///
    /// # Errors
    /// A GPU is asked for and cannot be used, or libtorch fails.
    pub fn new(file: &NetworkFile, config: &EvaluatorConfig) -> Result<TorchEvaluator> {
        let config = EvaluatorConfig { backend: Backend::Torch, ..config.clone() };
        TorchEvaluator::settled(file, &config.resolve(file, Workload::default())?)
    }
}

/// Decides what is left open in `config`, whose device is decided already.
fn settle(file: &NetworkFile, config: &EvaluatorConfig, workload: Workload, device: Device) -> Result<EvaluatorConfig> {
    let mut config = config.clone();
    let (open_batch, open_threads) = (config.batch == 0, config.threads == 0);
    if open_batch {
        let (usual, callers) = if device.is_cuda() {
            (USUAL_GPU_BATCH, GPU_CALLERS[0].min(workload.threads))
        } else {
            (USUAL_BATCH, workload.threads)
        };
        config.batch = usual.min(workload.largest_batch(callers));
    }
    // One thread is enough for a GPU, and on a CPU it is the first candidate.
    if open_threads {
        config.threads = 1;
    }
    if config.precision == Precision::Auto || config.layout == Layout::Auto {
        config = apart(|| format_and_layout(file, &config))?;
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
        let both = [(workload.threads, config.clone()), (1, together)];
        if let Some(((_, best), _)) = fastest(&both, |(callers, candidate)| rate(file, candidate, *callers, TURN)) {
            config = best.clone();
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
    let mut candidates = Vec::new();
    for callers in callers {
        let fitting = batches.iter().filter(|&&batch| batch <= workload.largest_batch(callers));
        candidates.extend(fitting.map(|&batch| EvaluatorConfig { batch, callers, ..config.clone() }));
    }
    // A batch that does not fit into the GPU's memory fails and is out of the question.
    let speed = |candidate: &EvaluatorConfig| {
        rate_beside_work(file, candidate, candidate.callers, TURN, SEARCH_PER_LEAF * candidate.batch as u32)
    };
    let alone = || EvaluatorConfig { callers: config.callers.max(1), ..config.clone() };
    Ok(fastest(&candidates, speed).map_or_else(alone, |(best, _)| best.clone()))
}

fn format_and_layout(file: &NetworkFile, config: &EvaluatorConfig) -> Result<EvaluatorConfig> {
    let positions = random_leaves(file, COMPARED.min(config.batch))?;
    let first_layout = if config.layout == Layout::Auto { Layout::ChannelsLast } else { config.layout };
    let with = |precision, layout| EvaluatorConfig { precision, layout, ..config.clone() };
    // With one caller a GPU waits for it between two batches, and every setting seems equally fast.
    let on_gpu = config.device == DeviceChoice::Cuda;
    let speed = |candidate: &EvaluatorConfig| match on_gpu {
        true => rate(file, candidate, GPU_CALLERS[0], TURN),
        false => batch_rate(file, candidate, &positions),
    };
    let mut best = match config.precision {
        Precision::Auto => {
            let both = [with(Precision::Fp32, first_layout), with(Precision::Bf16, first_layout)];
            let reference = answers(file, &both[0], &positions)?;
            // It is no error if this machine cannot compute in bf16 at all: fp32 remains.
            let agrees = answers(file, &both[1], &positions).is_ok_and(|found| agree(&positions, &reference, &found));
            let [fp32, bf16] = both;
            if !agrees {
                fp32
            } else {
                match best_speeds(&[fp32.clone(), bf16.clone()], speed)[..] {
                    [Some(slow), Some(fast)] if fast > ROUNDING_MARGIN * slow => bf16,
                    _ => fp32,
                }
            }
        }
        given => with(given, first_layout),
    };
    if config.layout == Layout::Auto {
        let both = [best.clone(), EvaluatorConfig { layout: Layout::Contiguous, ..best.clone() }];
        if let Some((faster, _)) = fastest(&both, speed) {
            best = faster.clone();
        }
    }
    Ok(best)
}

fn batch(file: &NetworkFile, config: EvaluatorConfig, workload: Workload) -> Result<EvaluatorConfig> {
    let threads = workload.threads.div_ceil(config.threads.max(1));
    // Small batches are tried first, because they are filled sooner.
    let fitting = BATCHES.into_iter().filter(|&batch| batch <= workload.largest_batch(threads));
    let candidates: Vec<_> = fitting.map(|batch| EvaluatorConfig { batch, ..config.clone() }).collect();
    let best = fastest(&candidates, |candidate| rate(file, candidate, threads, TURN));
    Ok(best.map_or(config, |(best, _)| best.clone()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Blueprint, NetworkConfig};

    fn small() -> NetworkFile {
        let size = NetworkConfig { blocks: 1, channels: 8, ..NetworkConfig::default() };
        let size = NetworkConfig { se_hidden: 4, policy_dim: 4, value_channels: 2, value_hidden: 8, ..size };
        crate::untrained(Blueprint::of::<rules::Wangqi>(size), 1).unwrap()
    }

    #[test]
    fn what_is_open_is_settled_once_and_what_is_given_stays() {
        let file = small();
        let open = EvaluatorConfig { backend: Backend::Torch, device: DeviceChoice::Cpu, ..EvaluatorConfig::default() };
        let load = Workload { threads: 2, leaves: 80 };
        let settled = open.resolve(&file, load).unwrap();
        assert!(settled.precision != Precision::Auto && settled.layout != Layout::Auto && settled.threads > 0);
        // Two threads have 40 positions each; one call on both threads may take all 80.
        let most = if settled.threads == 1 { 40 } else { 80 };
        assert!((1..=most).contains(&settled.batch), "{settled:?}");
        assert_eq!(settled.resolve(&file, load).unwrap(), settled, "nothing is left to measure");
        let given = EvaluatorConfig { precision: Precision::Fp32, layout: Layout::Contiguous, batch: 8, ..open };
        let settled = given.resolve(&file, load).unwrap();
        assert_eq!((settled.precision, settled.layout, settled.batch), (Precision::Fp32, Layout::Contiguous, 8));
    }

    /// The choice for a GPU, made on the CPU: two or more callers where the games fill their batches, else one.
    #[test]
    fn a_gpu_has_two_batches_in_flight() {
        let file = small();
        let open = EvaluatorConfig { callers: 0, ..EvaluatorConfig::of_libtorch(4) };
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
