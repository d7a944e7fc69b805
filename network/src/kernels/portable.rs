//! The kernel in plain Rust, for processors without one of their own. In fp32 it is fast only where the program is compiled
//! for a processor that fuses products with sums, as all of aarch64 do; elsewhere every such step is a call.

use crate::format::{Format, Fp32, Int8, IntegerWeights, Integers};
use crate::kernels::instruction_set::{InstructionSet, MultiplyAdd};
use crate::lanes::{LANES, Lanes};

/// The instructions that the program is compiled for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Portable;

impl InstructionSet for Portable {
    fn run<R>(self, work: impl FnOnce() -> R) -> R {
        work()
    }

    #[inline(always)]
    fn plus(self, a: Lanes, b: Lanes) -> Lanes {
        a.zip(b, |a, b| a + b)
    }

    #[inline(always)]
    fn times(self, a: Lanes, b: Lanes) -> Lanes {
        a.zip(b, |a, b| a * b)
    }

    #[inline(always)]
    fn max(self, a: Lanes, b: Lanes) -> Lanes {
        a.zip(b, |a, b| if a > b { a } else { b })
    }
}

impl MultiplyAdd<Int8> for Portable {
    type Sums = [i32; LANES];
    /// `[input][output]`.
    type Weights = [[i16; LANES]; 4];
    type Inputs = [i16; 4];
    const SQUARES: usize = 4;
    const GROUPS: usize = 1;

    #[inline(always)]
    fn zero(self) -> [i32; LANES] {
        [0; LANES]
    }

    #[inline(always)]
    fn weights(self, weights: &IntegerWeights, step: usize) -> [[i16; LANES]; 4] {
        let mut by_input = [[0; LANES]; 4];
        for (output, weights) in weights.0[step].chunks_exact(4).enumerate() {
            for (input, &weight) in weights.iter().enumerate() {
                by_input[input][output] = i16::from(weight);
            }
        }
        by_input
    }

    #[inline(always)]
    fn inputs(self, channels: &Integers, step: usize) -> [i16; 4] {
        channels.of_step(step).map(i16::from)
    }

    #[inline(always)]
    fn multiply_add(self, mut sums: [i32; LANES], inputs: [i16; 4], weights: [[i16; LANES]; 4]) -> [i32; LANES] {
        for (input, weights) in inputs.into_iter().zip(weights) {
            for (sum, weight) in sums.iter_mut().zip(weights) {
                *sum += i32::from(input) * i32::from(weight);
            }
        }
        sums
    }

    #[inline(always)]
    fn values(self, sums: [i32; LANES], scale: &Lanes, bias: &Lanes) -> Lanes {
        Lanes(sums.map(|sum| sum as f32)).zip(*scale, |sum, scale| sum * scale).zip(*bias, |scaled, bias| scaled + bias)
    }

    #[inline(always)]
    fn activations(self, values: Lanes, steps: &Lanes) -> Integers {
        Int8::activations(values, steps)
    }
}

impl MultiplyAdd<Fp32> for Portable {
    type Sums = Lanes;
    type Weights = Lanes;
    type Inputs = f32;
    const SQUARES: usize = 4;
    const GROUPS: usize = 1;

    #[inline(always)]
    fn zero(self) -> Lanes {
        Lanes::ZERO
    }

    #[inline(always)]
    fn weights(self, weights: &[Lanes; LANES], step: usize) -> Lanes {
        weights[step]
    }

    #[inline(always)]
    fn inputs(self, channels: &Lanes, step: usize) -> f32 {
        channels.0[step]
    }

    #[inline(always)]
    fn multiply_add(self, mut sums: Lanes, inputs: f32, weights: Lanes) -> Lanes {
        for (sum, weight) in sums.0.iter_mut().zip(weights.0) {
            *sum = inputs.mul_add(weight, *sum);
        }
        sums
    }

    #[inline(always)]
    fn values(self, sums: Lanes, _scale: &Lanes, bias: &Lanes) -> Lanes {
        sums.zip(*bias, |sum, bias| sum + bias)
    }

    #[inline(always)]
    fn activations(self, values: Lanes, steps: &Lanes) -> Lanes {
        Fp32::activations(values, steps)
    }
}
