//! A log that grows by whole pieces.

use std::fs::{File, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::steps::{Change, FileStep, after, before};
use super::{FaultyFile, is_in_place, parent, sync, sync_folder};
use crate::bounded::open_ordinary;
use crate::error::{DataError, Result};
use crate::lock_owner::LockOwner;
use crate::system;

/// A file that is only appended to; after [`append`](Self::append) returns, the bytes survive a power cut.
///
/// The file must stay where it is. An append to a file that was moved or deleted meanwhile is an error, because the bytes
/// would go to a file that cannot be found any more. A failed append is taken back, so the caller may free some space and
/// try the same bytes again.
#[derive(Debug)]
pub(crate) struct AppendFile {
    file: File,
    path: PathBuf,
    /// Bytes that are known to be good; anything after them is the rest of a failed append.
    length: u64,
}

impl AppendFile {
    /// Opens or creates a log. Its folder must be there.
    ///
    /// # Errors
    /// The folder is not there ([`DataError::NoFolder`]), the path is no ordinary file ([`DataError::NotALog`]), or the
    /// file cannot be opened, or created and synced.
    pub fn open(path: &Path) -> Result<Self> {
        let existed = path.exists();
        let file = before(FileStep::Create)
            .and_then(|()| open_ordinary(path, File::options().read(true).append(true).create(true)))
            .map_err(|error| match error.kind() {
                io::ErrorKind::NotFound => DataError::NoFolder { path: path.to_owned() },
                io::ErrorKind::InvalidInput => DataError::NotALog { path: path.to_owned() },
                _ => DataError::io("open", path)(error),
            })?;
        let length = file.metadata().map_err(DataError::io("read", path))?.len();
        if !existed {
            after(Change::Created(path, &file));
            sync_folder(parent(path))?;
        }
        Ok(AppendFile { file, path: path.to_owned(), length })
    }

    /// Bytes that are known to be good.
    pub fn length(&self) -> u64 {
        self.length
    }

    /// Cuts the file to its first `length` bytes.
    ///
    /// # Errors
    /// The file cannot be cut; the next append tries again.
    pub fn cut(&mut self, length: u64) -> Result<()> {
        if self.length != length {
            self.length = length;
            self.take_back().map_err(DataError::io("cut the torn end of", &self.path))?;
        }
        Ok(())
    }

    /// Locks the file against other processes until this is dropped; the system unlocks it when the process dies.
    ///
    /// # Errors
    /// Another process holds the lock ([`DataError::InUse`]), or the system refuses it.
    pub fn lock(&self) -> Result<()> {
        super::lock(&self.file).map_err(|error| match error {
            TryLockError::WouldBlock => DataError::InUse { path: self.path.clone(), owner: LockOwner::default() },
            TryLockError::Error(source) => DataError::io("lock", &self.path)(source),
        })
    }

    /// Appends and syncs; on an error the file is as before, or will be before the next append.
    ///
    /// # Errors
    /// The file was moved, deleted or replaced ([`DataError::Vanished`]), or it cannot be written or synced.
    pub fn append(&mut self, bytes: &[u8]) -> Result<()> {
        if !is_in_place(&self.file, &self.path) {
            return Err(DataError::Vanished { path: self.path.clone() });
        }
        let grown = self.grow(bytes);
        if grown.is_err() {
            // Should this fail too, the next append or opening cuts the rest.
            let _ = self.take_back();
        }
        grown.map_err(DataError::io("append to", &self.path))?;
        self.length += bytes.len() as u64;
        Ok(())
    }

    /// The path it was opened with.
    pub fn path(&self) -> &Path {
        &self.path
    }

    fn grow(&mut self, bytes: &[u8]) -> io::Result<()> {
        if self.file.metadata()?.len() != self.length {
            self.take_back()?;
        }
        let mut file = FaultyFile(self.file.try_clone()?);
        file.write_all(bytes)?;
        sync(&self.file)
    }

    fn take_back(&mut self) -> io::Result<()> {
        before(FileStep::Cut)?;
        system::cut(&self.file, &self.path, self.length)?;
        after(Change::Cut(&self.file, self.length));
        sync(&self.file)
    }
}
