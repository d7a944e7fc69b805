//! The kernel for aarch64: NEON, and 16 products of integers in one instruction.

#![allow(unsafe_code)]

use crate::format::{Format, Fp32, Int8, IntegerWeights, Integers};
use crate::kernels::instruction_set::{InstructionSet, MultiplyAdd};
use crate::lanes::{LANES, Lanes};
use crate::quantise::MOST;
use std::arch::aarch64::*;
use std::arch::{asm, is_aarch64_feature_detected};

/// NEON with the dot products of Armv8.2, which all Apple and server processors since 2019 have. A value exists only where
/// the processor has them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Neon(());

impl Neon {
    /// The instruction set, if the processor has it.
    pub fn detect() -> Option<Neon> {
        (is_aarch64_feature_detected!("neon") && is_aarch64_feature_detected!("dotprod")).then_some(Neon(()))
    }

    /// `sums + Σ input · weight` of four products. Activations are at most 127, so they are signed bytes as well.
    #[inline(always)]
    fn add_products(self, mut sums: int32x4_t, inputs: int8x16_t, weights: int8x16_t) -> int32x4_t {
        // In place of `vdotq_s32`, which is not stable in Rust 1.95.
        // SAFETY: `self` exists, so the processor has the instruction, which reads and writes nothing but these registers.
        unsafe {
            asm!(
                ".arch_extension dotprod",
                "sdot {sums:v}.4s, {inputs:v}.16b, {weights:v}.16b",
                sums = inout(vreg) sums,
                inputs = in(vreg) inputs,
                weights = in(vreg) weights,
                options(pure, nomem, nostack, preserves_flags),
            );
        }
        sums
    }
}

impl InstructionSet for Neon {
    #[inline(always)]
    fn run<R>(self, work: impl FnOnce() -> R) -> R {
        #[target_feature(enable = "neon,dotprod")]
        fn compiled<R>(work: impl FnOnce() -> R) -> R {
            work()
        }
        // SAFETY: `self` exists, so the processor has these instructions.
        unsafe { compiled(work) }
    }

    #[inline(always)]
    fn plus(self, a: Lanes, b: Lanes) -> Lanes {
        // SAFETY: `self` exists, so the processor has NEON.
        unsafe { zip(&a, &b, |a, b| vaddq_f32(a, b)) }
    }

    #[inline(always)]
    fn times(self, a: Lanes, b: Lanes) -> Lanes {
        // SAFETY: as above.
        unsafe { zip(&a, &b, |a, b| vmulq_f32(a, b)) }
    }

    #[inline(always)]
    fn max(self, a: Lanes, b: Lanes) -> Lanes {
        // SAFETY: as above. The instruction for the larger number would yield NaN.
        unsafe { zip(&a, &b, |a, b| vbslq_f32(vcgtq_f32(a, b), a, b)) }
    }
}

// Each function below is inlined into code that is compiled for NEON. Quarters are written out one by one, because an
// iterator over them is not always inlined.

/// The quarters of 16 numbers.
///
/// # Safety
/// The processor has NEON.
#[inline(always)]
unsafe fn quarters(lanes: &Lanes) -> [float32x4_t; 4] {
    let quarters = lanes.0.as_ptr();
    // SAFETY: the caller's promise; 4 of the 16 numbers are read at a time.
    unsafe {
        [vld1q_f32(quarters), vld1q_f32(quarters.add(4)), vld1q_f32(quarters.add(8)), vld1q_f32(quarters.add(12))]
    }
}

/// 16 numbers from their quarters.
///
/// # Safety
/// The processor has NEON.
#[inline(always)]
unsafe fn joined(quarters: [float32x4_t; 4]) -> Lanes {
    let mut lanes = Lanes::ZERO;
    let to = lanes.0.as_mut_ptr();
    // SAFETY: the caller's promise; 4 of the 16 numbers are written at a time.
    unsafe {
        vst1q_f32(to, quarters[0]);
        vst1q_f32(to.add(4), quarters[1]);
        vst1q_f32(to.add(8), quarters[2]);
        vst1q_f32(to.add(12), quarters[3]);
    }
    lanes
}

/// A function of the quarters of two groups of numbers.
///
/// # Safety
/// The processor has NEON.
#[inline(always)]
unsafe fn zip(a: &Lanes, b: &Lanes, function: impl Fn(float32x4_t, float32x4_t) -> float32x4_t) -> Lanes {
    // SAFETY: the caller's promise.
    unsafe {
        let (a, b) = (quarters(a), quarters(b));
        joined([function(a[0], b[0]), function(a[1], b[1]), function(a[2], b[2]), function(a[3], b[3])])
    }
}

/// The integers of 4 activations. A comparison with NaN yields the other number.
///
/// # Safety
/// The processor has NEON.
#[inline(always)]
unsafe fn rounded(values: float32x4_t, steps: float32x4_t) -> int16x4_t {
    // SAFETY: the caller's promise.
    unsafe {
        let scaled = vmulq_f32(values, steps);
        let (zero, most) = (vdupq_n_f32(0.0), vdupq_n_f32(MOST));
        let positive = vbslq_f32(vcgtq_f32(scaled, zero), scaled, zero);
        let bounded = vbslq_f32(vcltq_f32(positive, most), positive, most);
        vmovn_s32(vcvtnq_s32_f32(bounded))
    }
}

impl MultiplyAdd<Int8> for Neon {
    type Sums = [int32x4_t; 4];
    type Weights = [int8x16_t; 4];
    type Inputs = int8x16_t;
    const SQUARES: usize = 6;
    const GROUPS: usize = 1;

    #[inline(always)]
    fn zero(self) -> [int32x4_t; 4] {
        // SAFETY: `self` exists, so the processor has the instruction.
        unsafe { [vdupq_n_s32(0); 4] }
    }

    #[inline(always)]
    fn weights(self, weights: &IntegerWeights, step: usize) -> [int8x16_t; 4] {
        let from = weights.0[step].as_ptr();
        // SAFETY: as above; 16 of the 64 bytes of a step are read at a time.
        unsafe { [vld1q_s8(from), vld1q_s8(from.add(16)), vld1q_s8(from.add(32)), vld1q_s8(from.add(48))] }
    }

    #[inline(always)]
    fn inputs(self, channels: &Integers, step: usize) -> int8x16_t {
        // SAFETY: as above.
        unsafe { vreinterpretq_s8_s32(vdupq_n_s32(i32::from_ne_bytes(channels.of_step(step)))) }
    }

    #[inline(always)]
    fn multiply_add(self, sums: [int32x4_t; 4], inputs: int8x16_t, weights: [int8x16_t; 4]) -> [int32x4_t; 4] {
        [
            self.add_products(sums[0], inputs, weights[0]),
            self.add_products(sums[1], inputs, weights[1]),
            self.add_products(sums[2], inputs, weights[2]),
            self.add_products(sums[3], inputs, weights[3]),
        ]
    }

    #[inline(always)]
    fn values(self, sums: [int32x4_t; 4], scale: &Lanes, bias: &Lanes) -> Lanes {
        // SAFETY: as above. A product and a sum, not fused.
        unsafe {
            let sums = sums.map(|sums| vcvtq_f32_s32(sums));
            self.plus(self.times(joined(sums), *scale), *bias)
        }
    }

    #[inline(always)]
    fn activations(self, values: Lanes, steps: &Lanes) -> Integers {
        let mut integers = Integers::default();
        // SAFETY: as above; 16 bytes are written.
        unsafe {
            let (values, steps) = (quarters(&values), quarters(steps));
            let first = vcombine_s16(rounded(values[0], steps[0]), rounded(values[1], steps[1]));
            let second = vcombine_s16(rounded(values[2], steps[2]), rounded(values[3], steps[3]));
            let bytes = vcombine_u8(vqmovun_s16(first), vqmovun_s16(second));
            vst1q_u8(integers.0.as_mut_ptr(), bytes);
        }
        integers
    }
}

impl MultiplyAdd<Fp32> for Neon {
    type Sums = [float32x4_t; 4];
    type Weights = [float32x4_t; 4];
    type Inputs = float32x4_t;
    const SQUARES: usize = 6;
    const GROUPS: usize = 1;

    #[inline(always)]
    fn zero(self) -> [float32x4_t; 4] {
        // SAFETY: `self` exists, so the processor has the instruction.
        unsafe { [vdupq_n_f32(0.0); 4] }
    }

    #[inline(always)]
    fn weights(self, weights: &[Lanes; LANES], step: usize) -> [float32x4_t; 4] {
        // SAFETY: as above.
        unsafe { quarters(&weights[step]) }
    }

    #[inline(always)]
    fn inputs(self, channels: &Lanes, step: usize) -> float32x4_t {
        // SAFETY: as above.
        unsafe { vdupq_n_f32(channels.0[step]) }
    }

    #[inline(always)]
    fn multiply_add(self, sums: [float32x4_t; 4], inputs: float32x4_t, weights: [float32x4_t; 4]) -> [float32x4_t; 4] {
        // SAFETY: as above.
        unsafe {
            [
                vfmaq_f32(sums[0], inputs, weights[0]),
                vfmaq_f32(sums[1], inputs, weights[1]),
                vfmaq_f32(sums[2], inputs, weights[2]),
                vfmaq_f32(sums[3], inputs, weights[3]),
            ]
        }
    }

    #[inline(always)]
    fn values(self, sums: [float32x4_t; 4], _scale: &Lanes, bias: &Lanes) -> Lanes {
        // SAFETY: as above.
        unsafe { self.plus(joined(sums), *bias) }
    }

    #[inline(always)]
    fn activations(self, values: Lanes, steps: &Lanes) -> Lanes {
        Fp32::activations(values, steps)
    }
}
