//! A run on many machines, which share nothing but a store ([`store::Store`]); [`deployment`] has the files that a scheduler
//! needs to start it.
//!
//! There are three roles. The [`trainer`] has an ordinary run folder; only its self-play stage is another: it gathers the
//! games that workers put into the store. What it makes of them it publishes: one record for each generation, which
//! names the network, the training state and the shards that were seen, so that its folder can be made again from the store.
//! A [`worker`] plays with the newest network and puts its games. A [`referee`] plays the matches that records ask for.
//!
//! Every object of the store is put once and never changed ([`objects`] has their names). So no role knows of another, each
//! may be killed at any moment, and two that believe to be the same one do no harm: the first put is right.

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

use lab::Config;
use lab::Host;
use lab::Plan;
use objects::{Generation, generation_key, longer_key};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use store::{RetryPolicy, Store};

/// What a worker or a referee works with.
#[derive(Clone, Copy)]
pub struct Post<'a> {
    /// The settings that it was given.
    pub config: &'a Config,
    /// The store of the run.
    pub store: &'a Store,
    /// The program around it.
    pub host: &'a Host,
    /// Hears what it does.
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

/// Whether the run is over with this generation: it was planned as the last one, and the trainer has not gone on since.
fn is_over(store: &Store, plan: &Plan) -> Result<bool> {
    Ok(plan.last && !store.contains(&longer_key(plan.generation))?)
}

/// Looks without an answer after which it is looked for the first time whether a number was lost.
const LOOKS_BEFORE_GAP: u32 = 32;

/// Numbers that are tried behind one that may be lost: 1, 2, 4 and so on after it.
const TRIES_BEHIND: u32 = 10;

/// Waits for an object with a number. Numbers are given one after the other, so where a later one is there the one waited
/// for was lost.
#[derive(Debug, Default)]
struct Awaited {
    looks: u32,
}

impl Awaited {
    /// To be asked after each look in vain: a later object, if there is one. It is looked for ever more seldom.
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

/// An object whose number is larger, if that of this number was lost.
fn later(store: &Store, number: u64, retry_policy: RetryPolicy, key: impl Fn(u64) -> String) -> Result<Option<String>> {
    for step in (0..TRIES_BEHIND).map(|power| 1 << power) {
        let behind = key(number + step);
        if store.contains_within(&behind, retry_policy)? {
            // Both may have come since the last look.
            return Ok((!store.contains_within(&key(number), retry_policy)?).then_some(behind));
        }
    }
    Ok(None)
}

/// Sleeps, but not on after a stop was asked for.
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
