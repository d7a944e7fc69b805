//! The largest activations of a network, from which the scales of its integers follow.

use crate::blueprint::Blueprint;
use crate::error::{NetworkError, Result};
use crate::layers::Input;
use serde::{Deserialize, Serialize};

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
    /// Nothing was seen.
    pub(crate) fn none(sizes: &Blueprint) -> Peaks {
        let tensor = vec![0.0; sizes.config.channels];
        Peaks {
            trunk: vec![tensor.clone(); sizes.config.blocks + 1],
            inner: vec![tensor.clone(); sizes.config.blocks],
            tokens: tensor,
        }
    }

    /// The larger of each two values. Both are of the same network.
    pub(crate) fn joined(mut self, other: &Peaks) -> Peaks {
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

    /// The largest values that a convolution has read.
    pub(crate) fn tensor(&mut self, input: Input) -> &mut [f32] {
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
