//! Where a network runs: on CPU threads, or on a GPU where there is one.

use crate::error::{DeviceProblem, Result};
use crate::libtorch;
use serde::{Deserialize, Serialize};
use tch::Device;

/// The device that a configuration asks for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum DeviceChoice {
    /// A GPU if libtorch sees one, otherwise the CPU.
    #[default]
    Auto,
    /// The CPU.
    Cpu,
    /// The first GPU; an error where there is none.
    Cuda,
}

settings::named!(DeviceChoice { Auto = "auto", Cpu = "cpu", Cuda = "cuda" });

impl DeviceChoice {
    /// The device that this choice means on this machine. Opens libtorch, and its GPU part unless the CPU is asked for.
    ///
    /// # Errors
    /// libtorch cannot be opened, or a GPU is asked for and cannot be used.
    pub fn resolve(self) -> Result<Device> {
        libtorch::open()?;
        match self {
            DeviceChoice::Cpu => Ok(Device::Cpu),
            DeviceChoice::Auto => Ok(gpu().unwrap_or(Device::Cpu)),
            DeviceChoice::Cuda => Ok(gpu()?),
        }
    }

    /// The choice that names `device`.
    pub fn naming(device: Device) -> DeviceChoice {
        if device.is_cuda() { DeviceChoice::Cuda } else { DeviceChoice::Cpu }
    }
}

/// The first GPU.
fn gpu() -> Result<Device, DeviceProblem> {
    libtorch::cuda().map_err(DeviceProblem::NoGpuPart)?;
    if tch::Cuda::is_available() { Ok(Device::Cuda(0)) } else { Err(DeviceProblem::NoGpu) }
}
