//! A few games to look at, with what the search thought of each position.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};

use rules::Variant;

use super::openings::OpeningQuery;
use super::openings::games::{Fate, OpeningGames};
use crate::column::{Float, Unsigned, Unsigned64};
use crate::error::{FileFault, Result};
use crate::folders::{FolderShard, GameFolders};
use crate::game::GameRecord;
use crate::identity::{GameIdentity, SeenGames};

/// A game among some shards: the place of its shard in their list, and its id, which is unique in a shard.
type ShardGameKey = (u32, u64);

/// A game to look at.
#[derive(Clone, Debug, PartialEq)]
pub struct SampleGame<V: Variant> {
    /// Number of its folder in [`GameFolders::stores`].
    pub folder: usize,
    /// The game; its `positions` are not read.
    pub record: GameRecord<V>,
    /// Before each move the score that the search expected for the first player, 0 to 1; `None` where the position was
    /// not searched. As long as the game.
    pub values: Vec<Option<f32>>,
}

/// A chosen game with its place in a list of shards.
type Chosen<V> = (ShardGameKey, GameRecord<V>);

/// Most generations of which a sample has games; where there are more, they are evenly spread.
const GENERATIONS: usize = 64;

/// Most games of a generation in a sample, and enough games to read no further shard of it.
const OF_GENERATION: usize = 64;

impl GameFolders {
    /// At most `most` games with at most `most_plies` plies in total, of every generation of every folder, or of 64 of
    /// them evenly spread; the newest generation comes first. They are games that opening statistics count; if these
    /// count none at all, they are others.
    ///
    /// The generations take turns. In a generation the beginnings (start position and first move) do, the most played
    /// one first; each gives its game with the lowest id. A game that would make too many plies is left out. Of a
    /// generation only so many shards are read that they have 64 games.
    ///
    /// # Errors
    /// A shard cannot be read or is not what its manifest says.
    pub fn sample_games<V: Variant>(&self, most: usize, most_plies: usize) -> Result<Vec<SampleGame<V>>> {
        let shards = self.shards(V::ID)?;
        let mut groups: Vec<&[FolderShard]> =
            shards.chunk_by(|a, b| (a.folder, a.entry.generation) == (b.folder, b.entry.generation)).collect();
        // Stable: the folders of equal generations stay in their order.
        groups.sort_by_key(|group| Reverse(group[0].entry.generation));
        let generations = evenly(&groups);
        let sample = self.sample_of(&generations, |fate| fate == Fate::Counted, most, most_plies)?;
        if !sample.is_empty() {
            return Ok(sample);
        }
        self.sample_of(&generations, Fate::reaches_positions, most, most_plies)
    }

    /// Games of some generations, each of which is a list of shards.
    fn sample_of<V: Variant>(
        &self,
        generations: &[&[FolderShard]],
        fits: impl Fn(Fate) -> bool,
        most: usize,
        most_plies: usize,
    ) -> Result<Vec<SampleGame<V>>> {
        let shards: Vec<&FolderShard> = generations.iter().copied().flatten().collect();
        let (mut seen, mut place, mut games) = (SeenGames::default(), 0, Vec::new());
        for generation in generations {
            games.push(self.candidates(place, generation, &fits, &mut seen)?);
            place += generation.len() as u32;
        }
        games.retain(|games| !games.is_empty());
        let chosen = in_turns(games, most, most_plies);
        let values = self.root_values(&shards, &chosen)?;
        let sample = |(key, record): Chosen<V>| SampleGame {
            folder: shards[key.0 as usize].folder,
            values: values[&key].clone(),
            record,
        };
        Ok(chosen.into_iter().map(sample).collect())
    }

    /// Games of the shards of a generation in the order in which they are taken. `first` is the place of the first
    /// shard.
    fn candidates<V: Variant>(
        &self,
        first: u32,
        shards: &[FolderShard],
        fits: impl Fn(Fate) -> bool,
        seen: &mut SeenGames,
    ) -> Result<Vec<Chosen<V>>> {
        let mut games: Vec<Chosen<V>> = Vec::new();
        for (place, shard) in (first..).zip(shards) {
            if games.len() >= OF_GENERATION {
                break;
            }
            let query = OpeningQuery { depth: 0, ..OpeningQuery::new(V::ID) };
            let read = OpeningGames::read(self, std::slice::from_ref(shard), &query)?;
            let fates = read.shards.iter().flat_map(|games| games.id.iter().zip(&games.fate));
            let fitting: HashSet<u64> = fates.filter(|&(_, &fate)| fits(fate)).map(|(&id, _)| id).collect();
            if fitting.is_empty() {
                continue;
            }
            let mut of_shard = self.store_of(shard).read_games::<V>(&shard.entry)?;
            of_shard.retain(|game| {
                let fits = fitting.contains(&game.game_id) && !game.sheet.moves.is_empty();
                fits && seen.is_new(shard.folder, GameIdentity::of(game))
            });
            games.extend(of_shard.into_iter().map(|game| ((place, game.game_id), game)));
        }
        let mut games = by_beginnings(games);
        games.truncate(OF_GENERATION);
        Ok(games)
    }

    /// The expected score of the first player before each move of some games. Self-play and reviews keep it.
    fn root_values<V: Variant>(
        &self,
        shards: &[&FolderShard],
        games: &[Chosen<V>],
    ) -> Result<HashMap<ShardGameKey, Vec<Option<f32>>>> {
        let mut values: HashMap<ShardGameKey, Vec<Option<f32>>> =
            games.iter().map(|(key, game)| (*key, vec![None; game.plies()])).collect();
        let chosen: HashSet<u32> = games.iter().map(|((place, _), _)| *place).collect();
        for (at, shard) in (0..).zip(shards).filter(|(at, shard)| chosen.contains(at) && shard.entry.positions.rows > 0)
        {
            let names = ["game_id", "ply", "side", "root_win", "root_draw"];
            self.store_of(shard).read_columns(&shard.entry.positions, &names, |columns| {
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

/// At most [`GENERATIONS`] of these, evenly spread, with the first and the last.
fn evenly<T: Copy>(all: &[T]) -> Vec<T> {
    if all.len() <= GENERATIONS {
        return all.to_vec();
    }
    (0..GENERATIONS).map(|at| all[at * (all.len() - 1) / (GENERATIONS - 1)]).collect()
}

/// The games in the order in which their beginnings take turns.
fn by_beginnings<V: Variant>(games: Vec<Chosen<V>>) -> Vec<Chosen<V>> {
    let mut beginnings: BTreeMap<_, Vec<Chosen<V>>> = BTreeMap::new();
    for chosen in games {
        let sheet = &chosen.1.sheet;
        beginnings.entry((sheet.start.key().to_bytes(), sheet.moves[0])).or_default().push(chosen);
    }
    let mut beginnings: Vec<_> = beginnings.into_values().collect();
    beginnings.sort_by_key(|games| Reverse(games.len())); // stable
    beginnings.iter_mut().for_each(|games| games.sort_by_key(|(_, game)| game.game_id));
    let mut left: Vec<_> = beginnings.into_iter().map(Vec::into_iter).collect();
    let mut ordered = Vec::new();
    while left.iter().any(|games| !games.as_slice().is_empty()) {
        ordered.extend(left.iter_mut().filter_map(Iterator::next));
    }
    ordered
}

/// Games of the generations in turns, in the order of the generations. In the first turn a generation gives a game that
/// leaves room for the other generations, if it has one.
fn in_turns<V: Variant>(generations: Vec<Vec<Chosen<V>>>, most: usize, most_plies: usize) -> Vec<Chosen<V>> {
    let fair = most_plies / generations.len().max(1);
    let mut left: Vec<VecDeque<Chosen<V>>> = generations.into_iter().map(VecDeque::from).collect();
    let mut chosen: Vec<Vec<Chosen<V>>> = left.iter().map(|_| Vec::new()).collect();
    let (mut number, mut plies) = (0, 0);
    let mut is_first = true;
    while left.iter().any(|games| !games.is_empty()) {
        for (games, of_generation) in left.iter_mut().zip(&mut chosen) {
            let fits = |(_, game): &Chosen<V>| plies + game.plies() <= most_plies;
            let short = |(_, game): &Chosen<V>| game.plies() <= fair;
            let next = games.iter().position(|game| fits(game) && (!is_first || short(game)));
            match next.and_then(|at| games.remove(at)) {
                Some(game) if number < most => {
                    number += 1;
                    plies += game.1.plies();
                    of_generation.push(game);
                }
                None if is_first => {}
                _ => games.clear(),
            }
        }
        is_first = false;
    }
    chosen.into_iter().flatten().collect()
}
