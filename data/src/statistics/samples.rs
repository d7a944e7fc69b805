//! A few games to look at, with what the search thought of each position.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::ops::RangeInclusive;

use rules::Variant;

use super::openings::games::OpeningGames;
use crate::column::{Float, Unsigned, Unsigned64};
use crate::error::{FileFault, Result};
use crate::filter::GameFilter;
use crate::folders::{FolderShard, GameFolders};
use crate::game::GameRecord;
use crate::manifest::ShardEntry;
use crate::store::DataStore;

/// A game among some shards: the place of its shard in their list, and its id, which is unique in a shard.
type ShardGameKey = (u32, u64);

/// A game to look at.
#[derive(Clone, Debug, PartialEq)]
pub struct SampleGame<V: Variant> {
    /// The game; its `positions` are not read.
    pub record: GameRecord<V>,
    /// Before each move the score that the search expected for the first player, 0 to 1; `None` where the position was
    /// not searched. As long as the game.
    pub values: Vec<Option<f32>>,
}

impl DataStore {
    /// At most `most` games of the newest of these generations that has any, with at most `most_plies` plies in total.
    /// They are games that opening statistics count.
    ///
    /// The beginnings (start position and first move) take turns, the most played one first; each gives its game with the
    /// lowest id. A game that would make too many plies is left out.
    ///
    /// # Errors
    /// A shard cannot be read or is not what its manifest says.
    pub fn sample_games<V: Variant>(
        &self,
        generations: RangeInclusive<u32>,
        most: usize,
        most_plies: usize,
    ) -> Result<Vec<SampleGame<V>>> {
        let mut shards = self.shards(V::ID)?;
        shards.retain(|shard| generations.contains(&shard.generation));
        for shards in shards.chunk_by(|a, b| a.generation == b.generation).rev() {
            let sample = self.sample_of(shards, most, most_plies)?;
            if !sample.is_empty() {
                return Ok(sample);
            }
        }
        Ok(Vec::new())
    }

    /// The games of one generation.
    fn sample_of<V: Variant>(
        &self,
        shards: &[ShardEntry],
        most: usize,
        most_plies: usize,
    ) -> Result<Vec<SampleGame<V>>> {
        let folder = GameFolders::from(self.clone());
        let in_folder: Vec<_> = shards.iter().cloned().map(|entry| FolderShard { folder: 0, entry }).collect();
        let games = OpeningGames::read(&folder, &in_folder, 0, &GameFilter::default(), None)?;
        let id = |(shard, row): (usize, usize)| (shard as u32, games.shards[shard].id[row]);
        let counted: HashSet<ShardGameKey> = games.counted().map(id).collect();
        let mut games: Vec<(ShardGameKey, GameRecord<V>)> = Vec::new();
        for (place, shard) in (0..).zip(shards) {
            games.extend(self.read_games(shard)?.into_iter().map(|game| ((place, game.game_id), game)));
        }
        games.retain(|(key, game)| counted.contains(key) && !game.sheet.moves.is_empty());
        let chosen = in_turn(&games, most, most_plies);
        let values = self.root_values(shards, &chosen)?;
        let sample = |(key, game): &(ShardGameKey, GameRecord<V>)| SampleGame {
            values: values[key].clone(),
            record: game.clone(),
        };
        Ok(chosen.into_iter().map(sample).collect())
    }

    /// The expected score of the first player before each move of some games.
    fn root_values<V: Variant>(
        &self,
        shards: &[ShardEntry],
        games: &[&(ShardGameKey, GameRecord<V>)],
    ) -> Result<HashMap<ShardGameKey, Vec<Option<f32>>>> {
        let mut values: HashMap<ShardGameKey, Vec<Option<f32>>> =
            games.iter().map(|(key, game)| (*key, vec![None; game.plies()])).collect();
        for (at, shard) in (0..).zip(shards) {
            self.read_columns(&shard.positions, &["game_id", "ply", "side", "root_win", "root_draw"], |columns| {
                let (game_id, ply) = (columns.values::<Unsigned64>("game_id")?, columns.values::<Unsigned>("ply")?);
                let (win, draw) = (columns.values::<Float>("root_win")?, columns.values::<Float>("root_draw")?);
                let side = columns.values::<Unsigned>("side")?;
                for row in 0..columns.rows() {
                    let sums = [win(row), draw(row), win(row) + draw(row)];
                    if !sums.iter().all(|part| (-1e-3..=1.001).contains(part)) {
                        let what = "root_win and root_draw are no chances".to_owned();
                        return Err(FileFault::Row { row: row as u64, what });
                    }
                    let place = values.get_mut(&(at, game_id(row))).and_then(|game| game.get_mut(ply(row) as usize));
                    if let Some(place) = place {
                        let of_mover = win(row) + draw(row) / 2.0;
                        *place = Some(if side(row) == 0 { of_mover } else { 1.0 - of_mover });
                    }
                }
                Ok(())
            })?;
        }
        Ok(values)
    }
}

/// One game of each beginning in turn.
fn in_turn<V: Variant>(
    games: &[(ShardGameKey, GameRecord<V>)],
    most: usize,
    most_plies: usize,
) -> Vec<&(ShardGameKey, GameRecord<V>)> {
    let mut beginnings: BTreeMap<_, Vec<&(ShardGameKey, GameRecord<V>)>> = BTreeMap::new();
    for entry in games {
        let sheet = &entry.1.sheet;
        beginnings.entry((sheet.start.key().to_bytes(), sheet.moves[0])).or_default().push(entry);
    }
    let mut beginnings: Vec<_> = beginnings.into_values().collect();
    beginnings.sort_by_key(|games| std::cmp::Reverse(games.len())); // stable
    beginnings.iter_mut().for_each(|games| games.sort_by_key(|(_, game)| game.game_id));
    let rounds = beginnings.first().map_or(0, Vec::len);
    let all = (0..rounds).flat_map(|round| beginnings.iter().filter_map(move |games| games.get(round).copied()));
    let (mut chosen, mut plies) = (Vec::new(), 0);
    for entry in all {
        let plies_of_game = entry.1.plies();
        if chosen.len() == most {
            break;
        }
        if plies + plies_of_game <= most_plies {
            plies += plies_of_game;
            chosen.push(entry);
        }
    }
    chosen
}
