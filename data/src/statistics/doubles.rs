//! Games that are in a folder twice, which count once.

use std::collections::{HashMap, HashSet};

use crate::column::{Text, Unsigned64};
use crate::error::Result;
use crate::manifest::ShardEntry;
use crate::store::DataStore;

/// A game among some shards: the place of its shard in their list, and its id, which is unique in a shard. The tables of
/// positions do not name the run, and two runs of one seed have the same ids.
pub(super) type GameKey = (u32, u64);

/// The games of these shards that are in one of those before, too: the same game of the same run. Only the first counts.
pub(super) fn doubles(store: &DataStore, shards: &[ShardEntry]) -> Result<HashSet<GameKey>> {
    let mut found = HashSet::new();
    if shards.len() < 2 {
        return Ok(found);
    }
    let mut runs: HashMap<String, HashSet<u64>> = HashMap::new();
    for (place, shard) in (0..).zip(shards) {
        store.read_columns(&shard.games, &["game_id", "run_id"], |columns| {
            let (game_id, run_id) = (columns.values::<Unsigned64>("game_id")?, columns.values::<Text>("run_id")?);
            for row in 0..columns.rows() {
                if !runs.entry(run_id(row)).or_default().insert(game_id(row)) {
                    found.insert((place, game_id(row)));
                }
            }
            Ok(())
        })?;
    }
    Ok(found)
}
