//! Sums over the steps between two reports, from which metrics are made.

use crate::error::Result;
use crate::heads::{Metrics, SUMS};
use tch::{Device, Kind, Tensor};

/// Sums that are kept on the device, so that the program waits for a GPU only at reports.
pub(crate) struct Sums {
    /// Sums since the last report; the last one is of the gradient's norm.
    recent: Tensor,
    whole: Tensor,
}

impl Sums {
    /// Sums over no steps, on this device.
    ///
    /// # Errors
    /// libtorch cannot make the tensors (memory, device).
    pub fn new(device: Device) -> Result<Sums> {
        let zeros = || Tensor::f_zeros([SUMS as i64 + 1], (Kind::Double, device));
        Ok(Sums { recent: zeros()?, whole: zeros()? })
    }

    /// Adds the sums of one step and the norm of its gradient, a tensor of one number. Both lie on the device.
    ///
    /// # Errors
    /// libtorch refuses.
    pub fn add(&mut self, sums: &Tensor, norm: &Tensor) -> Result<()> {
        let _guard = tch::no_grad_guard();
        let _ = self.recent.f_add_(&Tensor::f_cat(&[sums, &norm.f_reshape([1])?], 0)?)?;
        Ok(())
    }

    /// Means since the last report, and the sum of the gradient's norms.
    ///
    /// # Errors
    /// libtorch fails.
    pub fn report(&mut self) -> Result<(Metrics, f64)> {
        let _ = self.whole.f_add_(&self.recent)?;
        let (sums, norms) = read(&self.recent)?;
        let _ = self.recent.f_zero_()?;
        Ok((Metrics::from_sums(&sums), norms))
    }

    /// Means over everything, and the mean norm of the gradient.
    ///
    /// # Errors
    /// libtorch fails.
    pub fn whole(&mut self, steps: u64) -> Result<(Metrics, f64)> {
        self.report()?;
        let (sums, norm) = read(&self.whole)?;
        Ok((Metrics::from_sums(&sums), norm / steps.max(1) as f64))
    }
}

fn read(sums: &Tensor) -> Result<([f64; SUMS], f64)> {
    let mut values = [0f64; SUMS + 1];
    sums.f_to_device(Device::Cpu)?.f_copy_data(&mut values, SUMS + 1)?;
    let mut metrics = [0f64; SUMS];
    metrics.copy_from_slice(&values[..SUMS]);
    Ok((metrics, values[SUMS]))
}
