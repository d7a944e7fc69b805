//! Shards that wait on the disk until the store has them.

use crate::RunEvent;
use crate::error::{Result, RoleError};
use crate::objects::{ShardNote, shard_key};
use crate::store::{Placed, RetryPolicy, Store, StoreError};
use data::{ShardBundle, bounded, durable};
use lab::{LabError, read_whole};
use rules::Variant;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::fs::{File, TryLockError};
use std::io::Write;
use std::path::{Path, PathBuf};

/// End of the names of waiting shards.
const WAITING: &str = "shard";

/// Name of the file that names the owner of the shards. Folders of earlier programs lack it; their shards name their run.
const OWNER: &str = "owner.json";

/// Most bytes of the owner file that are read.
const MOST_OWNER_BYTES: u64 = 64 << 10;

/// The owner of the shards in a folder.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Owner {
    /// The run.
    pub run_id: String,
    /// Digest of its settings.
    pub config_digest: String,
    /// What identifies the store ([`Store::identity`]): two runs may have one name and the same settings.
    pub store: String,
    /// The worker.
    pub worker: u32,
}

impl fmt::Display for Owner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Owner { run_id, config_digest, store, worker } = self;
        write!(f, "worker {worker} of run {run_id}, settings {config_digest}, store {store:.16}")
    }
}

/// The folder of waiting shards, first in, first out.
#[derive(Debug)]
pub(super) struct Spool {
    folder: PathBuf,
    owner: Owner,
    /// The worker's next shard in the store.
    sequence: u64,
    /// Files that wait, oldest first, with their sizes.
    waiting: Vec<(PathBuf, u64)>,
    /// The number in the next file's name.
    number: u64,
    /// Held as long as the spool is open.
    _lock: File,
}

impl Spool {
    /// Opens or creates the folder; shards that an earlier process of the same owner left are kept for upload.
    ///
    /// # Errors
    /// The folder has shards of another owner. They stay.
    pub fn open<V: Variant>(folder: &Path, owner: Owner, sequence: u64) -> Result<Spool> {
        std::fs::create_dir_all(folder).map_err(LabError::io("make the folder", folder))?;
        let lock_path = folder.join("lock");
        let lock = bounded::open_ordinary(&lock_path, File::options().create(true).truncate(false).write(true));
        let lock = lock.map_err(LabError::io("open", &lock_path))?;
        durable::try_lock(&lock).map_err(|error| match error {
            TryLockError::WouldBlock => RoleError::SpoolInUse { folder: folder.to_owned() },
            TryLockError::Error(error) => LabError::io("lock", &lock_path)(error).into(),
        })?;
        durable::remove_stale_temporaries(folder)?;
        let mut waiting = Vec::new();
        for entry in std::fs::read_dir(folder).map_err(LabError::io("list", folder))? {
            let entry = entry.map_err(LabError::io("list", folder))?;
            let path = entry.path();
            if path.extension().is_some_and(|end| end == WAITING) {
                waiting.push((path, entry.metadata().map_err(LabError::io("look at", folder))?.len()));
            }
        }
        waiting.sort();
        if !waiting.is_empty() {
            check::<V>(folder, &owner, &waiting)?;
        }
        let text = data::checked_json::to_text(&owner).map_err(std::io::Error::from);
        durable::write_atomically(&folder.join(OWNER), |out| out.write_all(text?.as_bytes()))?;
        let last = waiting.last().and_then(|(path, _)| path.file_stem()?.to_str()?.parse::<u64>().ok());
        let number = last.map_or(0, |last| last + 1);
        Ok(Spool { folder: folder.to_owned(), owner, sequence, waiting, number, _lock: lock })
    }

    /// The worker's next shard in the store.
    pub fn sequence(&self) -> u64 {
        self.sequence
    }

    /// Shards that wait.
    pub fn shards(&self) -> usize {
        self.waiting.len()
    }

    /// Bytes that wait.
    pub fn bytes(&self) -> u64 {
        self.waiting.iter().map(|(_, bytes)| bytes).sum()
    }

    /// Adds a shard, which from now on survives a kill.
    ///
    /// # Errors
    /// The file cannot be written; then the shard is not added.
    pub fn add(&mut self, content: &[u8]) -> Result<()> {
        let path = self.folder.join(format!("{:010}.{WAITING}", self.number));
        durable::write_atomically(&path, |out| out.write_all(content))?;
        self.waiting.push((path, content.len() as u64));
        self.number += 1;
        Ok(())
    }

    /// Uploads all waiting shards, oldest first, and removes them here.
    ///
    /// # Errors
    /// The store does not accept one within this retry policy; it and those after it stay.
    pub fn flush(&mut self, store: &Store, retry_policy: RetryPolicy, tell: &dyn Fn(RunEvent)) -> Result<()> {
        while let Some((path, bytes)) = self.waiting.first().cloned() {
            let content = read_whole(&path)?;
            let key = shard_key(self.owner.worker, self.sequence);
            match store.put_within(&key, content, retry_policy) {
                Ok(Placed::New | Placed::Same) => tell(RunEvent::Shard { key, bytes }),
                Ok(Placed::Taken) => {
                    tell(RunEvent::Doubled { key });
                    let worker = self.owner.worker;
                    self.sequence = store.first_free(self.sequence + 1, |sequence| shard_key(worker, sequence))?;
                    continue;
                }
                Err(error) => {
                    if let StoreError::Unreachable { reason, .. } | StoreError::Stopped { reason, .. } = &error {
                        tell(RunEvent::Away { reason: reason.clone(), waiting: self.waiting.len() });
                    }
                    return Err(error.into());
                }
            }
            std::fs::remove_file(&path).map_err(LabError::io("remove", &path))?;
            self.waiting.remove(0);
            self.sequence += 1;
        }
        Ok(())
    }
}

/// Checks that waiting shards are of this owner, by the owner file and by their own notes.
fn check<V: Variant>(folder: &Path, ours: &Owner, waiting: &[(PathBuf, u64)]) -> Result<()> {
    let refused = |theirs: &Owner| {
        let (folder, theirs, ours) = (folder.to_owned(), theirs.to_string(), ours.to_string());
        Err(RoleError::OtherSpool { folder, theirs, ours })
    };
    let file = folder.join(OWNER);
    match bounded::read_ordinary(&file, MOST_OWNER_BYTES) {
        Ok(text) => {
            let theirs: Owner =
                data::checked_json::from_slice(&text).map_err(|source| LabError::Damaged { path: file, source })?;
            if theirs != *ours {
                return refused(&theirs);
            }
        }
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
        Err(error) => return Err(LabError::io("read", &file)(error).into()),
    }
    for (path, _) in waiting {
        let note = ShardBundle::<V, ShardNote>::note(&read_whole(path)?)
            .map_err(|error| RoleError::NoShard { path: path.clone(), reason: error.to_string() })?;
        if (&note.run_id, &note.config_digest, note.worker) != (&ours.run_id, &ours.config_digest, ours.worker) {
            let ShardNote { run_id, config_digest, worker, .. } = note;
            return refused(&Owner { run_id, config_digest, worker, store: "unknown".to_owned() });
        }
    }
    Ok(())
}
