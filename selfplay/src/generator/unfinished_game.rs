//! A game in progress, with the records of its searches.

use super::randomness::GameSeed;
use data::PositionRecord;
use rules::{Game, Variant};

/// A game that has not ended.
#[derive(Clone, Debug)]
pub(super) struct UnfinishedGame<V: Variant> {
    pub game: Game<V>,
    pub seed: GameSeed,
    /// Whether it continues an earlier game from shortly before its end. Then no move is drawn at random, because that
    /// could throw away a win.
    pub from_ending: bool,
    pub records: Vec<PositionRecord>,
}
