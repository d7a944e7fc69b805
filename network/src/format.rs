//! The number formats of convolutions: what 16 channels of a square are, and what the weights between two groups of 16
//! channels are.

use crate::lanes::{LANES, Lanes};
use crate::quantise;

/// A number format.
pub(crate) trait Format: Sized + Send + Sync + 'static {
    /// One weight.
    type Weight: Copy;
    /// The activations of 16 channels on one square.
    type Channels: Copy + Default + Send + Sync;
    /// The weights of one tap from 16 channels to 16 channels.
    type Weights: Clone + Default + Send + Sync;
    /// Steps in which a kernel goes through 16 inputs: it multiplies `16 / STEPS` of them at once.
    const STEPS: usize;

    /// Sets one of the weights.
    fn set(weights: &mut Self::Weights, input: usize, output: usize, weight: Self::Weight);

    /// The ReLU of these values as the input of a convolution; `steps` are the integers that stand for 1.
    fn activations(values: Lanes, steps: &Lanes) -> Self::Channels;
}

/// Activations in integers from 0 to 127, weights from −127 to 127.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Int8;

/// 16 activations as integers.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C, align(16))]
pub(crate) struct Integers(pub [u8; LANES]);

impl Integers {
    /// The four activations of one step.
    #[inline(always)]
    pub fn of_step(&self, step: usize) -> [u8; 4] {
        let at = 4 * step;
        [self.0[at], self.0[at + 1], self.0[at + 2], self.0[at + 3]]
    }
}

/// `[inputs / 4][output][4 inputs]`: the four products of an output are added by one instruction.
#[derive(Clone, Debug, PartialEq)]
#[repr(C, align(64))]
pub(crate) struct IntegerWeights(pub [[i8; 4 * LANES]; 4]);

impl Default for IntegerWeights {
    fn default() -> Self {
        IntegerWeights([[0; 4 * LANES]; 4])
    }
}

impl Format for Int8 {
    type Weight = i8;
    type Channels = Integers;
    type Weights = IntegerWeights;
    const STEPS: usize = 4;

    fn set(weights: &mut IntegerWeights, input: usize, output: usize, weight: i8) {
        weights.0[input / 4][4 * output + input % 4] = weight;
    }

    #[inline(always)]
    fn activations(values: Lanes, steps: &Lanes) -> Integers {
        let mut integers = Integers::default();
        for ((integer, value), steps) in integers.0.iter_mut().zip(values.0).zip(steps.0) {
            *integer = quantise::activation(value, steps);
        }
        integers
    }
}

/// Single precision. Products are fused with additions, on every processor and in the same order.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fp32;

impl Format for Fp32 {
    type Weight = f32;
    type Channels = Lanes;
    /// `[input][output]`.
    type Weights = [Lanes; LANES];
    const STEPS: usize = LANES;

    fn set(weights: &mut [Lanes; LANES], input: usize, output: usize, weight: f32) {
        weights[input].0[output] = weight;
    }

    #[inline(always)]
    fn activations(values: Lanes, _steps: &Lanes) -> Lanes {
        values.zip(Lanes::ZERO, |value, zero| if value > zero { value } else { zero })
    }
}
