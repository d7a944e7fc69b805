//! Receives finished games while others are played: it makes shards of them, uploads these, and looks for a newer
//! network.

use super::WorkerOptions;
use super::spool::Spool;
use crate::error::{Result, RoleError};
use crate::objects::{ShardNote, generation_key};
use crate::store::{RetryPolicy, Store, StoreError};
use crate::{Awaited, RunEvent};
use data::{GameRecord, Provenance, ShardBundle};
use lab::Host;
use rules::Variant;
use selfplay::generator::{GenerationCounts, GenerationProgress};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Time that the store has for an answer while games are played; after that the request is tried again later.
const ONE_TRY: Duration = Duration::from_secs(20);
/// Time for retries of an upload, which is two requests; each failed attempt doubles the time to the next.
const UPLOAD_TRIES: Duration = Duration::from_secs(1);
/// The shortest and the longest time between two such attempts.
const TRY_AGAIN: [Duration; 2] = [Duration::from_secs(1), Duration::from_secs(60)];

/// The context of the uploader.
#[derive(Clone, Copy)]
pub(super) struct UploadContext<'a> {
    pub store: &'a Store,
    pub options: &'a WorkerOptions,
    pub host: &'a Host,
    /// Set by the uploader when the games are to stop.
    pub halt: &'a AtomicBool,
    pub progress: &'a GenerationProgress,
    pub provenance: &'a Provenance,
    pub tell: &'a dyn Fn(RunEvent),
}

/// The uploader during the use of one network.
pub(super) struct ShardUploader<'a, V: Variant> {
    context: UploadContext<'a>,
    note: &'a mut ShardNote,
    spool: &'a mut Spool,
    games: Vec<GameRecord<V>>,
    /// When the first of the games came.
    since: Instant,
    /// The counts when the last shard was closed.
    counted: GenerationCounts,
    next_poll: Instant,
    awaited: Awaited,
    next_flush: Instant,
    pause: Duration,
    failed: Option<RoleError>,
}

impl<'a, V: Variant> ShardUploader<'a, V> {
    /// An uploader without games, whose times begin now. The first upload is due immediately.
    pub fn new(context: UploadContext<'a>, note: &'a mut ShardNote, spool: &'a mut Spool) -> ShardUploader<'a, V> {
        let now = Instant::now();
        ShardUploader {
            counted: context.progress.counts(),
            next_poll: now + context.options.poll,
            context,
            note,
            spool,
            games: Vec::new(),
            since: now,
            awaited: Awaited::default(),
            next_flush: now,
            pause: TRY_AGAIN[0],
            failed: None,
        }
    }

    /// Takes a finished game, if there is one, and does what is due.
    pub fn on_game(&mut self, game: Option<GameRecord<V>>) {
        if let Some(game) = game {
            if self.games.is_empty() {
                self.since = Instant::now();
            }
            let slot = game.worker.rsplit('/').next().and_then(|slot| slot.parse::<usize>().ok());
            if let Some(number) = slot.and_then(|slot| self.note.numbers.get_mut(slot)) {
                *number += 1;
            }
            self.games.push(game);
        }
        if self.failed.is_none()
            && let Err(error) = self.do_what_is_due()
        {
            self.failed = Some(error);
        }
        if self.failed.is_some() || self.context.host.is_stopped() {
            self.context.halt.store(true, Ordering::Relaxed);
        }
    }

    fn do_what_is_due(&mut self) -> Result<()> {
        let is_old = !self.games.is_empty() && self.since.elapsed() >= self.context.options.shard_time;
        if is_old || self.games.len() >= self.context.options.shard_games {
            self.close_shard()?;
        }
        let now = Instant::now();
        let one_try = RetryPolicy { one_try: ONE_TRY, ..RetryPolicy::of(Duration::ZERO) };
        if self.spool.bytes() > 0 && now >= self.next_flush {
            let some_tries = RetryPolicy { one_try: ONE_TRY, ..RetryPolicy::of(UPLOAD_TRIES) };
            match self.spool.flush(self.context.store, some_tries, self.context.tell) {
                Ok(()) => self.pause = TRY_AGAIN[0],
                Err(RoleError::Store(StoreError::Unreachable { .. } | StoreError::Stopped { .. })) => {
                    self.next_flush = Instant::now() + self.pause;
                    self.pause = (2 * self.pause).min(TRY_AGAIN[1]);
                    if self.spool.bytes() > self.context.options.spool_bytes {
                        self.context.halt.store(true, Ordering::Relaxed);
                    }
                }
                Err(error) => return Err(error),
            }
        }
        if now >= self.next_poll {
            self.next_poll = Instant::now() + self.context.options.poll;
            match self.is_newer(one_try) {
                Ok(is_newer) => self.context.halt.fetch_or(is_newer, Ordering::Relaxed),
                // A store that does not answer now may answer at the next look.
                Err(RoleError::Store(StoreError::Unreachable { .. } | StoreError::Stopped { .. })) => false,
                Err(error) => return Err(error),
            };
        }
        Ok(())
    }

    /// Whether there is a newer generation. A lost one is reported.
    fn is_newer(&mut self, retry_policy: RetryPolicy) -> Result<bool> {
        let (store, next) = (self.context.store, u64::from(self.note.network) + 1);
        let key = |number: u64| generation_key(number as u32);
        if store.contains_within(&key(next), retry_policy)? {
            return Ok(true);
        }
        if let Some(later) = self.awaited.later(store, next, retry_policy, key)? {
            (self.context.tell)(RunEvent::Gap { url: store.url().to_owned(), key: key(next), later });
        }
        Ok(false)
    }

    /// Makes a shard of the current games.
    fn close_shard(&mut self) -> Result<()> {
        let counts = self.context.progress.counts();
        let since = counts.since(&self.counted);
        self.note.searched = since.positions;
        self.note.evaluations = since.evaluations;
        self.note.places = since.places;
        let bundle = ShardBundle { games: std::mem::take(&mut self.games), note: self.note.clone() };
        let bytes = bundle.pack(self.context.provenance).map_err(|error| RoleError::Object {
            url: self.context.store.url().to_owned(),
            key: "a shard".to_owned(),
            reason: error.to_string(),
        })?;
        self.spool.add(&bytes)?;
        self.counted = counts;
        Ok(())
    }

    /// Makes a shard of the remaining games; it is uploaded at the next attempt.
    ///
    /// # Errors
    /// Any error while games were played, or now.
    pub fn close(mut self) -> Result<()> {
        if !self.games.is_empty() {
            self.close_shard()?;
        }
        self.failed.map_or(Ok(()), Err)
    }
}
