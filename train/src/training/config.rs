//! How a network is trained.

use crate::device::DeviceChoice;
use crate::error::Result;
use crate::heads::LossConfig;
use crate::samples::config::DataConfig;
use crate::training::descent::Work;
use crate::training::optimiser::OptimiserConfig;
use crate::training::precision::{self, TrainPrecision};
use network::Blueprint;
use serde::{Deserialize, Serialize};
use settings::Complaints;
use tch::Kind;

/// Samples in the smallest part that `parts = 0` makes. Norm statistics of fewer samples are noisy.
const SMALLEST_PART: usize = 64;

/// The section `[training]` of a configuration.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct TrainConfig {
    /// Samples in a step, 2 to 65,536.
    pub batch: usize,
    /// `auto` (a GPU where there is one), `cpu` or `cuda`.
    pub device: DeviceChoice,
    /// Number format of the activations in the trunk. Weights, norms and the optimiser are always fp32.
    pub precision: TrainPrecision,
    /// Number of threads; 0 means one for each core. If there are more threads than parts, the last bits of a result
    /// depend on their number.
    pub threads: usize,
    /// Parts of a batch that are computed side by side, each with its own norm statistics; must divide `batch`. 0 means
    /// one for each thread, with 64 samples or more, and one on a GPU. Results depend on it.
    pub parts: usize,
    /// Threads that make batches for each part in advance. 0 means none on a CPU, where the parts make their own, and
    /// one for every two cores on a GPU. Results do not depend on it, and it is no key of a configuration.
    #[serde(skip)]
    pub batch_threads: usize,
    /// Steps between two entries in the log, 1 or more.
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
            precision: TrainPrecision::Fp32,
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
    /// Complains about each value that is out of range, in this section and those within it.
    ///
    /// ```
    /// let mut complaints = settings::Complaints::default();
    /// let config = train::TrainConfig { batch: 1, ..train::TrainConfig::default() };
    /// complaints.section("training", |complaints| config.check(complaints));
    /// assert_eq!(complaints.to_string(), "training.batch: 1 is out of range; 2 to 65536");
    /// ```
    pub fn check(&self, complaints: &mut Complaints) {
        complaints.within("batch", self.batch, 2, 65_536);
        complaints.within("threads", self.threads, 0, 1024);
        complaints.within("parts", self.parts, 0, 1024);
        complaints.within("report_every", self.report_every, 1, 1 << 20);
        if self.parts > 0 && !self.batch.is_multiple_of(self.parts) {
            complaints.say("parts", format!("{} does not divide batch ({})", self.parts, self.batch));
        }
        complaints.section("loss", |complaints| self.loss.check(complaints));
        complaints.section("optimiser", |complaints| self.optimiser.check(complaints));
        complaints.section("data", |complaints| self.data.check(complaints));
    }

    /// A copy in which nothing is left to `auto` or 0. Device and threads are those that are present; the precision is
    /// found by timing a few steps of such a network.
    ///
    /// # Errors
    /// A GPU is asked for and cannot be used, or libtorch fails.
    pub fn resolve(&self, blueprint: &Blueprint) -> Result<TrainConfig> {
        let device = self.device.resolve()?;
        let threads = settings::threads(self.threads);
        let most = if device.is_cuda() { 1 } else { threads.min(self.batch / SMALLEST_PART).max(1) };
        let dividing = (1..=most).rev().find(|parts| self.batch.is_multiple_of(*parts)).unwrap_or(1);
        let fixed = TrainConfig {
            device: DeviceChoice::naming(device),
            threads,
            parts: if self.parts == 0 { dividing } else { self.parts },
            batch_threads: match self.batch_threads {
                0 if device.is_cuda() => settings::threads(0).div_ceil(2),
                given => given,
            },
            ..self.clone()
        };
        match self.precision {
            TrainPrecision::Auto => {
                Ok(TrainConfig { precision: precision::fastest(blueprint, device, self.batch)?, ..fixed })
            }
            _ => Ok(fixed),
        }
    }

    /// Whether device, precision and parts are chosen, and are those of a CPU.
    pub fn is_resolved(&self) -> bool {
        self.device == DeviceChoice::Cpu && self.precision != TrainPrecision::Auto && self.parts > 0
    }

    /// What the parts of a step need to know of a resolved config.
    pub(crate) fn work(&self) -> Work<'_> {
        Work {
            batch: self.batch,
            kind: if self.precision == TrainPrecision::Bf16 { Kind::BFloat16 } else { Kind::Float },
            loss: &self.loss,
            threads: (self.threads / self.parts.max(1)).max(1),
            prefetch: self.batch_threads,
        }
    }

    /// Number of steps in which each of `new_rows` rows is used `uses` times on average.
    pub fn steps_for(&self, new_rows: u64, uses: f64) -> u64 {
        (new_rows as f64 * uses / self.batch as f64).ceil() as u64
    }
}
