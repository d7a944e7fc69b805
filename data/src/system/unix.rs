//! What the standard library offers about files on Unix alone. `windows.rs` has these functions for Windows.

use std::fs::{File, FileType, Metadata, OpenOptions, TryLockError};
use std::io;
use std::os::fd::AsFd;
use std::os::unix::fs::{FileTypeExt, MetadataExt, OpenOptionsExt};
use std::path::Path;

/// A file, whatever its names: two that are equal are one file.
#[derive(Debug, PartialEq, Eq, Hash)]
pub struct FileIdentity {
    device: u64,
    inode: u64,
}

impl FileIdentity {
    /// The file that a path leads to.
    ///
    /// # Errors
    /// It is not there, or the system refuses.
    pub fn of_path(path: &Path) -> io::Result<FileIdentity> {
        std::fs::metadata(path).map(|metadata| FileIdentity::of(&metadata))
    }

    /// An open file.
    ///
    /// # Errors
    /// The system refuses.
    pub fn of_file(file: &File) -> io::Result<FileIdentity> {
        file.metadata().map(|metadata| FileIdentity::of(&metadata))
    }

    fn of(metadata: &Metadata) -> FileIdentity {
        FileIdentity { device: metadata.dev(), inode: metadata.ino() }
    }
}

/// Whether what a path leads to, with these metadata, is the standard output of this process.
pub(crate) fn is_standard_output(_: &Path, metadata: &Metadata) -> bool {
    is_stream_of_process(metadata, io::stdout())
}

/// Whether what a path leads to, with these metadata, is the standard error of this process.
pub(crate) fn is_standard_error(_: &Path, metadata: &Metadata) -> bool {
    is_stream_of_process(metadata, io::stderr())
}

fn is_stream_of_process(metadata: &Metadata, stream: impl AsFd) -> bool {
    let stream = stream.as_fd().try_clone_to_owned().and_then(|fd| FileIdentity::of_file(&File::from(fd)));
    stream.is_ok_and(|stream| stream == FileIdentity::of(metadata))
}

/// Whether it is written to directly: a pipe or a character device.
pub(crate) fn is_stream(kind: FileType) -> bool {
    kind.is_fifo() || kind.is_char_device()
}

/// In words, something that is neither a file nor a folder.
pub(crate) fn special_kind(kind: FileType) -> &'static str {
    match () {
        () if kind.is_fifo() => "a pipe",
        () if kind.is_socket() => "a socket",
        () => "a device",
    }
}

/// Opens a file. If it is a pipe, this does not wait for its other end.
pub(crate) fn open_without_waiting(path: &Path, options: &mut OpenOptions) -> io::Result<File> {
    options.custom_flags(libc::O_NONBLOCK).open(path)
}

/// Cuts a file that was opened for appending to this length.
pub(crate) fn cut(file: &File, _: &Path, length: u64) -> io::Result<()> {
    file.set_len(length)
}

/// Makes the names in a folder survive a power cut.
pub(crate) fn sync_folder(folder: &Path) -> io::Result<()> {
    File::open(folder)?.sync_all()
}

/// Locks a file against other processes until it is closed, without waiting.
///
/// # Errors
/// Another process holds a lock, or the system refuses.
pub fn try_lock(file: &File) -> Result<(), TryLockError> {
    file.try_lock()
}

/// Like [`try_lock`], but others may hold such a lock at the same time.
///
/// # Errors
/// Another process holds the lock of [`try_lock`], or the system refuses.
pub fn try_lock_shared(file: &File) -> Result<(), TryLockError> {
    file.try_lock_shared()
}
