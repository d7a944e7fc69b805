//! The largest activations of a network, from which the scales of its integers follow.

use crate::description::Description;
use crate::error::{NetworkError, Result};
use crate::evaluator::measure_peaks;
use crate::format::Fp32;
use crate::forward::Observer;
use crate::kernels::Kernel;
use crate::lanes::{LANES, Lanes, blocks_of};
use crate::layers::Input;
use crate::tensors::Network;
use search::LeafBatch;

/// The largest value of each channel of activations, seen on positions that are typical for the network.
///
/// The maximum and no percentile: cutting off the largest thousandth of the values costs ten times the accuracy.
#[derive(Clone, Debug, PartialEq)]
pub struct Peaks {
    /// In the trunk: after the first layer and after each block.
    pub trunk: Vec<Vec<f32>>,
    /// Between the two convolutions of each block.
    pub inner: Vec<Vec<f32>>,
    /// In the hidden channels of the policy's tokens.
    pub tokens: Vec<f32>,
}

impl Peaks {
    /// Evaluates some hundred positions in fp32 and keeps the largest values. The positions should be of the network's own
    /// games: what is larger in play is cut off.
    ///
    /// # Errors
    /// The network has numbers that are not finite, or the leaves were not made for it.
    pub fn measured(network: &Network, kernel: Kernel, leaves: &LeafBatch) -> Result<Peaks> {
        let sizes = network.description();
        let mut peaks = Peaks::none(sizes);
        measure_peaks(network, kernel, leaves, &mut peaks)?;
        peaks.check(sizes)?;
        Ok(peaks)
    }

    /// Nothing was seen.
    fn none(sizes: &Description) -> Peaks {
        let tensor = vec![0.0; sizes.channels];
        Peaks {
            trunk: vec![tensor.clone(); sizes.blocks + 1],
            inner: vec![tensor.clone(); sizes.blocks],
            tokens: tensor,
        }
    }

    /// Refuses values that do not belong to such a network. They may come from a file.
    pub(crate) fn check(&self, sizes: &Description) -> Result<()> {
        let tensors = || self.trunk.iter().chain(&self.inner).chain([&self.tokens]);
        if (self.trunk.len(), self.inner.len()) != (sizes.blocks + 1, sizes.blocks) {
            return Err(NetworkError::Peaks("they are of another number of blocks"));
        }
        if tensors().any(|tensor| tensor.len() != sizes.channels) {
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
