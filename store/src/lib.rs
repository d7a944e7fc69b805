//! The place that machines of one run share: objects in a folder or a bucket, each written once and never changed.
//!
//! Nothing here knows what the objects are. A [`Store`] puts an object only where there is none ([`Store::put_new`]), so two
//! writers of one name need no lock: the first is right, and the second is told. Whatever passes by itself (a server
//! that is busy, a connection that breaks, half a body) is tried again, with growing pauses, until the patience given at
//! the start is over. What does not pass by itself (credentials, a wrong address) is an error at once, with its remedy.
//!
//! # Examples
//! ```
//! use store::{Placed, Store};
//!
//! # let folder = tempfile::tempdir().unwrap();
//! let store = Store::open(&format!("file://{}", folder.path().display()))?;
//! assert_eq!(store.put_new("networks/0001", b"weights".to_vec())?, Placed::New);
//! assert_eq!(store.put_new("networks/0001", b"weights".to_vec())?, Placed::Same);
//! assert_eq!(store.put_new("networks/0001", b"others".to_vec())?, Placed::Taken);
//! assert_eq!(store.get("networks/0001")?.as_deref(), Some(&b"weights"[..]));
//! assert_eq!(store.get("networks/0002")?, None);
//! assert_eq!(store.names_in("networks")?, ["0001"]);
//! # Ok::<(), store::StoreError>(())
//! ```

#![forbid(unsafe_code)]

mod address;
mod doctor;
mod error;
mod patience;
mod usage;

pub use doctor::{Finding, examine};
pub use error::{Result, StoreError};
pub use patience::Patience;
pub use usage::Usage;

use address::Place;
use bytes::Bytes;
use object_store::path::Path;
use object_store::{ObjectStore, ObjectStoreExt, PutMode, PutPayload};
use std::future::Future;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use tokio::runtime::{Builder, Runtime};
use tokio::task::JoinSet;
use usage::Counters;

/// Requests at once in [`Store::get_all`].
const AT_ONCE: usize = 32;

/// What became of a put.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Placed {
    /// The object is there now.
    New,
    /// It was there with the same content: somebody, perhaps this program before it was killed, has put it.
    Same,
    /// Another object has this name; it stays.
    Taken,
}

/// A folder or a bucket. Calls wait for their answer; they may come from any thread that is not itself asynchronous.
#[derive(Debug)]
pub struct Store {
    place: Place,
    runtime: Runtime,
    patience: Patience,
    stop: Arc<AtomicBool>,
    counters: Counters,
}

impl Store {
    /// The store at a URL: `file:///folder`, `s3://bucket/prefix`, `gs://…` or `az://…`. The folder of a `file` URL is made
    /// if it is missing. Credentials come from the environment, as the programs of each provider read them.
    ///
    /// # Errors
    /// [`StoreError::Address`] for another kind of URL, [`StoreError::Settings`] for settings that contradict each other.
    pub fn open(url: &str) -> Result<Store> {
        Store::open_with(url, Patience::default(), Arc::default())
    }

    /// The same with a patience of one's own. Once `stop` is set, little more is tried again.
    ///
    /// # Errors
    /// As [`Store::open`].
    pub fn open_with(url: &str, patience: Patience, stop: Arc<AtomicBool>) -> Result<Store> {
        let place = Place::of(url)?;
        let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build();
        let runtime = runtime.map_err(|source| StoreError::Runtime { source })?;
        Ok(Store { place, runtime, patience, stop, counters: Counters::default() })
    }

    /// The URL it was opened with.
    pub fn url(&self) -> &str {
        &self.place.url
    }

    /// What it was used for so far.
    pub fn usage(&self) -> Usage {
        self.counters.usage()
    }

    /// Puts an object where there is none. When this returns [`Placed::New`] or [`Placed::Same`], the object is there, for
    /// all readers.
    ///
    /// # Errors
    /// The store cannot be reached or refuses.
    pub fn put_new(&self, key: &str, bytes: impl Into<Bytes>) -> Result<Placed> {
        self.put_within(key, bytes, self.patience)
    }

    /// The same with another patience.
    ///
    /// # Errors
    /// As [`Store::put_new`].
    pub fn put_within(&self, key: &str, bytes: impl Into<Bytes>, patience: Patience) -> Result<Placed> {
        let (path, bytes) = (self.place.path(key)?, bytes.into());
        let objects = &self.place.objects;
        let put = || {
            let payload = PutPayload::from_bytes(bytes.clone());
            let path = &path;
            async move { objects.put_opts(path, payload, PutMode::Create.into()).await.map(drop) }
        };
        match self.until_answered("put", key, patience, put) {
            Ok(()) => {
                self.place.sync(key)?;
                self.counters.moved(bytes.len());
                Ok(Placed::New)
            }
            // An answer may have been lost after the object was made. What is there tells.
            Err(StoreError::Exists { .. }) => match self.get_within(key, patience)? {
                Some(there) if there == bytes => Ok(Placed::Same),
                _ => Ok(Placed::Taken),
            },
            Err(error) => Err(error),
        }
    }

    /// An object; `None` if there is none of this name.
    ///
    /// # Errors
    /// The store cannot be reached or refuses.
    pub fn get(&self, key: &str) -> Result<Option<Bytes>> {
        self.get_within(key, self.patience)
    }

    /// The same with another patience.
    ///
    /// # Errors
    /// As [`Store::get`].
    pub fn get_within(&self, key: &str, patience: Patience) -> Result<Option<Bytes>> {
        let path = self.place.path(key)?;
        let got = self.until_answered("get", key, patience, || whole(Arc::clone(&self.place.objects), path.clone()));
        let got = absent_is_none(got)?;
        self.counters.moved(got.as_ref().map_or(0, Bytes::len));
        Ok(got)
    }

    /// Several objects, asked for side by side, in the order of their keys.
    ///
    /// # Errors
    /// As [`Store::get`], for the first that fails.
    pub fn get_all(&self, keys: &[String]) -> Result<Vec<Option<Bytes>>> {
        let mut all = Vec::with_capacity(keys.len());
        for keys in keys.chunks(AT_ONCE) {
            let paths = keys.iter().map(|key| self.place.path(key)).collect::<Result<Vec<_>>>()?;
            let begun = Instant::now();
            let mut answers: Vec<_> = (0..keys.len()).map(|_| None).collect();
            self.runtime.block_on(async {
                let mut asked = JoinSet::new();
                for (index, path) in paths.into_iter().enumerate() {
                    let objects = Arc::clone(&self.place.objects);
                    asked.spawn(async move { (index, whole(objects, path).await) });
                }
                while let Some(answer) = asked.join_next().await {
                    if let Ok((index, answer)) = answer {
                        answers[index] = Some(answer);
                    }
                }
            });
            self.counters.asked(keys.len() as u64, begun);
            for (key, answer) in keys.iter().zip(answers) {
                let object = match answer {
                    Some(Ok(bytes)) => {
                        self.counters.moved(bytes.len());
                        Some(bytes)
                    }
                    Some(Err(object_store::Error::NotFound { .. })) => None,
                    // Whatever went wrong is tried again by itself, with pauses.
                    _ => self.get(key)?,
                };
                all.push(object);
            }
        }
        Ok(all)
    }

    /// Whether there is an object of this name.
    ///
    /// # Errors
    /// The store cannot be reached or refuses.
    pub fn contains(&self, key: &str) -> Result<bool> {
        let path = self.place.path(key)?;
        let objects = &self.place.objects;
        // Not `head`: its refusal has no body, and so does not say that credentials have expired.
        let begin_to_get = || async { objects.get(&path).await.map(drop) };
        Ok(absent_is_none(self.until_answered("look for", key, self.patience, begin_to_get))?.is_some())
    }

    /// The last part of the names that lie directly under a prefix, sorted. It reads them all: only for prefixes that stay
    /// small.
    ///
    /// # Errors
    /// The store cannot be reached or refuses.
    pub fn names_in(&self, prefix: &str) -> Result<Vec<String>> {
        let path = self.place.path(prefix)?;
        let objects = &self.place.objects;
        let list = || async { objects.list_with_delimiter(Some(&path)).await };
        let listed = absent_is_none(self.until_answered("list", prefix, self.patience, list))?;
        let objects = listed.map(|listed| listed.objects).unwrap_or_default();
        let mut names: Vec<String> =
            objects.iter().filter_map(|object| Some(object.location.filename()?.to_owned())).collect();
        names.sort();
        Ok(names)
    }

    /// The first number, from `from` on, for which there is no object, where all before it are there: found by doubling and
    /// halving, so with few requests.
    ///
    /// # Errors
    /// The store cannot be reached or refuses.
    pub fn first_free(&self, from: u64, key: impl Fn(u64) -> String) -> Result<u64> {
        let mut step = 1;
        let (mut there, mut free) = (None, from);
        while self.contains(&key(free))? {
            there = Some(free);
            free = from + step;
            step *= 2;
        }
        let Some(mut there) = there else { return Ok(from) };
        while free - there > 1 {
            let middle = there + (free - there) / 2;
            if self.contains(&key(middle))? {
                there = middle;
            } else {
                free = middle;
            }
        }
        Ok(free)
    }

    /// Removes an object, for the examination of a store only: the objects of a run stay.
    fn remove(&self, key: &str) -> Result<()> {
        let path = self.place.path(key)?;
        let objects = &self.place.objects;
        let remove = || async { objects.delete(&path).await };
        absent_is_none(self.until_answered("remove", key, self.patience, remove)).map(drop)
    }

    /// Asks until there is an answer that does not pass by itself.
    fn until_answered<T, F>(
        &self,
        action: &'static str,
        key: &str,
        patience: Patience,
        ask: impl Fn() -> F,
    ) -> Result<T>
    where
        F: Future<Output = object_store::Result<T>>,
    {
        let begun = Instant::now();
        let mut pauses = patience.pauses(key);
        let mut tries = 0;
        let answer = loop {
            tries += 1;
            let answer = self.runtime.block_on(async {
                match tokio::time::timeout(patience.one_try, ask()).await {
                    Ok(answer) => answer.map_err(|error| error::classified(action, &self.place.url, key, error)),
                    Err(_) => Err(error::late(action, &self.place.url, key, patience.one_try)),
                }
            });
            let Err(StoreError::Unreachable { .. }) = &answer else { break answer };
            match pauses.next() {
                Some(pause) if !self.stop.load(Ordering::Relaxed) => self.pause(pause),
                // Asked to stop, a short time is left for what matters.
                Some(pause) if tries < patience.tries_after_stop => self.pause(pause.min(patience.first_pause)),
                _ => break answer,
            }
        };
        self.counters.asked(tries.into(), begun);
        answer
    }

    /// Sleeps, but not on after a stop was asked for.
    fn pause(&self, pause: Duration) {
        let until = Instant::now() + pause;
        let stopped_before = self.stop.load(Ordering::Relaxed);
        while Instant::now() < until && self.stop.load(Ordering::Relaxed) == stopped_before {
            std::thread::sleep(Duration::from_millis(20).min(pause));
        }
    }
}

/// An object with its whole body, as long as its header says.
async fn whole(objects: Arc<dyn ObjectStore>, path: Path) -> object_store::Result<Bytes> {
    let got = objects.get(&path).await?;
    let size = got.meta.size;
    let bytes = got.bytes().await?;
    if bytes.len() as u64 == size {
        return Ok(bytes);
    }
    let source = format!("{} bytes came instead of {size}", bytes.len()).into();
    Err(object_store::Error::Generic { store: "body", source })
}

fn absent_is_none<T>(answer: Result<T>) -> Result<Option<T>> {
    match answer {
        Ok(value) => Ok(Some(value)),
        Err(StoreError::Absent { .. }) => Ok(None),
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests;
