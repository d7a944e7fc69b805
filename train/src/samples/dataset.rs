//! The sliding window over recorded games, and the samples drawn from it.
//!
//! The window depends on the committed shards alone, and the samples of a step on the seed and the step's number alone.
//! So interrupted training resumes as if it had not been interrupted.

use crate::error::{GameFault, Result, TrainError};
use crate::samples::config::{Damaged, DataConfig};
use crate::samples::material::MaterialJudge;
use crate::samples::recorded::{RecordedGame, Row};
use crate::samples::sample::{Batch, Reading};
use data::bounded::FileVerdict;
use data::{DataError, DataStore, GameRecord, ShardEntry};
use network::Blueprint;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;
use rules::{MoveList, Variant};
use search::LeafBatch;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::ops::Range;

/// A part of the recorded games.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Split {
    /// The games that are trained on.
    Training,
    /// The games that are kept for validation.
    Validation,
}

/// Games of one shard, checked.
#[derive(Debug)]
struct LoadedShard<V: Variant> {
    games: Vec<RecordedGame<V>>,
    rows: u64,
}

/// A game in the window, and the number of rows up to and with it.
#[derive(Clone, Copy, Debug)]
struct Entry {
    shard: usize,
    game: usize,
    rows_until: u64,
}

/// What [`Dataset::refresh`] found.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Window {
    /// Rows in all shards of the variant.
    pub rows_made: u64,
    /// Rows that are trained on.
    pub rows_trained: u64,
    /// Rows of the window that are kept for validation.
    pub rows_held_out: u64,
    /// Games in the window.
    pub games: u64,
    /// Damaged shards that were left out, each with its reason (`damaged = "skip"`).
    pub skipped: Vec<String>,
}

/// Recorded games of one variant, as training sees them.
#[derive(Debug)]
pub struct Dataset<V: Variant> {
    config: DataConfig,
    seed: u64,
    /// By generation and path: the order of the window.
    shards: BTreeMap<(u32, String), LoadedShard<V>>,
    /// Shards that could not be read, with the reason.
    damaged: BTreeMap<(u32, String), String>,
    training: Vec<Entry>,
    held_out: Vec<Entry>,
}

impl<V: Variant> Dataset<V> {
    /// An empty window.
    pub fn new(config: DataConfig, seed: u64) -> Dataset<V> {
        Dataset {
            config,
            seed,
            shards: BTreeMap::new(),
            damaged: BTreeMap::new(),
            training: Vec::new(),
            held_out: Vec::new(),
        }
    }

    /// Moves the window to the newest committed games: reads what is new, forgets what is too old.
    ///
    /// # Errors
    /// A shard is damaged or holds an unplayable game, and `damaged` is `stop`; the manifest cannot be read.
    pub fn refresh(&mut self, store: &DataStore) -> Result<Window> {
        self.refresh_until(store, u32::MAX)
    }

    /// Moves the window to where it was after a generation: games of later ones are left out. A generation that is
    /// trained again after the next one was played sees what it saw the first time.
    ///
    /// # Errors
    /// Those of [`refresh`](Self::refresh).
    pub fn refresh_until(&mut self, store: &DataStore, generation: u32) -> Result<Window> {
        let mut committed: BTreeMap<(u32, String), _> = BTreeMap::new();
        for shard in store.shards(V::ID)?.into_iter().filter(|shard| shard.generation <= generation) {
            committed.insert((shard.generation, shard.games.path.clone()), shard);
        }
        let rows_made = committed.values().map(|shard| shard.positions.rows).sum();
        let mut missing = self.config.window(rows_made) as i64;
        let mut wanted = Vec::new();
        for (key, shard) in committed.iter().rev() {
            if missing <= 0 {
                break;
            }
            if !self.shards.contains_key(key) && !self.damaged.contains_key(key) {
                let check = |game: &_| RecordedGame::check(game, &self.config);
                let loaded = loaded(store, shard, store.read_shard(shard), check);
                self.keep(key, loaded)?;
            }
            missing -= self.shards.get(key).map_or(0, |shard| shard.rows as i64);
            wanted.push(key.clone());
        }
        self.shards.retain(|key, _| wanted.contains(key));
        self.damaged.retain(|key, _| committed.contains_key(key));
        Ok(self.index(rows_made, self.config.window(rows_made)))
    }

    /// Takes in the games of a store for their moves alone: every position is a row, its policy the move that was played,
    /// and its value the result, whatever searches are recorded. The window has the newest `window_maximum` rows.
    ///
    /// # Errors
    /// A shard is damaged or holds an unplayable game, and `damaged` is `stop`; the manifest cannot be read.
    pub fn take_played(&mut self, store: &DataStore) -> Result<Window> {
        let mut missing = self.config.window_maximum as i64;
        let mut rows_made = 0;
        for shard in store.shards(V::ID)?.iter().rev() {
            if missing <= 0 {
                break;
            }
            let key = (shard.generation, shard.games.path.clone());
            self.keep(&key, loaded(store, shard, store.read_games(shard), RecordedGame::of_moves))?;
            let rows = self.shards.get(&key).map_or(0, |shard| shard.rows);
            missing -= rows as i64;
            rows_made += rows;
        }
        Ok(self.index(rows_made, self.config.window_maximum))
    }

    /// Keeps what was read of a shard, or remembers why it could not be.
    fn keep(&mut self, key: &(u32, String), loaded: Result<LoadedShard<V>>) -> Result<()> {
        match loaded {
            Ok(loaded) => drop(self.shards.insert(key.clone(), loaded)),
            // An error of the machine says nothing about the shard, and may have passed when it is read again.
            Err(error) if self.config.damaged == Damaged::Skip && error.verdict() == FileVerdict::Damaged => {
                self.damaged.insert(key.clone(), error.to_string());
            }
            Err(error) => return Err(error),
        }
        Ok(())
    }

    /// Lists the newest games until the window has so many rows.
    fn index(&mut self, rows_made: u64, window: u64) -> Window {
        let mut missing = window as i64;
        let (mut training, mut held_out) = (Vec::new(), Vec::new());
        for (shard, loaded) in self.shards.values().enumerate().rev() {
            for (game, recorded) in loaded.games.iter().enumerate().rev() {
                if missing <= 0 {
                    break;
                }
                let list = if self.config.holds_out(recorded.id) { &mut held_out } else { &mut training };
                list.push(Entry { shard, game, rows_until: recorded.rows.len() as u64 });
                missing -= recorded.rows.len() as i64;
            }
        }
        let games = (training.len() + held_out.len()) as u64;
        let ordered = |mut entries: Vec<Entry>| {
            entries.reverse();
            let mut rows = 0;
            for entry in &mut entries {
                rows += entry.rows_until;
                entry.rows_until = rows;
            }
            (entries, rows)
        };
        let (rows_trained, rows_held_out);
        (self.training, rows_trained) = ordered(training);
        (self.held_out, rows_held_out) = ordered(held_out);
        self.judge_cut_off();
        let skipped = self.damaged.values().cloned().collect();
        Window { rows_made, rows_trained, rows_held_out, games, skipped }
    }

    /// Gives the games of the window that were cut off a result by their material.
    fn judge_cut_off(&mut self) {
        if self.config.material_share == 0.0 {
            return;
        }
        let games = self.shards.values().flat_map(|shard| &shard.games);
        let judge = MaterialJudge::of::<V>(games.filter(|game| game.is_undecided()).map(|game| &*game.difference));
        for game in self.shards.values_mut().flat_map(|shard| &mut shard.games) {
            game.judge(&judge, &self.config);
        }
    }

    /// Rows that are trained on.
    pub fn rows(&self) -> u64 {
        self.training.last().map_or(0, |entry| entry.rows_until)
    }

    /// Rows that are kept for validation.
    pub fn held_out_rows(&self) -> u64 {
        self.held_out.last().map_or(0, |entry| entry.rows_until)
    }

    /// The rows of the games of this split, in their order.
    pub(crate) fn recorded(&self, split: Split) -> impl Iterator<Item = (&RecordedGame<V>, &Row)> {
        let shards: Vec<_> = self.shards.values().collect();
        let games = self.entries(split).iter().map(move |entry| &shards[entry.shard].games[entry.game]);
        games.flat_map(|game| game.rows.iter().map(move |row| (game, row)))
    }

    fn entries(&self, split: Split) -> &[Entry] {
        match split {
            Split::Training => &self.training,
            Split::Validation => &self.held_out,
        }
    }

    /// What a network needs of a row when `progress` of the run (0 to 1) is over.
    pub(crate) fn reading(&self, progress: f64, blueprint: &Blueprint) -> Reading {
        Reading::new(&self.config, progress, blueprint)
    }

    /// Positions of recorded games in batches of `size`, as a network is shown them: rows drawn evenly from the window, the same
    /// ones for the same `seed`. Empty if the window is.
    pub(crate) fn leaves(&self, blueprint: &Blueprint, seed: u64, batches: usize, size: usize) -> Vec<LeafBatch> {
        if self.rows() == 0 {
            return Vec::new();
        }
        // Targets are made and thrown away.
        let reading = self.reading(0.0, blueprint);
        let batch =
            |number: usize| self.batch(seed, batches * size, number * size..(number + 1) * size, reading).leaves;
        (0..batches).into_par_iter().map(batch).collect()
    }

    /// Samples `part` of the `size` samples of a step, as a network needs them: rows drawn evenly from the window,
    /// equal ones whenever they are asked for.
    ///
    /// # Panics
    /// If the window is empty.
    pub(crate) fn batch(&self, step: u64, size: usize, part: Range<usize>, reading: Reading) -> Batch {
        let shards: Vec<_> = self.shards.values().collect();
        let mut rng = ChaCha8Rng::seed_from_u64(self.seed);
        rng.set_stream(step);
        let (mut batch, mut legal) = (Batch::new(reading), MoveList::new());
        for sample in 0..size {
            let number = rng.random_range(0..self.rows());
            let mirrored = rng.random::<f64>() < self.config.mirror;
            if part.contains(&sample) {
                let (game, row) = row_of(&shards, &self.training, number);
                batch.push(game, &game.rows[row], mirrored, reading, &mut legal);
            }
        }
        batch
    }

    /// The batches of a validation, of `size` samples each: rows of the games of this split, spread evenly over them.
    pub(crate) fn validation(&self, split: Split, size: usize, reading: Reading) -> impl Iterator<Item = Batch> {
        let shards: Vec<_> = self.shards.values().collect();
        let entries = self.entries(split);
        let rows = entries.last().map_or(0, |entry| entry.rows_until);
        let looked_at = rows.min(self.config.validation_rows as u64);
        (0..looked_at).step_by(size).map(move |from| {
            let (mut batch, mut legal) = (Batch::new(reading), MoveList::new());
            for i in from..looked_at.min(from + size as u64) {
                let (game, row) = row_of(&shards, entries, i * rows / looked_at);
                batch.push(game, &game.rows[row], false, reading, &mut legal);
            }
            batch
        })
    }
}

/// The games of a shard, checked.
fn loaded<V: Variant>(
    store: &DataStore,
    shard: &ShardEntry,
    games: Result<Vec<GameRecord<V>>, DataError>,
    check: impl Fn(&GameRecord<V>) -> Result<RecordedGame<V>, GameFault> + Sync,
) -> Result<LoadedShard<V>> {
    let path = store.root().join(&shard.games.path);
    let check = |game: &GameRecord<V>| {
        let fault = |fault| TrainError::Game { path: path.clone(), game_id: game.game_id, fault };
        check(game).map_err(fault)
    };
    let games = games?.par_iter().map(check).collect::<Result<Vec<_>>>()?;
    let rows = games.iter().map(|game| game.rows.len() as u64).sum();
    Ok(LoadedShard { games, rows })
}

/// The game of row `number` of the window, and the row's place in it.
fn row_of<'a, V: Variant>(
    shards: &[&'a LoadedShard<V>],
    entries: &[Entry],
    number: u64,
) -> (&'a RecordedGame<V>, usize) {
    let at = entries.partition_point(|entry| entry.rows_until <= number);
    let Entry { shard, game, rows_until } = entries[at];
    let game = &shards[shard].games[game];
    (game, game.rows.len() - (rows_until - number) as usize)
}
