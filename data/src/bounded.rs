//! Reading files that others have made: never more than a stated number of bytes.
//!
//! A file may be larger than memory, and a device like `/dev/zero` or a pipe may never end. Each reader of the program
//! declares its own cap as a constant next to its code; docs/reference/limits.md lists them.
//!
//! Files that the program finds by itself, in a run or a data folder, are ordinary files: a pipe in their place is
//! refused immediately, because opening it would wait for a writer. Only what a person names on the command line may be a
//! stream ([`read_named`]).

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;

use crate::durable::steps::{FileStep, before};
use crate::system;

/// Reads what a person has named, at most `most` bytes: a file, a pipe or a device that ends, or `-` for standard input.
///
/// # Errors
/// The system refuses, or there are more bytes ([`io::ErrorKind::FileTooLarge`]).
///
/// # Examples
/// ```
/// # let folder = tempfile::tempdir()?;
/// let path = folder.path().join("book.txt");
/// std::fs::write(&path, "e2e4")?;
/// assert_eq!(data::bounded::read_named(&path, 4)?, b"e2e4");
/// let error = data::bounded::read_named(&path, 3).unwrap_err();
/// assert!(error.to_string().contains("more than 3 bytes"));
/// assert!(data::bounded::read_named(std::path::Path::new("/dev/zero"), 1 << 20).is_err());
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn read_named(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    if is_standard_input(path) {
        return whole(io::stdin().lock(), 0, most);
    }
    before(FileStep::Read)?;
    let file = File::open(path)?;
    let size = file.metadata()?.len();
    whole(file, size, most)
}

/// Whether a path on the command line means standard input.
pub fn is_standard_input(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// Reads to the end of what should have `size` bytes.
fn whole(file: impl Read, size: u64, most: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    whole_into(file, size, most, &mut bytes, |_| ())?;
    Ok(bytes)
}

/// Bytes that are read at a time: few enough that they are still in the cache of a core when they are looked at.
const PART_BYTES: u64 = 256 << 10;

/// Like [`whole`], but reuses the memory of `bytes`; `each` sees part after part as it has been read.
fn whole_into(
    file: impl Read,
    size: u64,
    most: u64,
    bytes: &mut Vec<u8>,
    mut each: impl FnMut(&[u8]),
) -> io::Result<()> {
    bytes.clear();
    if size > most {
        return Err(too_large(most));
    }
    // A byte more than the file has, so that its end is seen without another buffer.
    bytes.try_reserve(size as usize + 1)?;
    let mut file = file.take(most + 1);
    loop {
        let before = bytes.len();
        if file.by_ref().take(PART_BYTES).read_to_end(bytes)? == 0 {
            break;
        }
        each(&bytes[before..]);
    }
    if bytes.len() as u64 > most { Err(too_large(most)) } else { Ok(()) }
}

/// Reads an ordinary file of at most `most` bytes.
///
/// # Errors
/// As [`read_named`], or it is a pipe, a device or a folder.
pub fn read_ordinary(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    read_ordinary_into(path, most, &mut bytes, |_| ())?;
    Ok(bytes)
}

/// Like [`read_ordinary`], but reuses the memory of `bytes`; `each` sees part after part as it has been read.
pub(crate) fn read_ordinary_into(
    path: &Path,
    most: u64,
    bytes: &mut Vec<u8>,
    each: impl FnMut(&[u8]),
) -> io::Result<()> {
    let file = open(path)?;
    let size = file.metadata()?.len();
    whole_into(file, size, most, bytes, each)
}

/// Reads an ordinary file of text, at most `most` bytes.
///
/// # Errors
/// As [`read_ordinary`], or it is not UTF-8.
pub fn read_text(path: &Path, most: u64) -> io::Result<String> {
    read_ordinary(path, most).and_then(text)
}

/// Reads a text that a person has named, as [`read_named`] does.
///
/// # Errors
/// As [`read_named`], or it is not UTF-8.
pub fn read_named_text(path: &Path, most: u64) -> io::Result<String> {
    read_named(path, most).and_then(text)
}

fn text(bytes: Vec<u8>) -> io::Result<String> {
    String::from_utf8(bytes)
        .map_err(|error| io::Error::new(io::ErrorKind::InvalidData, format!("it is not UTF-8: {}", error.utf8_error())))
}

/// Reads an ordinary file of lines, at most `most` bytes. A line longer than `longest` bytes is cut off after
/// `longest + 1`, and its rest takes no memory.
///
/// # Errors
/// As [`read_ordinary`].
///
/// # Examples
/// ```
/// # let folder = tempfile::tempdir()?;
/// let path = folder.path().join("log");
/// std::fs::write(&path, "one\nelephant\ntwo\nhippopotamus")?;
/// assert_eq!(data::bounded::read_lines(&path, 99, 3)?, b"one\nelep\ntwo\nhipp");
/// assert!(data::bounded::read_lines(&path, 20, 3).is_err());
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn read_lines(path: &Path, most: u64, longest: usize) -> io::Result<Vec<u8>> {
    let file = open(path)?;
    if file.metadata()?.len() > most {
        return Err(too_large(most));
    }
    let mut file = BufReader::with_capacity(1 << 20, file.take(most + 1));
    let (mut bytes, mut read, mut in_line) = (Vec::new(), 0, 0);
    loop {
        let ready = file.fill_buf()?;
        let end = ready.iter().position(|&byte| byte == b'\n');
        let length = end.unwrap_or(ready.len());
        if ready.is_empty() {
            return Ok(bytes);
        }
        let kept = length.min((longest + 1).saturating_sub(in_line));
        bytes.try_reserve(kept + 1)?;
        bytes.extend_from_slice(&ready[..kept]);
        bytes.extend(end.map(|_| b'\n'));
        in_line = if end.is_some() { 0 } else { in_line + length };
        let consumed = length + usize::from(end.is_some());
        file.consume(consumed);
        read += consumed as u64;
        if read > most {
            return Err(too_large(most));
        }
    }
}

/// What an error says about the file that was to be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileVerdict {
    /// The file is missing, or is not what was written.
    Damaged,
    /// The machine could not read the file or work with it (permissions, open files, memory, a failing disk, a missing
    /// library), so the file may be sound. It must not be moved, removed or left out because of such an error.
    Unknown,
}

/// Whether an I/O error means that a file is damaged: it is missing or not an ordinary file, or one of the readers here
/// found its contents too large or not text. All other errors say nothing about the file.
///
/// # Examples
/// ```
/// use data::bounded::{FileVerdict, verdict};
/// use std::io::{Error, ErrorKind};
///
/// assert_eq!(verdict(&ErrorKind::NotFound.into()), FileVerdict::Damaged);
/// assert_eq!(verdict(&Error::new(ErrorKind::InvalidData, "it is not UTF-8")), FileVerdict::Damaged);
/// assert_eq!(verdict(&ErrorKind::PermissionDenied.into()), FileVerdict::Unknown);
/// let [too_many_open_files, input_output_error, invalid_argument] = [24, 5, 22].map(Error::from_raw_os_error);
/// assert_eq!(verdict(&too_many_open_files), FileVerdict::Unknown);
/// assert_eq!(verdict(&input_output_error), FileVerdict::Unknown);
/// assert_eq!(verdict(&invalid_argument), FileVerdict::Unknown);
/// ```
pub fn verdict(error: &io::Error) -> FileVerdict {
    use io::ErrorKind::{FileTooLarge, InvalidData, InvalidInput, IsADirectory, NotADirectory, NotFound};
    match error.kind() {
        IsADirectory | NotADirectory | NotFound => FileVerdict::Damaged,
        FileTooLarge | InvalidData | InvalidInput if error.raw_os_error().is_none() => FileVerdict::Damaged,
        _ => FileVerdict::Unknown,
    }
}

/// Opens a file that is read whole. All such files are opened here, so that tests can make each read fail.
///
/// # Errors
/// It is not there, is no ordinary file, or the system refuses.
pub(crate) fn open(path: &Path) -> io::Result<File> {
    before(FileStep::Read)?;
    open_ordinary(path, File::options().read(true))
}

/// Opens an ordinary file, or creates one as `options` say. Opening a pipe would wait for its other end, so the path is
/// checked first, the system is told not to wait, and the open file is checked again.
///
/// # Errors
/// The system refuses, or it is a pipe, a device, a socket or a folder ([`io::ErrorKind::InvalidInput`]).
///
/// # Examples
/// ```
/// # let folder = tempfile::tempdir()?;
/// use std::fs::File;
/// let lock = data::bounded::open_ordinary(&folder.path().join("lock"), File::options().write(true).create(true))?;
/// assert!(data::bounded::open_ordinary(std::path::Path::new("/dev/null"), File::options().write(true)).is_err());
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn open_ordinary(path: &Path, options: &mut OpenOptions) -> io::Result<File> {
    let look = |metadata: fs::Metadata| match kind_of(&metadata) {
        None => Ok(()),
        Some(kind) => {
            Err(io::Error::new(io::ErrorKind::InvalidInput, format!("it is {kind} and not an ordinary file")))
        }
    };
    match fs::metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        metadata => look(metadata?)?,
    }
    let file = system::open_without_waiting(path, options)?;
    look(file.metadata()?)?;
    Ok(file)
}

/// The kind of a file that is not an ordinary one, in words.
pub(crate) fn kind_of(metadata: &fs::Metadata) -> Option<&'static str> {
    let kind = metadata.file_type();
    match () {
        () if kind.is_file() => None,
        () if kind.is_dir() => Some("a folder"),
        () => Some(system::special_kind(kind)),
    }
}

fn too_large(most: u64) -> io::Error {
    let most = match most {
        0..=9_999 => format!("{most} bytes"),
        10_000..=9_999_999 => format!("{} kB", most / 1_000),
        _ => format!("{} MB", most / 1_000_000),
    };
    io::Error::new(io::ErrorKind::FileTooLarge, format!("it has more than {most}, which is the most that is read"))
}
