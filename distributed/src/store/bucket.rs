//! Objects of a bucket.

use super::Placed;
use super::error::{Result, StoreError, classified};
use super::identity::{self, Identity};
use bytes::Bytes;
use object_store::path::Path;
use object_store::{ObjectStore, ObjectStoreExt, PutMode, PutPayload};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// How long a check of the store's identity is valid while a failed upload is retried: longer than the longest pause
/// between two tries. An upload whose answer was lost already takes two requests, and three in a row may never succeed
/// where every other one fails.
const PROOF_HOLDS: Duration = Duration::from_secs(30);

#[derive(Debug)]
pub(crate) struct Bucket {
    url: String,
    objects: Arc<dyn ObjectStore>,
    /// The prefix of every key, without slashes at its ends.
    prefix: String,
    /// When the identity was last checked; cleared by a successful upload.
    proven: Mutex<Option<Instant>>,
}

impl Bucket {
    /// A bucket, or the part of it below `prefix`. `url` is used in messages.
    pub fn new(url: &str, objects: Arc<dyn ObjectStore>, prefix: &str) -> Bucket {
        Bucket { url: url.to_owned(), objects, prefix: prefix.to_owned(), proven: Mutex::default() }
    }

    /// Creates an object if it does not exist. With an `identity` it first checks that the store is still that one.
    /// While uploads fail, one such check counts for `PROOF_HOLDS`.
    ///
    /// # Errors
    /// The store is not the one of `identity`, or it cannot be reached or refuses.
    pub async fn put(&self, key: &Path, bytes: Bytes, identity: Option<&Identity>) -> Result<Placed> {
        let Some(identity) = identity else { return self.put_proven(key, bytes).await };
        let proven = *self.proven();
        if proven.is_none_or(|proven| proven.elapsed() >= PROOF_HOLDS) {
            self.prove(key, identity).await?;
            *self.proven() = Some(Instant::now());
        }
        let placed = self.put_proven(key, bytes).await?;
        *self.proven() = None;
        Ok(placed)
    }

    fn proven(&self) -> MutexGuard<'_, Option<Instant>> {
        self.proven.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Checks the identity of the store before an upload.
    async fn prove(&self, key: &Path, identity: &Identity) -> Result<()> {
        let there = match self.get(&Path::from(identity.key.as_str()), identity::MOST_BYTES).await {
            Err(StoreError::Object { .. }) => Some(Bytes::new()),
            there => there?,
        };
        identity.prove(&self.url, "upload", key.as_ref(), there.as_deref())
    }

    async fn put_proven(&self, key: &Path, bytes: Bytes) -> Result<Placed> {
        let size = bytes.len() as u64;
        let payload = PutPayload::from_bytes(bytes.clone());
        let put = self.objects.put_opts(&self.whole_key(key), payload, PutMode::Create.into()).await;
        let conflict = match put.map_err(|error| self.classified("upload", key, error)) {
            Ok(_) => return Ok(Placed::New),
            Err(StoreError::Exists { reason, .. }) => reason,
            Err(error) => return Err(error),
        };
        // An answer may have been lost after the object was created, and a server may report a conflict between two
        // requests neither of which succeeded. The object itself decides.
        match self.get(key, size).await {
            Ok(Some(there)) if there == bytes => Ok(Placed::Same),
            Ok(Some(_)) | Err(StoreError::Object { .. }) => Ok(Placed::Taken),
            Ok(None) => {
                let reason = format!("it reports a conflict, but has no such object ({conflict})");
                let (url, key) = (self.url.clone(), key.to_string());
                Err(StoreError::Unreachable { action: "upload", url, key, reason })
            }
            Err(error) => Err(error),
        }
    }

    /// An object of at most `most` bytes; `None` if there is none.
    ///
    /// # Errors
    /// The object has more bytes or there is no memory for it, or the store cannot be reached or refuses.
    pub async fn get(&self, key: &Path, most: u64) -> Result<Option<Bytes>> {
        let failed = |error| self.classified("get", key, error);
        let unusable = |reason: String| StoreError::Object { url: self.url.clone(), key: key.to_string(), reason };
        let got = match self.objects.get(&self.whole_key(key)).await.map_err(failed) {
            Err(StoreError::Absent { .. }) => return Ok(None),
            got => got?,
        };
        let size = got.meta.size;
        if size > most {
            return Err(unusable(format!("it has {size} bytes, and at most {most} are read")));
        }
        // The call below allocates all of the memory, and aborts the program if there is none.
        let memory = usize::try_from(size).ok().map(|size| Vec::<u8>::new().try_reserve_exact(size));
        if !matches!(memory, Some(Ok(()))) {
            return Err(unusable(format!("there is no memory for its {size} bytes")));
        }
        let bytes = got.bytes().await.map_err(failed)?;
        if bytes.len() as u64 == size {
            return Ok(Some(bytes));
        }
        let source = format!("{} bytes came instead of {size}", bytes.len()).into();
        Err(failed(object_store::Error::Generic { store: "body", source }))
    }

    /// Whether there is an object.
    ///
    /// # Errors
    /// The store cannot be reached or refuses.
    pub async fn contains(&self, key: &Path) -> Result<bool> {
        // Not `head`: its refusal has no body, and so does not say that credentials have expired.
        match self.objects.get(&self.whole_key(key)).await.map_err(|error| self.classified("look for", key, error)) {
            Err(StoreError::Absent { .. }) => Ok(false),
            got => got.map(|_| true),
        }
    }

    /// The last part of the names directly under a prefix, unordered.
    ///
    /// # Errors
    /// The store cannot be reached or refuses.
    pub async fn names_in(&self, prefix: &Path) -> Result<Vec<String>> {
        let listed = self.objects.list_with_delimiter(Some(&self.whole_key(prefix))).await;
        let listed = match listed.map_err(|error| self.classified("list", prefix, error)) {
            Err(StoreError::Absent { .. }) => return Ok(Vec::new()),
            listed => listed?,
        };
        Ok(listed.objects.iter().filter_map(|object| Some(object.location.filename()?.to_owned())).collect())
    }

    /// Removes an object; it may be missing.
    ///
    /// # Errors
    /// The store cannot be reached or refuses.
    pub async fn remove(&self, key: &Path) -> Result<()> {
        match self.objects.delete(&self.whole_key(key)).await.map_err(|error| self.classified("remove", key, error)) {
            Err(StoreError::Absent { .. }) => Ok(()),
            removed => removed,
        }
    }

    fn whole_key(&self, key: &Path) -> Path {
        if self.prefix.is_empty() { key.clone() } else { Path::from(format!("{}/{key}", self.prefix)) }
    }

    fn classified(&self, action: &'static str, key: &Path, error: object_store::Error) -> StoreError {
        classified(action, &self.url, key.as_ref(), error)
    }
}
