//! Lines that show when they were damaged: `{"blake3":"16 hex digits","TAG":JSON}`.
//!
//! Manifest and journal are such logs. The digest covers the bytes of JSON. A last line without its newline
//! was torn by a kill before the append returned, and nobody has relied on it; any other damaged line is an
//! error, because somebody has.

use std::fmt::Write as _;
use std::fs;
use std::io;
use std::path::Path;

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::error::{DataError, Result};

const HEAD: &str = "{\"blake3\":\"";
const DIGEST_DIGITS: usize = 16;

/// What a log held.
#[derive(Debug)]
pub(crate) struct Log<T> {
    pub entries: Vec<T>,
    /// Length of the whole lines, in bytes.
    pub length: u64,
    /// Bytes of a torn last line.
    pub torn: u64,
}

fn digest(json: &str) -> String {
    let mut hex = blake3::hash(json.as_bytes()).to_hex().to_string();
    hex.truncate(DIGEST_DIGITS);
    hex
}

/// One line, newline included.
pub(crate) fn seal<T: Serialize>(tag: &str, value: &T) -> String {
    // The types written here have string keys and finite numbers, which JSON always holds.
    let json = serde_json::to_string(value).expect("a record is JSON");
    let mut line = String::with_capacity(json.len() + 64);
    let _ = writeln!(line, "{HEAD}{}\",\"{tag}\":{json}}}", digest(&json));
    line
}

fn unseal<T: DeserializeOwned>(tag: &str, line: &[u8]) -> Result<T, String> {
    let not_ours = || "not a line of this log".to_owned();
    let line = std::str::from_utf8(line).map_err(|_| not_ours())?;
    let rest = line.strip_prefix(HEAD).ok_or_else(not_ours)?;
    let (sum, rest) = rest.split_at_checked(DIGEST_DIGITS).ok_or_else(not_ours)?;
    let rest = rest.strip_prefix("\",\"").and_then(|rest| rest.strip_prefix(tag));
    let rest = rest.and_then(|rest| rest.strip_prefix("\":"));
    let json = rest.and_then(|rest| rest.strip_suffix('}')).ok_or_else(not_ours)?;
    if digest(json) != sum {
        return Err("its checksum does not fit, so it has been damaged".to_owned());
    }
    serde_json::from_str(json).map_err(|error| format!("not understood: {error}"))
}

/// Reads a log; one that is not there is empty.
pub(crate) fn read<T: DeserializeOwned>(path: &Path, tag: &str) -> Result<Log<T>> {
    let bytes = match fs::read(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
        bytes => bytes.map_err(DataError::io("read", path))?,
    };
    let length = bytes.iter().rposition(|&byte| byte == b'\n').map_or(0, |last| last + 1);
    let mut entries = Vec::new();
    for (index, line) in bytes[..length].split_inclusive(|&byte| byte == b'\n').enumerate() {
        let entry = unseal(tag, &line[..line.len() - 1]);
        entries.push(entry.map_err(|reason| DataError::Line { path: path.to_owned(), line: index + 1, reason })?);
    }
    Ok(Log { entries, length: length as u64, torn: (bytes.len() - length) as u64 })
}
