//! Data folders that are looked at together.

use std::collections::BTreeMap;
use std::path::PathBuf;

use rules::{IllegalMove, Variant};

use crate::column::{Float, Unsigned, Unsigned64};
use crate::error::{DataError, FileFault, Result};
use crate::filter::{Criterion, Excluded, GameFilter};
use crate::game::GameRecord;
use crate::identity::{GameIdentity, SeenGames};
use crate::manifest::ShardEntry;
use crate::store::DataStore;

/// Data folders that are read together. A game that occurs twice counts once, whether in one of them or in two.
///
/// # Examples
/// ```
/// use data::{DataStore, GameFolders, GameRecord, OpeningQuery, Provenance};
/// use rules::{Game, Outcome, Position, Rules, Side, Termination, Wangqi};
///
/// # let folder = tempfile::tempdir().unwrap();
/// let mut stores = Vec::new();
/// for (name, moves) in [("one", "c3c4 e6e5"), ("two", "c3c4")] {
///     let game = Game::<Wangqi>::from_moves_text(Rules::default(), Position::start(), moves)?;
///     let record = GameRecord::of(&game, Outcome::win(Side::First, Termination::Resign));
///     let (store, _) = DataStore::open(&folder.path().join(name))?;
///     store.commit_shard(0, "local", &[record], &Provenance::default())?;
///     stores.push(store);
/// }
/// let table = GameFolders::new(stores).openings(&OpeningQuery::new("wangqi"))?;
/// assert_eq!((table.rows[0].moves.as_str(), table.rows[0].games), ("c3c4", 2));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct GameFolders {
    stores: Vec<DataStore>,
}

/// A shard of one of several folders.
#[derive(Clone, Debug)]
pub struct FolderShard {
    /// Number of the folder.
    pub(crate) folder: usize,
    /// The shard.
    pub entry: ShardEntry,
}

/// Which games were left out while those of several shards were read, one shard after the other.
#[derive(Clone, Debug, Default)]
pub struct ExcludedGames {
    /// Games left out by the filter, under the first of its conditions that they do not meet.
    pub excluded: Excluded,
    /// Games left out because they occurred before.
    pub doubled: u64,
    seen: SeenGames,
}

impl From<DataStore> for GameFolders {
    fn from(store: DataStore) -> GameFolders {
        GameFolders::new(vec![store])
    }
}

impl GameFolders {
    /// Joins these folders. One that is named twice counts once.
    pub fn new(stores: Vec<DataStore>) -> GameFolders {
        let mut roots: Vec<PathBuf> = Vec::new();
        let mut different = stores;
        different.retain(|store| {
            let root = store.root().canonicalize().unwrap_or_else(|_| store.root().to_owned());
            let is_new = !roots.contains(&root);
            roots.push(root);
            is_new
        });
        GameFolders { stores: different }
    }

    /// The folders.
    pub fn stores(&self) -> &[DataStore] {
        &self.stores
    }

    /// Their paths, for messages.
    pub fn names(&self) -> String {
        self.stores.iter().map(|store| store.root().display().to_string()).collect::<Vec<_>>().join(", ")
    }

    /// The folder that a shard is in.
    pub(crate) fn store_of(&self, shard: &FolderShard) -> &DataStore {
        &self.stores[shard.folder]
    }

    /// The error that the rules refuse a game of a shard.
    pub fn illegal(&self, shard: &FolderShard, game_id: u64, source: IllegalMove) -> DataError {
        let path = self.store_of(shard).root().join(&shard.entry.games.path);
        DataError::Malformed { path, fault: FileFault::Illegal { game_id, source } }
    }

    /// The shards of a variant, folder by folder, in each by generation, then by name.
    ///
    /// # Errors
    /// A manifest cannot be read.
    pub fn shards(&self, variant: &str) -> Result<Vec<FolderShard>> {
        let mut shards = Vec::new();
        for (folder, store) in self.stores.iter().enumerate() {
            shards.extend(store.shards(variant)?.into_iter().map(|entry| FolderShard { folder, entry }));
        }
        Ok(shards)
    }

    /// The shards of a variant that may hold games that a filter lets pass. The games of the others are counted in `excluded`.
    ///
    /// # Errors
    /// A manifest cannot be read.
    pub fn shards_for(&self, variant: &str, filter: &GameFilter, excluded: &mut Excluded) -> Result<Vec<FolderShard>> {
        let mut shards = self.shards(variant)?;
        shards.retain(|FolderShard { entry, .. }| {
            let fits = filter.generations.contains(&entry.generation);
            if !fits {
                *excluded.entry(Criterion::Generation).or_default() += entry.games.rows;
            }
            fits
        });
        Ok(shards)
    }

    /// The ply of the first searched position of each game of a shard, by its id. No player chose the moves before it. Games
    /// without searched positions are not among them.
    ///
    /// # Errors
    /// The file of the positions is not what was written.
    pub fn first_searched(&self, shard: &FolderShard) -> Result<BTreeMap<u64, u32>> {
        let mut first = BTreeMap::new();
        self.store_of(shard).read_columns(&shard.entry.positions, &["game_id", "ply"], |columns| {
            let (game_id, ply) = (columns.values::<Unsigned64>("game_id")?, columns.values::<Unsigned>("ply")?);
            for row in 0..columns.rows() {
                first.entry(game_id(row)).or_insert_with(|| ply(row));
            }
            Ok(())
        })?;
        Ok(first)
    }

    /// The chance of a win that the search gave the side to move in each position of a shard, draws counting half, by
    /// game and ply.
    ///
    /// # Errors
    /// The file of the positions is not what was written.
    pub fn win_chances(&self, shard: &FolderShard) -> Result<BTreeMap<(u64, u32), f32>> {
        let mut chances = BTreeMap::new();
        let names = ["game_id", "ply", "root_win", "root_draw"];
        self.store_of(shard).read_columns(&shard.entry.positions, &names, |columns| {
            let (game_id, ply) = (columns.values::<Unsigned64>("game_id")?, columns.values::<Unsigned>("ply")?);
            let (win, draw) = (columns.values::<Float>("root_win")?, columns.values::<Float>("root_draw")?);
            chances.extend((0..columns.rows()).map(|row| ((game_id(row), ply(row)), win(row) + draw(row) / 2.0)));
            Ok(())
        })?;
        Ok(chances)
    }

    /// Reads the games of a shard that are new and that a filter lets pass, without their positions. The others are
    /// counted in the tally, which all shards share.
    ///
    /// # Errors
    /// A file is not what was written, or holds something else than games of the variant.
    pub fn read_games_for<V: Variant>(
        &self,
        shard: &FolderShard,
        filter: &GameFilter,
        tally: &mut ExcludedGames,
    ) -> Result<Vec<GameRecord<V>>> {
        let mut games = self.store_of(shard).read_games::<V>(&shard.entry)?;
        games.retain(|game| {
            if !tally.seen.is_new(shard.folder, GameIdentity::of(game)) {
                tally.doubled += 1;
                return false;
            }
            match filter.failure(game) {
                Some(criterion) => *tally.excluded.entry(criterion).or_default() += 1,
                None => return true,
            }
            false
        });
        Ok(games)
    }
}
