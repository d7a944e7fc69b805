//! What changes while pages are open: one reader for all listeners, and no reader without listeners.
//!
//! A [`Feed`] looks at files. As long as somebody listens, a task asks it for news, at most once a second, and pauses
//! so long that its looks take about half a per cent of one core. What it found is serialised once and shared by all
//! listeners. A listener that is slow gets the newest state, not all that were before it.

use crate::error::ApiError;
use axum::response::sse::{Event, KeepAlive, KeepAliveStream, Sse};
use std::collections::BTreeMap;
use std::convert::Infallible;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime};
use tokio::sync::{mpsc, watch};
use tokio_stream::StreamExt;
use tokio_stream::wrappers::ReceiverStream;

/// Least time between two looks.
const LOOK_EVERY: Duration = Duration::from_secs(1);
/// A pause is so many times as long as the look before it.
const PAUSE_OF_LOOK: u32 = 200;
/// Longest pause.
const LONGEST_PAUSE: Duration = Duration::from_secs(10);
/// Most listeners at once.
const MOST_LISTENERS: usize = 500;
/// Events that a slow listener may leave unread before its newest ones wait.
const UNREAD: usize = 4;

/// Something that changes.
pub(crate) trait Feed: Send + 'static {
    /// What is new.
    fn look(&mut self) -> Look;
}

/// What a look found.
pub(crate) enum Look {
    /// Nothing new.
    Same,
    /// These parts are new; those of other names are as before.
    New(Vec<Part>),
    /// It is no longer there. Nothing follows.
    Gone,
}

/// A part of the state, which is sent as an event of its own.
#[derive(Clone)]
pub(crate) struct Part {
    /// The name of the event.
    pub name: &'static str,
    /// What is sent.
    pub content: Content,
}

/// What is sent of a part.
#[derive(Clone)]
pub(crate) enum Content {
    /// JSON, whole.
    Whole(Arc<str>),
    /// Rows of JSON that follow one another. A listener gets those that it has not got; all, if they are of another
    /// series.
    Rows {
        /// The number of the series; another number means that the rows began anew.
        series: u64,
        /// The rows.
        rows: Arc<Vec<String>>,
    },
}

impl Part {
    /// A part that is sent whole.
    ///
    /// # Errors
    /// A number cannot be written.
    pub fn whole(name: &'static str, content: &impl serde::Serialize) -> serde_json::Result<Part> {
        Ok(Part { name, content: Content::Whole(serde_json::to_string(content)?.into()) })
    }
}

/// All parts, each with the number of its version.
#[derive(Clone, Default)]
struct Told {
    parts: Vec<(u64, Part)>,
    gone: bool,
}

/// What a listener has got of a part.
#[derive(Clone, Copy, Default)]
struct Got {
    version: u64,
    series: u64,
    rows: usize,
}

impl Got {
    /// The event that a listener lacks, if it lacks one.
    fn lacks(&mut self, version: u64, part: &Part) -> Option<Event> {
        if self.version == version {
            return None;
        }
        self.version = version;
        let text = match &part.content {
            Content::Whole(json) => json.to_string(),
            Content::Rows { series, rows } => {
                if self.series != *series || self.rows > rows.len() {
                    (self.series, self.rows) = (*series, 0);
                }
                let from = std::mem::replace(&mut self.rows, rows.len());
                format!("{{\"from\":{from},\"rows\":[{}]}}", rows[from..].join(","))
            }
        };
        Some(Event::default().event(part.name).data(text))
    }
}

type Senders = BTreeMap<String, Arc<watch::Sender<Told>>>;

/// The feeds that somebody listens to.
#[derive(Default)]
pub(crate) struct Live {
    open: Arc<Mutex<Senders>>,
    listeners: Arc<AtomicUsize>,
}

/// Counts a listener while it lives.
struct Listener(Arc<AtomicUsize>);

impl Drop for Listener {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// The answer to a listener.
pub(crate) type Listening =
    Sse<KeepAliveStream<tokio_stream::adapters::Map<ReceiverStream<Event>, fn(Event) -> Result<Event, Infallible>>>>;

impl Live {
    /// Listens to the feed of this name, which `feed` makes for its first listener.
    ///
    /// # Errors
    /// Too many listen.
    pub fn listen<F: Feed>(&self, name: &str, feed: impl FnOnce() -> F) -> Result<Listening, ApiError> {
        let listener = Listener(Arc::clone(&self.listeners));
        if self.listeners.fetch_add(1, Ordering::Relaxed) >= MOST_LISTENERS {
            return Err(ApiError::Busy("too many pages are open; close some of them".to_owned()));
        }
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        let receiver = match open.get(name) {
            Some(sender) => sender.subscribe(),
            None => {
                let sender = Arc::new(watch::Sender::new(Told::default()));
                let receiver = sender.subscribe();
                open.insert(name.to_owned(), Arc::clone(&sender));
                tokio::spawn(read(feed(), name.to_owned(), sender, Arc::clone(&self.open)));
                receiver
            }
        };
        drop(open);
        let (sender, events) = mpsc::channel(UNREAD);
        tokio::spawn(tell(receiver, sender, listener));
        let stream = ReceiverStream::new(events).map(Ok as fn(Event) -> Result<Event, Infallible>);
        Ok(Sse::new(stream).keep_alive(KeepAlive::default()))
    }
}

/// Asks a feed for news as long as somebody listens.
async fn read<F: Feed>(mut feed: F, name: String, sender: Arc<watch::Sender<Told>>, open: Arc<Mutex<Senders>>) {
    loop {
        let look = tokio::task::spawn_blocking(move || {
            let began = Instant::now();
            let look = feed.look();
            (feed, look, began.elapsed())
        });
        // The look fails only if it panics; then there is nothing more to tell.
        let (again, look, took) = match look.await {
            Ok((again, look, took)) => (Some(again), look, took),
            Err(_) => (None, Look::Gone, Duration::ZERO),
        };
        match look {
            Look::Same => {}
            Look::New(parts) => sender.send_modify(|told| parts.into_iter().for_each(|part| told.set(part))),
            Look::Gone => {
                open.lock().unwrap_or_else(PoisonError::into_inner).remove(&name);
                sender.send_modify(|told| told.gone = true);
                return;
            }
        }
        tokio::time::sleep((took * PAUSE_OF_LOOK).clamp(LOOK_EVERY, LONGEST_PAUSE)).await;
        let mut open = open.lock().unwrap_or_else(PoisonError::into_inner);
        if sender.receiver_count() == 0 {
            open.remove(&name);
            return;
        }
        let Some(again) = again else { return };
        feed = again;
    }
}

impl Told {
    fn set(&mut self, part: Part) {
        match self.parts.iter_mut().find(|(_, other)| other.name == part.name) {
            Some((version, place)) => (*version, *place) = (*version + 1, part),
            None => self.parts.push((1, part)),
        }
    }
}

/// Tells a listener what is new until it goes.
async fn tell(mut receiver: watch::Receiver<Told>, sender: mpsc::Sender<Event>, _listener: Listener) {
    let mut got: BTreeMap<&'static str, Got> = BTreeMap::new();
    loop {
        let told = receiver.borrow_and_update().clone();
        for (version, part) in &told.parts {
            if let Some(event) = got.entry(part.name).or_default().lacks(*version, part)
                && sender.send(event).await.is_err()
            {
                return;
            }
        }
        if told.gone {
            let _ = sender.send(Event::default().event("gone").data("{}")).await;
            return;
        }
        tokio::select! {
            changed = receiver.changed() => if changed.is_err() { return },
            () = sender.closed() => return,
        }
    }
}

/// What shows whether a file has changed: its length and when it was written; `None` if it is not there.
pub(crate) type Stamp = Option<(u64, SystemTime)>;

/// The stamp of a file.
pub(crate) fn stamp(path: &Path) -> Stamp {
    let about = std::fs::metadata(path).ok()?;
    Some((about.len(), about.modified().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(series: u64, rows: &[&str]) -> Part {
        let rows = Arc::new(rows.iter().map(|&row| row.to_owned()).collect());
        Part { name: "rows", content: Content::Rows { series, rows } }
    }

    #[test]
    fn a_listener_gets_only_the_rows_that_it_lacks() {
        let mut got = Got::default();
        let text = |event: Option<Event>| event.map(|event| format!("{event:?}"));
        assert!(text(got.lacks(1, &rows(1, &["1", "2"]))).unwrap().contains(r#"\"from\":0,\"rows\":[1,2]"#));
        assert_eq!(text(got.lacks(1, &rows(1, &["1", "2"]))), None);
        assert!(text(got.lacks(3, &rows(1, &["1", "2", "3"]))).unwrap().contains(r#"\"from\":2,\"rows\":[3]"#));
        assert!(text(got.lacks(4, &rows(2, &["7"]))).unwrap().contains(r#"\"from\":0,\"rows\":[7]"#));
    }
}
