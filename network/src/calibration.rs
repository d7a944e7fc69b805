//! The measurements with which a network plays in integers: its largest activations, from which the scales follow, and how
//! well the integers agree with fp32.

use crate::agreement::Agreement;
use crate::blueprint::Blueprint;
use crate::error::{NetworkError, Result};
use crate::evaluator::{NativeEvaluator, PlayNetwork, measure_peaks};
use crate::file_error::FileProblem;
use crate::format::Fp32;
use crate::forward::Observer;
use crate::integer_reference::QuantisedNetwork;
use crate::kernels::Kernel;
use crate::lanes::{LANES, Lanes, blocks_of};
use crate::layers::Input;
use crate::own_games::own_positions;
use crate::weights::Weights;
use rayon::prelude::*;
use rules::VariantId;
use search::{Evaluations, LeafBatch};
use serde::{Deserialize, Serialize};

/// Seed of the games of networks without measurements.
const SEED: u64 = 1;

/// Measurements of a network that are needed to play in integers. They are made when the network is published, on positions
/// of the run's own games, and stored in its file; of other networks when they are first needed, on games of their policy.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Calibration {
    /// The largest activations, from which the integers follow.
    pub peaks: Peaks,
    /// How well these integers agree with fp32 on other positions.
    pub agreement: Agreement,
}

impl Calibration {
    /// Batches of positions that a calibration needs.
    pub const BATCHES: usize = 24;
    /// Positions in each of them.
    pub const BATCH: usize = 64;

    /// Measures the largest activations on the first third of these positions of the network's own games, and compares the
    /// integers that follow with fp32 on the others. The batches are evaluated on all threads of the rayon pool. The result
    /// does not depend on the number of threads or on the kernel.
    ///
    /// # Errors
    /// The network has numbers that are not finite, or the leaves were not made for it.
    pub fn measured(weights: &Weights, leaves: &[LeafBatch]) -> Result<Calibration> {
        let (typical, others) = leaves.split_at(leaves.len().div_ceil(3));
        let kernel = Kernel::chosen()?;
        let exact = NativeEvaluator::new(&PlayNetwork::fp32(weights)?, kernel, 1)?;
        let peaks = Peaks::measured(weights, kernel, typical)?;
        let integers = PlayNetwork::int8(&QuantisedNetwork::new(weights, &peaks)?);
        let integers = NativeEvaluator::new(&integers, kernel, 1)?;
        let evaluated = |evaluator: &NativeEvaluator, leaves: &LeafBatch| -> Result<Evaluations> {
            let mut out = Evaluations::default();
            evaluator.clone().evaluate_leaves(leaves, &mut out)?;
            Ok(out)
        };
        let both =
            others.par_iter().map(|leaves| Ok((leaves, evaluated(&exact, leaves)?, evaluated(&integers, leaves)?)));
        let both = both.collect::<Result<Vec<_>>>()?;
        let agreement = Agreement::of(both.iter().map(|(leaves, exact, integers)| (*leaves, exact, integers)));
        Ok(Calibration { peaks, agreement })
    }

    /// Measures on games that the network plays by its policy: always the same ones.
    ///
    /// # Errors
    /// As [`Calibration::measured`]; or the network is of a variant that there is not.
    pub(crate) fn of_own_games(weights: &Weights) -> Result<Calibration> {
        let evaluator = NativeEvaluator::new(&PlayNetwork::fp32(weights)?, Kernel::chosen()?, 1)?;
        let variant: VariantId = weights.blueprint().variant.parse()?;
        let leaves = rules::dispatch!(variant, V => own_positions::<V>(&evaluator, Self::BATCHES, Self::BATCH, SEED))?;
        Calibration::measured(weights, &leaves)
    }

    /// As text, with a digest of it and of the network's id.
    pub(crate) fn written(&self, id: &str) -> Result<String, serde_json::Error> {
        let text = serde_json::to_string(self)?;
        Ok(format!("{} {text}", digest(id, &text)))
    }

    /// Reads what [`written`](Self::written) wrote for such a network.
    pub(crate) fn read(written: &str, id: &str, blueprint: &Blueprint) -> Result<Calibration, FileProblem> {
        let damaged = |why: String| FileProblem::Unreadable(format!("its calibration: {why}").into());
        let (noted, text) = written.split_once(' ').ok_or_else(|| damaged("it has no digest".to_owned()))?;
        let found = digest(id, text);
        if found != noted {
            return Err(FileProblem::Digest { found, written: noted.to_owned() });
        }
        let calibration: Calibration = serde_json::from_str(text).map_err(|error| damaged(error.to_string()))?;
        calibration.peaks.check(blueprint).map_err(|error| damaged(error.to_string()))?;
        Ok(calibration)
    }
}

fn digest(id: &str, text: &str) -> String {
    blake3::Hasher::new().update(id.as_bytes()).update(text.as_bytes()).finalize().to_hex()[..16].to_owned()
}

/// The largest value of each channel of activations, seen on positions that are typical for the network.
///
/// The maximum and no percentile: cutting off the largest thousandth of the values costs ten times the accuracy.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Peaks {
    /// In the trunk: after the first layer and after each block.
    pub trunk: Vec<Vec<f32>>,
    /// Between the two convolutions of each block.
    pub inner: Vec<Vec<f32>>,
    /// In the hidden channels of the policy's tokens.
    pub tokens: Vec<f32>,
}

impl Peaks {
    /// Evaluates some hundred positions, in batches, in fp32 and keeps the largest values. The positions should be of the
    /// network's own games: what is larger in play is cut off.
    ///
    /// # Errors
    /// The network has numbers that are not finite, or the leaves were not made for it.
    pub fn measured(network: &Weights, kernel: Kernel, batches: &[LeafBatch]) -> Result<Peaks> {
        let sizes = network.blueprint();
        let of_batches = measure_peaks(network, kernel, batches, || Peaks::none(sizes))?;
        let peaks = of_batches.iter().fold(Peaks::none(sizes), Peaks::joined);
        peaks.check(sizes)?;
        Ok(peaks)
    }

    /// Nothing was seen.
    fn none(sizes: &Blueprint) -> Peaks {
        let tensor = vec![0.0; sizes.config.channels];
        Peaks {
            trunk: vec![tensor.clone(); sizes.config.blocks + 1],
            inner: vec![tensor.clone(); sizes.config.blocks],
            tokens: tensor,
        }
    }

    /// The larger of each two values. Both are of the same network.
    fn joined(mut self, other: &Peaks) -> Peaks {
        let own = self.trunk.iter_mut().chain(&mut self.inner).chain([&mut self.tokens]).flatten();
        let others = other.trunk.iter().chain(&other.inner).chain([&other.tokens]).flatten();
        own.zip(others).for_each(|(own, &other)| *own = own.max(other));
        self
    }

    /// Refuses values that do not belong to such a network. They may come from a file.
    pub(crate) fn check(&self, sizes: &Blueprint) -> Result<()> {
        let tensors = || self.trunk.iter().chain(&self.inner).chain([&self.tokens]);
        if (self.trunk.len(), self.inner.len()) != (sizes.config.blocks + 1, sizes.config.blocks) {
            return Err(NetworkError::Peaks("they are of another number of blocks"));
        }
        if tensors().any(|tensor| tensor.len() != sizes.config.channels) {
            return Err(NetworkError::Peaks("they are of another number of channels"));
        }
        // 127 steps of the smallest and of the largest value must be numbers of fp32 as well.
        if !tensors().flatten().all(|&peak| peak == 0.0 || (1e-30..=1e30).contains(&peak)) {
            return Err(NetworkError::Peaks("one of them is negative, not finite, or too small or large for integers"));
        }
        Ok(())
    }

    fn tensor(&mut self, input: Input) -> &mut [f32] {
        match input {
            Input::Trunk(block) => &mut self.trunk[block],
            Input::Inner(block) => &mut self.inner[block],
            Input::Tokens => &mut self.tokens,
        }
    }

    /// For each channel the value for which the integer 127 stands: the geometric mean of the channel's own peak and of that
    /// of the whole tensor. Channels of small values have finer steps for it, and their weights coarser ones. On 4,096
    /// positions of the bundled Xiangqi network the mean KL of the policy was 0.0014 with one value for the whole tensor,
    /// 0.0009 with the mean and 0.0006 with a channel's own peak, which leaves no room for what calibration has not seen:
    /// the largest difference of a logit was 0.5, 0.4 and 0.9. Where nothing but 0 was seen the value is 1.
    pub(crate) fn ends(&self, input: Input) -> Vec<f32> {
        let tensor = match input {
            Input::Trunk(block) => &self.trunk[block],
            Input::Inner(block) => &self.inner[block],
            Input::Tokens => &self.tokens,
        };
        let largest = tensor.iter().copied().fold(0f32, f32::max);
        let end = |peak: f32| (f64::from(peak) * f64::from(largest)).sqrt() as f32;
        tensor.iter().map(|&peak| if peak > 0.0 { end(peak) } else { 1.0 }).collect()
    }
}

impl Observer<Fp32> for Peaks {
    fn activations(&mut self, input: Input, values: &[Lanes]) {
        let tensor = self.tensor(input);
        let squares = values.len() / blocks_of(tensor.len());
        for (channels, values) in tensor.chunks_mut(LANES).zip(values.chunks_exact(squares)) {
            for value in values {
                for (peak, value) in channels.iter_mut().zip(value.0) {
                    *peak = peak.max(value);
                }
            }
        }
    }
}
