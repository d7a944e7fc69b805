//! The kernel for AVX-VNNI: 32 products of integers in one instruction.

#![allow(unsafe_code)]

use crate::kernels::avx2::{IntegerProducts, Vectors256};
use std::arch::x86_64::*;

/// AVX2 with FMA, and products of integers with AVX-VNNI.
pub(crate) type AvxVnni = Vectors256<OfAvxVnni>;

/// The instruction for four products and their sum. It has two encodings; tests use the one of AVX-512 where a processor
/// lacks that of AVX-VNNI.
macro_rules! integer_products {
    ($name:ident, $features:literal, [$($feature:tt),+], $add_products:ident) => {
        #[derive(Clone, Copy, Debug)]
        pub(crate) struct $name(());

        impl IntegerProducts for $name {
            const SQUARES: usize = 6;

            fn detect() -> Option<$name> {
                ($(is_x86_feature_detected!($feature))&&+).then_some($name(()))
            }

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
            fn add_products(self, sum: __m256i, inputs: __m256i, weights: __m256i) -> __m256i {
                // SAFETY: `self` exists, so the processor has the instruction.
                unsafe { $add_products(sum, inputs, weights) }
            }
        }
    };
}

integer_products!(OfAvxVnni, "avx2,fma,avxvnni", ["avx2", "fma", "avxvnni"], _mm256_dpbusd_avx_epi32);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Board;
    use crate::format::{Format, Int8, Integers};
    use crate::kernels::Portable;
    use crate::kernels::convolution::convolve;
    use crate::kernels::instruction_set::MultiplyAdd;
    use crate::lanes::Lanes;
    use crate::layers::Conv;
    use crate::packing::PackedConv;

    integer_products!(
        OfAvx512,
        "avx2,fma,avx512f,avx512vl,avx512vnni",
        ["avx2", "fma", "avx512f", "avx512vl", "avx512vnni"],
        _mm256_dpbusd_epi32
    );

    fn outputs(kernel: impl MultiplyAdd<Int8>, conv: &PackedConv<Int8>, board: Board, x: &[Integers]) -> Vec<Lanes> {
        let mut y = vec![Lanes::ZERO; conv.out_blocks * board.squares()];
        convolve(kernel, conv, board, x, &mut y);
        y
    }

    /// The largest integers in all places, and others: what the encoding of AVX-512 gives is what plain Rust gives.
    #[test]
    fn vectors_of_256_bits_give_the_sums_of_plain_rust() {
        let Some(kernel) = Vectors256::<OfAvx512>::detect() else { return };
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
            let kernels = |at: usize| MultiplyAdd::<Int8>::activations(kernel, values(at), &Lanes::splat(1.0));
            assert!(x.iter().enumerate().all(|(at, &integers)| kernels(at) == integers));
            assert_eq!(outputs(kernel, &conv, board, &x), outputs(Portable, &conv, board, &x));
        }
    }
}
