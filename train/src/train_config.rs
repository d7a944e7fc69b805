//! How a network is trained.

use crate::blueprint::Blueprint;
use crate::data_config::DataConfig;
use crate::descent::Work;
use crate::device::DeviceChoice;
use crate::error::Result;
use crate::evaluator::Precision;
use crate::loss::LossConfig;
use crate::measure;
use crate::optimiser::OptimiserConfig;
use serde::{Deserialize, Serialize};
use tch::Kind;

/// Samples of the smallest part that `parts = 0` makes: norm statistics of fewer are noisy.
const SMALLEST_PART: usize = 64;

/// The training section of a config.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct TrainConfig {
    /// Samples in a step, 2 to 65536.
    pub batch: usize,
    /// `auto` (a GPU where there is one), `cpu` or `cuda`.
    pub device: DeviceChoice,
    /// Number format of the activations in the trunk: `fp32`, `bf16`, or `auto` (the faster, measured at start).
    /// Weights, norms and the optimiser are always fp32.
    pub precision: Precision,
    /// Threads; 0 is one a core. Where there are more of them than parts, the last bits of a result depend on it.
    pub threads: usize,
    /// Parts of a batch that are computed side by side, each with its own norm statistics; must divide `batch`. 0: one
    /// a thread, of 64 samples or more; one on a GPU. Results depend on it.
    pub parts: usize,
    /// Threads that make batches for each part beforehand; 0: none on a CPU, where the parts make their own, and one
    /// for each two cores on a GPU. Results do not depend on it.
    pub batch_threads: usize,
    /// Steps between two lines of figures, 1 or more.
    pub report_every: u64,
    /// Weights of the losses.
    pub loss: LossConfig,
    /// How weights follow gradients.
    pub optimiser: OptimiserConfig,
    /// Which positions are trained on.
    pub data: DataConfig,
}

impl Default for TrainConfig {
    fn default() -> Self {
        TrainConfig {
            batch: 256,
            device: DeviceChoice::Auto,
            precision: Precision::Fp32,
            threads: 0,
            parts: 0,
            batch_threads: 0,
            report_every: 50,
            loss: LossConfig::default(),
            optimiser: OptimiserConfig::default(),
            data: DataConfig::default(),
        }
    }
}

impl TrainConfig {
    /// Appends one message for each value out of range, of this section and those within it.
    ///
    /// ```
    /// let mut complaints = Vec::new();
    /// let config = train::TrainConfig { batch: 1, ..train::TrainConfig::default() };
    /// config.complaints("training", &mut complaints);
    /// assert_eq!(complaints, ["training.batch: 1 is out of range; 2 to 65536"]);
    /// ```
    pub fn complaints(&self, at: &str, out: &mut Vec<String>) {
        let mut within = |key: &str, value: usize, low: usize, high: usize| {
            if !(low..=high).contains(&value) {
                out.push(format!("{at}.{key}: {value} is out of range; {low} to {high}"));
            }
        };
        within("batch", self.batch, 2, 65_536);
        within("threads", self.threads, 0, 1024);
        within("parts", self.parts, 0, 1024);
        within("batch_threads", self.batch_threads, 0, 256);
        within("report_every", self.report_every.min(1 << 30) as usize, 1, 1 << 20);
        if self.parts > 0 && !self.batch.is_multiple_of(self.parts) {
            out.push(format!("{at}.parts: {} does not divide batch ({})", self.parts, self.batch));
        }
        self.loss.complaints(&format!("{at}.loss"), out);
        self.optimiser.complaints(&format!("{at}.optimiser"), out);
        self.data.complaints(&format!("{at}.data"), out);
    }

    /// The same with nothing left to `auto` or 0: devices and threads by what is there, the precision by timing a
    /// few steps of such a network.
    ///
    /// # Errors
    /// A GPU is asked for and cannot be used, or libtorch fails.
    pub fn resolve(&self, blueprint: &Blueprint) -> Result<TrainConfig> {
        let device = self.device.resolve()?;
        let threads = if self.threads == 0 { cores() } else { self.threads };
        let most = if device.is_cuda() { 1 } else { threads.min(self.batch / SMALLEST_PART).max(1) };
        let dividing = (1..=most).rev().find(|parts| self.batch.is_multiple_of(*parts)).unwrap_or(1);
        let fixed = TrainConfig {
            device: DeviceChoice::naming(device),
            threads,
            parts: if self.parts == 0 { dividing } else { self.parts },
            batch_threads: match self.batch_threads {
                0 if device.is_cuda() => cores().div_ceil(2),
                given => given,
            },
            ..self.clone()
        };
        match self.precision {
            Precision::Auto => Ok(TrainConfig { precision: measure::fastest_training(blueprint, device)?, ..fixed }),
            _ => Ok(fixed),
        }
    }

    /// What the parts of a step need of a resolved config.
    pub(crate) fn work(&self) -> Work<'_> {
        Work {
            batch: self.batch,
            kind: if self.precision == Precision::Bf16 { Kind::BFloat16 } else { Kind::Float },
            loss: &self.loss,
            threads: (self.threads / self.parts.max(1)).max(1),
            prefetch: self.batch_threads,
        }
    }

    /// Steps in which each of `new_rows` rows is used `uses` times on average.
    pub fn steps_for(&self, new_rows: u64, uses: f64) -> u64 {
        (new_rows as f64 * uses / self.batch as f64).ceil() as u64
    }
}

fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}
