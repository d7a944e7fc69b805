//! Writes that survive a kill and a power cut.
//!
//! Two shapes cover everything a run keeps: a file that appears whole ([`write_atomically`]) and a log that
//! grows by whole lines ([`LineLog`](crate::LineLog)). A test can make each of their steps fail ([`observe`]), and so
//! prove that no step leaves half a file in sight.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use crate::error::{DataError, Result};
use crate::system;

mod append;
pub(crate) mod steps;

pub(crate) use append::AppendFile;
use steps::after;
use steps::before;
pub use steps::{Change, DiskObserver, FileStep, Observed, observe};
pub use system::{FileIdentity, try_lock, try_lock_shared};

/// Marks a temporary file: `.NAME.tmp-PID-COUNT`, in the folder of the file it will become.
const TEMPORARY_MARK: &str = ".tmp-";

/// Whether something exists at a path; an error if the system cannot tell.
///
/// # Errors
/// The folder cannot be searched, or the disk fails.
pub fn is_there(path: &Path) -> Result<bool, DataError> {
    path.try_exists().map_err(DataError::io("look for", path))
}

/// Writes a file so that it is there whole or not at all.
///
/// `write` fills a temporary file in the same folder, which is then synced, renamed over `path`, and the
/// folder synced (a rename without a sync can leave an empty file after a power cut). On any error up to the
/// renaming the temporary file is removed and the old contents of `path`, if any, stay. The value of `write` is passed
/// on.
///
/// The folder must exist. If it vanished during a run it is not created again, because half a run would grow in its place.
///
/// # Errors
/// The folder is not there ([`DataError::NoFolder`]), `write` fails, or the file cannot be created, written, synced or
/// renamed. If only the folder cannot be synced, the new contents are there and a power cut may undo them.
///
/// # Examples
/// ```
/// # let folder = tempfile::tempdir().unwrap();
/// let path = folder.path().join("state.json");
/// data::durable::write_atomically(&path, |file| {
///     use std::io::Write;
///     writeln!(file, "{{\"generation\": 3}}")
/// })
/// .unwrap();
/// assert_eq!(std::fs::read_to_string(&path).unwrap(), "{\"generation\": 3}\n");
/// ```
pub fn write_atomically<T>(path: &Path, write: impl FnOnce(&mut TemporaryFile) -> io::Result<T>) -> Result<T> {
    let folder = parent(path);
    let temporary = temporary_path(path);
    let mut made = false;
    let written = write_whole(&temporary, path, &mut made, write);
    if written.is_err() && made {
        // The first error is the one to report; a temporary file that stays behind is removed at the next start.
        let _ = before(FileStep::Remove).and_then(|()| fs::remove_file(&temporary));
    }
    written.and_then(|value| sync_folder(folder).map(|()| value)).map_err(|error| match error {
        DataError::Io { source, .. } if source.kind() == io::ErrorKind::NotFound => {
            DataError::NoFolder { path: path.to_owned() }
        }
        error => error,
    })
}

/// `made` says whether the temporary file is ours: only then may it be removed.
fn write_whole<T>(
    temporary: &Path,
    path: &Path,
    made: &mut bool,
    write: impl FnOnce(&mut TemporaryFile) -> io::Result<T>,
) -> Result<T> {
    before(FileStep::Create).map_err(DataError::io("create", temporary))?;
    let file =
        OpenOptions::new().write(true).create_new(true).open(temporary).map_err(DataError::io("create", temporary))?;
    after(Change::Created(temporary, &file));
    *made = true;
    let mut file = TemporaryFile(BufWriter::with_capacity(1 << 20, FaultyFile(file)));
    let value = write(&mut file).and_then(|value| file.flush().map(|()| value));
    let value = value.map_err(DataError::io("write", path))?;
    sync(&file.0.get_ref().0).map_err(DataError::io("sync", path))?;
    drop(file);
    rename(temporary, path).map_err(DataError::io("rename the temporary file to", path))?;
    Ok(value)
}

/// The file being filled inside [`write_atomically`]; buffered.
pub struct TemporaryFile(BufWriter<FaultyFile>);

impl Write for TemporaryFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

/// A file whose writes can be made to fail halfway.
struct FaultyFile(File);

impl Write for FaultyFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if let Err(error) = before(FileStep::Write) {
            self.0.write_all(&bytes[..bytes.len() / 2])?;
            return Err(error);
        }
        let written = self.0.write(bytes)?;
        after(Change::Written(&self.0, &bytes[..written]));
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

fn sync(file: &File) -> io::Result<()> {
    before(FileStep::Sync)?;
    file.sync_all()?;
    after(Change::Synced(file));
    Ok(())
}

/// Renames a file. The new name survives a power cut once the folder is synced.
///
/// # Errors
/// The system refuses.
pub(crate) fn rename(from: &Path, to: &Path) -> io::Result<()> {
    before(FileStep::Rename)?;
    fs::rename(from, to)?;
    after(Change::Renamed(from, to));
    Ok(())
}

/// Removes a file. It stays removed after a power cut once the folder is synced.
///
/// # Errors
/// The system refuses.
pub(crate) fn remove(path: &Path) -> io::Result<()> {
    before(FileStep::Remove)?;
    fs::remove_file(path)?;
    after(Change::Removed(path));
    Ok(())
}

/// How often and at what interval a lock is tried again: monitoring holds it for a moment.
const LOCK_TRIES: u32 = 3;
const LOCK_PAUSE: Duration = Duration::from_millis(20);

/// Locks a file against other processes until it is dropped; the system unlocks it when the process dies.
///
/// # Errors
/// Another process holds the lock, for longer than a look takes, or the system refuses it.
pub fn lock(file: &File) -> std::result::Result<(), TryLockError> {
    let mut tries = 0;
    loop {
        match try_lock(file) {
            Err(TryLockError::WouldBlock) if tries < LOCK_TRIES => {
                tries += 1;
                std::thread::sleep(LOCK_PAUSE);
            }
            locked => return locked,
        }
    }
}

/// Whether `path` still leads to this open file, which was not moved, deleted or replaced.
pub fn is_in_place(file: &File, path: &Path) -> bool {
    let (Ok(held), Ok(there)) = (FileIdentity::of_file(file), FileIdentity::of_path(path)) else { return false };
    held == there
}

/// Makes the names in a folder (new files, renames, removals) survive a power cut.
///
/// # Errors
/// The folder cannot be opened or synced.
pub fn sync_folder(folder: &Path) -> Result<()> {
    let open = || -> io::Result<()> {
        before(FileStep::SyncFolder)?;
        system::sync_folder(folder)?;
        after(Change::FolderSynced(folder));
        Ok(())
    };
    open().map_err(DataError::io("sync the folder", folder))
}

/// Creates a folder with its parents, each new name synced.
///
/// # Errors
/// A folder cannot be created, or the one above it cannot be synced.
pub fn create_folder(folder: &Path) -> Result<()> {
    if folder.is_dir() {
        return Ok(());
    }
    let above = parent(folder);
    create_folder(above)?;
    match before(FileStep::Create).and_then(|()| fs::create_dir(folder)) {
        // Another process may have made it meanwhile; a file of that name is no folder.
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists || !folder.is_dir() => {
            return Err(DataError::io("create the folder", folder)(error));
        }
        Err(_) => {}
        Ok(()) => after(Change::FolderCreated(folder)),
    }
    sync_folder(above)
}

/// Removes what killed writers left in a folder, not in those below it; returns the removed paths.
///
/// Only for the folder's one writer: a temporary file of a write in progress would be removed too.
///
/// # Errors
/// The folder cannot be listed, or a file cannot be removed. A folder that is not there holds no such file.
pub fn remove_stale_temporaries(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut removed = Vec::new();
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(removed),
        entries => entries.map_err(DataError::io("list", folder))?,
    };
    for entry in entries {
        let path = entry.map_err(DataError::io("list", folder))?.path();
        if is_temporary(&path) {
            fs::remove_file(&path).map_err(DataError::io("remove", &path))?;
            removed.push(path);
        }
    }
    removed.sort();
    Ok(removed)
}

/// Whether a path is a temporary file of [`write_atomically`].
pub fn is_temporary(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    name.starts_with('.') && name.contains(TEMPORARY_MARK)
}

fn temporary_path(path: &Path) -> PathBuf {
    // Two threads may write the same name at the same time: the last rename wins, neither sees the other's bytes.
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    loop {
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let temporary = path.with_file_name(format!(".{name}{TEMPORARY_MARK}{}-{count}", std::process::id()));
        // In a container the program that was killed before had the same process id.
        if fs::symlink_metadata(&temporary).is_err() {
            return temporary;
        }
    }
}

pub(crate) fn parent(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}
