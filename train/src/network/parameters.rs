//! A network's tensors by name, in alphabetical order: the order of files, optimiser and average.

use crate::error::Result;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::collections::BTreeMap;
use tch::{Device, Kind, Tensor};

/// What the optimiser may do with a parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// A matrix or kernel: trained, with weight decay.
    Weight,
    /// A bias, norm gain or embedding: trained, without weight decay.
    Offset,
    /// A running statistic of a norm: the forward pass updates it in training, the optimiser does not.
    Statistic,
}

/// One named tensor.
#[derive(Debug)]
pub struct Parameter {
    /// What the optimiser may do with it.
    pub role: Role,
    /// The tensor itself; the network's layers hold further handles to the same storage.
    pub tensor: Tensor,
}

/// The initial values of a tensor.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Init {
    /// One value for all.
    Constant(f64),
    /// Uniform with variance `gain² / fan_in`.
    Scaled { gain: f64, fan_in: i64 },
}

/// All tensors of a network.
#[derive(Debug)]
pub struct Parameters {
    entries: BTreeMap<String, Parameter>,
    seed: u64,
    device: Device,
}

impl Parameters {
    /// An empty store. The initial values of a tensor depend on `seed` and its name, and on nothing else.
    pub(crate) fn new(seed: u64, device: Device) -> Parameters {
        Parameters { entries: BTreeMap::new(), seed, device }
    }

    /// Creates a tensor and returns a handle to it.
    pub(crate) fn create(&mut self, name: String, role: Role, shape: &[i64], init: Init) -> Result<Tensor> {
        let mut tensor = match init {
            Init::Constant(value) => Tensor::f_full(shape, value, (Kind::Float, self.device))?,
            Init::Scaled { gain, fan_in } => {
                let count = shape.iter().product::<i64>() as usize;
                let bound = gain * (3.0 / fan_in as f64).sqrt();
                let key = blake3::hash(format!("{}/{name}", self.seed).as_bytes());
                let mut rng = ChaCha8Rng::from_seed(*key.as_bytes());
                let values: Vec<f32> = (0..count).map(|_| rng.random_range(-bound..bound) as f32).collect();
                Tensor::f_from_slice(&values)?.f_reshape(shape)?.f_to_device(self.device)?
            }
        };
        if role != Role::Statistic {
            tensor = tensor.f_requires_grad_(true)?;
        }
        let handle = tensor.shallow_clone();
        self.entries.insert(name, Parameter { role, tensor });
        Ok(handle)
    }

    /// Names and tensors, in the order of the names.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Parameter)> {
        self.entries.iter().map(|(name, parameter)| (name.as_str(), parameter))
    }

    /// Where the tensors are made.
    pub(crate) fn device(&self) -> Device {
        self.device
    }

    /// Further handles to the same tensors.
    pub(crate) fn share(&self) -> Parameters {
        let share = |(name, p): (&String, &Parameter)| {
            (name.clone(), Parameter { role: p.role, tensor: p.tensor.shallow_clone() })
        };
        Parameters { entries: self.entries.iter().map(share).collect(), ..*self }
    }

    /// Copies the values of another store that has the same names and shapes.
    pub(crate) fn copy_from(&self, other: &Parameters) -> Result<()> {
        let _guard = tch::no_grad_guard();
        for ((_, mine), (_, theirs)) in self.iter().zip(other.iter()) {
            mine.tensor.shallow_clone().f_copy_(&theirs.tensor)?;
        }
        Ok(())
    }
}
