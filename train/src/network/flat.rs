//! The parameters of a network in one vector, and their gradients in another. So the optimiser, the average and the parts of
//! a step make a few operations on long vectors, instead of a few on each of many short tensors.
//!
//! The weights, which decay, come first; then what is trained without decay; then the statistics of the norms. Every tensor
//! begins at a multiple of 64 bytes, as if it had been allocated by itself. The values in between are 0, and as their
//! gradients are 0 they stay so.

use crate::error::{Result, TrainError};
use crate::network::parameters::{Parameters, Role};
use std::collections::BTreeMap;
use tch::{Kind, Tensor};

/// Values in 64 bytes: a cache line, and the alignment that libtorch gives to its tensors on a CPU.
const ALIGNMENT: i64 = 16;

/// Where one tensor lies in the vector.
#[derive(Debug)]
struct Extent {
    start: i64,
    shape: Vec<i64>,
}

impl Extent {
    /// The tensor's part of a vector.
    fn of(&self, vector: &Tensor) -> Result<Tensor> {
        let length = self.shape.iter().product();
        Ok(vector.f_narrow(0, self.start, length)?.f_view(self.shape.as_slice())?)
    }
}

/// All parameters of a network as one vector: the tensors that its layers hold are parts of it, and so are their gradients.
#[derive(Debug)]
pub(crate) struct FlatParameters {
    parameters: Parameters,
    extents: BTreeMap<String, Extent>,
    /// Values that decay.
    decaying: i64,
    /// Values that are trained, those that decay among them.
    trained: i64,
    values: Tensor,
    gradients: Tensor,
}

impl FlatParameters {
    /// Moves the parameters of a network into one vector. Their gradients are 0 from then on.
    ///
    /// # Errors
    /// libtorch cannot make the vectors.
    pub fn new(parameters: &Parameters) -> Result<FlatParameters> {
        let (mut extents, mut end) = (BTreeMap::new(), 0);
        let mut lay = |role| {
            for (name, parameter) in parameters.iter().filter(|(_, p)| p.role == role) {
                let shape = parameter.tensor.size();
                let length: i64 = shape.iter().product();
                extents.insert(name.to_owned(), Extent { start: end, shape });
                end = (end + length + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
            }
            end
        };
        let [decaying, trained, all] = [Role::Weight, Role::Offset, Role::Statistic].map(&mut lay);
        let zeros = |length: i64| Tensor::f_zeros([length], (Kind::Float, parameters.device()));
        let flat = FlatParameters {
            parameters: parameters.share(),
            values: zeros(all)?,
            gradients: zeros(trained)?,
            extents,
            decaying,
            trained,
        };
        for ((_, parameter), extent) in flat.parameters.iter().zip(flat.extents.values()) {
            // Handles to one tensor share its data, so all that the layers hold follow.
            let mut tensor = parameter.tensor.shallow_clone();
            if parameter.role != Role::Statistic {
                // A tensor has no gradient before its first backward pass. The values of this one do not matter.
                tensor.f_sum(Kind::Float)?.f_backward()?;
                tensor.f_grad()?.f_set_data(&extent.of(&flat.gradients)?)?;
            }
            let _guard = tch::no_grad_guard();
            let mut part = extent.of(&flat.values)?;
            part.f_copy_(&tensor)?;
            tensor.f_set_data(&part)?;
        }
        Ok(flat)
    }

    /// All values.
    pub fn values(&self) -> &Tensor {
        &self.values
    }

    /// The gradients of what is trained.
    pub fn gradients(&self) -> &Tensor {
        &self.gradients
    }

    /// The values that are trained.
    pub fn trained(&self) -> Result<Tensor> {
        Ok(self.values.f_narrow(0, 0, self.trained)?)
    }

    /// The values that decay.
    pub fn decaying(&self) -> Result<Tensor> {
        Ok(self.values.f_narrow(0, 0, self.decaying)?)
    }

    /// The statistics of norms.
    pub fn statistics(&self) -> Result<Tensor> {
        let all = self.values.size1()?;
        Ok(self.values.f_narrow(0, self.trained, all - self.trained)?)
    }

    /// The parts of a vector by the names of their tensors. The vector has a number for each value, or for each value
    /// that is trained.
    pub fn named(&self, vector: &Tensor) -> Result<BTreeMap<String, Tensor>> {
        let length = vector.size1()?;
        let inside = self.extents.iter().filter(|(_, extent)| extent.start < length);
        inside.map(|(name, extent)| Ok((name.clone(), extent.of(vector)?))).collect()
    }

    /// Copies all values of a network of the same blueprint.
    pub fn copy_from(&self, other: &FlatParameters) -> Result<()> {
        let _guard = tch::no_grad_guard();
        self.values.shallow_clone().f_copy_(&other.values)?;
        Ok(())
    }

    /// Checks that every parameter and every gradient still lies in its vector.
    ///
    /// # Errors
    /// [`TrainError::Strayed`] with the name of one that does not.
    pub fn check(&self) -> Result<()> {
        let at =
            |vector: &Tensor, extent: &Extent| vector.data_ptr() as usize + size_of::<f32>() * extent.start as usize;
        for ((name, parameter), extent) in self.parameters.iter().zip(self.extents.values()) {
            let is_trained = parameter.role != Role::Statistic;
            let strayed = |what| Err(TrainError::Strayed { what, name: name.to_owned() });
            if parameter.tensor.data_ptr() as usize != at(&self.values, extent) {
                return strayed("tensor");
            }
            if is_trained {
                let gradient = parameter.tensor.f_grad()?;
                if !gradient.defined() || gradient.data_ptr() as usize != at(&self.gradients, extent) {
                    return strayed("gradient");
                }
            }
        }
        Ok(())
    }
}
