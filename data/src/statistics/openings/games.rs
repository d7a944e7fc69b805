//! The beginnings of games.

use std::collections::HashSet;

use rayon::prelude::*;
use rules::{GameResult, Move};

use super::super::doubles::{GameKey, doubles};
use crate::column::{Codes, Columns, Maybe, Text, Unsigned, Unsigned64};
use crate::error::{FileFault, Result};
use crate::filter::{GameFilter, LeftOut};
use crate::manifest::ShardEntry;
use crate::store::DataStore;

/// What openings are counted from: a row a game that began from the variant's own start position or a chosen set-up, and
/// whose first move was chosen.
#[derive(Default)]
pub(in crate::statistics) struct Games {
    pub id: Vec<GameKey>,
    pub setup_first: Vec<Option<String>>,
    pub setup_second: Vec<Option<String>>,
    /// The first moves.
    pub moves: Vec<Vec<Move>>,
    /// The same moves in UCI, separated by spaces.
    pub texts: Vec<String>,
    pub result: Vec<GameResult>,
    /// Games that began elsewhere or with moves that nobody chose, of which nothing else is kept.
    pub other_starts: u64,
    /// Games that the filter left out, of which nothing else is kept.
    pub left_out: LeftOut,
    /// Which they are.
    pub filtered: HashSet<GameKey>,
    /// Games that an earlier shard has, too.
    pub doubled: HashSet<GameKey>,
}

const COLUMNS: &[&str] = &["game_id", "start_fen", "setup_first", "setup_second", "moves", "moves_text", "result"];

impl Games {
    /// Reads the first `depth` moves of each game in these shards.
    pub fn read(store: &DataStore, shards: &[ShardEntry], depth: u32, filter: &GameFilter) -> Result<Games> {
        let mut names = COLUMNS.to_vec();
        names.extend(filter.columns().into_iter().filter(|name| !COLUMNS.contains(name)));
        let doubled = doubles(store, shards)?;
        let of_shard = |(place, shard): (usize, &ShardEntry)| {
            let mut games = Games::default();
            let choice = Choice { shard: place as u32, filter, doubled: &doubled, unchosen: unchosen(store, shard)? };
            store.read_columns(&shard.games, &names, |columns| games.extend(columns, &choice, depth as usize))?;
            Ok(games)
        };
        let read = shards.par_iter().enumerate().map(of_shard).collect::<Result<Vec<Games>>>()?;
        let mut all = Games { doubled, ..Games::default() };
        for games in read {
            all.append(games);
        }
        Ok(all)
    }

    fn extend(&mut self, columns: &Columns<'_>, choice: &Choice<'_>, depth: usize) -> Result<(), FileFault> {
        let failures = choice.filter.failures(columns)?;
        let id = columns.values::<Unsigned64>("game_id")?;
        let start_fen = columns.values::<Maybe<Text>>("start_fen")?;
        let setup_first = columns.values::<Maybe<Text>>("setup_first")?;
        let setup_second = columns.values::<Maybe<Text>>("setup_second")?;
        let moves = columns.values::<Codes>("moves")?;
        let texts = columns.values::<Text>("moves_text")?;
        let results = columns.results("result")?;
        for (row, result) in results.into_iter().enumerate() {
            let key = (choice.shard, id(row));
            if choice.doubled.contains(&key) {
                continue;
            }
            if let Some(criterion) = failures[row] {
                *self.left_out.entry(criterion).or_default() += 1;
                self.filtered.insert(key);
                continue;
            }
            let began_elsewhere = start_fen(row).is_some() && setup_first(row).is_none();
            if began_elsewhere || choice.unchosen.contains(&id(row)) {
                self.other_starts += 1;
                continue;
            }
            self.id.push(key);
            self.setup_first.push(setup_first(row));
            self.setup_second.push(setup_second(row));
            let moves = moves(row);
            self.moves.push(moves[..moves.len().min(depth)].to_vec());
            self.texts.push(texts(row).split_ascii_whitespace().take(depth).collect::<Vec<_>>().join(" "));
            self.result.push(result);
        }
        Ok(())
    }

    fn append(&mut self, other: Games) {
        self.id.extend(other.id);
        self.setup_first.extend(other.setup_first);
        self.setup_second.extend(other.setup_second);
        self.moves.extend(other.moves);
        self.texts.extend(other.texts);
        self.result.extend(other.result);
        self.other_starts += other.other_starts;
        for (criterion, games) in other.left_out {
            *self.left_out.entry(criterion).or_default() += games;
        }
        self.filtered.extend(other.filtered);
    }
}

/// Which games of a shard count.
struct Choice<'a> {
    /// The shard's place in the list.
    shard: u32,
    /// What they must be.
    filter: &'a GameFilter,
    /// Those of all shards that an earlier shard has, too, which do not count.
    doubled: &'a HashSet<GameKey>,
    /// Those whose first moves nobody chose, which do not count.
    unchosen: HashSet<u64>,
}

/// The games of a shard whose first moves nobody chose: drawn by chance, or copied from an earlier game. The sign is that
/// their first searched position is not the start.
fn unchosen(store: &DataStore, shard: &ShardEntry) -> Result<HashSet<u64>> {
    let mut found = HashSet::new();
    // Rows come game by game, but a game may go on in the next batch.
    let mut last = None;
    store.read_columns(&shard.positions, &["game_id", "ply"], |columns| {
        let (game_id, ply) = (columns.values::<Unsigned64>("game_id")?, columns.values::<Unsigned>("ply")?);
        for row in 0..columns.rows() {
            let id = game_id(row);
            if last.replace(id) != Some(id) && ply(row) > 0 {
                found.insert(id);
            }
        }
        Ok(())
    })?;
    Ok(found)
}
