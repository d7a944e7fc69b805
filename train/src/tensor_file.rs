//! The format of networks and checkpoints: safetensors, with a JSON description in its metadata.
//!
//! The description is not a file of its own, because a rename can make only one file visible at a time.

use crate::error::{FileProblem, Result, TrainError};
use half::bf16;
use safetensors::tensor::{Dtype, SafeTensors, TensorView};
use serde::{Serialize, de::DeserializeOwned};
use std::collections::{BTreeMap, HashMap};
use std::io::Write;
use std::path::Path;
use tch::{Kind, Tensor};

/// Newest version of the format. It rises when an older kirin could not read the files.
pub const FORMAT_VERSION: u32 = 2;
/// Version of files in fp32, which every kirin reads.
const FP32_VERSION: u32 = 1;
/// Largest file that is read: a network of 60 blocks and 512 channels has 0.6 GB, with its average and its optimiser 2.4 GB.
const MOST_BYTES: u64 = 4 << 30;

/// A tensor in the program's own memory: fp32 and contiguous.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct HostTensor {
    pub shape: Vec<usize>,
    pub values: Vec<f32>,
}

impl HostTensor {
    /// A copy on the host, in fp32.
    ///
    /// # Errors
    /// libtorch cannot copy it (memory).
    pub fn of(tensor: &Tensor) -> Result<HostTensor> {
        let tensor = tensor.f_detach()?.f_to_device(tch::Device::Cpu)?.f_to_kind(Kind::Float)?.f_contiguous()?;
        let mut values = vec![0f32; tensor.numel()];
        let count = values.len();
        tensor.f_copy_data(&mut values, count)?;
        Ok(HostTensor { shape: tensor.size().iter().map(|&n| n as usize).collect(), values })
    }

    /// These values as a tensor of libtorch, on the CPU and in fp32.
    ///
    /// # Errors
    /// libtorch cannot make it (memory, wrong sizes).
    pub fn tensor(&self) -> Result<Tensor> {
        let shape: Vec<i64> = self.shape.iter().map(|&n| n as i64).collect();
        Ok(Tensor::f_from_slice(&self.values)?.f_reshape(shape.as_slice())?)
    }

    /// The nearest tensor whose values are exact in bf16.
    pub fn in_bf16(&self) -> HostTensor {
        let values = self.values.iter().map(|&value| bf16::from_f32(value).to_f32()).collect();
        HostTensor { shape: self.shape.clone(), values }
    }

    fn is_exact_in_bf16(&self) -> bool {
        self.values.iter().all(|&value| bf16::from_f32(value).to_f32() == value)
    }

    fn bytes(&self, as_bf16: bool) -> Vec<u8> {
        match as_bf16 {
            true => self.values.iter().flat_map(|&value| bf16::from_f32(value).to_le_bytes()).collect(),
            false => self.values.iter().flat_map(|value| value.to_le_bytes()).collect(),
        }
    }

    fn read(view: &TensorView<'_>) -> Option<HostTensor> {
        let data = view.data();
        let values = match view.dtype() {
            Dtype::F32 => {
                data.chunks_exact(4).map(|word| f32::from_le_bytes([word[0], word[1], word[2], word[3]])).collect()
            }
            Dtype::BF16 => data.chunks_exact(2).map(|half| bf16::from_le_bytes([half[0], half[1]]).to_f32()).collect(),
            _ => return None,
        };
        Some(HostTensor { shape: view.shape().to_vec(), values })
    }
}

pub(crate) type HostTensors = BTreeMap<String, HostTensor>;

/// What is read first: kind and version decide whether the description can be read at all.
#[derive(serde::Serialize, serde::Deserialize)]
struct Header {
    format: String,
    version: u32,
    /// BLAKE3 of description and tensors, 16 hex digits.
    digest: String,
    /// JSON as text, so that the digest is made of the bytes that were written.
    description: String,
}

/// The first 16 hex digits of the BLAKE3 of the contents: of the values in fp32, so that the same values have the same
/// digest however they are stored.
pub(crate) fn digest(kind: &str, description: &str, tensors: &HostTensors) -> String {
    let mut hasher = blake3::Hasher::new();
    hasher.update(kind.as_bytes()).update(description.as_bytes());
    for (name, tensor) in tensors {
        hasher.update(name.as_bytes()).update(format!("{:?}", tensor.shape).as_bytes());
        hasher.update(&tensor.bytes(false));
    }
    hasher.finalize().to_hex()[..16].to_owned()
}

/// Writes a file of kind `kind` so that it appears whole or not at all; returns the digest of its contents. Where every
/// value is exact in bf16, that is what is stored: half the size.
pub(crate) fn write(path: &Path, kind: &str, description: &impl Serialize, tensors: &HostTensors) -> Result<String> {
    let description = serde_json::to_string(description)?;
    let digest = digest(kind, &description, tensors);
    let as_bf16 = tensors.values().all(HostTensor::is_exact_in_bf16);
    let (version, dtype) = if as_bf16 { (FORMAT_VERSION, Dtype::BF16) } else { (FP32_VERSION, Dtype::F32) };
    let header = Header { format: format!("kirin-{kind}"), version, digest: digest.clone(), description };
    let header = serde_json::to_string(&header)?;
    let invalid = |error| TrainError::io("write", path)(std::io::Error::other(error));
    let bytes: Vec<(&str, Vec<usize>, Vec<u8>)> =
        tensors.iter().map(|(name, tensor)| (name.as_str(), tensor.shape.clone(), tensor.bytes(as_bf16))).collect();
    let views = bytes
        .iter()
        .map(|(name, shape, bytes)| Ok((*name, TensorView::new(dtype, shape.clone(), bytes)?)))
        .collect::<Result<Vec<_>, safetensors::SafeTensorError>>()
        .map_err(invalid)?;
    let metadata = HashMap::from([("kirin".to_owned(), header)]);
    let whole = safetensors::serialize(views, Some(metadata)).map_err(invalid)?;
    data::durable::write_atomically(path, |file| file.write_all(&whole))?;
    Ok(digest)
}

/// A file read and checked against its own digest.
#[derive(Debug)]
pub(crate) struct Contents<D> {
    pub description: D,
    pub tensors: HostTensors,
    pub digest: String,
}

/// Reads a file of kind `kind`.
pub(crate) fn read<D: DeserializeOwned>(path: &Path, kind: &'static str) -> Result<Contents<D>> {
    parse(&bytes_of(path)?, kind).map_err(|problem| TrainError::file(path, problem))
}

/// The bytes of a file, as long as it is not larger than any of ours.
pub(crate) fn bytes_of(path: &Path) -> Result<Vec<u8>> {
    data::bounded::read_ordinary(path, MOST_BYTES).map_err(TrainError::io("read", path))
}

fn unreadable(reason: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> FileProblem {
    FileProblem::Unreadable(reason.into())
}

/// Reads the bytes of a file of kind `kind`.
pub(crate) fn parse<D: DeserializeOwned>(bytes: &[u8], kind: &'static str) -> Result<Contents<D>, FileProblem> {
    let (_, metadata) = SafeTensors::read_metadata(bytes).map_err(unreadable)?;
    let file = SafeTensors::deserialize(bytes).map_err(unreadable)?;
    let text = metadata.metadata().as_ref().and_then(|entries| entries.get("kirin"));
    let text = text.ok_or_else(|| unreadable("it has no kirin description"))?;
    let header: Header = serde_json::from_str(text).map_err(unreadable)?;
    if header.version > FORMAT_VERSION {
        return Err(FileProblem::Version { found: header.version, supported: FORMAT_VERSION });
    }
    if header.format != format!("kirin-{kind}") {
        let found = header.format.trim_start_matches("kirin-").to_owned();
        return Err(FileProblem::Kind { found, wanted: kind });
    }
    let mut tensors = HostTensors::new();
    for (name, view) in file.tensors() {
        let Some(tensor) = HostTensor::read(&view) else {
            return Err(FileProblem::Tensors(format!("{name} is {:?} and neither F32 nor BF16", view.dtype())));
        };
        tensors.insert(name, tensor);
    }
    let found = digest(kind, &header.description, &tensors);
    if found != header.digest {
        return Err(FileProblem::Digest { found, written: header.digest });
    }
    let description = serde_json::from_str(&header.description).map_err(unreadable)?;
    Ok(Contents { description, tensors, digest: found })
}
