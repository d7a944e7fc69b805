//! The beginnings of games, and the positions that were searched in them.

use std::collections::BTreeMap;
use std::mem;

use rayon::prelude::*;

use super::OpeningQuery;
use super::origin::OpeningGame;
use crate::column::{Codes, Columns, KeyBytes, Maybe, Text, Unsigned, Unsigned64};
use crate::error::{FileFault, Result};
use crate::filter::Criterion;
use crate::folders::{FolderShard, GameFolders};
use crate::game::OPENING_PLIES;
use crate::identity::{GameIdentity, SeenGames};
use crate::position_key::PositionKey;
use crate::reader::FileMemory;

/// What openings are counted from.
#[derive(Default)]
pub(in crate::statistics) struct OpeningGames {
    /// Those of each shard.
    pub shards: Vec<ShardGames>,
    /// The setups of the start positions.
    pub(super) starts: Vec<Setups>,
}

/// The setups of the first and the second player, where the variant has the choice.
pub type Setups = [Option<String>; 2];

/// What a game counts for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::statistics) enum Fate {
    /// It began from the variant's own start position or a chosen setup, and its first move was chosen.
    Counted,
    /// It began elsewhere, or did not reach the origin. It only counts among the games that reached a position.
    OtherStart,
    /// It began from other setups than those asked for. It only counts among the games that reached a position.
    OtherSetups,
    /// It began with moves that no player chose: random ones, or those of an earlier game. It only counts among the games
    /// that reached a position.
    Unchosen,
    /// The filter leaves it out.
    Excluded(Criterion),
    /// An earlier shard has it, too.
    Doubled,
}

impl Fate {
    /// Whether it counts where it reaches a position.
    pub fn reaches_positions(self) -> bool {
        matches!(self, Fate::Counted | Fate::OtherStart | Fate::OtherSetups | Fate::Unchosen)
    }
}

/// The games of a shard, a row each, in the order of their ids.
#[derive(Default)]
pub(in crate::statistics) struct ShardGames {
    pub id: Vec<u64>,
    pub fate: Vec<Fate>,
    pub(super) result: Vec<i32>,
    /// The place of the start position in [`OpeningGames::starts`]; until all shards are read, in `setups`.
    pub(super) start: Vec<u32>,
    /// The moves of all games in UCI: of each all, or as many as lines have.
    texts: String,
    /// Where the moves of each game end in `texts`.
    text_ends: Vec<usize>,
    /// Where the moves of each game end in `moves`.
    pub(super) ends: Vec<usize>,
    /// The codes of the first moves of all games that count.
    pub(super) moves: Vec<u32>,
    /// The key of the position after each of `moves`; 0 where no position record says it.
    pub(super) keys_after: Vec<u64>,
    /// The keys of the positions that the games reached, game by game.
    pub(super) reached: Vec<u64>,
    /// Where the keys of each game end in `reached`; 0 where the game has none.
    pub(super) reached_ends: Vec<usize>,
    /// How many plies each game had played where its line begins: 0, unless there is an origin.
    begun: Vec<u32>,
    /// The number of the first game among the games of all shards.
    pub(super) first: u32,
    /// The place of its first move among the moves of all shards.
    pub(super) first_move: usize,
    /// Identities of the games, until all shards are read.
    identities: Vec<GameIdentity>,
    /// The setups of the start positions in this shard.
    setups: Vec<Setups>,
}

const COLUMNS: &[&str] = &["start_fen", "setup_first", "setup_second", "moves_text", "result", OPENING_PLIES];
const RULESET: &str = "ruleset";
const SEARCHED: [&str; 4] = ["game_id", "ply", "pos_key", "parent_key"];

impl OpeningGames {
    /// Reads the games in these shards: of their moves the first `query.depth`, and of their keys all, if that is not 0.
    ///
    /// # Errors
    /// A file cannot be read, is not what was written, comes from a newer schema version, or lacks a column or a
    /// sensible value.
    pub fn read(folders: &GameFolders, shards: &[FolderShard], query: &OpeningQuery) -> Result<OpeningGames> {
        let mut names = [COLUMNS, GameIdentity::COLUMNS].concat();
        names.extend(query.filter.columns());
        names.extend(query.origin.as_ref().map(|_| RULESET));
        names.sort_unstable();
        names.dedup();
        let memory = FileMemory::default();
        let beginnings = |shard: &FolderShard| {
            let (store, mut games) = (folders.store_of(shard), ShardGames::default());
            store.read_columns_in(&memory, &shard.entry.games, &names, |columns| games.extend(columns, query))?;
            games.keys_after = vec![0; games.moves.len()];
            games.reached_ends = vec![0; games.id.len()];
            Ok(games)
        };
        let read = shards.par_iter().map(beginnings).collect::<Result<_>>()?;
        let mut games = OpeningGames { shards: read, starts: Vec::new() };
        games.compare(shards);
        let with_keys = query.depth > 0;
        let names = if with_keys { &SEARCHED } else { &SEARCHED[..2] };
        let search = |(games, shard): (&mut ShardGames, &FolderShard)| {
            let (store, mut place) = (folders.store_of(shard), PositionCursor::default());
            let positions = &shard.entry.positions;
            store.read_columns_in(&memory, positions, names, |columns| {
                if with_keys && games.reached.capacity() == 0 {
                    // Not more than the file has bytes: equal rows may be many in few bytes.
                    games.reached.reserve_exact(positions.rows.min(positions.bytes) as usize);
                }
                games.search(columns, with_keys, &mut place)
            })?;
            games.reached.shrink_to_fit();
            Ok(())
        };
        games.shards.par_iter_mut().zip(shards).try_for_each(search)?;
        Ok(games)
    }

    /// Finds duplicate games, and numbers all games and their start positions.
    fn compare(&mut self, shards: &[FolderShard]) {
        let identities =
            |(games, shard): (&mut ShardGames, &FolderShard)| (shard.folder, mem::take(&mut games.identities));
        let identities: Vec<_> = self.shards.iter_mut().zip(shards).map(identities).collect();
        let mut new = SeenGames::which_are_new(&identities).into_iter();
        let (mut first, mut starts) = (0, BTreeMap::new());
        for games in &mut self.shards {
            games.first = first;
            first += games.id.len() as u32;
            for (fate, is_new) in games.fate.iter_mut().zip(&mut new) {
                if !is_new {
                    *fate = Fate::Doubled;
                }
            }
            let number = |setups| {
                let next = starts.len() as u32;
                *starts.entry(setups).or_insert(next)
            };
            let numbers: Vec<u32> = mem::take(&mut games.setups).into_iter().map(number).collect();
            games.start.iter_mut().for_each(|start| *start = numbers[*start as usize]);
        }
        self.starts = vec![Setups::default(); starts.len()];
        starts.into_iter().for_each(|(setups, start)| self.starts[start as usize] = setups);
    }

    /// The games that count: the places of their shards, and their rows there.
    pub fn counted(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        self.shards.iter().enumerate().flat_map(|(shard, games)| {
            let rows = (0..games.fate.len()).filter(|&row| games.fate[row] == Fate::Counted);
            rows.map(move |row| (shard, row))
        })
    }
}

/// How far the positions of a shard have been read.
#[derive(Default)]
struct PositionCursor {
    /// The row of the game of the last position, or of the first game.
    row: usize,
    /// The ply of that position.
    ply: Option<u32>,
}

impl ShardGames {
    /// Adds some rows of the table `games`.
    fn extend(&mut self, columns: &Columns<'_>, query: &OpeningQuery) -> Result<(), FileFault> {
        let failures = query.filter.failures(columns)?;
        let id = columns.values::<Unsigned64>("game_id")?;
        let start_fen = columns.borrowed::<Maybe<Text>>("start_fen")?;
        let setup_first = columns.borrowed::<Maybe<Text>>("setup_first")?;
        let setup_second = columns.borrowed::<Maybe<Text>>("setup_second")?;
        let moves = columns.borrowed::<Codes>("moves")?;
        let texts = columns.borrowed::<Text>("moves_text")?;
        let origin = match &query.origin {
            Some(origin) => Some((origin, columns.borrowed::<Text>(RULESET)?)),
            None => None,
        };
        // Files of earlier versions do not say it of any game.
        let opening = columns.has(OPENING_PLIES).then(|| columns.values::<Unsigned>(OPENING_PLIES)).transpose()?;
        self.identities.extend(GameIdentity::of_rows(columns)?);
        self.result.extend(columns.results("result")?.into_iter().map(i32::from));
        for (row, failure) in failures.into_iter().enumerate() {
            let setups = [setup_first(row), setup_second(row)];
            let codes = moves(row);
            let begun = match &origin {
                _ if failure.is_some() => None,
                Some((origin, ruleset)) => {
                    origin.find(&OpeningGame { ruleset: ruleset(row), start_fen: start_fen(row), moves: codes })
                }
                None => (start_fen(row).is_none() || setups[0].is_some()).then_some(0),
            };
            let fate = match (failure, begun) {
                (Some(criterion), _) => Fate::Excluded(criterion),
                (None, None) => Fate::OtherStart,
                (None, Some(_)) if !query.allows(setups) => Fate::OtherSetups,
                (None, Some(begun)) if opening.as_ref().is_some_and(|plies| plies(row) as usize > begun) => {
                    Fate::Unchosen
                }
                (None, Some(_)) => Fate::Counted,
            };
            let (depth, begun) = match fate {
                Fate::Counted => (query.depth as usize, begun.unwrap_or_default()),
                _ => (0, 0),
            };
            self.id.push(id(row));
            self.fate.push(fate);
            self.begun.push(begun as u32);
            let start = self.start_of(if origin.is_some() { [None; 2] } else { setups });
            self.start.push(start);
            self.moves.extend(codes.iter().skip(begun).take(depth));
            self.ends.push(self.moves.len());
            let text = texts(row);
            let place =
                |word: usize| text.split_ascii_whitespace().nth(word).map_or(text.len(), |rest| offset(text, rest));
            self.texts.push_str(&text[place(begun)..place(begun + depth)]);
            self.text_ends.push(self.texts.len());
        }
        Ok(())
    }

    /// The place of a start position in `setups`. Few differ, so they are compared one by one.
    fn start_of(&mut self, setups: [Option<&str>; 2]) -> u32 {
        let is_same = |known: &Setups| known.each_ref().map(Option::as_deref) == setups;
        let place = self.setups.iter().position(is_same).unwrap_or_else(|| {
            self.setups.push(setups.map(|setup| setup.map(str::to_owned)));
            self.setups.len() - 1
        });
        place as u32
    }

    /// The moves of the line of a game in UCI: all, or as many as lines have.
    pub(super) fn text_of(&self, row: usize) -> &str {
        &self.texts[row.checked_sub(1).map_or(0, |before| self.text_ends[before])..self.text_ends[row]]
    }

    /// The places of the first moves of a game in `moves`.
    pub(super) fn moves_of(&self, row: usize) -> std::ops::Range<usize> {
        row.checked_sub(1).map_or(0, |before| self.ends[before])..self.ends[row]
    }

    /// Adds some rows of the table `positions`. They come game by game, but a game may continue in the next rows.
    ///
    /// The first moves of a line were drawn by chance, or copied from an earlier game, if the first searched position
    /// of its game comes after its beginning. A position that was not searched itself is known from its successor's
    /// `parent_key`.
    fn search(&mut self, columns: &Columns<'_>, with_keys: bool, place: &mut PositionCursor) -> Result<(), FileFault> {
        let (game_id, ply) = (columns.values::<Unsigned64>("game_id")?, columns.values::<Unsigned>("ply")?);
        let keys = match with_keys {
            true => Some((columns.values::<KeyBytes>("pos_key")?, columns.values::<Maybe<KeyBytes>>("parent_key")?)),
            false => None,
        };
        for row in 0..columns.rows() {
            let (game_id, ply) = (game_id(row), ply(row));
            while self.id.get(place.row).is_some_and(|&id| id < game_id) {
                *place = PositionCursor { row: place.row + 1, ply: None };
            }
            if self.id.get(place.row) != Some(&game_id) {
                return Err(FileFault::NoGame { game_id });
            }
            let before = place.ply.replace(ply);
            let fate = &mut self.fate[place.row];
            if before.is_none() && ply > self.begun[place.row] && *fate == Fate::Counted {
                *fate = Fate::Unchosen;
            }
            let Some((pos_key, parent_key)) = keys.as_ref().filter(|_| fate.reaches_positions()) else { continue };
            if let Some(parent) = ply.checked_sub(1).filter(|&parent| before != Some(parent)) {
                parent_key(row).into_iter().for_each(|key| self.reach(place.row, parent, key));
            }
            self.reach(place.row, ply, pos_key(row));
        }
        Ok(())
    }

    /// Notes that a game was in a position after so many plies.
    fn reach(&mut self, row: usize, ply: u32, key: PositionKey) {
        let key = short(key);
        self.reached.push(key);
        self.reached_ends[row] = self.reached.len();
        let move_before = ply.checked_sub(1 + self.begun[row]);
        let after = move_before.and_then(|move_before| self.moves_of(row).nth(move_before as usize));
        if let Some(after) = after {
            self.keys_after[after] = key;
        }
    }
}

/// The first 64 of the 96 bits of a position's key, which are as good as random: among a thousand million positions, two
/// have the same about once in forty times. Never 0.
fn short([a, b, c, d, e, f, g, h, ..]: PositionKey) -> u64 {
    u64::from_be_bytes([a, b, c, d, e, f, g, h]).max(1)
}

/// Where a part of a text begins.
fn offset(text: &str, part: &str) -> usize {
    part.as_ptr() as usize - text.as_ptr() as usize
}
