//! What is known of a worker, a trainer and a store.

use serde::{Deserialize, Serialize};
use settings::Complaints;

/// Measured speeds and sizes, and the settings of the run. Every rate is for one process.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Measurements {
    /// Searched positions that a worker makes in a second of play.
    pub rows_per_second: f64,
    /// Evaluations by the network for each searched position.
    pub evaluations_per_row: f64,
    /// Searched positions of a game.
    pub rows_per_game: f64,
    /// Bytes of a searched position in a shard, its share of the game's row included.
    pub bytes_per_row: f64,
    /// Bytes of a shard in addition to its rows.
    pub bytes_per_shard: f64,
    /// Age in seconds at which a shard is closed.
    pub shard_seconds: f64,
    /// Games after which a shard is closed, even before that age.
    pub shard_games: f64,
    /// Seconds between two looks at the store, of a worker and of a waiting trainer.
    pub poll_seconds: f64,
    /// New searched positions for which the trainer waits.
    pub generation_rows: f64,
    /// How often the trainer sees each position.
    pub uses: f64,
    /// Positions that the trainer trains on in a second.
    pub samples_per_second: f64,
    /// Positions a second that the trainer reads from shards it has.
    pub read_rows_per_second: f64,
    /// Parallel requests of the trainer while it gathers.
    pub gets_at_once: f64,
    /// Bytes of a network.
    pub network_bytes: f64,
    /// Bytes of a checkpoint.
    pub checkpoint_bytes: f64,
    /// Milliseconds of an empty upload.
    pub put_ms: f64,
    /// Milliseconds of an empty get, or of a get of a missing object.
    pub get_ms: f64,
    /// Megabytes (10^6 bytes) a second between the store and one process.
    pub megabytes_per_second: f64,
    /// Uploads and listings that the store accepts in a second.
    pub most_puts_per_second: f64,
    /// Gets that the store answers in a second.
    pub most_gets_per_second: f64,
}

/// Prices, in one currency.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Prices {
    /// An hour of a worker's machine.
    pub worker_hour: f64,
    /// An hour of the trainer's machine.
    pub trainer_hour: f64,
    /// A thousand uploads or listings.
    pub thousand_puts: f64,
    /// A thousand gets.
    pub thousand_gets: f64,
    /// A gigabyte (10^9 bytes) kept for a month of 30 days.
    pub gigabyte_month: f64,
    /// A gigabyte read out of the store.
    pub gigabyte_read: f64,
}

/// Measurements on two cores of an AMD EPYC, and the settings' own defaults. docs/research/2026-11-23-cluster-simulation.md
/// says how each number was found and which of them are not of a real store.
impl Default for Measurements {
    fn default() -> Measurements {
        Measurements {
            rows_per_second: 295.0,
            evaluations_per_row: 25.3,
            rows_per_game: 91.9,
            bytes_per_row: 111.0,
            bytes_per_shard: 60_600.0,
            shard_seconds: 60.0,
            shard_games: 1000.0,
            poll_seconds: 10.0,
            generation_rows: 100_000.0,
            uses: 4.0,
            samples_per_second: 1590.0,
            read_rows_per_second: 46_600.0,
            gets_at_once: 32.0,
            network_bytes: 1_608_168.0,
            checkpoint_bytes: 6_418_968.0,
            put_ms: 79.0,
            get_ms: 86.0,
            megabytes_per_second: 14.0,
            most_puts_per_second: 3500.0,
            most_gets_per_second: 5500.0,
        }
    }
}

/// Measurements that may be 0.
const MAY_BE_ZERO: [&str; 8] = [
    "evaluations_per_row",
    "bytes_per_row",
    "bytes_per_shard",
    "uses",
    "network_bytes",
    "checkpoint_bytes",
    "put_ms",
    "get_ms",
];

/// The numbers of a section by their names.
fn numbers(section: &impl Serialize) -> Vec<(String, f64)> {
    let fields = super::fields(section).unwrap_or_default();
    fields.into_iter().map(|(key, value)| (key, value.as_f64().unwrap_or(f64::NAN))).collect()
}

impl Measurements {
    /// Checks that every number is possible in a run.
    pub fn check(&self, complaints: &mut Complaints) {
        for (key, number) in numbers(self) {
            let least = if MAY_BE_ZERO.contains(&key.as_str()) { 0.0 } else { 1e-3 };
            complaints.within(&key, number, least, 1e12);
        }
        // Shards of less than a second, or looks without a pause, would take hours to simulate.
        if self.shard_period() < 1.0 {
            let period = self.shard_period();
            complaints.say("shard_games", format_args!("a shard is full after {period} s; at least 1 s"));
        }
        complaints.within("poll_seconds", self.poll_seconds, 1.0, 86_400.0);
    }

    /// Seconds of play after which a shard is closed.
    pub fn shard_period(&self) -> f64 {
        self.shard_seconds.min(self.shard_rows() / self.rows_per_second)
    }

    /// Rows of a full shard.
    pub fn shard_rows(&self) -> f64 {
        self.shard_games * self.rows_per_game
    }

    /// Bytes of a shard with so many rows.
    pub fn shard_bytes(&self, rows: f64) -> f64 {
        self.bytes_per_shard + rows * self.bytes_per_row
    }

    /// Seconds that so many bytes take.
    pub fn transfer(&self, bytes: f64) -> f64 {
        bytes / (self.megabytes_per_second * 1e6)
    }
}

impl Prices {
    /// Checks that no price is negative.
    pub fn check(&self, complaints: &mut Complaints) {
        for (key, price) in numbers(self) {
            complaints.within(&key, price, 0.0, 1e9);
        }
    }
}
