//! Memory from which a batch is sent to the device.

#![allow(unsafe_code)]

use crate::error::Result;
use tch::{Device, Kind, Tensor};

/// The planes of one padded batch in the program's memory. For a GPU this memory is page-locked, so that the GPU reads it
/// directly and the sending thread need not wait.
pub(crate) struct Staging {
    host: Tensor,
    length: usize,
    device: Device,
}

impl Staging {
    /// Room for a batch of this shape, filled with zeros.
    pub fn new(shape: [i64; 4], device: Device) -> Result<Staging> {
        let host = Tensor::f_zeros(shape, (Kind::Float, Device::Cpu))?;
        let host = if device.is_cuda() { host.f_pin_memory(device)? } else { host };
        Ok(Staging { length: host.numel(), host, device })
    }

    /// The batch on its device: `planes` first, then zeros. The batch that was sent before must have arrived, which is
    /// certain once its answers have.
    ///
    /// # Errors
    /// libtorch cannot copy the batch to the device.
    pub fn send(&mut self, planes: &[f32]) -> Result<Tensor> {
        // SAFETY: the tensor is on the host, contiguous, of `length` numbers of 32 bits, and lives as long as `self`;
        // nothing else writes to it, and nothing reads it before it is sent. This saves a copy of every batch.
        let room = unsafe { std::slice::from_raw_parts_mut(self.host.data_ptr().cast::<f32>(), self.length) };
        room[..planes.len()].copy_from_slice(planes);
        room[planes.len()..].fill(0.0);
        match self.device {
            Device::Cpu => Ok(self.host.shallow_clone()),
            device => Ok(self.host.f_to_device_(device, Kind::Float, true, false)?),
        }
    }
}
