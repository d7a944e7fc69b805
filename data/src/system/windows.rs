//! What `unix.rs` has, for Windows.

use file_guard::Lock;
use same_file::Handle;
use std::fs::{File, FileType, Metadata, OpenOptions, TryLockError};
use std::io;
use std::os::windows::fs::OpenOptionsExt;
use std::path::Path;

/// A file, whatever its names: two that are equal are one file. It is open as long as this is kept, because the number of
/// a closed file may be given to another.
#[derive(Debug, PartialEq, Eq, Hash)]
pub struct FileIdentity(Handle);

impl FileIdentity {
    /// The file that a path leads to.
    ///
    /// # Errors
    /// It is not there, or the system refuses.
    pub fn of_path(path: &Path) -> io::Result<FileIdentity> {
        Handle::from_path(path).map(FileIdentity)
    }

    /// An open file.
    ///
    /// # Errors
    /// The system refuses.
    pub fn of_file(file: &File) -> io::Result<FileIdentity> {
        Handle::from_file(file.try_clone()?).map(FileIdentity)
    }
}

/// Whether what a path leads to is the standard output of this process.
pub(crate) fn is_standard_output(path: &Path, _: &Metadata) -> bool {
    is_stream_of_process(path, Handle::stdout())
}

/// Whether what a path leads to is the standard error of this process.
pub(crate) fn is_standard_error(path: &Path, _: &Metadata) -> bool {
    is_stream_of_process(path, Handle::stderr())
}

fn is_stream_of_process(path: &Path, stream: io::Result<Handle>) -> bool {
    stream.is_ok_and(|stream| Handle::from_path(path).is_ok_and(|named| named == stream))
}

/// Whether it is written to directly. The system tells no kinds of pipes and devices: it has no metadata for their names.
pub(crate) fn is_stream(_: FileType) -> bool {
    false
}

/// In words, something that is neither a file nor a folder.
pub(crate) fn special_kind(_: FileType) -> &'static str {
    "a device"
}

/// Opens a file. No pipe waits here for its other end.
pub(crate) fn open_without_waiting(path: &Path, options: &mut OpenOptions) -> io::Result<File> {
    options.open(path)
}

/// Cuts a file to this length. A file that was opened for appending may not be cut, so it is opened again.
pub(crate) fn cut(_: &File, path: &Path, length: u64) -> io::Result<()> {
    File::options().write(true).open(path)?.set_len(length)
}

/// Makes the names in a folder survive a power cut.
pub(crate) fn sync_folder(folder: &Path) -> io::Result<()> {
    /// Without it, only files can be opened.
    const FILE_FLAG_BACKUP_SEMANTICS: u32 = 0x0200_0000;
    // Only what may be written can be synced.
    File::options().write(true).custom_flags(FILE_FLAG_BACKUP_SEMANTICS).open(folder)?.sync_all()
}

/// The one byte of a file that is locked. The lock of the standard library covers the whole file, and what is locked can
/// neither be read nor written by others. No file is so long that it has this byte.
const LOCKED: usize = 1 << 62;

/// Locks a file against other processes until it is closed, without waiting.
///
/// # Errors
/// Another process holds a lock, or the system refuses.
pub fn try_lock(file: &File) -> Result<(), TryLockError> {
    lock(file, Lock::Exclusive)
}

/// Like [`try_lock`], but others may hold such a lock at the same time.
///
/// # Errors
/// Another process holds the lock of [`try_lock`], or the system refuses.
pub fn try_lock_shared(file: &File) -> Result<(), TryLockError> {
    lock(file, Lock::Shared)
}

fn lock(file: &File, kind: Lock) -> Result<(), TryLockError> {
    match file_guard::try_lock(file, kind, LOCKED, 1) {
        // Dropped, it would unlock the file.
        Ok(guard) => {
            std::mem::forget(guard);
            Ok(())
        }
        Err(error) if error.kind() == io::ErrorKind::WouldBlock => Err(TryLockError::WouldBlock),
        Err(error) => Err(TryLockError::Error(error)),
    }
}
