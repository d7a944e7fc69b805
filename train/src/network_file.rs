//! A network as it is passed around: averaged weights, what they are for, and a name made from their contents.

use crate::error::{FileProblem, Result, TrainError};
use crate::network::Network;
use crate::network::blueprint::Blueprint;
use crate::tensor_file::{self, Contents, HostTensor, HostTensors};
use rules::Variant;
use rules::encode::Shape;
use serde::{Deserialize, Serialize};
use settings::Complaints;
use std::collections::BTreeMap;
use std::path::Path;
use tch::{Device, Tensor};

const KIND: &str = "network";

/// Largest accepted number in the sizes of a variant's encoding. Products of such numbers stay far from overflow.
const MOST_OF_A_SHAPE: usize = 1 << 14;

/// Everything about a network except its tensors.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Description {
    blueprint: Blueprint,
    generation: u32,
    training_step: u64,
}

/// A network that can be written, read and played with. Its tensors are in the program's own memory.
///
/// ```
/// use train::{Blueprint, NetworkConfig, NetworkFile};
/// # fn main() -> Result<(), train::TrainError> {
/// # let folder = tempfile::tempdir().unwrap();
/// # let path = folder.path().join("network.safetensors");
/// let size = NetworkConfig { blocks: 1, channels: 16, ..NetworkConfig::default() };
/// let network = NetworkFile::untrained(Blueprint::of::<rules::Wangqi>(size), 7)?;
/// network.write(&path)?;
/// let read = NetworkFile::read(&path)?;
/// assert_eq!(read.id(), network.id());
/// assert!(read.require::<rules::Xiangqi>(&path).unwrap_err().to_string().contains("it plays wangqi, not xiangqi"));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct NetworkFile {
    description: Description,
    tensors: HostTensors,
    id: String,
}

impl NetworkFile {
    /// An untrained network; equal seeds give equal networks.
    ///
    /// # Errors
    /// libtorch cannot make the tensors.
    pub fn untrained(blueprint: Blueprint, seed: u64) -> Result<NetworkFile> {
        let network = Network::new(blueprint, seed, Device::Cpu)?;
        let tensors = network.parameters().iter().map(|(name, parameter)| (name, &parameter.tensor));
        Self::from_tensors(network.blueprint().clone(), tensors, 0, 0)
    }

    /// The weights of a network as they are.
    ///
    /// # Errors
    /// libtorch cannot copy the tensors.
    pub fn of_network(network: &Network, generation: u32, step: u64) -> Result<NetworkFile> {
        let tensors = network.parameters().iter().map(|(name, parameter)| (name, &parameter.tensor));
        Self::from_tensors(network.blueprint().clone(), tensors, generation, step)
    }

    fn from_tensors<'a>(
        blueprint: Blueprint,
        tensors: impl Iterator<Item = (&'a str, &'a Tensor)>,
        generation: u32,
        training_step: u64,
    ) -> Result<NetworkFile> {
        let copied = tensors.map(|(name, tensor)| Ok((name.to_owned(), HostTensor::of(tensor)?)));
        let tensors = copied.collect::<Result<HostTensors>>()?;
        let description = Description { blueprint, generation, training_step };
        let json = serde_json::to_string(&description)?;
        let id = tensor_file::digest(KIND, &json, &tensors);
        Ok(NetworkFile { description, tensors, id })
    }

    /// The same network with its weights rounded to bf16, for a file of half the size. It plays no differently where play
    /// is in bf16 anyway, but it is another network by its contents and has an id of its own.
    ///
    /// # Errors
    /// The description cannot be written as JSON.
    pub fn in_bf16(&self) -> Result<NetworkFile> {
        let tensors: HostTensors = self.tensors.iter().map(|(name, tensor)| (name.clone(), tensor.in_bf16())).collect();
        let id = tensor_file::digest(KIND, &serde_json::to_string(&self.description)?, &tensors);
        Ok(NetworkFile { description: self.description.clone(), tensors, id })
    }

    /// Writes it so that it appears whole or not at all; in bf16 where that loses nothing.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn write(&self, path: &Path) -> Result<()> {
        tensor_file::write(path, KIND, &self.description, &self.tensors)?;
        Ok(())
    }

    /// Reads and checks a network: digest, names and shapes of all tensors, finite values.
    ///
    /// # Errors
    /// The file cannot be read, or is not an intact network of this format; the error names it and the repair.
    pub fn read(path: &Path) -> Result<NetworkFile> {
        Self::of_contents(path, tensor_file::read::<Description>(path, KIND)?)
    }

    /// Reads and checks a network in memory, which errors call `path`.
    ///
    /// # Errors
    /// As [`NetworkFile::read`].
    pub fn of_bytes(path: &Path, bytes: &[u8]) -> Result<NetworkFile> {
        let contents = tensor_file::parse(bytes, KIND).map_err(|problem| TrainError::file(path, problem))?;
        Self::of_contents(path, contents)
    }

    fn of_contents(path: &Path, contents: Contents<Description>) -> Result<NetworkFile> {
        let file = NetworkFile { description: contents.description, tensors: contents.tensors, id: contents.digest };
        let shapes = file.shapes(path)?;
        file.check(&shapes).map_err(|problem| TrainError::file(path, problem))?;
        Ok(file)
    }

    /// Names and shapes of the tensors that the description asks for.
    fn shapes(&self, path: &Path) -> Result<BTreeMap<String, Vec<usize>>> {
        let mut complaints = Complaints::default();
        complaints.section("network", |complaints| self.blueprint().config.check(complaints));
        if let Some(first) = complaints.list().first() {
            return Err(TrainError::file(path, FileProblem::Tensors(first.to_string())));
        }
        let shape = self.blueprint().shape;
        if [shape.planes, shape.ranks, shape.files, shape.hand_slots, shape.material]
            .iter()
            .any(|&n| n > MOST_OF_A_SHAPE)
        {
            return Err(TrainError::file(path, FileProblem::Tensors(format!("{shape:?} is no variant's"))));
        }
        // No more values are made than the file has.
        let values = self.tensors.values().map(|tensor| tensor.values.len() as u64).sum();
        let network = match Network::at_most(values, self.blueprint().clone()) {
            Err(TrainError::TooManyValues { name }) => {
                let problem = FileProblem::Tensors(format!("there are too few values for {name}"));
                return Err(TrainError::file(path, problem));
            }
            network => network?,
        };
        let shape = |tensor: &Tensor| tensor.size().iter().map(|&n| n as usize).collect();
        Ok(network.parameters().iter().map(|(name, p)| (name.to_owned(), shape(&p.tensor))).collect())
    }

    /// Whether the tensors have the names and shapes that they should have, and finite values.
    fn check(&self, wanted: &BTreeMap<String, Vec<usize>>) -> Result<(), FileProblem> {
        for (name, shape) in wanted {
            match self.tensors.get(name) {
                None => return Err(FileProblem::Tensors(format!("{name} is missing"))),
                Some(tensor) if tensor.shape != *shape => {
                    return Err(FileProblem::Tensors(format!("{name} is {:?} and not {shape:?}", tensor.shape)));
                }
                Some(tensor) if !tensor.values.iter().all(|value| value.is_finite()) => {
                    return Err(FileProblem::NotFinite(name.clone()));
                }
                Some(_) => {}
            }
        }
        match self.tensors.keys().find(|name| !wanted.contains_key(*name)) {
            Some(name) => Err(FileProblem::Tensors(format!("{name} is not part of such a network"))),
            None => Ok(()),
        }
    }

    /// Refuses a network that is for another variant or another encoding of it. `path` is where it came from.
    ///
    /// # Errors
    /// [`FileProblem::Variant`] or [`FileProblem::Shape`].
    pub fn require<V: Variant>(&self, path: &Path) -> Result<()> {
        let Blueprint { variant, shape, config } = self.blueprint();
        if variant != V::ID {
            let problem = FileProblem::Variant { found: variant.clone(), wanted: V::ID.to_owned() };
            return Err(TrainError::file(path, problem));
        }
        let wanted = Shape::of::<V>(config.features);
        if *shape != wanted {
            let problem = FileProblem::Shape { found: format!("{shape:?}"), wanted: format!("{wanted:?}") };
            return Err(TrainError::file(path, problem));
        }
        Ok(())
    }

    /// What the network was built from.
    pub fn blueprint(&self) -> &Blueprint {
        &self.description.blueprint
    }

    /// The generation of self-play that plays with it; 0 for an untrained network.
    pub fn generation(&self) -> u32 {
        self.description.generation
    }

    /// Steps of training that made it.
    pub fn training_step(&self) -> u64 {
        self.description.training_step
    }

    /// 16 hex digits of a hash of the contents: the name of the network in game records.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// A tensor by name.
    pub(crate) fn tensor(&self, name: &str) -> Result<Tensor> {
        match self.tensors.get(name) {
            Some(tensor) => tensor.tensor(),
            None => Err(TrainError::MissingTensor(name.to_owned())),
        }
    }

    /// The network in its training form, with these weights.
    ///
    /// # Errors
    /// libtorch cannot make the tensors.
    pub fn network(&self, device: Device) -> Result<Network> {
        let network = Network::new(self.blueprint().clone(), 0, device)?;
        let _guard = tch::no_grad_guard();
        for (name, parameter) in network.parameters().iter() {
            parameter.tensor.shallow_clone().f_copy_(&self.tensor(name)?)?;
        }
        Ok(network)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::NetworkConfig;

    /// The tensors of a small network under the description of another one, with a right digest: what a stranger could write.
    fn refused(blueprint: Blueprint) -> String {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("network.safetensors");
        let size = NetworkConfig { blocks: 1, channels: 8, se_hidden: 4, ..NetworkConfig::default() };
        let small = NetworkFile::untrained(Blueprint::of::<rules::Wangqi>(size), 1).unwrap();
        let description = Description { blueprint, ..small.description };
        tensor_file::write(&path, KIND, &description, &small.tensors).unwrap();
        NetworkFile::read(&path).unwrap_err().to_string()
    }

    #[test]
    fn a_network_is_made_only_as_far_as_its_file_goes() {
        let large = NetworkConfig { blocks: 60, channels: 512, ..NetworkConfig::default() };
        let error = refused(Blueprint::of::<rules::Wangqi>(large.clone()));
        assert!(error.contains("there are too few values for"), "{error}");
        let mut absurd = Blueprint::of::<rules::Wangqi>(large.clone());
        absurd.shape.planes = 1 << 31;
        assert!(refused(absurd).contains("is no variant's"));
        let mut absurd = Blueprint::of::<rules::Wangqi>(large);
        (absurd.shape.ranks, absurd.shape.files) = (MOST_OF_A_SHAPE, MOST_OF_A_SHAPE);
        assert!(refused(absurd).contains("there are too few values for"));
    }
}
