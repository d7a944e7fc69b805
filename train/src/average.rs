//! The exponential average of a network's weights: what plays, because it is steadier than what trains.

use crate::error::Result;
use crate::parameters::Parameters;
use std::collections::BTreeMap;
use tch::Tensor;

/// Averages of all tensors of a network, norm statistics included.
#[derive(Debug)]
pub struct Average {
    /// Share kept in each step once the average is old.
    keep: f64,
    tensors: BTreeMap<String, Tensor>,
}

impl Average {
    /// Begins as a copy of the weights. `half_life` in steps.
    ///
    /// # Errors
    /// libtorch cannot make the tensors.
    pub fn new(parameters: &Parameters, half_life: f64) -> Result<Average> {
        let copy = |(name, parameter): (&str, &crate::parameters::Parameter)| {
            Ok((name.to_owned(), parameter.tensor.f_detach_copy()?))
        };
        Ok(Average { keep: 0.5f64.powf(1.0 / half_life), tensors: parameters.iter().map(copy).collect::<Result<_>>()? })
    }

    /// Takes the weights after step number `step` in. A young average forgets faster, so that the random
    /// start does not linger.
    ///
    /// # Errors
    /// libtorch refuses.
    pub fn update(&mut self, parameters: &Parameters, step: u64) -> Result<()> {
        let _guard = tch::no_grad_guard();
        let keep = self.keep.min((1.0 + step as f64) / (10.0 + step as f64));
        for ((_, parameter), mine) in parameters.iter().zip(self.tensors.values_mut()) {
            let _ = mine.f_lerp_(&parameter.tensor, 1.0 - keep)?;
        }
        Ok(())
    }

    pub(crate) fn tensors(&self) -> &BTreeMap<String, Tensor> {
        &self.tensors
    }
}
