//! The result of a simulation.

use super::{Measurements, Prices};
use serde::Serialize;

/// Figures of a run in its steady state.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Outcome {
    /// Workers.
    pub workers: u32,
    /// Evaluations a second, over all workers.
    pub evaluations_per_second: f64,
    /// Games an hour, over all workers.
    pub games_per_hour: f64,
    /// Searched positions a second, over all workers.
    pub rows_per_second: f64,
    /// The part of the workers' time that goes to the store, 0–1.
    pub store_share: f64,
    /// The part of the trainer's time in which it trains, 0–1.
    pub training_share: f64,
    /// The part of the trainer's time in which it reads shards, 0–1.
    pub reading_share: f64,
    /// The part of the rows made that is trained on, 0–1; below 1 the workers are faster than the trainer.
    pub used_share: f64,
    /// Networks an hour.
    pub networks_per_hour: f64,
    /// Requests and bytes of all processes.
    pub store: PerSecond,
}

/// The load of the store in a second.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct PerSecond {
    /// Uploads and listings.
    pub puts: f64,
    /// Gets, also of missing objects.
    pub gets: f64,
    /// Bytes uploaded.
    pub bytes_put: f64,
    /// Bytes read.
    pub bytes_got: f64,
}

/// The cost of a day.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Money {
    /// The workers' machines.
    pub workers: f64,
    /// The trainer's machine.
    pub trainer: f64,
    /// Requests.
    pub requests: f64,
    /// Bytes read out of the store.
    pub reading: f64,
    /// What the day's objects cost for a month.
    pub keeping: f64,
}

/// Seconds of a day.
const DAY: f64 = 86_400.0;

impl Outcome {
    /// The cost of a day at these prices.
    pub fn money(&self, prices: &Prices) -> Money {
        let store = &self.store;
        let requests = store.puts * prices.thousand_puts + store.gets * prices.thousand_gets;
        Money {
            workers: f64::from(self.workers) * 24.0 * prices.worker_hour,
            trainer: 24.0 * prices.trainer_hour,
            requests: requests / 1000.0 * DAY,
            reading: store.bytes_got / 1e9 * DAY * prices.gigabyte_read,
            keeping: store.bytes_put / 1e9 * DAY * prices.gigabyte_month,
        }
    }
}

impl Money {
    /// The total.
    pub fn sum(&self) -> f64 {
        self.workers + self.trainer + self.requests + self.reading + self.keeping
    }
}

impl PerSecond {
    /// Counts of a span as rates.
    pub fn over(self, seconds: f64) -> PerSecond {
        PerSecond {
            puts: self.puts / seconds,
            gets: self.gets / seconds,
            bytes_put: self.bytes_put / seconds,
            bytes_got: self.bytes_got / seconds,
        }
    }
}

/// Counters for the part of the simulation that is counted.
#[derive(Default)]
pub struct Tally {
    /// When counting begins, in seconds.
    pub from: f64,
    /// When it ends.
    pub until: f64,
    /// Rows made.
    pub rows: f64,
    /// Rows trained on.
    pub trained: f64,
    /// Seconds that workers spent with the store.
    pub store_seconds: f64,
    /// Seconds of training.
    pub training: f64,
    /// Seconds of reading.
    pub reading: f64,
    /// Networks.
    pub networks: f64,
}

impl Tally {
    /// The part of a span that is counted, in seconds.
    pub fn within(&self, begin: f64, end: f64) -> f64 {
        (end.min(self.until) - begin.max(self.from)).max(0.0)
    }

    /// The part of a span that is counted, 0–1.
    pub fn part(&self, begin: f64, end: f64) -> f64 {
        if end > begin { self.within(begin, end) / (end - begin) } else { 0.0 }
    }

    /// The figures.
    pub fn outcome(&self, measured: &Measurements, workers: u32, store: PerSecond) -> Outcome {
        let seconds = self.until - self.from;
        let rows = self.rows / seconds;
        Outcome {
            workers,
            evaluations_per_second: rows * measured.evaluations_per_row,
            games_per_hour: rows / measured.rows_per_game * 3600.0,
            rows_per_second: rows,
            store_share: self.store_seconds / (seconds * f64::from(workers)),
            training_share: self.training / seconds,
            reading_share: self.reading / seconds,
            used_share: if self.rows > 0.0 { (self.trained / self.rows).min(1.0) } else { 0.0 },
            networks_per_hour: self.networks / seconds * 3600.0,
            store: store.over(seconds),
        }
    }
}
