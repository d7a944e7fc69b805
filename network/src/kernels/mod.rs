//! Kernels: the convolutions for the instructions of a processor.
//!
//! All code is written once, in plain Rust and generic over an [`InstructionSet`], and compiled for each of them. An
//! instruction set is a value that exists only where the processor has the instructions. For the innermost step of a
//! convolution it implements [`MultiplyAdd`] with the instructions themselves, which is where all unsafe code is. Integer
//! kernels give equal bits, and so do those in fp32, because all fuse the same products with the same additions in the
//! same order.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512vnni;
#[cfg(target_arch = "x86_64")]
mod avxvnni;
pub(crate) mod convolution;
mod portable;

use crate::error::{NetworkError, Result};
use crate::format::Format;
use crate::lanes::Lanes;

pub(crate) use portable::Portable;
#[cfg(target_arch = "x86_64")]
pub(crate) use {avx2::Avx2, avx512vnni::Avx512Vnni, avxvnni::AvxVnni};

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

/// The environment variable that names a kernel.
pub const KERNEL_VARIABLE: &str = "KIRIN_KERNEL";

/// A kernel by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kernel {
    /// AVX-512 with VNNI.
    Avx512Vnni,
    /// AVX-VNNI, for integers; otherwise AVX2 with FMA.
    AvxVnni,
    /// AVX2 with FMA.
    Avx2,
    /// Plain Rust.
    Portable,
}

settings::named!(Kernel { Avx512Vnni = "avx512vnni", AvxVnni = "avxvnni", Avx2 = "avx2", Portable = "portable" });

/// An instruction set that the processor was found to have.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Detected {
    #[cfg(target_arch = "x86_64")]
    Avx512Vnni(Avx512Vnni),
    #[cfg(target_arch = "x86_64")]
    AvxVnni(AvxVnni),
    #[cfg(target_arch = "x86_64")]
    Avx2(Avx2),
    Portable,
}

impl Kernel {
    /// All kernels, the fastest first.
    pub const ALL: [Kernel; 4] = [Kernel::Avx512Vnni, Kernel::AvxVnni, Kernel::Avx2, Kernel::Portable];

    /// The kernels for which this processor has the instructions, the fastest first.
    pub fn possible() -> Vec<Kernel> {
        Kernel::ALL.into_iter().filter(|kernel| kernel.detected().is_some()).collect()
    }

    /// The kernel that [`KERNEL_VARIABLE`] names in the environment; if it is not set, the fastest one.
    ///
    /// # Errors
    /// There is no kernel of that name, or the processor lacks its instructions.
    pub fn chosen() -> Result<Kernel> {
        match std::env::var_os(KERNEL_VARIABLE) {
            Some(name) => Kernel::named(&name.to_string_lossy()),
            None => Ok(Kernel::possible().first().copied().unwrap_or(Kernel::Portable)),
        }
    }

    /// The kernel of this name, if the processor has its instructions.
    ///
    /// # Errors
    /// There is no kernel of that name, or the processor lacks its instructions.
    pub fn named(name: &str) -> Result<Kernel> {
        let unknown = |unknown| NetworkError::UnknownKernel { variable: KERNEL_VARIABLE, unknown };
        let kernel: Kernel = name.parse().map_err(unknown)?;
        kernel.require()?;
        Ok(kernel)
    }

    /// The instruction set of this kernel.
    pub(crate) fn require(self) -> Result<Detected> {
        let names = || Kernel::possible().iter().map(Kernel::to_string).collect();
        let unsupported = || NetworkError::UnsupportedKernel { name: self.to_string(), possible: names() };
        self.detected().ok_or_else(unsupported)
    }

    #[cfg(target_arch = "x86_64")]
    fn detected(self) -> Option<Detected> {
        match self {
            Kernel::Avx512Vnni => Avx512Vnni::detect().map(Detected::Avx512Vnni),
            Kernel::AvxVnni => AvxVnni::detect().map(Detected::AvxVnni),
            Kernel::Avx2 => Avx2::detect().map(Detected::Avx2),
            Kernel::Portable => Some(Detected::Portable),
        }
    }

    #[cfg(not(target_arch = "x86_64"))]
    fn detected(self) -> Option<Detected> {
        (self == Kernel::Portable).then_some(Detected::Portable)
    }
}
