//! The largest activations of a network, from which the scales of its integers follow.

use crate::description::Description;
use crate::error::{NetworkError, Result};
use crate::evaluator::measure_peaks;
use crate::format::Fp32;
use crate::forward::Observer;
use crate::kernels::Kernel;
use crate::lanes::Lanes;
use crate::layers::Input;
use crate::tensors::Network;
use search::LeafBatch;

/// The largest value of each tensor of activations, seen on positions that are typical for the network.
///
/// The maximum and no percentile: cutting off the largest thousandth of the values costs ten times the accuracy.
#[derive(Clone, Debug, PartialEq)]
pub struct Peaks {
    /// In the trunk: after the first layer and after each block.
    pub trunk: Vec<f32>,
    /// Between the two convolutions of each block.
    pub inner: Vec<f32>,
    /// In the hidden channels of the policy's tokens.
    pub tokens: f32,
}

impl Peaks {
    /// Evaluates some hundred positions in fp32 and keeps the largest values. The positions should be of the network's own
    /// games: what is larger in play is cut off.
    ///
    /// # Errors
    /// The network has numbers that are not finite, or the leaves were not made for it.
    pub fn measured(network: &Network, kernel: Kernel, leaves: &LeafBatch) -> Result<Peaks> {
        let sizes = network.description();
        let mut peaks = Peaks { trunk: vec![0.0; sizes.blocks + 1], inner: vec![0.0; sizes.blocks], tokens: 0.0 };
        measure_peaks(network, kernel, leaves, &mut peaks)?;
        peaks.check(sizes)?;
        Ok(peaks)
    }

    /// Refuses values that do not belong to such a network. They may come from a file.
    pub(crate) fn check(&self, sizes: &Description) -> Result<()> {
        if (self.trunk.len(), self.inner.len()) != (sizes.blocks + 1, sizes.blocks) {
            return Err(NetworkError::Peaks("they are of another number of blocks"));
        }
        let mut all = self.trunk.iter().chain(&self.inner).chain([&self.tokens]);
        // 127 steps of the smallest and of the largest value must be numbers of fp32 as well.
        if !all.all(|&peak| peak == 0.0 || (1e-30..=1e30).contains(&peak)) {
            return Err(NetworkError::Peaks("one of them is negative, not finite, or too small or large for integers"));
        }
        Ok(())
    }

    /// The value for which the integer 127 stands. Where nothing but 0 was seen it is 1.
    pub(crate) fn of(&self, input: Input) -> f32 {
        let peak = match input {
            Input::Trunk(block) => self.trunk[block],
            Input::Inner(block) => self.inner[block],
            Input::Tokens => self.tokens,
        };
        if peak > 0.0 { peak } else { 1.0 }
    }
}

impl Observer<Fp32> for Peaks {
    fn activations(&mut self, input: Input, values: &[Lanes]) {
        let peak = match input {
            Input::Trunk(block) => &mut self.trunk[block],
            Input::Inner(block) => &mut self.inner[block],
            Input::Tokens => &mut self.tokens,
        };
        *peak = values.iter().flat_map(|lanes| lanes.0).fold(*peak, f32::max);
    }
}
