//! Searches for callers: a bounded number at once, the others wait in turn, and one whose caller has gone stops.
//!
//! The number is bounded by the cores and by the memory. Short questions and those whose answers are streams have
//! places of their own, so that a move need not wait for analyses without an end.

use crate::error::ApiError;
use axum::response::sse::{Event, KeepAlive, Sse};
use serde::Serialize;
use std::convert::Infallible;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;
use tokio::runtime::Handle;
use tokio::sync::{Semaphore, mpsc};
use tokio_stream::wrappers::ReceiverStream;

/// Most callers that wait for a search.
const MOST_WAITING: usize = 64;
/// Events that a slow caller may leave unread before a search waits for it.
const UNREAD: usize = 16;
/// A caller that reads nothing for so long has gone.
const PATIENCE: Duration = Duration::from_secs(10);

/// Most bytes of nodes and edges of a search. A small machine has less: this part of its free memory.
const MOST_TREE_BYTES: usize = 256 << 20;
const PART_OF_MEMORY: u64 = 8;
/// Least bytes of a tree, so that a machine without free memory still has an answer.
const LEAST_TREE_BYTES: usize = 8 << 20;
/// Bytes for network outputs beyond the tree.
pub(crate) const CACHE_BYTES: usize = 16 << 20;
/// Most bytes of a search: the vectors of a tree may take twice as much as its nodes and edges.
const SEARCH_BYTES: u64 = (2 * MOST_TREE_BYTES + CACHE_BYTES) as u64;

/// The searches of a studio.
#[derive(Debug)]
pub(crate) struct Searches {
    /// Places of each kind.
    places: usize,
    short: Arc<Semaphore>,
    streams: Arc<Semaphore>,
    waiting: AtomicUsize,
    /// The flags of searches in progress.
    flags: Mutex<Vec<Weak<AtomicBool>>>,
    stopped: AtomicBool,
}

/// Sets the flag of a search when its caller has gone.
struct StopOnDrop(Arc<AtomicBool>);

impl Drop for StopOnDrop {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Counts a caller as waiting while it lives.
struct Waiting<'a>(&'a AtomicUsize);

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Events of a search for its caller.
#[derive(Clone, Debug)]
pub(crate) struct Teller {
    sender: mpsc::Sender<Event>,
    stop: Arc<AtomicBool>,
}

impl Teller {
    /// Sends an event with this name. If the caller has gone, the search's flag is set.
    pub fn tell(&self, name: &str, content: &impl Serialize) {
        let Ok(event) = Event::default().event(name).json_data(content) else { return };
        if Handle::current().block_on(self.sender.send_timeout(event, PATIENCE)).is_err() {
            self.stop.store(true, Ordering::Relaxed);
        }
    }
}

/// A stream of events for a caller.
pub(crate) type Events = Sse<axum::response::sse::KeepAliveStream<Stream>>;

/// What a search tells, and its flag, which is set when the caller no longer reads it.
pub(crate) struct Stream {
    events: ReceiverStream<Event>,
    _stop: StopOnDrop,
}

impl tokio_stream::Stream for Stream {
    type Item = Result<Event, Infallible>;

    fn poll_next(
        mut self: std::pin::Pin<&mut Self>,
        context: &mut std::task::Context<'_>,
    ) -> std::task::Poll<Option<Self::Item>> {
        std::pin::Pin::new(&mut self.events).poll_next(context).map(|event| event.map(Ok))
    }
}

impl Searches {
    /// So many searches at once, 0 for one for each core, as far as the memory that is free now has room for them.
    pub fn new(at_once: usize) -> Searches {
        let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        let places = places(if at_once == 0 { cores } else { at_once }, lab::memory::available());
        Searches {
            places,
            short: Arc::new(Semaphore::new(places)),
            streams: Arc::new(Semaphore::new(places)),
            waiting: AtomicUsize::new(0),
            flags: Mutex::default(),
            stopped: AtomicBool::new(false),
        }
    }

    /// Stops all searches, also those that have not begun.
    pub fn stop(&self) {
        self.stopped.store(true, Ordering::Relaxed);
        for flag in self.flags.lock().unwrap_or_else(PoisonError::into_inner).iter().filter_map(Weak::upgrade) {
            flag.store(true, Ordering::Relaxed);
        }
    }

    fn flag(&self) -> Arc<AtomicBool> {
        let flag = Arc::new(AtomicBool::new(self.stopped.load(Ordering::Relaxed)));
        let mut flags = self.flags.lock().unwrap_or_else(PoisonError::into_inner);
        flags.retain(|flag| flag.strong_count() > 0);
        flags.push(Arc::downgrade(&flag));
        flag
    }

    /// Does `work` on a thread of its own, as soon as others leave room, and gives its result. The flag is set if the caller
    /// goes before that.
    ///
    /// # Errors
    /// Too many callers wait; `work` fails or panics.
    pub async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce(&AtomicBool) -> Result<T, ApiError> + Send + 'static,
    ) -> Result<T, ApiError> {
        if self.waiting.fetch_add(1, Ordering::Relaxed) >= MOST_WAITING {
            self.waiting.fetch_sub(1, Ordering::Relaxed);
            return Err(ApiError::Busy("too many searches wait already; try again later".to_owned()));
        }
        let waiting = Waiting(&self.waiting);
        let permit = Arc::clone(&self.short).acquire_owned().await.map_err(ApiError::failed)?;
        drop(waiting);
        let flag = self.flag();
        let _stop = StopOnDrop(Arc::clone(&flag));
        let done = tokio::task::spawn_blocking(move || {
            let _permit = permit;
            work(&flag)
        });
        done.await
            .unwrap_or_else(|_| Err(ApiError::Failed("the search broke off, which is a defect of Kirin".to_owned())))
    }

    /// Does `work` on a thread of its own, and gives the stream of what it tells. If it must wait, `waiting` comes
    /// first, with the number of searches at once. The flag is set when the caller no longer reads the stream. An error is the
    /// last event, `refused`.
    pub fn stream(&self, work: impl FnOnce(&AtomicBool, &Teller) -> Result<(), ApiError> + Send + 'static) -> Events {
        let (sender, events) = mpsc::channel(UNREAD);
        let flag = self.flag();
        let stop = StopOnDrop(Arc::clone(&flag));
        let (permits, places) = (Arc::clone(&self.streams), self.places);
        tokio::spawn(async move {
            if permits.available_permits() == 0 {
                let wait = Event::default().event("waiting").data(format!("{{\"places\":{places}}}"));
                let _ = sender.send(wait).await;
            }
            let Ok(permit) = permits.acquire_owned().await else { return };
            let _ = tokio::task::spawn_blocking(move || {
                let _permit = permit;
                let teller = Teller { sender, stop: Arc::clone(&flag) };
                if flag.load(Ordering::Relaxed) {
                    return;
                }
                if let Err(error) = work(&flag, &teller) {
                    teller.tell("refused", &serde_json::json!({ "error": error.to_string() }));
                }
            })
            .await;
        });
        let stream = Stream { events: ReceiverStream::new(events), _stop: stop };
        Sse::new(stream).keep_alive(KeepAlive::default())
    }
}

/// Places of each of the two kinds: as many as wanted, if half of the free memory has room for both, and at least one.
fn places(wanted: usize, available: Option<u64>) -> usize {
    let room = |bytes: u64| usize::try_from(bytes / 2 / (2 * SEARCH_BYTES)).unwrap_or(usize::MAX);
    wanted.min(available.map_or(usize::MAX, room)).max(1)
}

/// Most bytes of nodes and edges of a search that begins now.
pub(crate) fn tree_bytes() -> usize {
    tree_bytes_of(lab::memory::available())
}

/// [`tree_bytes`] on a machine with so much free memory.
fn tree_bytes_of(available: Option<u64>) -> usize {
    let part = available.map_or(MOST_TREE_BYTES, |bytes| usize::try_from(bytes / PART_OF_MEMORY).unwrap_or(usize::MAX));
    part.clamp(LEAST_TREE_BYTES, MOST_TREE_BYTES)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tree_takes_a_part_of_the_free_memory() {
        assert_eq!(tree_bytes_of(None), MOST_TREE_BYTES);
        assert_eq!(tree_bytes_of(Some(64 << 30)), MOST_TREE_BYTES);
        assert_eq!(tree_bytes_of(Some(1 << 30)), 128 << 20);
        assert_eq!(tree_bytes_of(Some(0)), LEAST_TREE_BYTES);
    }

    #[test]
    fn cores_and_memory_bound_the_searches_at_once() {
        assert_eq!(places(64, None), 64, "a system that does not tell");
        assert_eq!(places(2, Some(64 << 30)), 2);
        // Sixteen gigabytes are free; the searches may take eight, at 528 MB each.
        assert_eq!(places(64, Some(16 << 30)), 7);
        assert_eq!(places(64, Some(0)), 1, "one search is always possible");
    }
}
