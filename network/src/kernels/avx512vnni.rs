//! The kernel for AVX-512 with VNNI: 64 products of integers in one instruction.

#![allow(unsafe_code)]

use crate::format::{Format, Fp32, Int8, IntegerWeights, Integers};
use crate::kernels::instruction_set::{InstructionSet, MultiplyAdd};
use crate::lanes::{LANES, Lanes};
use crate::quantise::MOST;
use std::arch::x86_64::*;

/// AVX-512 F, BW, DQ, VL and VNNI. A value exists only where the processor has them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Avx512Vnni(());

impl Avx512Vnni {
    /// The instruction set, if the processor has it.
    pub fn detect() -> Option<Avx512Vnni> {
        let found = is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512bw")
            && is_x86_feature_detected!("avx512dq")
            && is_x86_feature_detected!("avx512vl")
            && is_x86_feature_detected!("avx512vnni");
        found.then_some(Avx512Vnni(()))
    }

    #[inline(always)]
    fn zip(self, mut a: Lanes, b: Lanes, function: impl Fn(__m512, __m512) -> __m512) -> Lanes {
        // SAFETY: `self` exists, so the processor has the instructions; 16 numbers are read from each array and written to one.
        unsafe {
            let both = function(_mm512_loadu_ps(a.0.as_ptr()), _mm512_loadu_ps(b.0.as_ptr()));
            _mm512_storeu_ps(a.0.as_mut_ptr(), both);
        }
        a
    }
}

impl InstructionSet for Avx512Vnni {
    #[inline(always)]
    fn run<R>(self, work: impl FnOnce() -> R) -> R {
        #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512vnni")]
        fn compiled<R>(work: impl FnOnce() -> R) -> R {
            work()
        }
        // SAFETY: `self` exists, so the processor has these instructions.
        unsafe { compiled(work) }
    }

    #[inline(always)]
    fn plus(self, a: Lanes, b: Lanes) -> Lanes {
        // SAFETY: `self` exists, so the processor has the instruction.
        self.zip(a, b, |a, b| unsafe { _mm512_add_ps(a, b) })
    }

    #[inline(always)]
    fn times(self, a: Lanes, b: Lanes) -> Lanes {
        // SAFETY: as above.
        self.zip(a, b, |a, b| unsafe { _mm512_mul_ps(a, b) })
    }

    #[inline(always)]
    fn max(self, a: Lanes, b: Lanes) -> Lanes {
        // SAFETY: as above.
        self.zip(a, b, |a, b| unsafe { _mm512_max_ps(a, b) })
    }
}

impl MultiplyAdd<Int8> for Avx512Vnni {
    type Sums = __m512i;
    type Weights = __m512i;
    type Inputs = __m512i;
    const SQUARES: usize = 10;
    const GROUPS: usize = 2;

    #[inline(always)]
    fn zero(self) -> __m512i {
        // SAFETY: `self` exists, so the processor has the instruction.
        unsafe { _mm512_setzero_si512() }
    }

    #[inline(always)]
    fn weights(self, weights: &IntegerWeights, step: usize) -> __m512i {
        // SAFETY: as above; the 64 bytes of a step are read.
        unsafe { _mm512_loadu_si512(weights.0[step].as_ptr().cast()) }
    }

    #[inline(always)]
    fn inputs(self, channels: &Integers, step: usize) -> __m512i {
        // SAFETY: as above.
        unsafe { _mm512_set1_epi32(i32::from_ne_bytes(channels.of_step(step))) }
    }

    #[inline(always)]
    fn multiply_add(self, sums: __m512i, inputs: __m512i, weights: __m512i) -> __m512i {
        // SAFETY: as above.
        unsafe { _mm512_dpbusd_epi32(sums, inputs, weights) }
    }

    #[inline(always)]
    fn values(self, sums: __m512i, scale: &Lanes, bias: &Lanes) -> Lanes {
        let mut values = Lanes::ZERO;
        // SAFETY: as above; 16 numbers are read from each of the arrays and written to one. A product and a sum, not fused.
        unsafe {
            let scaled = _mm512_mul_ps(_mm512_cvtepi32_ps(sums), _mm512_loadu_ps(scale.0.as_ptr()));
            _mm512_storeu_ps(values.0.as_mut_ptr(), _mm512_add_ps(scaled, _mm512_loadu_ps(bias.0.as_ptr())));
        }
        values
    }

    #[inline(always)]
    fn activations(self, values: Lanes, steps: &Lanes) -> Integers {
        let mut integers = Integers::default();
        // SAFETY: as above; 16 numbers are read from each array and 16 bytes written. A comparison with NaN yields the other number.
        unsafe {
            let scaled = _mm512_mul_ps(_mm512_loadu_ps(values.0.as_ptr()), _mm512_loadu_ps(steps.0.as_ptr()));
            let bounded = _mm512_min_ps(_mm512_max_ps(scaled, _mm512_setzero_ps()), _mm512_set1_ps(MOST));
            let bytes = _mm512_cvtepi32_epi8(_mm512_cvtps_epi32(bounded));
            _mm_storeu_si128(integers.0.as_mut_ptr().cast(), bytes);
        }
        integers
    }
}

impl MultiplyAdd<Fp32> for Avx512Vnni {
    type Sums = __m512;
    type Weights = __m512;
    type Inputs = __m512;
    const SQUARES: usize = 10;
    const GROUPS: usize = 2;

    #[inline(always)]
    fn zero(self) -> __m512 {
        // SAFETY: `self` exists, so the processor has the instruction.
        unsafe { _mm512_setzero_ps() }
    }

    #[inline(always)]
    fn weights(self, weights: &[Lanes; LANES], step: usize) -> __m512 {
        // SAFETY: as above; the 16 numbers of a step are read.
        unsafe { _mm512_loadu_ps(weights[step].0.as_ptr()) }
    }

    #[inline(always)]
    fn inputs(self, channels: &Lanes, step: usize) -> __m512 {
        // SAFETY: as above.
        unsafe { _mm512_set1_ps(channels.0[step]) }
    }

    #[inline(always)]
    fn multiply_add(self, sums: __m512, inputs: __m512, weights: __m512) -> __m512 {
        // SAFETY: as above.
        unsafe { _mm512_fmadd_ps(inputs, weights, sums) }
    }

    #[inline(always)]
    fn values(self, sums: __m512, _scale: &Lanes, bias: &Lanes) -> Lanes {
        let mut values = Lanes::ZERO;
        // SAFETY: as above; 16 numbers are read and as many written.
        unsafe { _mm512_storeu_ps(values.0.as_mut_ptr(), _mm512_add_ps(sums, _mm512_loadu_ps(bias.0.as_ptr()))) };
        values
    }

    #[inline(always)]
    fn activations(self, values: Lanes, steps: &Lanes) -> Lanes {
        Fp32::activations(values, steps)
    }
}
