//! Duplicate games.

use std::collections::{HashMap, HashSet};
use std::hash::Hash;

/// The games seen so far. A game's variant and run are part of its identity: runs with the same seed have the same numbers.
#[derive(Default)]
pub(crate) struct SeenIds {
    runs: HashMap<(&'static str, String), HashSet<u64>>,
}

impl SeenIds {
    /// Whether the game is new.
    pub fn is_new(&mut self, variant: &'static str, run_id: &str, game_id: u64) -> bool {
        self.runs.entry((variant, run_id.to_owned())).or_default().insert(game_id)
    }
}

/// The values that come up a second time, each once.
pub(super) fn repeated<T: Clone + Eq + Hash>(values: impl Iterator<Item = T>) -> Vec<T> {
    let (mut seen, mut told) = (HashSet::new(), HashSet::new());
    values.filter(|value| !seen.insert(value.clone()) && told.insert(value.clone())).collect()
}
