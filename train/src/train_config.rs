//! How a network is trained.

use crate::data_config::DataConfig;
use crate::device::DeviceChoice;
use crate::evaluator::Precision;
use crate::loss::LossConfig;
use crate::optimiser::OptimiserConfig;
use serde::{Deserialize, Serialize};

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
    /// Threads of libtorch; 0 is one a core. The last bits of a result depend on it.
    pub threads: usize,
    /// Threads that make batches; 0 is one for each eight cores. Results do not depend on it.
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
        within("batch_threads", self.batch_threads, 0, 256);
        within("report_every", self.report_every.min(1 << 30) as usize, 1, 1 << 20);
        self.loss.complaints(&format!("{at}.loss"), out);
        self.optimiser.complaints(&format!("{at}.optimiser"), out);
        self.data.complaints(&format!("{at}.data"), out);
    }

    /// Threads libtorch trains with.
    pub fn torch_threads(&self) -> usize {
        if self.threads == 0 { cores() } else { self.threads }
    }

    /// Threads that make batches.
    pub(crate) fn encoding_threads(&self) -> usize {
        if self.batch_threads == 0 { cores().div_ceil(8) } else { self.batch_threads }
    }

    /// Steps in which each of `new_rows` rows is used `uses` times on average.
    pub fn steps_for(&self, new_rows: u64, uses: f64) -> u64 {
        (new_rows as f64 * uses / self.batch as f64).ceil() as u64
    }
}

fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}
