//! The object that identifies the store.

use super::error::StoreError;

/// Most bytes of that object that are read.
pub(crate) const MOST_BYTES: u64 = 16 << 20;

/// An object whose content proves that a store is still the one that was opened: a disk may be unmounted, and a bucket
/// emptied.
#[derive(Debug)]
pub(crate) struct Identity {
    pub key: String,
    pub digest: blake3::Hash,
}

impl Identity {
    /// Compares the present object with the original one.
    ///
    /// # Errors
    /// The object is missing, which may be transient, or it is another one.
    pub fn prove(&self, url: &str, action: &'static str, key: &str, there: Option<&[u8]>) -> Result<(), StoreError> {
        match there {
            Some(there) if blake3::hash(there) == self.digest => Ok(()),
            Some(_) => Err(StoreError::OtherStore {
                action,
                url: url.to_owned(),
                key: key.to_owned(),
                proof: self.key.clone(),
            }),
            None => {
                let reason = format!(
                    "its {} is missing, so it may not be the store of this run; is the disk mounted, is the bucket whole?",
                    self.key
                );
                Err(StoreError::Unreachable { action, url: url.to_owned(), key: key.to_owned(), reason })
            }
        }
    }
}
