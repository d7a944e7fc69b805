//! How many workers each part of a run supports, by formulas.

use super::Measurements;
use serde::Serialize;

/// A part of a run that can be the bottleneck.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Part {
    /// The trainer's arithmetic.
    Training,
    /// The trainer's search for shards and reading of them.
    Gathering,
    /// The store's limit of uploads.
    Puts,
    /// The store's limit of gets.
    Gets,
}

impl Part {
    /// In words, as the subject of a sentence.
    pub fn name(self) -> &'static str {
        match self {
            Part::Training => "the trainer's arithmetic",
            Part::Gathering => "the trainer's gathering of shards",
            Part::Puts => "the store's limit of puts",
            Part::Gets => "the store's limit of gets",
        }
    }

    /// How to raise the limit.
    pub fn remedy(self) -> &'static str {
        match self {
            Part::Training => "a faster trainer, fewer uses of each position, or more visits for each",
            Part::Gathering => "more requests at once, larger shards, or a larger generation",
            Part::Puts => "larger shards",
            Part::Gets => "a longer time between two looks",
        }
    }
}

/// The number of workers at which each part alone is always busy. Fractions are kept.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Limits {
    /// Training alone.
    pub training: f64,
    /// Gathering alone.
    pub gathering: f64,
    /// Training and gathering together: the trainer does one after the other.
    pub trainer: f64,
    /// Uploads and listings of all processes.
    pub puts: f64,
    /// Gets of all processes.
    pub gets: f64,
}

/// Workers in one listing.
pub const LISTED: f64 = 1000.0;

/// Uploads for a network: checkpoint, network, record.
pub const PUTS_OF_GENERATION: usize = 3;

/// The workers n at which `square`·n² + `each`·n is `capacity`.
fn workers(square: f64, each: f64, capacity: f64) -> f64 {
    // In this form no precision is lost where `square` is nearly 0.
    2.0 * capacity / (each + (each * each + 4.0 * square * capacity).sqrt())
}

impl Limits {
    /// The limits of these measurements.
    pub fn of(measured: &Measurements) -> Limits {
        let rows = measured.rows_per_second;
        let shards = 1.0 / measured.shard_period();
        let generations = rows / measured.generation_rows;
        let each_get = measured.get_ms / 1000.0 / measured.gets_at_once;
        // Seconds of the trainer for each second of a worker: for training on its rows, and for reading them.
        let training = rows * measured.uses / measured.samples_per_second;
        let bytes = measured.shard_bytes(rows * measured.shard_period()) * shards;
        let reading = rows / measured.read_rows_per_second + shards * each_get + measured.transfer(bytes);
        let polls = 1.0 / measured.poll_seconds;
        // Costs for each worker and generation grow with the square of the number of workers, because generations come
        // faster as well: the trainer asks for each worker's next shard, and each worker fetches the new network with
        // two gets.
        Limits {
            training: workers(0.0, training, 1.0),
            gathering: workers(generations * each_get, reading, 1.0),
            trainer: workers(generations * each_get, reading + training, 1.0),
            puts: workers(
                generations / LISTED,
                shards + PUTS_OF_GENERATION as f64 * generations,
                measured.most_puts_per_second,
            ),
            gets: workers(3.0 * generations, 2.0 * polls + shards, measured.most_gets_per_second),
        }
    }

    /// The first part to be always busy, and the number of workers at which it is.
    pub fn first(&self) -> (Part, f64) {
        let of_trainer = if self.training <= self.gathering { Part::Training } else { Part::Gathering };
        let all = [(of_trainer, self.trainer), (Part::Puts, self.puts), (Part::Gets, self.gets)];
        all.into_iter().min_by(|a, b| a.1.total_cmp(&b.1)).unwrap_or((of_trainer, self.trainer))
    }
}
