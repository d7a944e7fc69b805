//! Sixteen numbers in the registers of an x86-64 processor: one of AVX-512, or two of AVX2.

#![allow(unsafe_code)]

use crate::trunk::lanes::{LANES, Lanes, Work};
use std::arch::x86_64::*;

/// Uses an instruction.
macro_rules! instruction {
    ($call:expr) => {{
        // SAFETY: values of these types exist only in a `Work` that runs, where the processor has the instructions, and the
        // callers of `read` and `write` vouch for the pointers.
        unsafe { $call }
    }};
}

/// Numbers in one register of AVX-512.
#[derive(Clone, Copy)]
pub(super) struct Wide(__m512);

/// Numbers in two registers of AVX2.
#[derive(Clone, Copy)]
pub(super) struct Pair(__m256, __m256);

impl Lanes for Wide {
    const GROUPS: usize = 4;

    #[inline(always)]
    unsafe fn read(from: *const f32) -> Wide {
        Wide(instruction!(_mm512_loadu_ps(from)))
    }

    #[inline(always)]
    unsafe fn write(self, to: *mut f32) {
        instruction!(_mm512_storeu_ps(to, self.0))
    }

    #[inline(always)]
    fn all(value: f32) -> Wide {
        Wide(instruction!(_mm512_set1_ps(value)))
    }

    #[inline(always)]
    fn plus(self, other: Wide) -> Wide {
        Wide(instruction!(_mm512_add_ps(self.0, other.0)))
    }

    #[inline(always)]
    fn minus(self, other: Wide) -> Wide {
        Wide(instruction!(_mm512_sub_ps(self.0, other.0)))
    }

    #[inline(always)]
    fn times(self, other: Wide) -> Wide {
        Wide(instruction!(_mm512_mul_ps(self.0, other.0)))
    }

    #[inline(always)]
    fn times_plus(self, factor: Wide, sum: Wide) -> Wide {
        Wide(instruction!(_mm512_fmadd_ps(self.0, factor.0, sum.0)))
    }

    #[inline(always)]
    fn relu(self) -> Wide {
        Wide(instruction!(_mm512_max_ps(_mm512_setzero_ps(), self.0)))
    }

    #[inline(always)]
    fn where_positive(self, gate: Wide) -> Wide {
        let open = instruction!(_mm512_cmp_ps_mask::<_CMP_GT_OQ>(gate.0, _mm512_setzero_ps()));
        Wide(instruction!(_mm512_maskz_mov_ps(open, self.0)))
    }
}

impl Pair {
    #[inline(always)]
    fn zip(self, other: Pair, function: impl Fn(__m256, __m256) -> __m256) -> Pair {
        Pair(function(self.0, other.0), function(self.1, other.1))
    }
}

impl Lanes for Pair {
    const GROUPS: usize = 1;

    #[inline(always)]
    unsafe fn read(from: *const f32) -> Pair {
        instruction!(Pair(_mm256_loadu_ps(from), _mm256_loadu_ps(from.add(LANES / 2))))
    }

    #[inline(always)]
    unsafe fn write(self, to: *mut f32) {
        instruction!(_mm256_storeu_ps(to, self.0));
        instruction!(_mm256_storeu_ps(to.add(LANES / 2), self.1));
    }

    #[inline(always)]
    fn all(value: f32) -> Pair {
        let half = instruction!(_mm256_set1_ps(value));
        Pair(half, half)
    }

    #[inline(always)]
    fn plus(self, other: Pair) -> Pair {
        self.zip(other, |a, b| instruction!(_mm256_add_ps(a, b)))
    }

    #[inline(always)]
    fn minus(self, other: Pair) -> Pair {
        self.zip(other, |a, b| instruction!(_mm256_sub_ps(a, b)))
    }

    #[inline(always)]
    fn times(self, other: Pair) -> Pair {
        self.zip(other, |a, b| instruction!(_mm256_mul_ps(a, b)))
    }

    #[inline(always)]
    fn times_plus(self, factor: Pair, sum: Pair) -> Pair {
        let half = |a, b, c| instruction!(_mm256_fmadd_ps(a, b, c));
        Pair(half(self.0, factor.0, sum.0), half(self.1, factor.1, sum.1))
    }

    #[inline(always)]
    fn relu(self) -> Pair {
        self.zip(Pair::all(0.0), |a, zero| instruction!(_mm256_max_ps(zero, a)))
    }

    #[inline(always)]
    fn where_positive(self, gate: Pair) -> Pair {
        self.zip(gate, |a, gate| instruction!(_mm256_and_ps(a, _mm256_cmp_ps::<_CMP_GT_OQ>(gate, _mm256_setzero_ps()))))
    }
}

/// AVX2 and FMA. A value exists only where the processor has them.
#[derive(Clone, Copy, Debug)]
pub(super) struct Avx2(());

/// AVX-512 F, AVX2 and FMA. A value exists only where the processor has them.
#[derive(Clone, Copy, Debug)]
pub(super) struct Avx512(Avx2);

impl Avx2 {
    /// The instruction set, if the processor has it.
    pub fn detect() -> Option<Avx2> {
        (is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma")).then_some(Avx2(()))
    }

    /// Runs work compiled for it.
    pub fn run<W: Work>(self, work: W) {
        #[target_feature(enable = "avx2,fma")]
        fn compiled<W: Work>(work: W) {
            work.with::<Pair>();
        }
        // SAFETY: `self` exists, so the processor has these instructions.
        unsafe { compiled(work) }
    }
}

impl Avx512 {
    /// The instruction set, if the processor has it.
    pub fn detect() -> Option<Avx512> {
        Avx2::detect().filter(|_| is_x86_feature_detected!("avx512f")).map(Avx512)
    }

    /// Runs work compiled for it.
    pub fn run<W: Work>(self, work: W) {
        #[target_feature(enable = "avx512f,avx2,fma")]
        fn compiled<W: Work>(work: W) {
            work.with::<Wide>();
        }
        // SAFETY: `self` exists, so the processor has these instructions.
        unsafe { compiled(work) }
    }
}
