//! Memory through which a batch goes to the device and its answers come back.

#![allow(unsafe_code)]

use crate::error::Result;
use half::bf16;
use tch::{Device, Kind, Tensor};

/// Numbers in the program's memory that a device reads and writes. For a GPU this memory is page-locked, so that the GPU
/// reaches it directly and the sending thread need not wait.
pub(crate) struct Staging {
    /// One dimension.
    host: Tensor,
    device: Device,
}

/// A number as libtorch stores it. (`tch` takes bf16 for another kind.)
pub(crate) trait Number: Copy {
    /// What libtorch calls its kind.
    const KIND: Kind;
}

impl Number for f32 {
    const KIND: Kind = Kind::Float;
}

impl Number for bf16 {
    const KIND: Kind = Kind::BFloat16;
}

impl Number for i16 {
    const KIND: Kind = Kind::Int16;
}

impl Staging {
    /// Room for so many numbers of this kind, all 0.
    ///
    /// # Errors
    /// libtorch refuses (memory).
    pub fn new(length: usize, kind: Kind, device: Device) -> Result<Staging> {
        let host = Tensor::f_zeros([length as i64], (kind, Device::Cpu))?;
        Ok(Staging { host: pinned(host, device)?, device })
    }

    /// Makes room for so many numbers.
    fn reserve(&mut self, length: usize) -> Result<()> {
        if self.host.numel() < length {
            *self = Staging::new(length.next_power_of_two(), self.host.kind(), self.device)?;
        }
        Ok(())
    }

    /// The first numbers, to be written. What was sent before must have arrived, which is certain once its answers are
    /// back.
    fn values<T: Number>(&mut self, length: usize) -> Result<&mut [T]> {
        assert_eq!(self.host.kind(), T::KIND, "the kind of the numbers");
        self.reserve(length)?;
        // SAFETY: the tensor is on the host, contiguous, of `length` numbers of this kind or more, and lives as long as
        // `self`; nothing else writes to it, and nothing reads it before it is sent. This saves a copy of every batch.
        Ok(unsafe { std::slice::from_raw_parts_mut(self.host.data_ptr().cast::<T>(), length) })
    }

    /// The first numbers as a tensor of these sizes on the device.
    fn send(&self, sizes: &[i64]) -> Result<Tensor> {
        let room = self.host.f_narrow(0, 0, sizes.iter().product())?.f_view(sizes)?;
        to_device(room, self.device)
    }

    /// The planes of a batch of these sizes on the device: `planes` first, then zeros. They are rounded to the kind of this
    /// memory, which is fp32 or bf16.
    ///
    /// # Errors
    /// libtorch cannot copy the batch to the device.
    pub fn send_planes(&mut self, planes: &[f32], sizes: &[i64; 4]) -> Result<Tensor> {
        match self.host.kind() {
            Kind::BFloat16 => self.write_planes(planes, sizes, nearest)?,
            _ => self.write_planes(planes, sizes, |value| value)?,
        }
        self.send(sizes)
    }

    fn write_planes<T: Number>(&mut self, planes: &[f32], sizes: &[i64; 4], rounded: impl Fn(f32) -> T) -> Result<()> {
        let room = self.values::<T>(sizes.iter().product::<i64>() as usize)?;
        let (used, rest) = room.split_at_mut(planes.len());
        used.iter_mut().zip(planes).for_each(|(to, &from)| *to = rounded(from));
        rest.fill(rounded(0.0));
        Ok(())
    }

    /// Numbers that `write` fills in, as a tensor of these sizes on the device.
    ///
    /// # Errors
    /// libtorch cannot copy them to the device.
    pub fn send_written<T: Number>(&mut self, sizes: &[i64], write: impl FnOnce(&mut [T])) -> Result<Tensor> {
        write(self.values(sizes.iter().product::<i64>() as usize)?);
        self.send(sizes)
    }

    /// Waits for a tensor of the device and returns its numbers.
    ///
    /// # Errors
    /// The device could not compute the tensor, or it cannot be copied.
    pub fn receive<T: Number>(&mut self, from: &Tensor) -> Result<&[T]> {
        let length = from.numel();
        self.reserve(length)?;
        self.host.f_narrow(0, 0, length as i64)?.f_copy_(&from.f_view([-1])?)?;
        Ok(&*self.values(length)?)
    }
}

/// The nearest bf16 to a finite number, of two the even one. (`half` looks for NaN first, so that one number is rounded at a
/// time.)
fn nearest(value: f32) -> bf16 {
    let bits = value.to_bits();
    bf16::from_bits(((bits + 0x7fff + ((bits >> 16) & 1)) >> 16) as u16)
}

/// A tensor of the host in memory that a device can reach by itself.
fn pinned(host: Tensor, device: Device) -> Result<Tensor> {
    // `pin_memory` pins, too, but warns on each call.
    if device.is_cuda() { Ok(host.f_internal_pin_memory(device)?) } else { Ok(host) }
}

/// A tensor in such memory on its way to the device.
fn to_device(host: Tensor, device: Device) -> Result<Tensor> {
    if device.is_cuda() { Ok(host.f_to_device_(device, host.kind(), true, false)?) } else { Ok(host) }
}

/// Copies a tensor of the host to a device. The copy may still be in progress on return; later work on the device waits
/// for it.
///
/// # Errors
/// libtorch cannot make the copy (memory, device).
pub(crate) fn sent(host: Tensor, device: Device) -> Result<Tensor> {
    to_device(pinned(host, device)?, device)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn planes_are_rounded_as_by_libtorch_and_padded_with_zeros() {
        crate::libtorch::open().unwrap();
        let planes: Vec<f32> =
            (0..3000).map(|i| (i as f32 - 1500.0) * 0.001_37).chain([0.0, -0.0, 1.0, 1e-30]).collect();
        let sizes = [2, 1, 40, 40];
        for kind in [Kind::Float, Kind::BFloat16] {
            let mut staging = Staging::new(1, kind, Device::Cpu).unwrap();
            let found = staging.send_planes(&planes, &sizes).unwrap();
            let padded = [planes.as_slice(), &vec![0.0; 3200 - planes.len()]].concat();
            let expected = Tensor::from_slice(&padded).to_kind(kind).view(sizes);
            assert!(found.kind() == kind && found.equal(&expected), "{kind:?}");
        }
    }
}
