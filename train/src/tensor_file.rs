//! One file for all that is saved: safetensors, with a JSON description in its metadata.
//!
//! One file and not two, because a rename makes one file visible at a time.

use crate::error::{FileProblem, Result, TrainError};
use safetensors::tensor::{Dtype, SafeTensors, TensorView};
use serde::{Serialize, de::DeserializeOwned};
use std::collections::{BTreeMap, HashMap};
use std::io::Write;
use std::path::Path;
use tch::{Kind, Tensor};

/// Version of the files written here; raised when an older kirin could not read them.
pub const FORMAT_VERSION: u32 = 1;
/// Larger files are not ours (a 60-block network of 512 channels is 0.6 GB with its optimiser 2 GB).
const MAX_BYTES: u64 = 8 << 30;

/// A tensor in the program's own memory: fp32, contiguous.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct HostTensor {
    pub shape: Vec<usize>,
    pub values: Vec<f32>,
}

impl HostTensor {
    pub fn of(tensor: &Tensor) -> Result<HostTensor> {
        let tensor = tensor.f_detach()?.f_to_device(tch::Device::Cpu)?.f_to_kind(Kind::Float)?.f_contiguous()?;
        let mut values = vec![0f32; tensor.numel()];
        let count = values.len();
        tensor.f_copy_data(&mut values, count)?;
        Ok(HostTensor { shape: tensor.size().iter().map(|&n| n as usize).collect(), values })
    }

    pub fn tensor(&self) -> Result<Tensor> {
        let shape: Vec<i64> = self.shape.iter().map(|&n| n as i64).collect();
        Ok(Tensor::f_from_slice(&self.values)?.f_reshape(shape.as_slice())?)
    }

    fn bytes(&self) -> Vec<u8> {
        self.values.iter().flat_map(|value| value.to_le_bytes()).collect()
    }
}

pub(crate) type HostTensors = BTreeMap<String, HostTensor>;

/// Kind and version are read before anything else of the description.
#[derive(serde::Serialize, serde::Deserialize)]
struct Header {
    format: String,
    version: u32,
    /// BLAKE3 of description and tensors, 16 hex digits.
    digest: String,
    /// JSON text and not a value, so that the digest sees the bytes that were written.
    description: String,
}

/// 16 hex digits that stand for the contents.
pub(crate) fn digest(kind: &str, description: &str, tensors: &HostTensors) -> String {
    let mut hasher = blake3::Hasher::new();
    hasher.update(kind.as_bytes()).update(description.as_bytes());
    for (name, tensor) in tensors {
        hasher.update(name.as_bytes()).update(format!("{:?}", tensor.shape).as_bytes());
        hasher.update(&tensor.bytes());
    }
    hasher.finalize().to_hex()[..16].to_owned()
}

/// Writes a file of kind `kind` so that it appears whole or not at all; returns the digest of its contents.
pub(crate) fn write(path: &Path, kind: &str, description: &impl Serialize, tensors: &HostTensors) -> Result<String> {
    let invalid = |error: String| TrainError::io("write", path)(std::io::Error::other(error));
    let description = serde_json::to_string(description).map_err(|e| invalid(e.to_string()))?;
    let digest = digest(kind, &description, tensors);
    let header =
        Header { format: format!("kirin-{kind}"), version: FORMAT_VERSION, digest: digest.clone(), description };
    let header = serde_json::to_string(&header).map_err(|e| invalid(e.to_string()))?;
    let bytes: Vec<(&str, Vec<usize>, Vec<u8>)> =
        tensors.iter().map(|(name, tensor)| (name.as_str(), tensor.shape.clone(), tensor.bytes())).collect();
    let views = bytes
        .iter()
        .map(|(name, shape, bytes)| Ok((*name, TensorView::new(Dtype::F32, shape.clone(), bytes)?)))
        .collect::<Result<Vec<_>, safetensors::SafeTensorError>>()
        .map_err(|e| invalid(e.to_string()))?;
    let metadata = HashMap::from([("kirin".to_owned(), header)]);
    let whole = safetensors::serialize(views, Some(metadata)).map_err(|e| invalid(e.to_string()))?;
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
    let size = std::fs::metadata(path).map_err(TrainError::io("read", path))?.len();
    if size > MAX_BYTES {
        return Err(TrainError::file(path, FileProblem::Unreadable(format!("{size} bytes is too large"))));
    }
    let bytes = std::fs::read(path).map_err(TrainError::io("read", path))?;
    parse(&bytes, kind).map_err(|problem| TrainError::file(path, problem))
}

fn parse<D: DeserializeOwned>(bytes: &[u8], kind: &'static str) -> Result<Contents<D>, FileProblem> {
    let unreadable = |reason: String| FileProblem::Unreadable(reason);
    let (_, metadata) = SafeTensors::read_metadata(bytes).map_err(|e| unreadable(e.to_string()))?;
    let file = SafeTensors::deserialize(bytes).map_err(|e| unreadable(e.to_string()))?;
    let text = metadata.metadata().as_ref().and_then(|entries| entries.get("kirin"));
    let text = text.ok_or_else(|| unreadable("it has no kirin description".to_owned()))?;
    let header: Header = serde_json::from_str(text).map_err(|e| unreadable(e.to_string()))?;
    if header.version > FORMAT_VERSION {
        return Err(FileProblem::Version { found: header.version, supported: FORMAT_VERSION });
    }
    if header.format != format!("kirin-{kind}") {
        let found = header.format.trim_start_matches("kirin-").to_owned();
        return Err(FileProblem::Kind { found, wanted: kind });
    }
    let mut tensors = HostTensors::new();
    for (name, view) in file.tensors() {
        if view.dtype() != Dtype::F32 {
            return Err(FileProblem::Tensors(format!("{name} is {:?} and not F32", view.dtype())));
        }
        let words = view.data().chunks_exact(4);
        let values: Vec<f32> = words.map(|word| f32::from_le_bytes([word[0], word[1], word[2], word[3]])).collect();
        tensors.insert(name, HostTensor { shape: view.shape().to_vec(), values });
    }
    let found = digest(kind, &header.description, &tensors);
    if found != header.digest {
        return Err(FileProblem::Digest { found, written: header.digest });
    }
    let description = serde_json::from_str(&header.description).map_err(|e| unreadable(e.to_string()))?;
    Ok(Contents { description, tensors, digest: found })
}
