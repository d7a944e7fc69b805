//! Small JSON files with a checksum of their own: `run.json`, and the records that the roles of a run leave for each other.
//!
//! The first key is the checksum: `{"blake3": "16 hex digits", …}`. It covers the bytes of the file after it, as they are
//! stored. The JSON is not written again for the comparison, so no number has to survive that.

use serde::Serialize;
use serde::de::{DeserializeOwned, Error as _};
use serde_json::Value;

const KEY: &str = "blake3";
const HEAD: &str = "{\n  \"blake3\": \"";
const DIGITS: usize = 16;
const TAIL: &str = "\",\n";

/// The JSON text of an object that has no key `blake3`, with its checksum.
///
/// # Errors
/// The value cannot be written as JSON, or is no object with keys.
///
/// # Examples
/// ```
/// # use std::collections::BTreeMap;
/// let speeds = BTreeMap::from([("evaluations".to_owned(), 7736.4077560757705)]);
/// let text = data::checked_json::to_text(&speeds)?;
/// assert_eq!(data::checked_json::from_slice::<BTreeMap<String, f64>>(text.as_bytes())?, speeds);
///
/// let changed = text.replace("7736", "7737");
/// assert!(data::checked_json::from_slice::<BTreeMap<String, f64>>(changed.as_bytes()).is_err());
/// # Ok::<(), serde_json::Error>(())
/// ```
pub fn to_text(value: &impl Serialize) -> serde_json::Result<String> {
    let text = serde_json::to_string_pretty(value)?;
    let Some(rest) = text.strip_prefix("{\n") else {
        return Err(serde::ser::Error::custom("only an object with keys can have a checksum"));
    };
    Ok(format!("{HEAD}{}{TAIL}{rest}", checksum(rest.as_bytes())))
}

/// Reads an object. Its checksum, if it has one, must match.
///
/// Files of earlier versions have no checksum, or one of the compact JSON with sorted keys; both are read, too.
///
/// # Errors
/// It is no JSON of this kind, or the checksum does not fit.
pub fn from_slice<T: DeserializeOwned>(text: &[u8]) -> serde_json::Result<T> {
    let mut value: Value = serde_json::from_slice(text)?;
    let stored = value.as_object_mut().and_then(|fields| fields.remove(KEY));
    if stored.is_some_and(|stored| !fits_bytes(text, &stored) && !fits_earlier(&value, &stored)) {
        return Err(serde_json::Error::custom("its checksum does not fit, so it was changed by hand, or damaged"));
    }
    T::deserialize(value)
}

/// 16 hex digits of the BLAKE3 of some bytes.
pub(crate) fn checksum(bytes: &[u8]) -> String {
    let mut hex = blake3::hash(bytes).to_hex().to_string();
    hex.truncate(DIGITS);
    hex
}

fn fits_bytes(text: &[u8], stored: &Value) -> bool {
    let rest = || {
        let (digits, rest) = text.strip_prefix(HEAD.as_bytes())?.split_at_checked(DIGITS)?;
        Some((digits, rest.strip_prefix(TAIL.as_bytes())?))
    };
    rest().is_some_and(|(digits, rest)| stored.as_str().map(str::as_bytes) == Some(digits) && checksum(rest) == *stored)
}

/// Whether the checksum is that of the compact text with sorted keys. Numbers are read exactly (`float_roundtrip`) and so
/// printed as they were; versions that read them one bit off reported their own files as damaged.
fn fits_earlier(value: &Value, stored: &Value) -> bool {
    checksum(value.to_string().as_bytes()) == *stored
}
