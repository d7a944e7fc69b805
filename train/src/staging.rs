//! Memory in which a batch waits for its way to the device.

use crate::error::Result;
use tch::{Device, Kind, Tensor};

/// Planes of one padded batch on the host. For a GPU it is page-locked, so that it is read from there directly and
/// the thread that sends it need not wait.
pub(crate) struct Staging {
    host: Tensor,
    length: usize,
    device: Device,
}

impl Staging {
    /// Room for a batch of this shape, all zero.
    pub fn new(shape: [i64; 4], device: Device) -> Result<Staging> {
        let host = Tensor::f_zeros(shape, (Kind::Float, Device::Cpu))?;
        let host = if device.is_cuda() { host.f_pin_memory(device)? } else { host };
        Ok(Staging { length: host.numel(), host, device })
    }

    /// The batch on its device: `planes` first, then zeros. What was sent before must have arrived, as it has when its
    /// answers have.
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
