//! Everything that a training needs in order to resume as if it had not stopped.

use crate::error::Result;
use crate::host;
use crate::network::flat::FlatParameters;
use crate::training::average::Average;
use crate::training::optimiser::{AdamW, Moments};
use network::Blueprint;
use network::tensor_file;
use network::{FileError, FileProblem, HostTensors};
use serde::{Deserialize, Serialize};
use std::path::Path;
use tch::Tensor;

const KIND: &str = "checkpoint";

/// What a checkpoint contains in addition to its tensors.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Description {
    pub blueprint: Blueprint,
    /// Seed of the initial weights.
    pub seed: u64,
    /// Steps made.
    pub step: u64,
    /// Samples seen.
    pub samples: u64,
}

/// The parts of a training that are saved: the weights, their moving average and the optimiser's moments.
pub(crate) struct Saved<'a> {
    pub parameters: &'a FlatParameters,
    pub average: &'a Average,
    pub optimiser: &'a AdamW,
}

impl Saved<'_> {
    /// The vectors that are saved, each with the first part of its tensors' names in the file.
    fn vectors(&self) -> [(&'static str, &Tensor); 4] {
        let Moments { first, second } = self.optimiser.moments();
        [
            ("model", self.parameters.values()),
            ("average", self.average.values()),
            ("moment1", first),
            ("moment2", second),
        ]
    }

    /// All tensors with their names in the file. They are parts of the vectors.
    fn tensors(&self) -> Result<Vec<(String, Tensor)>> {
        let mut all = Vec::new();
        for (kind, vector) in self.vectors() {
            let parts = self.parameters.named(vector)?.into_iter();
            all.extend(parts.map(|(name, tensor)| (format!("{kind}/{name}"), tensor)));
        }
        Ok(all)
    }

    /// Writes a checkpoint so that it appears whole or not at all.
    ///
    /// # Errors
    /// libtorch cannot copy a tensor to the host, or the file cannot be written.
    pub fn write(&self, path: &Path, description: &Description) -> Result<()> {
        let copied = self.tensors()?.into_iter().map(|(name, tensor)| Ok((name, host::copied(&tensor)?)));
        let tensors = copied.collect::<Result<HostTensors>>()?;
        Ok(tensor_file::write(path, KIND, description, &tensors)?)
    }

    /// The name of a tensor with a value that is not finite; `None` if all are.
    ///
    /// # Errors
    /// libtorch fails.
    pub fn not_finite(&self) -> Result<Option<String>> {
        let _guard = tch::no_grad_guard();
        let is_finite =
            |tensor: &Tensor| -> Result<bool> { Ok(tensor.f_isfinite()?.f_all()?.f_int64_value(&[])? != 0) };
        for (kind, vector) in self.vectors() {
            if is_finite(vector)? {
                continue;
            }
            for (name, tensor) in self.parameters.named(vector)? {
                if !is_finite(&tensor)? {
                    return Ok(Some(format!("{kind}/{name}")));
                }
            }
        }
        Ok(None)
    }

    /// Fills the parts from a checkpoint of the same network.
    ///
    /// # Errors
    /// A tensor is missing, has another shape, has a value that is not finite or belongs to no such checkpoint, or
    /// libtorch fails.
    pub fn fill(&self, path: &Path, mut saved: HostTensors) -> Result<()> {
        let refuse = |reason: String| FileError::file(path, FileProblem::Tensors(reason));
        let _guard = tch::no_grad_guard();
        for (name, mut tensor) in self.tensors()? {
            let host = saved.remove(&name).ok_or_else(|| refuse(format!("{name} is missing")))?;
            let shape: Vec<usize> = tensor.size().iter().map(|&n| n as usize).collect();
            if host.shape != shape {
                return Err(refuse(format!("{name} is {:?} and not {shape:?}", host.shape)).into());
            }
            if !host.values.iter().all(|value| value.is_finite()) {
                return Err(FileError::file(path, FileProblem::NotFinite(name)).into());
            }
            tensor.f_copy_(&host::sent(&host)?)?;
        }
        match saved.into_keys().next() {
            Some(name) => Err(refuse(format!("{name} is not part of such a checkpoint")).into()),
            None => Ok(()),
        }
    }
}

/// Checks that a file is the intact training state of such a network: digest, description, finite values.
///
/// # Errors
/// It cannot be read, is damaged, or is of another network; the error names it and the repair.
pub fn check_checkpoint(path: &Path, blueprint: &Blueprint) -> Result<(), FileError> {
    check_checkpoint_bytes(path, &tensor_file::bytes_of(path)?, blueprint)
}

/// Like [`check_checkpoint`], with a training state in memory, which errors call `path`.
///
/// # Errors
/// As [`check_checkpoint`].
pub fn check_checkpoint_bytes(path: &Path, bytes: &[u8], blueprint: &Blueprint) -> Result<(), FileError> {
    let (_, tensors) = of_bytes(path, bytes, blueprint)?;
    let infinite = tensors.into_iter().find(|(_, tensor)| !tensor.values.iter().all(|value| value.is_finite()));
    infinite.map_or(Ok(()), |(name, _)| Err(FileError::file(path, FileProblem::NotFinite(name))))
}

/// Reads a checkpoint, and refuses it if it is of another network.
pub(crate) fn read(path: &Path, blueprint: &Blueprint) -> Result<(Description, HostTensors), FileError> {
    of_bytes(path, &tensor_file::bytes_of(path)?, blueprint)
}

fn of_bytes(path: &Path, bytes: &[u8], blueprint: &Blueprint) -> Result<(Description, HostTensors), FileError> {
    let contents = tensor_file::parse::<Description>(bytes, KIND).map_err(|problem| FileError::file(path, problem))?;
    let found = &contents.description.blueprint;
    let refuse = |problem| Err(FileError::file(path, problem));
    if found.variant != blueprint.variant {
        return refuse(FileProblem::Variant { found: found.variant.clone(), wanted: blueprint.variant.clone() });
    }
    if found.shape != blueprint.shape {
        let (found, wanted) = (format!("{:?}", found.shape), format!("{:?}", blueprint.shape));
        return refuse(FileProblem::Shape { found, wanted });
    }
    if found.config != blueprint.config {
        let (found, wanted) = (format!("{:?}", found.config), format!("{:?}", blueprint.config));
        return refuse(FileProblem::Config { found, wanted });
    }
    Ok((contents.description, contents.tensors))
}
