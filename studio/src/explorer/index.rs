//! The positions of all games of some sources, by which any position is answered at once.
//!
//! Every game is replayed once. For each position there is an entry of 12 bytes with half of its key, and the move that
//! was played in it takes 4 bytes more. A position is found by a binary search, so neither its depth nor its rarity
//! matters, and games that reach it by other moves are found with it.

use crate::error::ApiError;
use data::{ExcludedGames, FolderShard, GameFilter, GameFolders, GameRecord};
use report::explorer::facets::{self, Facet};
use report::explorer::{number, values_of};
use rules::{Move, MoveList, Outcome, Position, Variant};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use tempfile::TempDir;

/// Most positions of an index, 16 bytes each: 512 MiB. If there are more, every second game is left out, or more.
pub(super) const MOST_POSITIONS: usize = 1 << 25;
/// In place of a move after the last position of a game.
const END: u32 = u32::MAX;
/// Games between two looks at whether somebody still waits.
const GAMES_OF_LOOK: u64 = 256;

/// Sources opened for reading.
pub(crate) struct OpenSources {
    /// Their data folders.
    pub folders: GameFolders,
    /// What people call each of these.
    pub names: Vec<String>,
    /// Temporary folders with the games of matches, which go with it.
    pub _places: Vec<TempDir>,
}

/// The positions of the games of a variant in some sources.
pub(super) struct GameIndex<V: Variant> {
    sources: OpenSources,
    /// The shards, each with the number of its folder.
    shards: Vec<(usize, FolderShard)>,
    /// What games can be chosen by.
    pub facets: Vec<Facet>,
    /// The games in the order of their folders, in each by generation, shard and id.
    pub games: Vec<IndexedGame>,
    /// The start positions from which games began, most games first; the variant's own if there is none.
    pub starts: Vec<Position<V>>,
    /// Games that occur more than once; each counts once.
    pub doubled: u64,
    /// All games, those that were left out for want of memory among them.
    pub all: u64,
    /// The move that was played in each position, game by game.
    next: Vec<u32>,
    /// The positions by key, those of one key in the order of `next`.
    entries: Vec<Entry>,
}

/// A game of an index.
pub(super) struct IndexedGame {
    /// Its id, which is unique in its shard.
    id: u64,
    /// The place of its shard in the list.
    shard: u32,
    /// The place of its first position.
    first: u32,
    /// The first ply that a player chose.
    chosen_from: u32,
    /// The start position, if it is the variant's own or a chosen setup.
    pub start: Option<u16>,
    /// How it ended.
    pub outcome: Outcome,
}

/// A position of a game: 64 bits of its key, and its place.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Entry {
    key: [u32; 2],
    place: u32,
}

/// A game that was read again, with all that is recorded of it.
pub(super) struct ReadGame<V: Variant> {
    pub record: GameRecord<V>,
    /// The win chances of the side to move, 0 to 1, by ply; those that a search found.
    pub chances: BTreeMap<u32, f32>,
}

/// A game that reached a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Arrival {
    /// Its number among the games of the index.
    pub game: usize,
    /// The ply at which it was there first.
    pub ply: u32,
    /// The move that it played there, if it did not end.
    pub mv: Option<Move>,
}

/// Both halves of the part of a key that an index keeps.
fn halves<V: Variant>(position: &Position<V>) -> [u32; 2] {
    let key = position.key().low64();
    [(key >> 32) as u32, key as u32]
}

/// The shards of a variant, folder by folder, each with the number of its folder.
fn numbered<V: Variant>(folders: &GameFolders) -> Result<Vec<(usize, FolderShard)>, ApiError> {
    let mut of_shards = Vec::new();
    for (folder, store) in folders.stores().iter().enumerate() {
        let shards = store.shards(V::ID).map_err(ApiError::failed)?.len();
        of_shards.extend(std::iter::repeat_n(folder, shards));
    }
    let shards = folders.shards(V::ID).map_err(ApiError::failed)?;
    if shards.len() != of_shards.len() {
        return Err(ApiError::Busy("the games are just being written; ask again".to_owned()));
    }
    Ok(of_shards.into_iter().zip(shards).collect())
}

impl<V: Variant> GameIndex<V> {
    /// Reads all games of the variant, and keeps at most `most` positions. Ends early when `stop` is set.
    ///
    /// # Errors
    /// A shard cannot be read, or the request was cancelled.
    pub fn build(sources: OpenSources, most: usize, stop: &AtomicBool) -> Result<GameIndex<V>, ApiError> {
        let shards = numbered::<V>(&sources.folders)?;
        let mut index = GameIndex {
            sources,
            shards,
            facets: facets::none(),
            games: Vec::new(),
            starts: Vec::new(),
            doubled: 0,
            all: 0,
            next: Vec::new(),
            entries: Vec::new(),
        };
        let (mut tally, mut step, mut scratch) = (ExcludedGames::default(), 1, MoveList::new());
        for number in 0..index.shards.len() {
            let (folders, (_, shard)) = (&index.sources.folders, &index.shards[number]);
            let first = folders.first_searched(shard).map_err(ApiError::failed)?;
            let everything = GameFilter::default();
            let games = folders.read_games_for::<V>(shard, &everything, &mut tally).map_err(ApiError::failed)?;
            for game in &games {
                if index.all % GAMES_OF_LOOK == 0 && stop.load(Ordering::Relaxed) {
                    return Err(ApiError::Busy("the request was cancelled".to_owned()));
                }
                index.all += 1;
                if (index.all - 1) % step != 0 {
                    continue;
                }
                let searched_from = first.get(&game.game_id).copied().unwrap_or_default();
                index.add(game, number, searched_from.max(game.opening_plies), &mut scratch);
                while index.next.len() > most && index.games.len() > 1 {
                    index.thin();
                    step *= 2;
                }
            }
        }
        index.doubled = tally.doubled;
        index.finish();
        Ok(index)
    }

    /// Adds a game with all positions up to its end, or to its first illegal move.
    fn add(&mut self, game: &GameRecord<V>, shard: usize, chosen_from: u32, scratch: &mut MoveList) {
        let sheet = &game.sheet;
        let is_start = sheet.start == Position::start() || sheet.start.setups().is_some();
        let start = is_start.then(|| {
            let known = self.starts.iter().position(|start| *start == sheet.start);
            known.unwrap_or_else(|| {
                self.starts.push(sheet.start.clone());
                self.starts.len() - 1
            }) as u16
        });
        let first = self.next.len() as u32;
        self.games.push(IndexedGame {
            id: game.game_id,
            shard: shard as u32,
            first,
            chosen_from,
            start,
            outcome: sheet.outcome,
        });
        facets::push(&mut self.facets, &values_of(game, self.shards[shard].0, &self.sources.names));
        let mut position = sheet.start.clone().under(&sheet.rules);
        let mut moves = sheet.moves.iter();
        loop {
            let mv = moves.next().filter(|&&mv| position.is_legal_with(mv, scratch));
            self.entries.push(Entry { key: halves(&position), place: self.next.len() as u32 });
            self.next.push(mv.map_or(END, |mv| mv.raw()));
            let Some(&mv) = mv else { return };
            position.play(mv);
        }
    }

    /// Keeps every second game. The entries are not sorted yet.
    fn thin(&mut self) {
        let mut ends: Vec<u32> = self.games.iter().skip(1).map(|game| game.first).collect();
        ends.push(self.next.len() as u32);
        let (mut kept, mut number) = (0, 0);
        for (game, end) in self.games.iter_mut().zip(ends).step_by(2) {
            let range = game.first as usize..end as usize;
            let moved = range.len();
            self.next.copy_within(range.clone(), kept);
            self.entries.copy_within(range, kept);
            game.first = kept as u32;
            kept += moved;
        }
        self.next.truncate(kept);
        self.entries.truncate(kept);
        self.entries.iter_mut().zip(0..).for_each(|(entry, place)| entry.place = place);
        self.games.retain(|_| {
            number += 1;
            number % 2 == 1
        });
        self.facets.iter_mut().for_each(Facet::thin);
    }

    /// Sorts what was added.
    fn finish(&mut self) {
        facets::finish(&mut self.facets);
        self.entries.sort_unstable();
        self.entries.shrink_to_fit();
        self.next.shrink_to_fit();
        self.games.shrink_to_fit();
        let mut games = vec![0u64; self.starts.len()];
        self.games.iter().filter_map(|game| game.start).for_each(|start| games[usize::from(start)] += 1);
        let mut order: Vec<usize> = (0..self.starts.len()).collect();
        order.sort_by_key(|&start| std::cmp::Reverse(games[start])); // stable
        let mut place_of = vec![0; order.len()];
        order.iter().zip(0..).for_each(|(&start, place)| place_of[start] = place);
        for game in &mut self.games {
            game.start = game.start.map(|start| place_of[usize::from(start)]);
        }
        self.starts = order.iter().map(|&start| self.starts[start].clone()).collect();
        if self.starts.is_empty() {
            self.starts.push(Position::start());
        }
    }

    /// Positions that it holds.
    pub fn positions(&self) -> usize {
        self.next.len()
    }

    /// Which games meet all these conditions, by the keys of their facets.
    ///
    /// # Errors
    /// There is no such facet.
    pub fn choose(&self, wanted: &[(String, String)]) -> Result<Vec<bool>, ApiError> {
        let mut chosen = vec![true; self.games.len()];
        for (key, text) in wanted {
            let facet = self.facets.iter().find(|facet| facet.key == key);
            let facet = facet.ok_or_else(|| ApiError::Wrong(format!("games cannot be chosen by {key:?}")))?;
            chosen.iter_mut().zip(facet.meeting(text)).for_each(|(chosen, meets)| *chosen &= meets);
        }
        Ok(chosen)
    }

    /// The chosen games that were in a position by moves that players chose, as `kirin openings --fen` counts them.
    pub fn arrivals(&self, position: &Position<V>, chosen: &[bool]) -> Vec<Arrival> {
        let key = halves(position);
        let from = self.entries.partition_point(|entry| entry.key < key);
        let here = self.entries[from..].iter().take_while(|entry| entry.key == key);
        // At a start games begin; others may come there later.
        let is_start = *position == Position::start() || position.setups().is_some();
        let (mut arrivals, mut next_game) = (Vec::new(), 0);
        for entry in here {
            if self.games.get(next_game).is_none_or(|game| entry.place < game.first) {
                // The game was here before.
                continue;
            }
            let game = self.games.partition_point(|game| game.first <= entry.place) - 1;
            next_game = game + 1;
            let about = &self.games[game];
            let ply = entry.place - about.first;
            let counts = ply >= about.chosen_from && (!is_start || (ply == 0 && about.start.is_some()));
            if chosen[game] && counts {
                let code = self.next[entry.place as usize];
                arrivals.push(Arrival { game, ply, mv: (code != END).then(|| Move::from_raw(code)) });
            }
        }
        arrivals
    }

    /// The start positions with the chosen games from each: all, won by the first player, drawn, won by the second.
    pub fn start_counts(&self, chosen: &[bool]) -> Vec<[u64; 4]> {
        let mut counts = vec![[0; 4]; self.starts.len()];
        for (game, _) in self.games.iter().zip(chosen).filter(|(game, chosen)| **chosen && game.chosen_from == 0) {
            let Some(start) = game.start else { continue };
            counts[usize::from(start)][0] += 1;
            counts[usize::from(start)][1 + number(game.outcome.result)] += 1;
        }
        counts
    }

    /// The number of moves of a game.
    pub fn plies(&self, game: usize) -> usize {
        let end = self.games.get(game + 1).map_or(self.next.len(), |next| next.first as usize);
        end - self.games[game].first as usize - 1
    }

    /// By which a game is asked for, in any mixture: its source, its shard and its id.
    pub fn name_of(&self, game: usize) -> String {
        let game = &self.games[game];
        let (folder, shard) = &self.shards[game.shard as usize];
        format!("{}/{}/{}", self.sources.names[*folder], shard.entry.shard, game.id)
    }

    /// The number of the game that may be asked for by this text.
    fn number_of(&self, name: &str) -> Option<usize> {
        let (rest, id) = name.rsplit_once('/')?;
        let (source, shard) = rest.rsplit_once('/')?;
        let id: u64 = id.parse().ok()?;
        let is_asked = |(folder, of_shard): &(usize, FolderShard)| {
            self.sources.names[*folder] == source && of_shard.entry.shard == shard
        };
        self.games.iter().position(|game| game.id == id && is_asked(&self.shards[game.shard as usize]))
    }

    /// The game that is asked for by this text, whole, and its number.
    ///
    /// # Errors
    /// There is none, or it cannot be read.
    pub fn read(&self, name: &str) -> Result<(usize, ReadGame<V>), ApiError> {
        let found = self.number_of(name).filter(|&game| self.name_of(game) == name);
        let game = found.ok_or_else(|| ApiError::Unknown(format!("there is no game {name:?}")))?;
        let id = self.games[game].id;
        let (folder, shard) = &self.shards[self.games[game].shard as usize];
        let store = &self.sources.folders.stores()[*folder];
        let records = store.read_games::<V>(&shard.entry).map_err(ApiError::failed)?;
        let record = records.into_iter().find(|record| record.game_id == id);
        let record = record.ok_or_else(|| ApiError::Failed(format!("the game {name:?} is gone")))?;
        let chances = self.sources.folders.win_chances(shard).map_err(ApiError::failed)?;
        let of_game = chances.range((id, 0)..=(id, u32::MAX)).map(|(&(_, ply), &chance)| (ply, chance));
        Ok((game, ReadGame { record, chances: of_game.collect() }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use data::{DataStore, Provenance, SyntheticGames};
    use rules::Wangqi;

    fn index(folder: &std::path::Path, most: usize, stop: bool) -> Result<GameIndex<Wangqi>, ApiError> {
        let store = DataStore::open_read_only(folder).unwrap();
        let sources =
            OpenSources { folders: GameFolders::from(store), names: vec!["made-up".to_owned()], _places: Vec::new() };
        GameIndex::build(sources, most, &AtomicBool::new(stop))
    }

    #[test]
    fn too_many_positions_leave_every_second_game_out() {
        let folder = tempfile::tempdir().unwrap();
        let (store, _) = DataStore::open(folder.path()).unwrap();
        let games = SyntheticGames { plies: 10, opening: 2, ..SyntheticGames::default() };
        let records: Vec<GameRecord<Wangqi>> = (0..100).map(|number| games.game(number)).collect();
        let mut records = records;
        records.sort_by_key(|game| game.game_id);
        store.commit_shard(0, "local", &records, &Provenance::default()).unwrap();
        let whole = index(folder.path(), MOST_POSITIONS, false).unwrap();
        assert_eq!((whole.games.len(), whole.all), (100, 100));
        let part = index(folder.path(), whole.positions() / 3, false).unwrap();
        assert_eq!((part.games.len(), part.all), (25, 100));
        let ids = |index: &GameIndex<Wangqi>| index.games.iter().map(|game| game.id).collect::<Vec<_>>();
        assert_eq!(ids(&part), ids(&whole).into_iter().step_by(4).collect::<Vec<_>>());
        let all = vec![true; 100];
        for (game, record) in records.iter().enumerate().step_by(4) {
            for ply in [0, 2, 5, record.plies()] {
                let position = record.sheet.replay_unchecked(ply).position().clone();
                let expected: Vec<Arrival> = whole
                    .arrivals(&position, &all)
                    .into_iter()
                    .filter(|arrival| arrival.game % 4 == 0)
                    .map(|arrival| Arrival { game: arrival.game / 4, ..arrival })
                    .collect();
                assert_eq!(part.arrivals(&position, &all[..25]), expected, "game {game}, ply {ply}");
                assert!(expected.iter().any(|arrival| arrival.game == game / 4));
            }
        }
        assert_eq!(part.facets[8].values(3), whole.facets[8].values(12));
        assert!(index(folder.path(), MOST_POSITIONS, true).is_err(), "cancelled");
    }
}
