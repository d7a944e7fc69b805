//! The kernels with vectors of 256 bits: AVX2 with FMA, and 32 products of integers in the three instructions of AVX2 or in
//! one of AVX-VNNI.

#![allow(unsafe_code)]

use crate::format::{Format, Fp32, Int8, IntegerWeights, Integers};
use crate::kernels::instruction_set::{InstructionSet, MultiplyAdd};
use crate::lanes::{LANES, Lanes};
use crate::quantise::MOST;
use std::arch::x86_64::*;

/// Instructions with vectors of 256 bits: AVX2 and FMA, and `P` for the products of integers. A value exists only where the
/// processor has them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Vectors256<P>(P);

/// How products of integers are added, in which alone instruction sets with vectors of 256 bits differ. A value exists only
/// where the processor has these instructions, AVX2 and FMA.
pub(crate) trait IntegerProducts: Copy {
    /// Largest number of squares whose sums fit into the registers.
    const SQUARES: usize;

    /// The instruction set, if the processor has it.
    fn detect() -> Option<Self>;

    /// Runs code compiled for it.
    fn run<R>(self, work: impl FnOnce() -> R) -> R;

    /// `sum + Σ input · weight` of four products.
    fn add_products(self, sum: __m256i, inputs: __m256i, weights: __m256i) -> __m256i;
}

/// Products of integers with AVX2.
pub(crate) type Avx2 = Vectors256<MultiplyPairs>;

/// Two products are added in 16 bits, where two of at most 127 · 127 fit, and two such sums in 32 bits.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MultiplyPairs(());

impl IntegerProducts for MultiplyPairs {
    const SQUARES: usize = 5;

    fn detect() -> Option<MultiplyPairs> {
        (is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma")).then_some(MultiplyPairs(()))
    }

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
    fn add_products(self, sum: __m256i, inputs: __m256i, weights: __m256i) -> __m256i {
        // SAFETY: `self` exists, so the processor has AVX2.
        unsafe {
            let pairs = _mm256_maddubs_epi16(inputs, weights);
            _mm256_add_epi32(sum, _mm256_madd_epi16(pairs, _mm256_set1_epi16(1)))
        }
    }
}

impl<P: IntegerProducts> Vectors256<P> {
    /// The instruction set, if the processor has it.
    pub fn detect() -> Option<Vectors256<P>> {
        P::detect().map(Vectors256)
    }
}

impl<P: IntegerProducts> InstructionSet for Vectors256<P> {
    #[inline(always)]
    fn run<R>(self, work: impl FnOnce() -> R) -> R {
        self.0.run(work)
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

// Each function below is inlined into code that is compiled for AVX2. Halves are written out one by one, because an iterator
// over them is not always inlined, and then each instruction becomes a call.

/// Both halves of 16 numbers.
///
/// # Safety
/// The processor has AVX2.
#[inline(always)]
unsafe fn halves(lanes: &Lanes) -> [__m256; 2] {
    let (first, second) = lanes.0.split_at(8);
    // SAFETY: the caller's promise; the 8 numbers of each slice are read.
    unsafe { [_mm256_loadu_ps(first.as_ptr()), _mm256_loadu_ps(second.as_ptr())] }
}

/// 16 numbers from their halves.
///
/// # Safety
/// The processor has AVX2.
#[inline(always)]
unsafe fn joined(halves: [__m256; 2]) -> Lanes {
    let mut lanes = Lanes::ZERO;
    let (first, second) = lanes.0.split_at_mut(8);
    // SAFETY: the caller's promise; the 8 numbers of each slice are written.
    unsafe {
        _mm256_storeu_ps(first.as_mut_ptr(), halves[0]);
        _mm256_storeu_ps(second.as_mut_ptr(), halves[1]);
    }
    lanes
}

/// A function of both halves of two groups of numbers.
///
/// # Safety
/// The processor has AVX2.
#[inline(always)]
unsafe fn zip(a: Lanes, b: Lanes, function: impl Fn(__m256, __m256) -> __m256) -> Lanes {
    // SAFETY: the caller's promise.
    unsafe {
        let (a, b) = (halves(&a), halves(&b));
        joined([function(a[0], b[0]), function(a[1], b[1])])
    }
}

/// The integers of 8 activations. A comparison with NaN yields the other number.
///
/// # Safety
/// The processor has AVX2.
#[inline(always)]
unsafe fn rounded(values: __m256, steps: __m256) -> __m256i {
    // SAFETY: the caller's promise.
    unsafe {
        let positive = _mm256_max_ps(_mm256_mul_ps(values, steps), _mm256_setzero_ps());
        _mm256_cvtps_epi32(_mm256_min_ps(positive, _mm256_set1_ps(MOST)))
    }
}

impl<P: IntegerProducts> MultiplyAdd<Int8> for Vectors256<P> {
    type Sums = [__m256i; 2];
    type Weights = [__m256i; 2];
    type Inputs = __m256i;
    const SQUARES: usize = P::SQUARES;
    const GROUPS: usize = 1;

    #[inline(always)]
    fn zero(self) -> [__m256i; 2] {
        // SAFETY: `self` exists, so the processor has the instruction.
        unsafe { [_mm256_setzero_si256(); 2] }
    }

    #[inline(always)]
    fn weights(self, weights: &IntegerWeights, step: usize) -> [__m256i; 2] {
        let (first, second) = weights.0[step].split_at(32);
        // SAFETY: as above; the 32 bytes of each slice are read.
        unsafe { [_mm256_loadu_si256(first.as_ptr().cast()), _mm256_loadu_si256(second.as_ptr().cast())] }
    }

    #[inline(always)]
    fn inputs(self, channels: &Integers, step: usize) -> __m256i {
        // SAFETY: as above.
        unsafe { _mm256_set1_epi32(i32::from_ne_bytes(channels.of_step(step))) }
    }

    #[inline(always)]
    fn multiply_add(self, sums: [__m256i; 2], inputs: __m256i, weights: [__m256i; 2]) -> [__m256i; 2] {
        [self.0.add_products(sums[0], inputs, weights[0]), self.0.add_products(sums[1], inputs, weights[1])]
    }

    #[inline(always)]
    fn values(self, sums: [__m256i; 2], scale: &Lanes, bias: &Lanes) -> Lanes {
        // SAFETY: as above. A product and a sum, not fused.
        unsafe {
            let (scale, bias) = (halves(scale), halves(bias));
            joined([
                _mm256_add_ps(_mm256_mul_ps(_mm256_cvtepi32_ps(sums[0]), scale[0]), bias[0]),
                _mm256_add_ps(_mm256_mul_ps(_mm256_cvtepi32_ps(sums[1]), scale[1]), bias[1]),
            ])
        }
    }

    #[inline(always)]
    fn activations(self, values: Lanes, steps: &Lanes) -> Integers {
        let mut integers = Integers::default();
        // SAFETY: as above; 16 bytes are written.
        unsafe {
            let (values, steps) = (halves(&values), halves(steps));
            let words = _mm256_packs_epi32(rounded(values[0], steps[0]), rounded(values[1], steps[1]));
            // Packing works on halves of 128 bits, so the middle quarters change places.
            let words = _mm256_permute4x64_epi64::<0b11_01_10_00>(words);
            let bytes = _mm_packus_epi16(_mm256_castsi256_si128(words), _mm256_extracti128_si256::<1>(words));
            _mm_storeu_si128(integers.0.as_mut_ptr().cast(), bytes);
        }
        integers
    }
}

impl<P: IntegerProducts> MultiplyAdd<Fp32> for Vectors256<P> {
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
        // SAFETY: as above.
        unsafe { halves(&weights[step]) }
    }

    #[inline(always)]
    fn inputs(self, channels: &Lanes, step: usize) -> __m256 {
        // SAFETY: as above.
        unsafe { _mm256_set1_ps(channels.0[step]) }
    }

    #[inline(always)]
    fn multiply_add(self, sums: [__m256; 2], inputs: __m256, weights: [__m256; 2]) -> [__m256; 2] {
        // SAFETY: as above.
        unsafe { [_mm256_fmadd_ps(inputs, weights[0], sums[0]), _mm256_fmadd_ps(inputs, weights[1], sums[1])] }
    }

    #[inline(always)]
    fn values(self, sums: [__m256; 2], _scale: &Lanes, bias: &Lanes) -> Lanes {
        // SAFETY: as above.
        unsafe {
            let bias = halves(bias);
            joined([_mm256_add_ps(sums[0], bias[0]), _mm256_add_ps(sums[1], bias[1])])
        }
    }

    #[inline(always)]
    fn activations(self, values: Lanes, steps: &Lanes) -> Lanes {
        Fp32::activations(values, steps)
    }
}
