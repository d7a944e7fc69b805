//! A network as it is passed around: averaged weights, what they are for, and a name made from their contents.

use crate::blueprint::Blueprint;
use crate::calibration::Calibration;
use crate::error::NetworkError;
use crate::evaluator::{NativeEvaluator, PlayNetwork};
use crate::file_error::{FileError, FileProblem, Result};
use crate::integer_reference::QuantisedNetwork;
use crate::kernels::Kernel;
use crate::tensor_file::{self, Contents};
use crate::weights::{HostTensors, Weights};
use rules::Variant;
use rules::encode::Shape;
use search::LeafBatch;
use serde::{Deserialize, Serialize};
use std::path::Path;
use std::sync::{Arc, OnceLock};

const KIND: &str = "network";

/// Everything about a network except its tensors.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Description {
    blueprint: Blueprint,
    generation: u32,
    training_step: u64,
}

/// A network that can be written, read and played with. Clones share its tensors and what is made of them.
///
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use network::{NetworkFile, Numbers};
/// use search::{Evaluations, Evaluator};
/// use std::path::Path;
/// # let path = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../train/networks/wangqi.safetensors"));
/// let network = NetworkFile::read(path)?;
/// assert!(network.require::<rules::Xiangqi>(path).unwrap_err().to_string().contains("it plays wangqi, not xiangqi"));
/// let leaves = search::random_leaves::<rules::Wangqi>(8, 1, network.blueprint().config.features);
/// let mut out = Evaluations::default();
/// network.evaluator(Numbers::Int8, 8)?.evaluate(&leaves, &mut out)?;
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct NetworkFile {
    generation: u32,
    training_step: u64,
    weights: Arc<Weights>,
    id: String,
    made: Arc<Made>,
}

/// What is made of the weights when it is first needed.
#[derive(Debug, Default)]
struct Made {
    calibration: OnceLock<Calibration>,
    fp32: OnceLock<PlayNetwork>,
    int8: OnceLock<PlayNetwork>,
}

/// The numbers in which a network is evaluated without libtorch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Numbers {
    /// 32 bits.
    Fp32,
    /// 8-bit integers.
    Int8,
}

/// Networks are equal if their contents are; how they were measured is no part of it.
impl PartialEq for NetworkFile {
    fn eq(&self, other: &NetworkFile) -> bool {
        self.id == other.id && self.weights == other.weights && self.description() == other.description()
    }
}

impl NetworkFile {
    /// A network of these weights, made by so many steps of training, with which this generation of self-play plays.
    ///
    /// # Errors
    /// The description cannot be written as JSON.
    pub fn new(weights: Weights, generation: u32, training_step: u64) -> Result<NetworkFile> {
        let description = Description { blueprint: weights.blueprint().clone(), generation, training_step };
        let id = tensor_file::digest(KIND, &serde_json::to_string(&description)?, weights.tensors());
        let weights = Arc::new(weights);
        Ok(NetworkFile { generation, training_step, weights, id, made: Arc::default() })
    }

    fn description(&self) -> Description {
        let NetworkFile { generation, training_step, .. } = *self;
        Description { blueprint: self.blueprint().clone(), generation, training_step }
    }

    /// The network with its weights rounded to bf16, for a file of half the size. It is another network by its contents and
    /// has an id of its own.
    ///
    /// # Errors
    /// The description cannot be written as JSON.
    pub fn in_bf16(&self) -> Result<NetworkFile> {
        let tensors: HostTensors =
            self.weights.tensors().iter().map(|(name, tensor)| (name.clone(), tensor.in_bf16())).collect();
        NetworkFile::new(self.weights.with_tensors(tensors), self.generation, self.training_step)
    }

    /// Writes it so that it appears whole or not at all; in bf16 where that loses nothing. A calibration is written along,
    /// if there is one.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn write(&self, path: &Path) -> Result<()> {
        let calibration = self.made.calibration.get().map(|made| made.written(&self.id)).transpose()?;
        tensor_file::write_calibrated(path, KIND, &self.description(), self.weights.tensors(), calibration)
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
        let contents = tensor_file::parse(bytes, KIND).map_err(|problem| FileError::file(path, problem))?;
        Self::of_contents(path, contents)
    }

    fn of_contents(path: &Path, contents: Contents<Description>) -> Result<NetworkFile> {
        let Contents { description: Description { blueprint, generation, training_step }, tensors, digest: id, .. } =
            contents;
        let refuse = |problem| FileError::file(path, problem);
        let weights = Weights::new(blueprint, tensors).map_err(|error| {
            refuse(match error {
                NetworkError::NotFinite(name) => FileProblem::NotFinite(name),
                error => FileProblem::Tensors(error.to_string()),
            })
        })?;
        let made = Made::default();
        if let Some(written) = contents.calibration {
            let calibration = Calibration::read(&written, &id, weights.blueprint()).map_err(refuse)?;
            made.calibration.get_or_init(|| calibration);
        }
        Ok(NetworkFile { generation, training_step, weights: Arc::new(weights), id, made: Arc::new(made) })
    }

    /// Refuses a network that is for another variant or another encoding of it. `path` is where it came from.
    ///
    /// # Errors
    /// [`FileProblem::Variant`] or [`FileProblem::Shape`].
    pub fn require<V: Variant>(&self, path: &Path) -> Result<()> {
        let Blueprint { variant, shape, config } = self.blueprint();
        if variant != V::ID {
            let problem = FileProblem::Variant { found: variant.clone(), wanted: V::ID.to_owned() };
            return Err(FileError::file(path, problem));
        }
        let wanted = Shape::of::<V>(config.features).with_points::<V>(config.points);
        if *shape != wanted {
            let problem = FileProblem::Shape { found: format!("{shape:?}"), wanted: format!("{wanted:?}") };
            return Err(FileError::file(path, problem));
        }
        Ok(())
    }

    /// The weights.
    pub fn weights(&self) -> &Weights {
        &self.weights
    }

    /// What the network was built from.
    pub fn blueprint(&self) -> &Blueprint {
        self.weights.blueprint()
    }

    /// The generation of self-play that plays with it; 0 for an untrained network.
    pub fn generation(&self) -> u32 {
        self.generation
    }

    /// Steps of training that made it.
    pub fn training_step(&self) -> u64 {
        self.training_step
    }

    /// 16 hex digits of a hash of the contents: the name of the network in game records.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// The network with a calibration on positions of the run that made it: see [`Calibration::measured`].
    ///
    /// # Errors
    /// As [`Calibration::measured`].
    pub fn calibrated(self, leaves: &[LeafBatch]) -> Result<NetworkFile, NetworkError> {
        let calibration = Calibration::measured(&self.weights, leaves)?;
        let made = Made::default();
        made.calibration.get_or_init(|| calibration);
        Ok(NetworkFile { made: Arc::new(made), ..self })
    }

    /// Its measurements for play in integers: those of its file, or else made now, which takes about as long as 6,000
    /// evaluations in fp32.
    ///
    /// # Errors
    /// The network has numbers that are not finite, or `KIRIN_KERNEL` names a kernel that there is not.
    pub fn calibration(&self) -> Result<&Calibration, NetworkError> {
        made(&self.made.calibration, || Calibration::of_own_games(&self.weights))
    }

    /// An evaluator for one thread. The search fills batches of up to `batch` leaves.
    ///
    /// # Errors
    /// As [`calibration`](Self::calibration).
    pub fn evaluator(&self, numbers: Numbers, batch: usize) -> Result<NativeEvaluator, NetworkError> {
        let play = match numbers {
            Numbers::Fp32 => made(&self.made.fp32, || PlayNetwork::fp32(&self.weights))?,
            Numbers::Int8 => made(&self.made.int8, || {
                Ok(PlayNetwork::int8(&QuantisedNetwork::new(&self.weights, &self.calibration()?.peaks)?))
            })?,
        };
        NativeEvaluator::new(play, Kernel::chosen()?, batch)
    }
}

/// What is in the cell, or else what `make` makes. Two threads that come at the same time both make it, and one is kept.
fn made<T>(cell: &OnceLock<T>, make: impl FnOnce() -> Result<T, NetworkError>) -> Result<&T, NetworkError> {
    match cell.get() {
        Some(made) => Ok(made),
        None => {
            let new = make()?;
            Ok(cell.get_or_init(|| new))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{HostTensor, NetworkConfig};

    fn small() -> Blueprint {
        let size = NetworkConfig { blocks: 1, channels: 8, se_hidden: 4, ..NetworkConfig::default() };
        Blueprint::of::<rules::Wangqi>(size)
    }

    /// A network with small weights that are all different.
    fn network(blueprint: Blueprint) -> NetworkFile {
        let mut next = 0u32;
        let tensors = blueprint.tensors().into_iter().map(|(name, shape)| {
            let value = |_| {
                next = next.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                let spread = (next >> 8) as f32 / (1 << 25) as f32;
                if name.ends_with("variance") || name.ends_with("gain") { 1.0 } else { spread - 0.25 }
            };
            let values = (0..shape.iter().product::<usize>()).map(value).collect();
            (name.clone(), HostTensor { shape, values })
        });
        let tensors = tensors.collect();
        NetworkFile::new(Weights::new(blueprint, tensors).unwrap(), 3, 40).unwrap()
    }

    /// The tensors of a small network under the description of another one, with a right digest: what a stranger could write.
    fn refused(blueprint: Blueprint) -> String {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("network.safetensors");
        let description = Description { blueprint, generation: 1, training_step: 1 };
        tensor_file::write(&path, KIND, &description, network(small()).weights().tensors()).unwrap();
        NetworkFile::read(&path).unwrap_err().to_string()
    }

    #[test]
    fn a_description_that_asks_for_more_than_the_file_has_is_refused() {
        let large = NetworkConfig { blocks: 60, channels: 512, ..NetworkConfig::default() };
        let error = refused(Blueprint::of::<rules::Wangqi>(large.clone()));
        assert!(error.contains("stem.weight is [8, 52, 3, 3] and not [512, 52, 3, 3]"), "{error}");
        let mut absurd = Blueprint::of::<rules::Wangqi>(large.clone());
        absurd.shape.planes = 1 << 31;
        assert!(refused(absurd).contains("is no variant's"));
        let mut absurd = Blueprint::of::<rules::Wangqi>(large);
        (absurd.shape.ranks, absurd.shape.files) = (1 << 14, 1 << 14);
        assert!(refused(absurd).contains("is no variant's"));
    }

    #[test]
    fn a_calibration_is_kept_in_the_file_and_is_no_part_of_the_network() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("network.safetensors");
        let plain = network(small());
        plain.write(&path).unwrap();
        let before = std::fs::read(&path).unwrap();
        assert!(!String::from_utf8_lossy(&before).contains("calibration"));

        let features = plain.blueprint().config.features;
        let leaves: Vec<_> = (0..3).map(|seed| search::random_leaves::<rules::Wangqi>(16, seed, features)).collect();
        let calibrated = plain.clone().calibrated(&leaves).unwrap();
        assert!(plain.made.calibration.get().is_none());
        assert_eq!((calibrated.id(), &calibrated), (plain.id(), &plain));
        calibrated.write(&path).unwrap();
        let read = NetworkFile::read(&path).unwrap();
        assert_eq!(read.id(), plain.id());
        assert_eq!(read.made.calibration.get(), calibrated.made.calibration.get());
        let agreement = read.calibration().unwrap().agreement;
        assert_eq!(agreement.positions, 32, "two thirds of the positions");
        // The same answers from the file as from memory.
        let evaluated = |file: &NetworkFile| {
            let mut out = search::Evaluations::default();
            file.evaluator(Numbers::Int8, 1).unwrap().evaluate_leaves(&leaves[0], &mut out).unwrap();
            out
        };
        assert_eq!(evaluated(&read), evaluated(&calibrated));

        // One digit of the calibration is another one.
        let mut bytes = std::fs::read(&path).unwrap();
        let position = bytes.windows(6).position(|word| word == b"trunk\\").unwrap();
        let digit = (position..).find(|&at| bytes[at].is_ascii_digit()).unwrap();
        bytes[digit] = if bytes[digit] == b'9' { b'8' } else { bytes[digit] + 1 };
        let error = NetworkFile::of_bytes(Path::new("changed"), &bytes).unwrap_err();
        assert!(matches!(error, FileError::File { problem: FileProblem::Digest { .. }, .. }), "{error}");
    }

    #[test]
    fn a_network_without_a_calibration_is_measured_on_its_own_games_always_alike() {
        let [one, other] = [network(small()), network(small())];
        let measured = one.calibration().unwrap().clone();
        assert_eq!(&measured, other.calibration().unwrap());
        assert_eq!(measured.agreement.positions as usize, Calibration::BATCHES * Calibration::BATCH * 2 / 3);
        assert!(measured.peaks.trunk.iter().flatten().any(|&peak| peak > 0.0));
    }
}
