//! Searches for callers: a bounded number at once, the others wait in turn, and one whose caller has gone stops.
//!
//! The number is bounded by the cores and by the memory. Short searches and long ones have places of their own, so
//! that a move need not wait for analyses without an end.

use crate::error::ApiError;
use axum::response::sse::{Event, KeepAlive, Sse};
use serde::Serialize;
use std::collections::BTreeSet;
use std::convert::Infallible;
use std::pin::pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;
use tokio::runtime::Handle;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc, watch};
use tokio_stream::wrappers::ReceiverStream;

/// Most callers that wait in a queue.
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
    short: Arc<Queue>,
    long: Arc<Queue>,
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

/// How long a search takes, which decides the queue that it waits in.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Length {
    /// As long as a move.
    Short,
    /// Minutes, or until its caller goes.
    Long,
}

/// Places for searches, and the callers that wait for one.
#[derive(Debug)]
struct Queue {
    places: usize,
    permits: Arc<Semaphore>,
    /// The tickets of those that wait; who came earlier has a lower number.
    waiting: watch::Sender<BTreeSet<u64>>,
}

/// The ticket of a caller that waits. It leaves the queue when dropped.
struct Ticket<'a> {
    queue: &'a Queue,
    number: u64,
}

impl Drop for Ticket<'_> {
    fn drop(&mut self) {
        self.queue.waiting.send_if_modified(|waiting| waiting.remove(&self.number));
    }
}

/// What a caller is told while it waits.
#[derive(Debug, PartialEq, Serialize)]
struct Waiting {
    /// Its place in the queue, from 1.
    place: usize,
    /// Searches at once.
    places: usize,
}

impl Queue {
    fn new(places: usize) -> Arc<Queue> {
        Arc::new(Queue { places, permits: Arc::new(Semaphore::new(places)), waiting: watch::Sender::default() })
    }

    /// # Errors
    /// Too many callers wait.
    fn ticket(&self) -> Result<Ticket<'_>, ApiError> {
        let mut number = None;
        self.waiting.send_if_modified(|waiting| {
            if waiting.len() < MOST_WAITING {
                let next = waiting.last().map_or(0, |last| last + 1);
                number = Some(next);
                waiting.insert(next);
            }
            number.is_some()
        });
        let number =
            number.ok_or_else(|| ApiError::Busy("too many searches wait already; try again later".to_owned()))?;
        Ok(Ticket { queue: self, number })
    }

    /// Waits for a place. `tell` is called with the place in the queue when the wait begins, and when it changes.
    ///
    /// # Errors
    /// Too many callers wait.
    async fn enter(&self, tell: impl Fn(Waiting)) -> Result<OwnedSemaphorePermit, ApiError> {
        let mut changes = self.waiting.subscribe();
        let ticket = self.ticket()?;
        let mut permit = pin!(Arc::clone(&self.permits).acquire_owned());
        let mut told = 0;
        loop {
            tokio::select! {
                biased;
                permit = &mut permit => return permit.map_err(ApiError::failed),
                _ = changes.changed() => {
                    let place = changes.borrow_and_update().range(..=ticket.number).count();
                    if place != told {
                        told = place;
                        tell(Waiting { place, places: self.places });
                    }
                }
            }
        }
    }
}

/// Events of a search for its caller.
#[derive(Clone, Debug)]
pub(crate) struct Teller {
    sender: mpsc::Sender<Event>,
    stop: Arc<AtomicBool>,
}

/// An event; `None` if its content has no JSON.
fn event(name: &str, content: &impl Serialize) -> Option<Event> {
    Event::default().event(name).json_data(content).ok()
}

/// The event with the reason of an error.
fn refusal(error: &ApiError) -> Option<Event> {
    event("refused", &serde_json::json!({ "error": error.to_string() }))
}

impl Teller {
    /// Sends an event with this name. If the caller has gone, the search's flag is set.
    pub fn tell(&self, name: &str, content: &impl Serialize) {
        self.send(event(name, content));
    }

    fn send(&self, event: Option<Event>) {
        let Some(event) = event else { return };
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
        let [short, long] = [places; 2].map(Queue::new);
        Searches { short, long, flags: Mutex::default(), stopped: AtomicBool::new(false) }
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

    /// Does short `work` on a thread of its own, as soon as others leave room, and gives its result. The flag is set if
    /// the caller goes before that.
    ///
    /// # Errors
    /// Too many callers wait; `work` fails or panics.
    pub async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce(&AtomicBool) -> Result<T, ApiError> + Send + 'static,
    ) -> Result<T, ApiError> {
        let permit = self.short.enter(|_| ()).await?;
        let flag = self.flag();
        let _stop = StopOnDrop(Arc::clone(&flag));
        let done = tokio::task::spawn_blocking(move || {
            let _permit = permit;
            work(&flag)
        });
        done.await
            .unwrap_or_else(|_| Err(ApiError::Failed("the search broke off, which is a defect of Kirin".to_owned())))
    }

    /// Does `work` on a thread of its own, and gives the stream of what it tells. While it must wait, `waiting` comes
    /// first, with the place in the queue and the number of searches at once. The flag is set when the caller no longer
    /// reads the stream. An error is the last event, `refused`.
    pub fn stream(
        &self,
        length: Length,
        work: impl FnOnce(&AtomicBool, &Teller) -> Result<(), ApiError> + Send + 'static,
    ) -> Events {
        let (sender, events) = mpsc::channel(UNREAD);
        let flag = self.flag();
        let stop = StopOnDrop(Arc::clone(&flag));
        let queue = Arc::clone(match length {
            Length::Short => &self.short,
            Length::Long => &self.long,
        });
        tokio::spawn(async move {
            // A caller that reads nothing misses its place in the queue, and nothing else.
            let tell = |waiting| _ = event("waiting", &waiting).map(|event| sender.try_send(event));
            let entered = tokio::select! {
                entered = queue.enter(tell) => entered,
                () = sender.closed() => return,
            };
            let permit = match entered {
                Ok(permit) => permit,
                Err(error) => {
                    if let Some(refusal) = refusal(&error) {
                        let _ = sender.send(refusal).await;
                    }
                    return;
                }
            };
            let _ = tokio::task::spawn_blocking(move || {
                let _permit = permit;
                let teller = Teller { sender, stop: Arc::clone(&flag) };
                if flag.load(Ordering::Relaxed) {
                    return;
                }
                if let Err(error) = work(&flag, &teller) {
                    teller.send(refusal(&error));
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
    fn callers_that_wait_know_their_place_and_leave_the_queue() {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(async {
            let queue = Queue::new(1);
            let held = queue.enter(|_| panic!("there is a free place")).await.unwrap();
            let told = Mutex::new(Vec::new());
            let tell = |waiting: Waiting| told.lock().unwrap().push((waiting.place, waiting.places));
            let mut first = Box::pin(queue.enter(|_| ()));
            assert!(futures_now(first.as_mut()).is_none());
            let mut second = Box::pin(queue.enter(tell));
            assert!(futures_now(second.as_mut()).is_none());
            drop(first);
            assert!(futures_now(second.as_mut()).is_none());
            assert_eq!(*told.lock().unwrap(), [(2, 1), (1, 1)]);
            drop(held);
            let _held = futures_now(second.as_mut()).unwrap().unwrap();
            assert!(queue.waiting.borrow().is_empty());
            let waiting: Vec<_> = (0..MOST_WAITING).map(|_| queue.ticket().unwrap()).collect();
            assert!(matches!(queue.enter(|_| ()).await, Err(ApiError::Busy(_))));
            drop(waiting);
        });
    }

    /// What a future has now.
    fn futures_now<F: Future>(future: std::pin::Pin<&mut F>) -> Option<F::Output> {
        match future.poll(&mut std::task::Context::from_waker(std::task::Waker::noop())) {
            std::task::Poll::Ready(output) => Some(output),
            std::task::Poll::Pending => None,
        }
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
