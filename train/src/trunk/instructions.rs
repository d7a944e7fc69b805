//! The choice between the instruction sets of a processor.

use crate::trunk::lanes::Work;
#[cfg(target_arch = "x86_64")]
use crate::trunk::x86::{Avx2, Avx512};

/// Instructions that this processor has.
#[derive(Clone, Copy, Debug)]
pub(super) enum Instructions {
    #[cfg(target_arch = "x86_64")]
    Avx512(Avx512),
    #[cfg(target_arch = "x86_64")]
    Avx2(Avx2),
}

impl Instructions {
    /// Those that the processor has, the fastest first.
    pub fn possible() -> Vec<Instructions> {
        #[cfg(target_arch = "x86_64")]
        let found = [Avx512::detect().map(Instructions::Avx512), Avx2::detect().map(Instructions::Avx2)];
        #[cfg(not(target_arch = "x86_64"))]
        let found: [Option<Instructions>; 0] = [];
        found.into_iter().flatten().collect()
    }

    /// Runs work compiled for these instructions.
    pub fn run<W: Work>(self, work: W) {
        match self {
            #[cfg(target_arch = "x86_64")]
            Instructions::Avx512(instructions) => instructions.run(work),
            #[cfg(target_arch = "x86_64")]
            Instructions::Avx2(instructions) => instructions.run(work),
        }
    }
}
