//! The key of a position, and its text in JSON.

/// The key of a position: 96 bits, big endian (`rules::Key::to_bytes`).
pub type PositionKey = [u8; 12];

fn to_hex(key: &PositionKey) -> String {
    key.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn from_hex<E: serde::de::Error>(text: &str) -> Result<PositionKey, E> {
    let not_a_key = || E::custom(format!("{text:?} is not a key of 24 hex digits"));
    if text.len() != 24 || !text.bytes().all(|digit| digit.is_ascii_hexdigit()) {
        return Err(not_a_key());
    }
    let number = u128::from_str_radix(text, 16).map_err(|_| not_a_key())?;
    let mut key = PositionKey::default();
    key.copy_from_slice(&number.to_be_bytes()[4..]);
    Ok(key)
}

pub(crate) mod hex_key {
    use super::{PositionKey, from_hex, to_hex};
    use serde::{Deserialize, Deserializer, Serializer};

    /// Writes a key as hexadecimal digits.
    ///
    /// # Errors
    /// The serializer fails.
    pub fn serialize<S: Serializer>(key: &PositionKey, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&to_hex(key))
    }

    /// Reads a key from hexadecimal digits.
    ///
    /// # Errors
    /// It is no text, or not the hexadecimal digits of a key.
    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<PositionKey, D::Error> {
        from_hex(&String::deserialize(deserializer)?)
    }
}

pub(crate) mod hex_key_or_null {
    use super::{PositionKey, from_hex, to_hex};
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    /// Writes a key as hexadecimal digits, or null.
    ///
    /// # Errors
    /// The serializer fails.
    pub fn serialize<S: Serializer>(key: &Option<PositionKey>, serializer: S) -> Result<S::Ok, S::Error> {
        key.as_ref().map(to_hex).serialize(serializer)
    }

    /// Reads a key from hexadecimal digits, or `None` from null.
    ///
    /// # Errors
    /// It is neither null nor the hexadecimal digits of a key.
    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<PositionKey>, D::Error> {
        Option::<String>::deserialize(deserializer)?.map(|text| from_hex(&text)).transpose()
    }
}
