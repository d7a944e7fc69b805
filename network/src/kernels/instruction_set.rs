//! What a kernel has of the instructions of a processor.

use crate::format::Format;
use crate::lanes::Lanes;

/// Instructions that this processor has.
pub(crate) trait InstructionSet: Copy {
    /// Runs code compiled for these instructions. What it calls must be inlined into it.
    fn run<R>(self, work: impl FnOnce() -> R) -> R;

    // Arithmetic of whole groups of channels. Left to itself the compiler takes loops over squares apart into loops over
    // single channels, which is slower by far.
    fn plus(self, a: Lanes, b: Lanes) -> Lanes;
    fn times(self, a: Lanes, b: Lanes) -> Lanes;
    /// The larger values; those of `b` where one is NaN.
    fn max(self, a: Lanes, b: Lanes) -> Lanes;

    #[inline(always)]
    fn relu(self, a: Lanes) -> Lanes {
        self.max(a, Lanes::ZERO)
    }
}

/// How an instruction set multiplies and adds in a format.
pub(crate) trait MultiplyAdd<F: Format>: InstructionSet {
    /// Sums of 16 outputs on one square.
    type Sums: Copy;
    /// The weights of one step.
    type Weights: Copy;
    /// The inputs of one step on one square, repeated for all outputs.
    type Inputs: Copy;
    /// Largest number of squares, and of groups of 16 outputs, whose sums fit into the registers.
    const SQUARES: usize;
    const GROUPS: usize;

    fn zero(self) -> Self::Sums;
    fn weights(self, weights: &F::Weights, step: usize) -> Self::Weights;
    fn inputs(self, channels: &F::Channels, step: usize) -> Self::Inputs;
    fn multiply_add(self, sums: Self::Sums, inputs: Self::Inputs, weights: Self::Weights) -> Self::Sums;
    /// `sums · scale + bias`; fp32 has no scale.
    fn values(self, sums: Self::Sums, scale: &Lanes, bias: &Lanes) -> Lanes;
    /// [`Format::activations`], which the compiler alone turns into slow code.
    fn activations(self, values: Lanes, steps: &Lanes) -> F::Channels;
}
