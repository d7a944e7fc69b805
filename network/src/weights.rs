//! The weights of a network as its file has them: sizes and named tensors, checked.

use crate::blueprint::Blueprint;
use crate::error::{NetworkError, Result};
use half::bf16;
use std::collections::BTreeMap;

/// A tensor in the program's own memory: fp32, with the last index running fastest.
#[derive(Clone, Debug, PartialEq)]
pub struct HostTensor {
    /// Sizes, the outermost first.
    pub shape: Vec<usize>,
    /// As many values as the product of the sizes.
    pub values: Vec<f32>,
}

impl HostTensor {
    /// The nearest tensor whose values are exact in bf16.
    pub fn in_bf16(&self) -> HostTensor {
        let values = self.values.iter().map(|&value| bf16::from_f32(value).to_f32()).collect();
        HostTensor { shape: self.shape.clone(), values }
    }
}

/// Tensors by name.
pub type HostTensors = BTreeMap<String, HostTensor>;

/// A network whose tensors have the names and shapes that its blueprint asks for, and finite values.
#[derive(Clone, Debug, PartialEq)]
pub struct Weights {
    blueprint: Blueprint,
    tensors: HostTensors,
}

impl Weights {
    /// Checks a network that may come from anywhere.
    ///
    /// # Errors
    /// The sizes are impossible, or a tensor is missing, foreign, of another shape or not finite.
    pub fn new(blueprint: Blueprint, tensors: HostTensors) -> Result<Weights> {
        blueprint.check()?;
        let wanted = blueprint.tensors();
        for (name, shape) in &wanted {
            let tensor = tensors.get(name).ok_or_else(|| NetworkError::Missing(name.clone()))?;
            if tensor.shape != *shape {
                let (name, found, wanted) = (name.clone(), tensor.shape.clone(), shape.clone());
                return Err(NetworkError::TensorShape { name, found, wanted });
            }
            let (found, wanted) = (tensor.values.len(), shape.iter().product());
            if found != wanted {
                return Err(NetworkError::TensorLength { name: name.clone(), found, wanted });
            }
            if !tensor.values.iter().all(|value| value.is_finite()) {
                return Err(NetworkError::NotFinite(name.clone()));
            }
        }
        // All of those wanted are there, so a longer list has another one.
        if tensors.len() > wanted.len()
            && let Some(name) = tensors.keys().find(|name| !wanted.iter().any(|(wanted, _)| wanted == *name))
        {
            return Err(NetworkError::Foreign(name.clone()));
        }
        Ok(Weights { blueprint, tensors })
    }

    /// The sizes.
    pub fn blueprint(&self) -> &Blueprint {
        &self.blueprint
    }

    /// The tensors by name.
    pub fn tensors(&self) -> &HostTensors {
        &self.tensors
    }

    /// The same network with other values in its tensors, which have the names and shapes of these and are finite.
    pub(crate) fn with_tensors(&self, tensors: HostTensors) -> Weights {
        Weights { blueprint: self.blueprint.clone(), tensors }
    }

    /// The values of the tensor `name.part`, which the check of [`Weights::new`] has seen.
    pub(crate) fn values(&self, name: &str, part: &str) -> &[f32] {
        self.tensors.get(&format!("{name}.{part}")).map_or(&[], |tensor| &tensor.values)
    }
}
