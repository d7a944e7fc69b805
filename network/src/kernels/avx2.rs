//! The kernel for AVX2 with FMA: 32 products of integers in three instructions.

#![allow(unsafe_code)]

use crate::format::{Format, Fp32, Int8, IntegerWeights, Integers};
use crate::kernels::{InstructionSet, MultiplyAdd};
use crate::lanes::{LANES, Lanes};
use crate::quantise::MOST;
use std::arch::x86_64::*;

/// AVX2 and FMA. A value exists only where the processor has them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Avx2(());

impl Avx2 {
    /// The instruction set, if the processor has it.
    pub fn detect() -> Option<Avx2> {
        (is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma")).then_some(Avx2(()))
    }
}

impl InstructionSet for Avx2 {
    #[inline(always)]
    fn run<R>(self, work: impl FnOnce() -> R) -> R {
        #[target_feature(enable = "avx2,fma")]
        fn compiled<R>(work: impl FnOnce() -> R) -> R {
            work()
        }
        // SAFETY: `self` exists, so the processor has these instructions.
        unsafe { compiled(work) }
    }

    #[inline(always)]
    fn plus(self, a: Lanes, b: Lanes) -> Lanes {
        // SAFETY: `self` exists, so the processor has AVX2.
        unsafe { zip(a, b, |a, b| _mm256_add_ps(a, b)) }
    }

    #[inline(always)]
    fn times(self, a: Lanes, b: Lanes) -> Lanes {
        // SAFETY: as above.
        unsafe { zip(a, b, |a, b| _mm256_mul_ps(a, b)) }
    }

    #[inline(always)]
    fn max(self, a: Lanes, b: Lanes) -> Lanes {
        // SAFETY: as above.
        unsafe { zip(a, b, |a, b| _mm256_max_ps(a, b)) }
    }
}

/// A function of both halves of two groups of numbers.
///
/// # Safety
/// The processor has AVX2.
#[inline(always)]
pub(super) unsafe fn zip(mut a: Lanes, b: Lanes, function: impl Fn(__m256, __m256) -> __m256) -> Lanes {
    for (a, b) in a.0.chunks_exact_mut(8).zip(b.0.chunks_exact(8)) {
        // SAFETY: the caller's promise; 8 numbers are read from each slice and written to one.
        unsafe { _mm256_storeu_ps(a.as_mut_ptr(), function(_mm256_loadu_ps(a.as_ptr()), _mm256_loadu_ps(b.as_ptr()))) };
    }
    a
}

/// Sums of integers as values.
///
/// # Safety
/// The processor has AVX2.
#[inline(always)]
pub(super) unsafe fn integer_values(sums: [__m256i; 2], scale: &Lanes, bias: &Lanes) -> Lanes {
    let mut values = Lanes::ZERO;
    for (half, sums) in sums.into_iter().enumerate() {
        let lanes = 8 * half..8 * half + 8;
        let (scale, bias, values) = (&scale.0[lanes.clone()], &bias.0[lanes.clone()], &mut values.0[lanes]);
        // SAFETY: the caller's promise; 8 numbers are read from each slice and written to one. A product and a sum, not fused.
        unsafe {
            let scaled = _mm256_mul_ps(_mm256_cvtepi32_ps(sums), _mm256_loadu_ps(scale.as_ptr()));
            _mm256_storeu_ps(values.as_mut_ptr(), _mm256_add_ps(scaled, _mm256_loadu_ps(bias.as_ptr())));
        }
    }
    values
}

/// Values as activations in integers.
///
/// # Safety
/// The processor has AVX2.
#[inline(always)]
pub(super) unsafe fn integer_activations(values: Lanes, steps: f32) -> Integers {
    let mut integers = Integers::default();
    let (first, second) = values.0.split_at(8);
    // SAFETY: the caller's promise; 8 numbers are read from each slice and 16 bytes written. A comparison with NaN yields the
    // other number.
    unsafe {
        let [first, second] = [first, second].map(|half| {
            let scaled = _mm256_mul_ps(_mm256_loadu_ps(half.as_ptr()), _mm256_set1_ps(steps));
            let bounded = _mm256_min_ps(_mm256_max_ps(scaled, _mm256_setzero_ps()), _mm256_set1_ps(MOST));
            _mm256_cvtps_epi32(bounded)
        });
        // Packing works on halves of 128 bits, so the middle ones change places.
        let words = _mm256_permute4x64_epi64::<0b11_01_10_00>(_mm256_packs_epi32(first, second));
        let bytes = _mm_packus_epi16(_mm256_castsi256_si128(words), _mm256_extracti128_si256::<1>(words));
        _mm_storeu_si128(integers.0.as_mut_ptr().cast(), bytes);
    }
    integers
}

/// The integer weights of one step.
///
/// # Safety
/// The processor has AVX2.
#[inline(always)]
pub(super) unsafe fn integer_weights(weights: &IntegerWeights, step: usize) -> [__m256i; 2] {
    let (first, second) = weights.0[step].split_at(32);
    // SAFETY: the caller's promise; the 32 bytes of each slice are read.
    [first, second].map(|half| unsafe { _mm256_loadu_si256(half.as_ptr().cast()) })
}

/// Four activations, repeated.
///
/// # Safety
/// The processor has AVX2.
#[inline(always)]
pub(super) unsafe fn integer_inputs(channels: &Integers, step: usize) -> __m256i {
    let four: [u8; 4] = std::array::from_fn(|input| channels.0[4 * step + input]);
    // SAFETY: the caller's promise.
    unsafe { _mm256_set1_epi32(i32::from_ne_bytes(four)) }
}

impl MultiplyAdd<Int8> for Avx2 {
    type Sums = [__m256i; 2];
    type Weights = [__m256i; 2];
    type Inputs = __m256i;
    const SQUARES: usize = 5;
    const GROUPS: usize = 1;

    #[inline(always)]
    fn zero(self) -> [__m256i; 2] {
        // SAFETY: `self` exists, so the processor has the instruction.
        unsafe { [_mm256_setzero_si256(); 2] }
    }

    #[inline(always)]
    fn weights(self, weights: &IntegerWeights, step: usize) -> [__m256i; 2] {
        // SAFETY: as above.
        unsafe { integer_weights(weights, step) }
    }

    #[inline(always)]
    fn inputs(self, channels: &Integers, step: usize) -> __m256i {
        // SAFETY: as above.
        unsafe { integer_inputs(channels, step) }
    }

    #[inline(always)]
    fn multiply_add(self, sums: [__m256i; 2], inputs: __m256i, weights: [__m256i; 2]) -> [__m256i; 2] {
        std::array::from_fn(|half| {
            // SAFETY: as above. Two products of at most 127 · 127 fit into the 16 bits of a pair.
            unsafe {
                let pairs = _mm256_maddubs_epi16(inputs, weights[half]);
                _mm256_add_epi32(sums[half], _mm256_madd_epi16(pairs, _mm256_set1_epi16(1)))
            }
        })
    }

    #[inline(always)]
    fn values(self, sums: [__m256i; 2], scale: &Lanes, bias: &Lanes) -> Lanes {
        // SAFETY: as above.
        unsafe { integer_values(sums, scale, bias) }
    }

    #[inline(always)]
    fn activations(self, values: Lanes, steps: f32) -> Integers {
        // SAFETY: as above.
        unsafe { integer_activations(values, steps) }
    }
}

impl MultiplyAdd<Fp32> for Avx2 {
    type Sums = [__m256; 2];
    type Weights = [__m256; 2];
    type Inputs = __m256;
    const SQUARES: usize = 6;
    const GROUPS: usize = 1;

    #[inline(always)]
    fn zero(self) -> [__m256; 2] {
        // SAFETY: `self` exists, so the processor has the instruction.
        unsafe { [_mm256_setzero_ps(); 2] }
    }

    #[inline(always)]
    fn weights(self, weights: &[Lanes; LANES], step: usize) -> [__m256; 2] {
        let (first, second) = weights[step].0.split_at(8);
        // SAFETY: as above; the 8 numbers of each slice are read.
        [first, second].map(|half| unsafe { _mm256_loadu_ps(half.as_ptr()) })
    }

    #[inline(always)]
    fn inputs(self, channels: &Lanes, step: usize) -> __m256 {
        // SAFETY: as above.
        unsafe { _mm256_set1_ps(channels.0[step]) }
    }

    #[inline(always)]
    fn multiply_add(self, sums: [__m256; 2], inputs: __m256, weights: [__m256; 2]) -> [__m256; 2] {
        // SAFETY: as above.
        std::array::from_fn(|half| unsafe { _mm256_fmadd_ps(inputs, weights[half], sums[half]) })
    }

    #[inline(always)]
    fn values(self, sums: [__m256; 2], _scale: &Lanes, bias: &Lanes) -> Lanes {
        let mut values = Lanes::ZERO;
        for (half, sums) in sums.into_iter().enumerate() {
            let lanes = 8 * half..8 * half + 8;
            let (bias, values) = (&bias.0[lanes.clone()], &mut values.0[lanes]);
            // SAFETY: as above; 8 numbers are read from a slice and written to the other.
            unsafe { _mm256_storeu_ps(values.as_mut_ptr(), _mm256_add_ps(sums, _mm256_loadu_ps(bias.as_ptr()))) };
        }
        values
    }

    #[inline(always)]
    fn activations(self, values: Lanes, steps: f32) -> Lanes {
        Fp32::activations(values, steps)
    }
}
