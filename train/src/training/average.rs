//! The exponential moving average of a network's weights. It is what plays, because it is steadier than the weights in
//! training.

use crate::error::Result;
use crate::network::flat::FlatParameters;
use crate::network::parameters::Parameters;
use tch::Tensor;

/// Moving averages of all tensors of a network, including the norm statistics.
#[derive(Debug)]
pub(crate) struct Average {
    /// Share of the average that is kept in each step, except in the first ones.
    keep: f64,
    values: Tensor,
}

impl Average {
    /// Begins as a copy of the weights. `half_life` is in steps.
    ///
    /// # Errors
    /// libtorch cannot make the tensors.
    pub fn new(parameters: &FlatParameters, half_life: f64) -> Result<Average> {
        Ok(Average { keep: 0.5f64.powf(1.0 / half_life), values: parameters.values().f_detach_copy()? })
    }

    /// Takes in the weights after step number `step`. In the first steps the average forgets faster, so that the random
    /// start does not linger.
    ///
    /// # Errors
    /// libtorch refuses.
    pub fn update(&mut self, parameters: &FlatParameters, step: u64) -> Result<()> {
        let _guard = tch::no_grad_guard();
        let keep = self.keep.min((1.0 + step as f64) / (10.0 + step as f64));
        let _ = self.values.f_lerp_(parameters.values(), 1.0 - keep)?;
        Ok(())
    }

    /// Copies the average of these parameters into another network of the same blueprint.
    ///
    /// # Errors
    /// libtorch refuses.
    pub fn copy_into(&self, parameters: &FlatParameters, other: &Parameters) -> Result<()> {
        let _guard = tch::no_grad_guard();
        for ((_, parameter), mine) in other.iter().zip(parameters.named(&self.values)?.values()) {
            parameter.tensor.shallow_clone().f_copy_(mine)?;
        }
        Ok(())
    }

    /// The averages of all values.
    pub fn values(&self) -> &Tensor {
        &self.values
    }
}
