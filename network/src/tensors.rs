//! A network as its file has it: sizes and named tensors, checked.

use crate::description::Description;
use crate::error::{NetworkError, Result};
use std::collections::BTreeMap;

/// A tensor: its sizes, and its values with the last index running fastest.
#[derive(Clone, Debug, PartialEq)]
pub struct Tensor {
    /// Sizes, the outermost first.
    pub shape: Vec<usize>,
    /// As many values as the product of the sizes.
    pub values: Vec<f32>,
}

/// Tensors by name.
pub type Tensors = BTreeMap<String, Tensor>;

/// A network whose tensors have the names and shapes that its description asks for, and finite values.
#[derive(Clone, Debug, PartialEq)]
pub struct Network {
    description: Description,
    tensors: Tensors,
}

impl Network {
    /// Checks a network that may come from anywhere.
    ///
    /// # Errors
    /// The sizes are impossible, or a tensor is missing, foreign, of another shape or not finite.
    pub fn new(description: Description, tensors: Tensors) -> Result<Network> {
        description.check()?;
        let wanted = description.tensors();
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
        Ok(Network { description, tensors })
    }

    /// The sizes.
    pub fn description(&self) -> &Description {
        &self.description
    }

    /// The tensors by name.
    pub fn tensors(&self) -> &Tensors {
        &self.tensors
    }

    /// The values of the tensor `name.part`, which the check of [`Network::new`] has seen.
    pub(crate) fn values(&self, name: &str, part: &str) -> &[f32] {
        self.tensors.get(&format!("{name}.{part}")).map_or(&[], |tensor| &tensor.values)
    }
}
