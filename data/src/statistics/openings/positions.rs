//! Games that reached a position, by whatever moves.
//!
//! This is done without polars: for 79 million positions its join with the positions after lines took about 2.5 s, these
//! loops take 0.3 s, and everything else takes 5 s (two cores of an AMD EPYC).

use std::collections::HashMap;
use std::hash::BuildHasherDefault;
use std::mem;
use std::sync::atomic::{AtomicU64, Ordering};

use rayon::prelude::*;

use super::games::ShardGames;
use crate::identity::IdentityHasher;

/// Values of some positions, by their keys.
type Keyed<T> = HashMap<u64, T, BuildHasherDefault<IdentityHasher>>;

/// How many games, of those that the filter lets pass, reached the positions with these keys. `followers` are games that
/// reached one of these positions by a line without recording it: their numbers in ascending order, and its key.
///
/// The keys of the shards are freed.
pub(super) fn games_at(
    keys: impl Iterator<Item = u64>,
    shards: &mut [ShardGames],
    followers: &[(u64, u64)],
) -> Keyed<u64> {
    let mut places: Keyed<usize> = Keyed::default();
    for key in keys {
        let next = places.len();
        places.entry(key).or_insert(next);
    }
    let games: Vec<AtomicU64> = places.iter().map(|_| AtomicU64::new(0)).collect();
    shards.par_iter_mut().for_each(|of_shard| {
        let (mut arrivals, mut from) = (Vec::new(), 0);
        let mut arrive = |row, key| arrivals.extend(places.get(key).map(|&place| (row, place)));
        let reached = mem::take(&mut of_shard.reached);
        for (row, &end) in of_shard.reached_ends.iter().enumerate() {
            let end = end.max(from);
            reached[from..end].iter().for_each(|key| arrive(row, key));
            from = end;
        }
        let first = u64::from(of_shard.first);
        let [from, to] =
            [first, first + of_shard.id.len() as u64].map(|number| followers.partition_point(|game| game.0 < number));
        followers[from..to].iter().for_each(|(game, key)| arrive((game - first) as usize, key));
        // A game counts once for each position.
        arrivals.sort_unstable();
        arrivals.dedup();
        for (_, place) in arrivals {
            games[place].fetch_add(1, Ordering::Relaxed);
        }
    });
    places.into_iter().map(|(key, place)| (key, games[place].load(Ordering::Relaxed))).collect()
}
