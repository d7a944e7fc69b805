//! The kernel for AVX-VNNI: 32 products of integers in one instruction. In fp32 such a processor uses the one for AVX2.

#![allow(unsafe_code)]

use crate::format::{Int8, IntegerWeights, Integers};
use crate::kernels::avx2::Avx2;
use crate::kernels::instruction_set::{InstructionSet, MultiplyAdd};
use crate::lanes::Lanes;
use std::arch::x86_64::*;

/// AVX2 with an instruction for 32 products of integers, in which alone it differs. Two encodings of this instruction exist;
/// tests use the one of AVX-512 where a processor lacks that of AVX-VNNI.
macro_rules! vnni256 {
    ($name:ident, $doc:literal, $features:literal, [$($feature:tt),+], $multiply_add:ident) => {
        #[doc = $doc]
        #[derive(Clone, Copy, Debug)]
        pub(crate) struct $name(Avx2);

        impl $name {
            /// The instruction set, if the processor has it.
            pub fn detect() -> Option<$name> {
                Avx2::detect().filter(|_| $(is_x86_feature_detected!($feature))&&+).map($name)
            }
        }

        impl InstructionSet for $name {
            #[inline(always)]
            fn run<R>(self, work: impl FnOnce() -> R) -> R {
                #[target_feature(enable = $features)]
                fn compiled<R>(work: impl FnOnce() -> R) -> R {
                    work()
                }
                // SAFETY: `self` exists, so the processor has these instructions.
                unsafe { compiled(work) }
            }

            #[inline(always)]
            fn plus(self, a: Lanes, b: Lanes) -> Lanes {
                self.0.plus(a, b)
            }

            #[inline(always)]
            fn times(self, a: Lanes, b: Lanes) -> Lanes {
                self.0.times(a, b)
            }

            #[inline(always)]
            fn max(self, a: Lanes, b: Lanes) -> Lanes {
                self.0.max(a, b)
            }
        }

        impl MultiplyAdd<Int8> for $name {
            type Sums = <Avx2 as MultiplyAdd<Int8>>::Sums;
            type Weights = <Avx2 as MultiplyAdd<Int8>>::Weights;
            type Inputs = <Avx2 as MultiplyAdd<Int8>>::Inputs;
            const SQUARES: usize = 6;
            const GROUPS: usize = 1;

            #[inline(always)]
            fn zero(self) -> Self::Sums {
                MultiplyAdd::<Int8>::zero(self.0)
            }

            #[inline(always)]
            fn weights(self, weights: &IntegerWeights, step: usize) -> Self::Weights {
                MultiplyAdd::<Int8>::weights(self.0, weights, step)
            }

            #[inline(always)]
            fn inputs(self, channels: &Integers, step: usize) -> Self::Inputs {
                MultiplyAdd::<Int8>::inputs(self.0, channels, step)
            }

            #[inline(always)]
            fn multiply_add(self, sums: Self::Sums, inputs: Self::Inputs, weights: Self::Weights) -> Self::Sums {
                // SAFETY: `self` exists, so the processor has the instruction.
                unsafe { [$multiply_add(sums[0], inputs, weights[0]), $multiply_add(sums[1], inputs, weights[1])] }
            }

            #[inline(always)]
            fn values(self, sums: Self::Sums, scale: &Lanes, bias: &Lanes) -> Lanes {
                MultiplyAdd::<Int8>::values(self.0, sums, scale, bias)
            }

            #[inline(always)]
            fn activations(self, values: Lanes, steps: &Lanes) -> Integers {
                MultiplyAdd::<Int8>::activations(self.0, values, steps)
            }
        }
    };
}

impl AvxVnni {
    /// The instructions of AVX2, which such a processor has too.
    pub fn avx2(self) -> Avx2 {
        self.0
    }
}

vnni256!(
    AvxVnni,
    "AVX2, FMA and AVX-VNNI. A value exists only where the processor has them.",
    "avx2,fma,avxvnni",
    ["avxvnni"],
    _mm256_dpbusd_avx_epi32
);

#[cfg(test)]
vnni256!(
    Avx512Vnni256,
    "AVX-512 VL and VNNI with vectors of 256 bits.",
    "avx2,fma,avx512f,avx512vl,avx512vnni",
    ["avx512f", "avx512vl", "avx512vnni"],
    _mm256_dpbusd_epi32
);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Board;
    use crate::format::Format;
    use crate::kernels::Portable;
    use crate::kernels::convolution::convolve;
    use crate::layers::Conv;
    use crate::packing::PackedConv;

    fn outputs(kernel: impl MultiplyAdd<Int8>, conv: &PackedConv<Int8>, board: Board, x: &[Integers]) -> Vec<Lanes> {
        let mut y = vec![Lanes::ZERO; conv.out_blocks * board.squares()];
        convolve(kernel, conv, board, x, &mut y);
        y
    }

    /// The largest integers in all places, and others: what the encoding of AVX-512 gives is what plain Rust gives.
    #[test]
    fn vectors_of_256_bits_give_the_sums_of_plain_rust() {
        let Some(kernel) = Avx512Vnni256::detect() else { return };
        let (board, inputs, outputs_wanted) = (Board { ranks: 4, files: 13 }, 40, 24);
        for largest in [true, false] {
            let weight = |index: usize| if largest { -127 } else { ((index * 37) % 255) as i16 as i8 };
            let conv = Conv {
                inputs,
                outputs: outputs_wanted,
                size: 3,
                weights: (0..outputs_wanted * inputs * 9).map(weight).collect(),
                scale: (0..outputs_wanted).map(|output| 0.01 * output as f32).collect(),
                bias: (0..outputs_wanted).map(|output| 1.0 - output as f32).collect(),
                steps: vec![1.0; inputs],
            };
            let conv = PackedConv::<Int8>::new(&conv);
            let value = |index: usize| if largest { 127.0 } else { (index * 11 % 141) as f32 - 5.0 };
            let values = |at: usize| Lanes(std::array::from_fn(|lane| value(at * 16 + lane)));
            let x: Vec<Integers> =
                (0..3 * board.squares()).map(|at| Int8::activations(values(at), &Lanes::splat(1.0))).collect();
            let kernels = |at: usize| kernel.activations(values(at), &Lanes::splat(1.0));
            assert!(x.iter().enumerate().all(|(at, &integers)| kernels(at) == integers));
            assert_eq!(outputs(kernel, &conv, board, &x), outputs(Portable, &conv, board, &x));
        }
    }
}
