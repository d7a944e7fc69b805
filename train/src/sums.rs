//! Sums of figures over the steps between two reports.

use crate::error::Result;
use crate::loss::{Figures, SUMS};
use tch::{Device, Kind, Tensor};

/// Sums of figures, kept on the device so that a GPU is waited for at reports only.
pub(crate) struct Sums {
    /// Since the last report; the gradient's norm is the last of them.
    recent: Tensor,
    whole: Tensor,
}

impl Sums {
    pub fn new(device: Device) -> Result<Sums> {
        let zeros = || Tensor::f_zeros([SUMS as i64 + 1], (Kind::Double, device));
        Ok(Sums { recent: zeros()?, whole: zeros()? })
    }

    pub fn add(&mut self, sums: &Tensor, norm: &Tensor) -> Result<()> {
        let _guard = tch::no_grad_guard();
        let _ = self.recent.f_add_(&Tensor::f_cat(&[sums, &norm.f_reshape([1])?], 0)?)?;
        Ok(())
    }

    /// Means since the last report.
    pub fn report(&mut self) -> Result<Figures> {
        let _ = self.whole.f_add_(&self.recent)?;
        let figures = Figures::from_sums(&read(&self.recent)?.0);
        let _ = self.recent.f_zero_()?;
        Ok(figures)
    }

    /// Means over everything, and the mean norm of the gradient.
    pub fn whole(&mut self, steps: u64) -> Result<(Figures, f64)> {
        self.report()?;
        let (sums, norm) = read(&self.whole)?;
        Ok((Figures::from_sums(&sums), norm / steps.max(1) as f64))
    }
}

fn read(sums: &Tensor) -> Result<([f64; SUMS], f64)> {
    let mut values = [0f64; SUMS + 1];
    sums.f_to_device(Device::Cpu)?.f_copy_data(&mut values, SUMS + 1)?;
    let mut figures = [0f64; SUMS];
    figures.copy_from_slice(&values[..SUMS]);
    Ok((figures, values[SUMS]))
}
