//! Games that reached a position, by whatever moves.

use std::collections::HashMap;

use rayon::prelude::*;

use super::super::doubles::GameKey;
use super::games::Games;
use super::lines::Line;
use crate::column::{Key, Maybe, Unsigned, Unsigned64};
use crate::error::Result;
use crate::manifest::ShardEntry;
use crate::position::PositionKey;
use crate::store::DataStore;

/// A game was in a position.
struct Visit {
    game: GameKey,
    /// Moves played before it.
    ply: u32,
    key: PositionKey,
}

impl DataStore {
    /// For each line the number of games, of those that the filter lets pass, that reached the position after it; `None`
    /// where nobody recorded that position's key.
    pub(super) fn position_games(
        &self,
        shards: &[ShardEntry],
        games: &Games,
        lines: &[Line],
    ) -> Result<Vec<Option<u64>>> {
        // The key after each line, from any of its games that recorded it.
        let lines_of = lines_of(games, lines);
        let longest = lines.last().map_or(0, |line| line.ply);
        let line_of = |visit: &Visit| {
            let is_early = (1..=longest).contains(&visit.ply);
            is_early.then(|| lines_of.get(&visit.game)?.get(visit.ply as usize - 1).copied()).flatten()
        };
        let keys = self.visits(shards, |visit| line_of(&visit).map(|line| (line, visit.key)))?;
        let keys: HashMap<u32, PositionKey> = keys.into_iter().collect();

        // Who came there: by the line itself, recorded or not, and anybody with one of these keys at any ply.
        let mut places: HashMap<PositionKey, u32> = HashMap::new();
        let mut arrivals = Vec::new();
        for (line, key) in &keys {
            let next = places.len() as u32;
            let here = *places.entry(*key).or_insert(next);
            let followers = &lines[*line as usize].games;
            arrivals.extend(followers.iter().map(|&game| (here, games.id[game as usize])));
        }
        let counts = |game: &GameKey| !games.doubled.contains(game) && !games.filtered.contains(game);
        let arrival = |visit: Visit| Some((*places.get(&visit.key)?, visit.game)).filter(|(_, game)| counts(game));
        arrivals.extend(self.visits(shards, arrival)?);
        arrivals.par_sort_unstable();
        arrivals.dedup();
        let mut reached = vec![0; places.len()];
        for (place, _) in arrivals {
            reached[place as usize] += 1;
        }
        let reached_by = |line| keys.get(&line).map(|key| reached[places[key] as usize]);
        Ok((0..lines.len() as u32).map(reached_by).collect())
    }

    /// What `keep` takes of each visit. A position that was not searched itself is known from its successor's `parent_key`.
    fn visits<T: Send>(&self, shards: &[ShardEntry], keep: impl Fn(Visit) -> Option<T> + Sync) -> Result<Vec<T>> {
        let of_shard = |(place, shard): (usize, &ShardEntry)| {
            let mut kept = Vec::new();
            self.read_columns(&shard.positions, &["game_id", "ply", "pos_key", "parent_key"], |columns| {
                let (game_id, ply) = (columns.values::<Unsigned64>("game_id")?, columns.values::<Unsigned>("ply")?);
                let (pos_key, parent_key) =
                    (columns.values::<Key>("pos_key")?, columns.values::<Maybe<Key>>("parent_key")?);
                let mut last = None;
                for row in 0..columns.rows() {
                    let visit = |ply, key| keep(Visit { game: (place as u32, game_id(row)), ply, key });
                    if let Some(before) = ply(row).checked_sub(1)
                        && last != Some((game_id(row), before))
                    {
                        kept.extend(parent_key(row).and_then(|key| visit(before, key)));
                    }
                    kept.extend(visit(ply(row), pos_key(row)));
                    last = Some((game_id(row), ply(row)));
                }
                Ok(())
            })?;
            Ok(kept)
        };
        Ok(shards.par_iter().enumerate().map(of_shard).collect::<Result<Vec<_>>>()?.into_iter().flatten().collect())
    }
}

/// The line that each game followed for 1, 2, … plies, as an index into `lines`, by the game.
fn lines_of(games: &Games, lines: &[Line]) -> HashMap<GameKey, Vec<u32>> {
    let mut lines_of: HashMap<GameKey, Vec<u32>> = HashMap::new();
    for (index, line) in lines.iter().enumerate() {
        for &game in &line.games {
            lines_of.entry(games.id[game as usize]).or_default().push(index as u32);
        }
    }
    lines_of
}
