//! A run on many machines, which share nothing but a store ([`store::Store`]).
//!
//! There are three roles. The [`trainer`] has an ordinary run folder; only its self-play stage is another: it gathers the
//! games that workers put into the store. What it makes of them it publishes: one record for each generation, which
//! names the network, the training state and the shards that were seen, so that its folder can be made again from the store.
//! A [`worker`] plays with the newest network and puts its games. A [`referee`] plays the matches that records ask for.
//!
//! Every object of the store is put once and never changed ([`objects`] has their names). So no role knows of another, each
//! may be killed at any moment, and two that believe to be the same one do no harm: the first put is right.

pub mod error;
pub mod objects;
pub mod referee;
pub mod trainer;
pub mod verify;
pub mod worker;

mod gather;
mod lessons;
mod news;
mod publish;
mod restore;
mod settled;

pub use error::ClusterError;
pub use news::{Left, News};

use crate::config::Config;
use crate::error::Result;
use crate::host::Host;
use crate::plan::Plan;
use objects::{Generation, generation_key, longer_key};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use store::Store;

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
    pub tell: &'a dyn Fn(News),
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
