//! Shards that wait on the disk until the store has them.

use crate::cluster::News;
use crate::cluster::error::ClusterError;
use crate::cluster::objects::shard_key;
use crate::error::{LabError, Result};
use crate::folder::read_whole;
use data::durable;
use std::fs::{File, TryLockError};
use std::io::Write;
use std::path::{Path, PathBuf};
use store::{Patience, Placed, Store, StoreError};

/// End of the names of waiting shards.
const WAITING: &str = "shard";

/// The folder of waiting shards, first in, first out.
#[derive(Debug)]
pub(super) struct Spool {
    folder: PathBuf,
    worker: u32,
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
    /// Opens or makes the folder; what an earlier process has left there waits again.
    pub fn open(folder: &Path, worker: u32, sequence: u64) -> Result<Spool> {
        std::fs::create_dir_all(folder).map_err(LabError::io("make the folder", folder))?;
        let lock_path = folder.join("lock");
        let lock = File::options().create(true).truncate(false).write(true).open(&lock_path);
        let lock = lock.map_err(LabError::io("open", &lock_path))?;
        lock.try_lock().map_err(|error| match error {
            TryLockError::WouldBlock => ClusterError::SpoolInUse { folder: folder.to_owned() }.into(),
            TryLockError::Error(error) => LabError::io("lock", &lock_path)(error),
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
        let last = waiting.last().and_then(|(path, _)| path.file_stem()?.to_str()?.parse::<u64>().ok());
        let number = last.map_or(0, |last| last + 1);
        Ok(Spool { folder: folder.to_owned(), worker, sequence, waiting, number, _lock: lock })
    }

    /// The worker's next shard in the store.
    pub fn sequence(&self) -> u64 {
        self.sequence
    }

    /// Bytes that wait.
    pub fn bytes(&self) -> u64 {
        self.waiting.iter().map(|(_, bytes)| bytes).sum()
    }

    /// Adds a shard, which from now on survives a kill.
    pub fn add(&mut self, content: &[u8]) -> Result<()> {
        let path = self.folder.join(format!("{:010}.{WAITING}", self.number));
        durable::write_atomically(&path, |out| out.write_all(content))?;
        self.waiting.push((path, content.len() as u64));
        self.number += 1;
        Ok(())
    }

    /// Puts all that waits, oldest first, and removes it here.
    ///
    /// # Errors
    /// The store does not take one within this patience; it and those after it stay.
    pub fn flush(&mut self, store: &Store, patience: Patience, tell: &dyn Fn(News)) -> Result<()> {
        while let Some((path, bytes)) = self.waiting.first().cloned() {
            let content = read_whole(&path)?;
            let key = shard_key(self.worker, self.sequence);
            match store.put_within(&key, content, patience) {
                Ok(Placed::New | Placed::Same) => tell(News::Shard { key, bytes }),
                Ok(Placed::Taken) => {
                    tell(News::Doubled { key });
                    let worker = self.worker;
                    self.sequence = store.first_free(self.sequence + 1, |sequence| shard_key(worker, sequence))?;
                    continue;
                }
                Err(error) => {
                    if let StoreError::Unreachable { reason, .. } = &error {
                        tell(News::Away { reason: reason.clone(), waiting: self.waiting.len() });
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
