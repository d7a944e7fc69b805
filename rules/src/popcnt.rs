//! Counting with the instruction POPCNT, whatever processor the build is for.

#![allow(unsafe_code)]

/// Runs `count` compiled with POPCNT if the processor has it.
///
/// Nearly all processors have had the instruction since 2008, but a compiler may not rely on it unasked. With it a set
/// of squares is counted in two instructions instead of two dozen. Counting the moves of a position took 0.87 of the
/// time in Janggi, 0.82 in Xiangqi, and two thirds in the games with drops.
#[inline(always)]
pub(crate) fn with_popcnt(count: impl FnOnce() -> usize) -> usize {
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("popcnt") {
        // SAFETY: the processor has the instruction.
        return unsafe { compiled_with_popcnt(count) };
    }
    count()
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "popcnt")]
fn compiled_with_popcnt(count: impl FnOnce() -> usize) -> usize {
    count()
}
