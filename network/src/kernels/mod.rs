//! Kernels: the convolutions for the instructions of a processor.
//!
//! All code is written once, in plain Rust and generic over an [`InstructionSet`](instruction_set::InstructionSet), and compiled for each of them. An
//! instruction set is a value that exists only where the processor has the instructions. For the innermost step of a
//! convolution it implements [`MultiplyAdd`](instruction_set::MultiplyAdd) with the instructions themselves, which is where all unsafe code is. Integer
//! kernels give equal bits, and so do those in fp32, because all fuse the same products with the same additions in the
//! same order.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512vnni;
#[cfg(target_arch = "x86_64")]
mod avxvnni;
pub(crate) mod convolution;
pub(crate) mod instruction_set;
#[cfg(target_arch = "aarch64")]
mod neon;
mod portable;

use crate::error::{NetworkError, Result};

#[cfg(target_arch = "aarch64")]
use neon::Neon;
use portable::Portable;
#[cfg(target_arch = "x86_64")]
use {avx2::Avx2, avx512vnni::Avx512Vnni, avxvnni::AvxVnni};

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
    /// NEON with dot products.
    Neon,
    /// Plain Rust.
    Portable,
}

settings::named!(Kernel {
    Avx512Vnni = "avx512vnni",
    AvxVnni = "avxvnni",
    Avx2 = "avx2",
    Neon = "neon",
    Portable = "portable"
});

/// An instruction set that the processor was found to have.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Detected {
    #[cfg(target_arch = "x86_64")]
    Avx512Vnni(Avx512Vnni),
    #[cfg(target_arch = "x86_64")]
    AvxVnni(AvxVnni),
    #[cfg(target_arch = "x86_64")]
    Avx2(Avx2),
    #[cfg(target_arch = "aarch64")]
    Neon(Neon),
    Portable(Portable),
}

/// Compiles an expression for each instruction set, and evaluates it with the one that was detected.
macro_rules! with_kernel {
    ($detected:expr, $kernel:ident => $run:expr) => {
        match $detected {
            #[cfg(target_arch = "x86_64")]
            $crate::kernels::Detected::Avx512Vnni($kernel) => $run,
            #[cfg(target_arch = "x86_64")]
            $crate::kernels::Detected::AvxVnni($kernel) => $run,
            #[cfg(target_arch = "x86_64")]
            $crate::kernels::Detected::Avx2($kernel) => $run,
            #[cfg(target_arch = "aarch64")]
            $crate::kernels::Detected::Neon($kernel) => $run,
            $crate::kernels::Detected::Portable($kernel) => $run,
        }
    };
}

pub(crate) use with_kernel;

impl Kernel {
    /// All kernels, the fastest first.
    pub const ALL: [Kernel; 5] = [Kernel::Avx512Vnni, Kernel::AvxVnni, Kernel::Avx2, Kernel::Neon, Kernel::Portable];

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

    fn detected(self) -> Option<Detected> {
        match self {
            #[cfg(target_arch = "x86_64")]
            Kernel::Avx512Vnni => Avx512Vnni::detect().map(Detected::Avx512Vnni),
            #[cfg(target_arch = "x86_64")]
            Kernel::AvxVnni => AvxVnni::detect().map(Detected::AvxVnni),
            #[cfg(target_arch = "x86_64")]
            Kernel::Avx2 => Avx2::detect().map(Detected::Avx2),
            #[cfg(target_arch = "aarch64")]
            Kernel::Neon => Neon::detect().map(Detected::Neon),
            Kernel::Portable => Some(Detected::Portable(Portable)),
            _ => None,
        }
    }
}
