//! Where a network runs: CPU threads, or a GPU when there is one.

use crate::error::{Result, TrainError};
use serde::{Deserialize, Serialize};
use std::sync::OnceLock;
use tch::Device;

/// The device of a config.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum DeviceChoice {
    /// A GPU where libtorch sees one, else the CPU.
    #[default]
    Auto,
    /// The CPU.
    Cpu,
    /// The first GPU; an error where there is none.
    Cuda,
}

impl DeviceChoice {
    /// The device meant by this choice on this machine. Loads libtorch's GPU part unless the CPU is asked for.
    ///
    /// # Errors
    /// A GPU is asked for and cannot be used.
    pub fn resolve(self) -> Result<Device> {
        match (self, self != DeviceChoice::Cpu && cuda_works()) {
            (DeviceChoice::Cuda, false) => Err(TrainError::Device { asked: "cuda".to_owned(), reason: cuda_problem() }),
            (_, true) => Ok(Device::Cuda(0)),
            (_, false) => Ok(Device::Cpu),
        }
    }

    /// The choice that names `device`.
    pub fn naming(device: Device) -> DeviceChoice {
        if device.is_cuda() { DeviceChoice::Cuda } else { DeviceChoice::Cpu }
    }
}

/// libtorch finds its GPU part only if someone has loaded it: nothing in a Rust binary refers to it by a symbol,
/// so the linker leaves it out. It registers itself on loading and must stay loaded.
fn load_cuda() -> &'static std::result::Result<libloading::Library, String> {
    static LIBRARY: OnceLock<std::result::Result<libloading::Library, String>> = OnceLock::new();
    LIBRARY.get_or_init(|| {
        // SAFETY: the library is libtorch's own companion of the same version, found by the same rpath; its
        // initialisers only register GPU kernels.
        unsafe { libloading::Library::new("libtorch_cuda.so") }.map_err(|error| error.to_string())
    })
}

/// libtorch's GPU part, where it could be loaded.
pub(crate) fn cuda_library() -> Option<&'static libloading::Library> {
    load_cuda().as_ref().ok()
}

fn cuda_works() -> bool {
    load_cuda().is_ok() && tch::Cuda::is_available()
}

fn cuda_problem() -> String {
    match load_cuda() {
        Err(error) => format!(
            "this libtorch has no usable GPU part ({error}); set LIBTORCH to one built for CUDA, or device = \"cpu\""
        ),
        Ok(_) => "libtorch sees no GPU; check the driver with nvidia-smi, or set device = \"cpu\"".to_owned(),
    }
}
