//! The data folder: every path and every write of games lies behind this one type.

use std::collections::BTreeSet;
use std::fs::{self, File, TryLockError};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rules::Variant;

use crate::bounded;
use crate::durable::{self, is_there};
use crate::error::{DataError, Result};
use crate::game::GameRecord;
use crate::journal::{Journal, Recovered};
use crate::line_log::LineLog;
use crate::lock_owner::LockOwner;
use crate::manifest::{FileEntry, MANIFEST, ShardEntry};
use crate::tables::SCHEMA_VERSION;
use crate::verify::of_journal;
use crate::writer::{self, Provenance, WrittenTable};

mod compact;
mod recovery;

pub use compact::Compaction;
pub use recovery::Recovery;
pub(crate) use recovery::{is_emptied, journal_files, shard_files};

const LOCK: &str = ".lock";

/// What runs call their data folder.
const IN_RUN: &str = "data";

/// Folders below the root.
pub(crate) const GAMES: &str = "games";
pub(crate) const POSITIONS: &str = "positions";
const JOURNAL: &str = "journal";
const ORPHANS: &str = "orphans";

/// A folder of games and positions.
///
/// ```text
/// DATA/manifest.jsonl                                       the shards that exist, one checksummed line each
/// DATA/games/variant=wangqi/gen=0003/SHARD.parquet          one row a game
/// DATA/positions/variant=wangqi/gen=0003/SHARD.parquet      one row a searched position
/// DATA/journal/variant=wangqi/gen=0003.jsonl                finished games of a generation in progress
/// DATA/orphans/…                                            files that were written but not committed
/// ```
///
/// A shard exists when the manifest lists it. Nothing is cached, so a store opened for reading sees what another
/// process commits. Clones share the lock.
#[derive(Clone, Debug)]
pub struct DataStore {
    root: PathBuf,
    /// Held until the last clone of a writing store is gone; the system frees it when the process dies.
    lock: Option<Arc<File>>,
}

impl DataStore {
    /// Opens or creates a data folder for writing and tidies up after a kill.
    ///
    /// Only one process may have it open for writing; readers are not blocked.
    ///
    /// # Errors
    /// Another process has the folder open ([`DataError::InUse`]), the folder or its lock cannot be created or opened,
    /// the manifest is damaged, missing or empty though there are shards, or a file cannot be tidied up.
    pub fn open(root: &Path) -> Result<(DataStore, Recovery)> {
        durable::create_folder(root)?;
        let store = Self::locked(root)?;
        let recovery = recovery::tidy(&store)?;
        Ok((store, recovery))
    }

    /// Takes the lock of a data folder that is there, whatever its files hold, and does nothing else.
    ///
    /// # Errors
    /// Another process has the lock, or the lock is no file or cannot be opened.
    pub(crate) fn locked(root: &Path) -> Result<DataStore> {
        let lock_path = root.join(LOCK);
        if fs::symlink_metadata(&lock_path).is_ok_and(|metadata| !metadata.is_file()) {
            return Err(DataError::NotALock { path: lock_path });
        }
        let lock = bounded::open_ordinary(&lock_path, File::options().write(true).create(true).truncate(false));
        let lock = lock.map_err(DataError::io("open", &lock_path))?;
        durable::try_lock(&lock).map_err(|error| match error {
            TryLockError::WouldBlock => DataError::InUse { path: root.to_owned(), owner: LockOwner::of(&lock_path) },
            TryLockError::Error(error) => DataError::io("lock", &lock_path)(error),
        })?;
        LockOwner::sign(&lock, &lock_path);
        Ok(DataStore { root: root.to_owned(), lock: Some(Arc::new(lock)) })
    }

    /// The folder itself if it is a data folder, or the data folder inside it if it is that of a run; `None` if there is
    /// none.
    ///
    /// # Errors
    /// The system cannot tell whether there is one.
    pub fn folder_of(folder: &Path) -> Result<Option<PathBuf>> {
        for candidate in [folder.join(IN_RUN), folder.to_owned()] {
            if is_there(&candidate.join(MANIFEST))? {
                return Ok(Some(candidate));
            }
        }
        Ok(None)
    }

    /// The data folder that a path lies in, there or not.
    pub fn owner_of(path: &Path) -> Option<&Path> {
        path.ancestors().skip(1).find(|folder| folder.join(MANIFEST).is_file() && folder.join(GAMES).is_dir())
    }

    /// Opens a data folder that is there, and changes nothing in it.
    ///
    /// # Errors
    /// The folder has no manifest, or it cannot be looked at.
    pub fn open_read_only(root: &Path) -> Result<DataStore> {
        let manifest = root.join(MANIFEST);
        fs::metadata(&manifest).map_err(DataError::io("find data in this folder: read", &manifest))?;
        Ok(DataStore { root: root.to_owned(), lock: None })
    }

    /// The folder.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Opens or begins the journal of a generation in progress, where its finished games are kept.
    ///
    /// # Errors
    /// A line before the end is damaged; the file cannot be read or written.
    pub fn journal<V: Variant>(&self, generation: u32) -> Result<(Journal<V>, Recovered<V>)> {
        let path =
            self.root.join(JOURNAL).join(folder_name::<V>()).join(format!("{}.jsonl", generation_name(generation)));
        self.create_folder_of(&path)?;
        Journal::open(&path)
    }

    /// The generation of games that are played outside of a run: that of a journal of the variant, which a killed process has
    /// left, or else the first that no variant has used, because ids of games depend on the generation and not on the variant.
    ///
    /// # Errors
    /// As for [`all_shards`](Self::all_shards); the folder of journals cannot be listed.
    pub fn next_generation<V: Variant>(&self) -> Result<u32> {
        let journals: Vec<_> = journal_files(&self.root)?.iter().filter_map(|path| of_journal(path)).collect();
        let left =
            journals.iter().filter(|(variant, _)| variant.id() == V::ID).map(|&(_, generation)| generation).min();
        let shards = self.all_shards()?;
        let used =
            shards.iter().map(|shard| shard.generation).chain(journals.iter().map(|&(_, generation)| generation));
        Ok(left.unwrap_or_else(|| used.max().map_or(1, |newest| newest.saturating_add(1))))
    }

    /// Makes the folder of a file inside this one; an error if this one has vanished.
    fn create_folder_of(&self, path: &Path) -> Result<()> {
        if !self.root.is_dir() {
            return Err(DataError::NoFolder { path: path.to_owned() });
        }
        durable::create_folder(path.parent().unwrap_or(&self.root))
    }

    /// The shards of a variant, by generation, then by name.
    ///
    /// # Errors
    /// As for [`all_shards`](Self::all_shards).
    pub fn shards(&self, variant: &str) -> Result<Vec<ShardEntry>> {
        let mut shards = self.all_shards()?;
        shards.retain(|entry| entry.variant == variant);
        Ok(shards)
    }

    /// All shards, by variant, generation and name.
    ///
    /// # Errors
    /// The manifest cannot be read, one of its lines is damaged, or it lists a shard under another variant than that of
    /// its folder ([`DataError::OtherVariant`]).
    pub fn all_shards(&self) -> Result<Vec<ShardEntry>> {
        let manifest = self.manifest_path();
        let mut shards = LineLog::<ShardEntry>::read(&manifest)?.entries;
        if let Some(stray) = shards.iter().find(|entry| entry.games.is_inside() && !entry.is_at_home()) {
            let (path, variant) = (stray.games.path.clone(), stray.variant.clone());
            return Err(DataError::OtherVariant { path, variant, manifest });
        }
        shards.sort_by(|a, b| (&a.variant, a.generation, &a.shard).cmp(&(&b.variant, b.generation, &b.shard)));
        // A line that was copied lists the same shard once more.
        shards.dedup();
        Ok(shards)
    }

    /// Writes the games of a generation as a shard; when this returns they survive a kill and a power cut.
    ///
    /// Games are sorted by id, and equal games with equal provenance give equal bytes. Committing the same games again
    /// changes nothing and returns the shard's entry, so a program that was killed before its next step can repeat this
    /// one, even in a later version.
    ///
    /// # Errors
    /// The shard is there with other games; a game contradicts itself or does not belong into the shard; the files
    /// cannot be written.
    pub fn commit_shard<V: Variant>(
        &self,
        generation: u32,
        shard: &str,
        games: &[GameRecord<V>],
        provenance: &Provenance,
    ) -> Result<ShardEntry> {
        let Some(lock) = &self.lock else { return Err(DataError::ReadOnly { path: self.root.clone() }) };
        // Without the lock another program may have the folder.
        let lock_path = self.root.join(LOCK);
        if self.root.is_dir() && !durable::is_in_place(lock, &lock_path) {
            return Err(DataError::Vanished { path: lock_path });
        }
        check_name(shard)?;
        let games = sorted(generation, games)?;
        let present =
            self.shards(V::ID)?.into_iter().find(|entry| entry.generation == generation && entry.holds(shard));
        if let Some(entry) = present {
            let committed = self.read_shard(&entry)?;
            // A merged shard has the games of its other parts, too.
            let same = match entry.parts.is_empty() {
                true => committed.iter().eq(games),
                false => games.iter().all(|game| committed.contains(game)),
            };
            let path = self.root.join(&entry.games.path);
            return if same { Ok(entry) } else { Err(DataError::ShardExists { path }) };
        }
        let entry = self.write_shard(generation, shard, &games, provenance)?;
        let (mut manifest, _) = LineLog::open(&self.manifest_path())?;
        manifest.append(&entry)?;
        Ok(entry)
    }

    /// Writes the files of a shard, which does not exist before the manifest names them. `games` are in the order of their
    /// ids.
    fn write_shard<V: Variant>(
        &self,
        generation: u32,
        shard: &str,
        games: &[&GameRecord<V>],
        provenance: &Provenance,
    ) -> Result<ShardEntry> {
        let file = |table| format!("{table}/{}/{}/{shard}.parquet", folder_name::<V>(), generation_name(generation));
        let (games_path, positions_path) = (self.root.join(file(GAMES)), self.root.join(file(POSITIONS)));
        self.create_folder_of(&games_path)?;
        self.create_folder_of(&positions_path)?;
        let written_games = durable::write_atomically(&games_path, |out| writer::write_games(games, provenance, out))?;
        let written_positions =
            durable::write_atomically(&positions_path, |out| writer::write_positions(games, provenance, out))?;
        Ok(ShardEntry {
            variant: V::ID.to_owned(),
            generation,
            shard: shard.to_owned(),
            schema_version: SCHEMA_VERSION,
            games: file_entry(file(GAMES), written_games),
            positions: file_entry(file(POSITIONS), written_positions),
            parts: Vec::new(),
        })
    }

    pub(crate) fn manifest_path(&self) -> PathBuf {
        self.root.join(MANIFEST)
    }
}

fn file_entry(path: String, written: WrittenTable) -> FileEntry {
    FileEntry { path, rows: written.rows, bytes: written.bytes, blake3: written.digest.to_string() }
}

/// The folder of a variant's files in each table.
fn folder_name<V: Variant>() -> String {
    format!("variant={}", V::ID)
}

fn generation_name(generation: u32) -> String {
    format!("gen={generation:04}")
}

/// Checks the games and sorts them by id.
fn sorted<V: Variant>(generation: u32, games: &[GameRecord<V>]) -> Result<Vec<&GameRecord<V>>> {
    let mut seen = BTreeSet::new();
    for game in games {
        game.check()?;
        let reason = if game.generation != generation {
            format!("its generation is {}, the shard's {generation}", game.generation)
        } else if !seen.insert(game.game_id) {
            "another game of the shard has the same id".to_owned()
        } else {
            continue;
        };
        return Err(DataError::InvalidRecord { game_id: game.game_id, reason });
    }
    let mut games: Vec<_> = games.iter().collect();
    games.sort_by_key(|game| game.game_id);
    Ok(games)
}

fn check_name(name: &str) -> Result<()> {
    let fits = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"-_".contains(&byte);
    if !name.is_empty() && name.bytes().all(fits) { Ok(()) } else { Err(DataError::Name { name: name.to_owned() }) }
}
