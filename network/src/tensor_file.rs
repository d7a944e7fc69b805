//! The format of networks and checkpoints: safetensors, with a JSON description in its metadata.
//!
//! The description is not a file of its own, because a rename can make only one file visible at a time.

use crate::file_error::{FileError, FileProblem, Result};
use crate::weights::{HostTensor, HostTensors};
use half::bf16;
use safetensors::tensor::{Dtype, SafeTensors, TensorView};
use serde::{Serialize, de::DeserializeOwned};
use std::collections::HashMap;
use std::io::Write;
use std::path::Path;

/// Newest version of the format. It rises when an older kirin could not read the files.
const FORMAT_VERSION: u32 = 2;
/// Version of files in fp32, which every kirin reads.
const FP32_VERSION: u32 = 1;
/// Largest file that is read: a network of 60 blocks and 512 channels has 1.2 GB, with its average and its optimiser 4.9 GB.
const MOST_BYTES: u64 = 8 << 30;

impl HostTensor {
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

/// What is read first: kind and version decide whether the description can be read at all.
#[derive(serde::Serialize, serde::Deserialize)]
struct Header {
    format: String,
    version: u32,
    /// BLAKE3 of description and tensors, 16 hex digits.
    digest: String,
    /// JSON as text, so that the digest is made of the bytes that were written.
    description: String,
    /// Measurements of a network, as JSON with a digest of its own. The digest of the file does not cover them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    calibration: Option<String>,
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

/// Writes a file of kind `kind` so that it appears whole or not at all. Where every value is exact in bf16, that is what is
/// stored: half the size.
///
/// # Errors
/// The description cannot be written as JSON, or the file cannot be written.
pub fn write(path: &Path, kind: &str, description: &impl Serialize, tensors: &HostTensors) -> Result<()> {
    write_calibrated(path, kind, description, tensors, None)
}

/// Like [`write`], with measurements of a network.
pub(crate) fn write_calibrated(
    path: &Path,
    kind: &str,
    description: &impl Serialize,
    tensors: &HostTensors,
    calibration: Option<String>,
) -> Result<()> {
    let description = serde_json::to_string(description)?;
    let digest = digest(kind, &description, tensors);
    let as_bf16 = tensors.values().all(HostTensor::is_exact_in_bf16);
    let (version, dtype) = if as_bf16 { (FORMAT_VERSION, Dtype::BF16) } else { (FP32_VERSION, Dtype::F32) };
    let header = Header { format: format!("kirin-{kind}"), version, digest, description, calibration };
    let header = serde_json::to_string(&header)?;
    let invalid = |error| FileError::io("write", path)(std::io::Error::other(error));
    let bytes: Vec<(&str, Vec<usize>, Vec<u8>)> =
        tensors.iter().map(|(name, tensor)| (name.as_str(), tensor.shape.clone(), tensor.bytes(as_bf16))).collect();
    let views = bytes
        .iter()
        .map(|(name, shape, bytes)| Ok((*name, TensorView::new(dtype, shape.clone(), bytes)?)))
        .collect::<Result<Vec<_>, safetensors::SafeTensorError>>()
        .map_err(invalid)?;
    let metadata = HashMap::from([("kirin".to_owned(), header)]);
    let whole = safetensors::serialize(views, Some(metadata)).map_err(invalid)?;
    Ok(data::durable::write_atomically(path, |file| file.write_all(&whole))?)
}

/// A file read and checked against its own digest.
#[derive(Debug)]
pub struct Contents<D> {
    /// Everything but the tensors.
    pub description: D,
    /// The tensors by name.
    pub tensors: HostTensors,
    /// 16 hex digits of the hash of both.
    pub digest: String,
    /// Measurements of a network, not yet checked.
    pub(crate) calibration: Option<String>,
}

/// Reads a file of kind `kind`.
pub(crate) fn read<D: DeserializeOwned>(path: &Path, kind: &'static str) -> Result<Contents<D>> {
    parse(&bytes_of(path)?, kind).map_err(|problem| FileError::file(path, problem))
}

/// The bytes of a file, as long as it is not larger than any of ours.
///
/// # Errors
/// It cannot be read, is too large, or is no ordinary file.
pub fn bytes_of(path: &Path) -> Result<Vec<u8>> {
    data::bounded::read_ordinary(path, MOST_BYTES).map_err(FileError::io("read", path))
}

fn unreadable(reason: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> FileProblem {
    FileProblem::Unreadable(reason.into())
}

/// Reads the bytes of a file of kind `kind`.
///
/// # Errors
/// They are damaged, of another kind, or of a later format.
pub fn parse<D: DeserializeOwned>(bytes: &[u8], kind: &'static str) -> Result<Contents<D>, FileProblem> {
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
    Ok(Contents { description, tensors, digest: found, calibration: header.calibration })
}
