//! A game in progress, with the records of its searches.

use super::randomness::GameSeed;
use data::PositionRecord;
use rules::{Game, Variant};
use std::time::Instant;

/// A game that has not ended.
#[derive(Clone, Debug)]
pub(super) struct UnfinishedGame<V: Variant> {
    pub game: Game<V>,
    pub seed: GameSeed,
    /// Whether it continues an earlier game from shortly before its end. Then no move is drawn at random, because that
    /// could throw away a win.
    pub from_ending: bool,
    pub records: Vec<PositionRecord>,
    /// Milliseconds since 1970 UTC; 0 without timestamps.
    pub started_at: i64,
    /// Milliseconds it has taken before `since`.
    pub wall_ms: u32,
    pub since: Instant,
}

impl<V: Variant> UnfinishedGame<V> {
    /// Milliseconds the game has taken.
    pub fn wall_ms(&self) -> u32 {
        self.wall_ms.saturating_add(self.since.elapsed().as_millis() as u32)
    }
}
