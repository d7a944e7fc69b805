//! What a run on many machines will do and cost, before it begins.
//!
//! [`simulate`] plays through the requests of workers and trainer, one event after the other: workers play, close a
//! shard, put it, and look for a newer network; the trainer looks for shards, reads them, trains, and puts a network.
//! It is fed with [`Measurements`] of one worker, one trainer and the store. There is no chance in it, so the same
//! measurements give the same [`Outcome`]. [`Limits`] says by formulas how many workers each part can bear.
//!
//! What is left out: matches, processes that are stopped or lost, and differences between workers.

mod limits;
mod measurements;
mod outcome;
mod play;
mod store;

pub use limits::{Limits, Part};
pub use measurements::{Measurements, Prices};
pub use outcome::{Money, Outcome, PerSecond};
pub use play::simulate;

#[cfg(test)]
mod tests;
