//! A run on many machines, which share only a store ([`store::Store`]); [`deployment`] has the files that a scheduler
//! needs to start it.
//!
//! There are three roles. The [`trainer`] has an ordinary run folder; only its self-play stage differs: it gathers the
//! games that workers upload to the store. It publishes a record for each generation, which names the network, the
//! training state and the shards that were taken, so that its folder can be rebuilt from the store. A [`worker`] plays
//! with the newest network and uploads its games. A [`referee`] plays the matches that records ask for.
//!
//! Every object of the store is uploaded once and never changed ([`objects`] has their names). So no role knows of
//! another, each may be killed at any moment, and two processes with the same role and number do no harm: the first
//! upload counts.

#![forbid(unsafe_code)]

pub mod deployment;
mod error;
pub mod objects;
pub mod referee;
pub mod store;
pub mod trainer;
pub mod verify;
pub mod worker;

mod gather;
mod history_hints;
mod publish;
mod restore;
mod run_event;
mod settled;

pub use error::{Result, RoleError};
pub use run_event::{Left, RunEvent};

use lab::{Config, Host, Plan};
use objects::{Generation, generation_key, longer_key};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use store::{RetryPolicy, Store};

/// The context of a worker or a referee.
#[derive(Clone, Copy)]
pub struct Post<'a> {
    /// The settings that it was given.
    pub config: &'a Config,
    /// The store of the run.
    pub store: &'a Store,
    /// The program around it.
    pub host: &'a Host,
    /// Receives its events.
    pub tell: &'a dyn Fn(RunEvent),
}

/// The newest generation that is published, not before `from`; `None` if there is none after it.
fn newest_after(store: &Store, from: u32) -> Result<Option<Generation>> {
    let next = u64::from(from) + 1;
    let free = store.first_free(next, |number| generation_key(number as u32))?;
    if free == next {
        return Ok(None);
    }
    Generation::read(store, (free - 1) as u32)
}

/// Whether the run is finished with this generation: it was planned as the last one, and the trainer has not extended
/// the run.
fn is_over(store: &Store, plan: &Plan) -> Result<bool> {
    Ok(plan.last && !store.contains(&longer_key(plan.generation))?)
}

/// Looks without success after which a gap in the numbers is checked for the first time.
const LOOKS_BEFORE_GAP: u32 = 32;

/// Numbers tried after one that may be lost: 1, 2, 4 and so on after it.
const TRIES_BEHIND: u32 = 10;

/// Waits for an object with a number. Numbers are consecutive, so if a later one exists, the awaited one was lost.
#[derive(Debug, Default)]
struct Awaited {
    looks: u32,
}

impl Awaited {
    /// To be called after each look without success: returns a later object, if there is one. The check becomes rarer
    /// each time.
    fn later(
        &mut self,
        store: &Store,
        number: u64,
        retry_policy: RetryPolicy,
        key: impl Fn(u64) -> String,
    ) -> Result<Option<String>> {
        self.looks = self.looks.saturating_add(1);
        if self.looks < LOOKS_BEFORE_GAP || !self.looks.is_power_of_two() {
            return Ok(None);
        }
        later(store, number, retry_policy, key)
    }
}

/// An object with a larger number, if the object with this number was lost.
fn later(store: &Store, number: u64, retry_policy: RetryPolicy, key: impl Fn(u64) -> String) -> Result<Option<String>> {
    for step in (0..TRIES_BEHIND).map(|power| 1 << power) {
        let behind = key(number + step);
        if store.contains_within(&behind, retry_policy)? {
            // Both may have appeared since the last look.
            return Ok((!store.contains_within(&key(number), retry_policy)?).then_some(behind));
        }
    }
    Ok(None)
}

/// Sleeps, but wakes when a stop is asked for.
fn wait(time: Duration, stop: &AtomicBool) {
    let until = Instant::now() + time;
    while !stop.load(Ordering::Relaxed) {
        let left = until.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return;
        }
        std::thread::sleep(left.min(Duration::from_millis(50)));
    }
}
