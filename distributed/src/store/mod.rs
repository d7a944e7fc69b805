//! The store that the machines of one run share: objects in a folder or a bucket, each written once and never changed.
//!
//! Nothing here knows what the objects are. A [`Store`] uploads an object only if its name is free
//! ([`Store::put_new`]), so two writers of one name need no lock: the first one wins, and the second one is told.
//! Transient errors (a busy server, a broken connection, half a body) are retried, with growing pauses, until the limit
//! of the retry policy. Permanent ones (credentials, a wrong address) are an error immediately, with the remedy.
//!
//! # Examples
//! ```
//! use distributed::store::{Placed, Store};
//!
//! # let folder = tempfile::tempdir().unwrap();
//! let store = Store::open(&format!("file://{}", folder.path().display()))?;
//! assert_eq!(store.put_new("networks/0001", b"weights".to_vec())?, Placed::New);
//! assert_eq!(store.put_new("networks/0001", b"weights".to_vec())?, Placed::Same);
//! assert_eq!(store.put_new("networks/0001", b"others".to_vec())?, Placed::Taken);
//! assert_eq!(store.get("networks/0001", 100)?.as_deref(), Some(&b"weights"[..]));
//! assert_eq!(store.get("networks/0002", 100)?, None);
//! assert_eq!(store.names_in("networks")?, ["0001"]);
//! # Ok::<(), distributed::store::StoreError>(())
//! ```

mod address;
mod bucket;
mod doctor;
mod error;
mod event;
mod folder;
mod identity;
mod retry_policy;
mod usage;

pub use doctor::{Examination, Finding, examine};
pub use error::{Result, StoreError};
pub use event::StoreEvent;
pub use retry_policy::RetryPolicy;
pub use usage::Usage;

use address::Connection;
use bytes::Bytes;
use identity::Identity;
use std::fmt;
use std::future::Future;
use std::pin::pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};
use tokio::runtime::{Builder, Runtime};
use tokio::task::JoinSet;
use usage::Counters;

/// Parallel requests in [`Store::get_all`].
const AT_ONCE: usize = 32;
/// Interval at which the stop flag is checked.
const LOOK: Duration = Duration::from_millis(50);
/// Time limit of a try during which a stop was asked for.
const AT_STOP: Duration = Duration::from_secs(1);
/// Time limit of a try that begins after the stop.
const AFTER_STOP: Duration = Duration::from_secs(10);
/// A failing request is reported when its pauses sum to this many times the first one, and again each time they have
/// doubled.
const TOLD_AFTER: u32 = 20;

/// The result of an upload.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Placed {
    /// The object was created.
    New,
    /// The object existed with the same content: it was uploaded before, perhaps by this program before it was killed.
    Same,
    /// Another object has this name; it is kept.
    Taken,
}

/// A folder or a bucket. Calls block until the answer; they may come from any thread that is not itself asynchronous.
pub struct Store {
    connection: Connection,
    runtime: Runtime,
    retry_policy: RetryPolicy,
    stop: Arc<AtomicBool>,
    counters: Counters,
    identity: OnceLock<Arc<Identity>>,
    listener: Box<dyn Fn(&StoreEvent) + Send + Sync>,
}

impl fmt::Debug for Store {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Store")
            .field("connection", &self.connection)
            .field("identity", &self.identity)
            .finish_non_exhaustive()
    }
}

impl Store {
    /// The store at a URL: `file:///folder`, `s3://bucket/prefix`, `gs://…` or `az://…`. No request is made and nothing
    /// is created. Credentials come from the environment, as the programs of each provider read them.
    ///
    /// # Errors
    /// [`StoreError::Address`] for another kind of URL, [`StoreError::Settings`] and [`StoreError::Server`] for settings
    /// that make no store.
    pub fn open(url: &str) -> Result<Store> {
        Store::open_with(url, RetryPolicy::default(), Arc::default())
    }

    /// Like [`Store::open`], with a custom retry policy. Once `stop` is set, waiting ends: a request without an answer
    /// is [`StoreError::Stopped`].
    ///
    /// # Errors
    /// As [`Store::open`].
    pub fn open_with(url: &str, retry_policy: RetryPolicy, stop: Arc<AtomicBool>) -> Result<Store> {
        let connection = Connection::of(url)?;
        let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build();
        let runtime = runtime.map_err(|source| StoreError::Runtime { source })?;
        let (counters, identity) = (Counters::default(), OnceLock::new());
        Ok(Store { connection, runtime, retry_policy, stop, counters, identity, listener: Box::new(|_| {}) })
    }

    /// The store, with a listener for its events.
    #[must_use]
    pub fn telling(self, listener: impl Fn(&StoreEvent) + Send + Sync + 'static) -> Store {
        Store { listener: Box::new(listener), ..self }
    }

    /// Creates the folder of a `file` URL, if it is missing. No other call does: if a disk is not mounted, nothing must
    /// be written into its mount point.
    ///
    /// # Errors
    /// It cannot be created.
    pub fn create(&self) -> Result<()> {
        self.connection.create()
    }

    /// Names the object that identifies the store. From now on it is read before each upload, and in a folder also
    /// before an absence is believed. If it is missing, the request is retried, since a disk may come back; if it has
    /// another content, the request is [`StoreError::OtherStore`]. Only the first call has an effect.
    pub fn identify(&self, key: &str, content: &[u8]) {
        let identity = Identity { key: key.to_owned(), digest: blake3::hash(content) };
        self.identity.get_or_init(|| Arc::new(identity));
    }

    /// The digest of that object, 64 hex digits; `None` before it was named.
    pub fn identity(&self) -> Option<String> {
        Some(self.identity.get()?.digest.to_hex().to_string())
    }

    /// The URL it was opened with.
    pub fn url(&self) -> &str {
        &self.connection.url
    }

    /// Its usage so far.
    pub fn usage(&self) -> Usage {
        self.counters.usage()
    }

    /// Uploads an object if its name is free. When this returns [`Placed::New`] or [`Placed::Same`], all readers can
    /// see the object. It has at least one byte: an empty file in a folder is what a power cut may have left of an
    /// upload, and is moved into the folder `damaged` when an object of its name is uploaded.
    ///
    /// # Errors
    /// The store cannot be reached or refuses, or is another one.
    pub fn put_new(&self, key: &str, bytes: impl Into<Bytes>) -> Result<Placed> {
        self.put_within(key, bytes, self.retry_policy)
    }

    /// Like [`Store::put_new`], with a custom retry policy.
    ///
    /// # Errors
    /// As [`Store::put_new`].
    pub fn put_within(&self, key: &str, bytes: impl Into<Bytes>, retry_policy: RetryPolicy) -> Result<Placed> {
        let bytes = bytes.into();
        if bytes.is_empty() {
            let reason = "an object has at least one byte".to_owned();
            return Err(StoreError::Object { url: self.url().to_owned(), key: key.to_owned(), reason });
        }
        let put = || self.connection.put(key, bytes.clone(), self.identity.get().cloned());
        let (placed, moved) = self.until_answered("upload", key, retry_policy, put)?;
        if let Some(moved) = moved {
            (self.listener)(&StoreEvent::Quarantined { url: self.url().to_owned(), key: key.to_owned(), to: moved.to });
        }
        if placed == Placed::New {
            self.counters.moved(bytes.len());
        }
        Ok(placed)
    }

    /// An object of at most `most` bytes; `None` if there is none of this name.
    ///
    /// # Errors
    /// The store cannot be reached or refuses; the object is larger ([`StoreError::Object`]).
    pub fn get(&self, key: &str, most: u64) -> Result<Option<Bytes>> {
        let get = || self.connection.get(key, most, self.identity.get().cloned());
        let got = self.until_answered("get", key, self.retry_policy, get)?;
        self.counters.moved(got.as_ref().map_or(0, Bytes::len));
        Ok(got)
    }

    /// Several objects of at most `most` bytes each, fetched in parallel, in the order of their keys.
    ///
    /// # Errors
    /// As [`Store::get`], for the first that fails.
    pub fn get_all(&self, keys: &[String], most: u64) -> Result<Vec<Option<Bytes>>> {
        let mut all = Vec::with_capacity(keys.len());
        for keys in keys.chunks(AT_ONCE) {
            let (begun, stopped_before) = (Instant::now(), self.is_stopped());
            let side_by_side = async {
                let mut answers: Vec<_> = (0..keys.len()).map(|_| None).collect();
                let mut asked = JoinSet::new();
                for (index, key) in keys.iter().cloned().enumerate() {
                    let (connection, identity) = (self.connection.clone(), self.identity.get().cloned());
                    asked.spawn(async move { (index, connection.get(&key, most, identity).await) });
                }
                while let Some(answer) = asked.join_next().await {
                    if let Ok((index, answer)) = answer {
                        answers[index] = Some(answer);
                    }
                }
                Ok(answers)
            };
            let first = keys.first().map_or("", String::as_str);
            let tried = self.one_try("get", first, self.retry_policy, stopped_before, side_by_side);
            let answers = match self.runtime.block_on(tried) {
                Ok(answers) => answers,
                Err(StoreError::Unreachable { reason, .. }) if self.is_stopped() => {
                    return Err(StoreError::Stopped { url: self.url().to_owned(), reason });
                }
                Err(_) => (0..keys.len()).map(|_| None).collect(),
            };
            self.counters.asked(keys.len() as u64, begun);
            for (key, answer) in keys.iter().zip(answers) {
                let object = match answer {
                    Some(Ok(object)) => {
                        self.counters.moved(object.as_ref().map_or(0, Bytes::len));
                        object
                    }
                    // A failed request is retried on its own, with pauses.
                    _ => self.get(key, most)?,
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
        self.contains_within(key, self.retry_policy)
    }

    /// Like [`Store::contains`], with a custom retry policy.
    ///
    /// # Errors
    /// As [`Store::contains`].
    pub fn contains_within(&self, key: &str, retry_policy: RetryPolicy) -> Result<bool> {
        self.until_answered("look for", key, retry_policy, || {
            self.connection.contains(key, self.identity.get().cloned())
        })
    }

    /// The last part of the names directly under a prefix, sorted. It reads them all: only for prefixes that stay
    /// small, and for checks.
    ///
    /// # Errors
    /// The store cannot be reached or refuses.
    pub fn names_in(&self, prefix: &str) -> Result<Vec<String>> {
        let list = || self.connection.names_in(prefix, self.identity.get().cloned());
        self.until_answered("list", prefix, self.retry_policy, list)
    }

    /// The first number, from `from` on, without an object, if all numbers before it have one: found by doubling and
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

    /// Removes an object, only when a store is examined: the objects of a run stay.
    fn remove(&self, key: &str) -> Result<()> {
        self.until_answered("remove", key, self.retry_policy, || self.connection.remove(key))
    }

    /// Asks until there is an answer or a permanent error.
    fn until_answered<T, F>(
        &self,
        action: &'static str,
        key: &str,
        retry_policy: RetryPolicy,
        ask: impl Fn() -> F,
    ) -> Result<T>
    where
        F: Future<Output = Result<T>>,
    {
        let begun = Instant::now();
        let stopped_before = self.is_stopped();
        let mut pauses = retry_policy.pauses(key);
        let (mut tries, mut waited, mut told) = (0, Duration::ZERO, Duration::ZERO);
        let answer = loop {
            tries += 1;
            let answer = self.runtime.block_on(self.one_try(action, key, retry_policy, stopped_before, ask()));
            let Err(StoreError::Unreachable { reason, .. }) = &answer else { break answer };
            let stopped = self.is_stopped();
            let last = if stopped { !stopped_before || tries >= retry_policy.tries_after_stop } else { false };
            let Some(pause) = pauses.next().filter(|_| !last) else {
                if stopped {
                    break Err(StoreError::Stopped { url: self.url().to_owned(), reason: reason.clone() });
                }
                break answer;
            };
            // After a stop only a short time is left for important requests.
            let pause = if stopped { pause.min(retry_policy.first_pause) } else { pause };
            waited += pause;
            if waited >= (TOLD_AFTER * retry_policy.first_pause).max(2 * told) {
                told = waited;
                let (url, key, reason) = (self.url().to_owned(), key.to_owned(), reason.clone());
                (self.listener)(&StoreEvent::Waiting { action, url, key, reason, left: retry_policy.all_pauses });
            }
            self.pause(pause);
        };
        if !told.is_zero() && answer.is_ok() {
            (self.listener)(&StoreEvent::Answers { url: self.url().to_owned() });
        }
        self.counters.asked(tries.into(), begun);
        answer
    }

    /// One request, within its time limit.
    async fn one_try<T>(
        &self,
        action: &'static str,
        key: &str,
        retry_policy: RetryPolicy,
        stopped_before: bool,
        ask: impl Future<Output = Result<T>>,
    ) -> Result<T> {
        let begun = Instant::now();
        let mut ask = pin!(ask);
        loop {
            if let Ok(answer) = tokio::time::timeout(LOOK.min(retry_policy.one_try), ask.as_mut()).await {
                return answer;
            }
            let limit = match self.is_stopped() {
                // A stop while the store does not answer ends the wait; a request that has just begun may finish.
                true if !stopped_before => retry_policy.one_try.min(AT_STOP),
                true => retry_policy.one_try.min(AFTER_STOP),
                false => retry_policy.one_try,
            };
            if begun.elapsed() >= limit {
                return Err(error::late(action, &self.connection.url, key, begun.elapsed()));
            }
        }
    }

    fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// Sleeps, but wakes when a stop is asked for.
    fn pause(&self, pause: Duration) {
        let until = Instant::now() + pause;
        let stopped_before = self.is_stopped();
        while Instant::now() < until && self.is_stopped() == stopped_before {
            std::thread::sleep(Duration::from_millis(20).min(pause));
        }
    }
}

#[cfg(test)]
mod tests;
