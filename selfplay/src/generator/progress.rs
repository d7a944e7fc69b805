//! Counters that workers increment and that can be read while a generation runs.

use data::GameRecord;
use rules::{Side, Termination, Variant};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

macro_rules! counters {
    ($($(#[$doc:meta])* $name:ident,)*) => {
        /// What a run has done so far: counters, incremented by the workers. They can be shared and read at any time
        /// with [`GenerationProgress::counts`].
        #[derive(Debug)]
        pub struct GenerationProgress {
            $($name: AtomicU64,)*
            terminations: Vec<AtomicU64>,
        }

        impl Default for GenerationProgress {
            fn default() -> Self {
                GenerationProgress {
                    $($name: AtomicU64::new(0),)*
                    terminations: Termination::ALL.iter().map(|_| AtomicU64::new(0)).collect(),
                }
            }
        }

        /// The counters of a [`GenerationProgress`] at one moment, or the difference of two.
        #[derive(Clone, Debug, Default, PartialEq, Eq)]
        pub struct GenerationCounts {
            $($(#[$doc])* pub $name: u64,)*
            /// Finished games by termination, in the order of [`Termination::ALL`].
            pub terminations: Vec<u64>,
        }

        impl GenerationProgress {
            /// The counters now.
            pub fn counts(&self) -> GenerationCounts {
                GenerationCounts {
                    $($name: self.$name.load(Ordering::Relaxed),)*
                    terminations: self.terminations.iter().map(|n| n.load(Ordering::Relaxed)).collect(),
                }
            }
        }

        impl GenerationCounts {
            /// What was added since `earlier`.
            #[must_use]
            pub fn since(&self, earlier: &GenerationCounts) -> GenerationCounts {
                let before = |i: usize| earlier.terminations.get(i).copied().unwrap_or(0);
                GenerationCounts {
                    $($name: self.$name - earlier.$name,)*
                    terminations: self.terminations.iter().enumerate().map(|(i, n)| n - before(i)).collect(),
                }
            }
        }
    };
}

counters! {
    /// Finished games.
    games,
    /// Plies of the finished games.
    plies,
    /// Finished games won by the first player.
    first_wins,
    /// Finished games won by the second player.
    second_wins,
    /// Searched positions, one for each move played after a search.
    positions,
    /// Simulations, including those of searches in progress; counted batch by batch.
    simulations,
    /// Evaluations by the network.
    evaluations,
    /// Batches of these evaluations.
    batches,
    /// Places in those batches.
    places,
    /// Evaluations that needed no network: known from the game's last search or from the thread's cache.
    cache_hits,
    /// Nanoseconds of all workers inside the network.
    network_nanos,
    /// Nanoseconds of all workers outside of it.
    search_nanos,
    /// The part of `search_nanos` in which answers are processed: new nodes get their edges, values are backed up. In
    /// the rest simulations select leaves, positions are judged by the rules and encoded, moves are played and games
    /// recorded.
    supply_nanos,
}

/// Time of a worker for one batch.
#[derive(Clone, Copy, Debug)]
pub(super) struct Spent {
    /// Inside the network.
    pub network: Duration,
    /// Outside of the network since the batch before.
    pub search: Duration,
    /// Part of `search`: processing the answers of the batch before.
    pub supply: Duration,
}

impl GenerationProgress {
    /// Counts a finished game.
    pub(super) fn add_game<V: Variant>(&self, game: &GameRecord<V>) {
        let outcome = &game.sheet.outcome;
        add(&self.games, 1);
        add(&self.plies, game.plies() as u64);
        add(&self.first_wins, u64::from(outcome.winner() == Some(Side::First)));
        add(&self.second_wins, u64::from(outcome.winner() == Some(Side::Second)));
        if let Some(index) = Termination::ALL.iter().position(|&known| known == outcome.termination) {
            add(&self.terminations[index], 1);
        }
    }

    /// Counts a searched position.
    pub(super) fn add_position(&self) {
        add(&self.positions, 1);
    }

    /// Counts simulations.
    pub(super) fn add_simulations(&self, simulations: u64) {
        add(&self.simulations, simulations);
    }

    /// Counts evaluations that were known already.
    pub(super) fn add_cache_hits(&self, hits: u32) {
        add(&self.cache_hits, u64::from(hits));
    }

    /// Counts a batch, and the time since the last one.
    pub(super) fn add_batch(&self, leaves: usize, places: usize, spent: Spent) {
        add(&self.batches, 1);
        add(&self.evaluations, leaves as u64);
        add(&self.places, places as u64);
        add(&self.network_nanos, spent.network.as_nanos() as u64);
        add(&self.search_nanos, spent.search.as_nanos() as u64);
        add(&self.supply_nanos, spent.supply.as_nanos() as u64);
    }
}

fn add(counter: &AtomicU64, n: u64) {
    counter.fetch_add(n, Ordering::Relaxed);
}

impl GenerationCounts {
    /// Filled share of the places in batches, 0 to 1.
    pub fn batch_fill(&self) -> f64 {
        ratio(self.evaluations, self.places)
    }

    /// Share of the evaluations needed that were known already, 0 to 1.
    pub fn cache_hit_rate(&self) -> f64 {
        ratio(self.cache_hits, self.cache_hits + self.evaluations)
    }

    /// Mean plies of the finished games.
    pub fn mean_plies(&self) -> f64 {
        ratio(self.plies, self.games)
    }

    /// Finished games that were drawn.
    pub fn draws(&self) -> u64 {
        self.games - self.first_wins - self.second_wins
    }

    /// Share of the finished games that had a winner, 0 to 1.
    pub fn decisive_share(&self) -> f64 {
        ratio(self.first_wins + self.second_wins, self.games)
    }

    /// Finished games with this termination.
    pub fn terminated_by(&self, termination: Termination) -> u64 {
        let index = Termination::ALL.iter().position(|&known| known == termination);
        index.and_then(|i| self.terminations.get(i)).copied().unwrap_or(0)
    }
}

/// A quotient; 0 if the divisor is 0.
fn ratio(part: u64, whole: u64) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}
