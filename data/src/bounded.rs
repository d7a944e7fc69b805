//! Reading files that others have made: never more than a stated number of bytes.
//!
//! A file may be larger than memory, and a device like `/dev/zero` or a pipe may never end. Each reader of the program
//! states its own cap as a constant beside it; docs/reliability-bounds.md lists them.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;

/// Reads a file of at most `most` bytes. It may be a pipe or a device that ends.
///
/// # Errors
/// The system refuses, or there are more bytes ([`io::ErrorKind::FileTooLarge`]).
///
/// # Examples
/// ```
/// # let folder = tempfile::tempdir()?;
/// let path = folder.path().join("book.txt");
/// std::fs::write(&path, "e2e4")?;
/// assert_eq!(data::bounded::read(&path, 4)?, b"e2e4");
/// let error = data::bounded::read(&path, 3).unwrap_err();
/// assert!(error.to_string().contains("more than 3 bytes"));
/// assert!(data::bounded::read(std::path::Path::new("/dev/zero"), 1 << 20).is_err());
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn read(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let mut file = File::open(path)?;
    let size = file.metadata()?.len();
    if size > most {
        return Err(too_large(most));
    }
    // A byte more than the file has, so that its end is seen without another buffer.
    let mut bytes = Vec::new();
    bytes.try_reserve(size as usize + 1)?;
    let read = file.by_ref().take(most + 1).read_to_end(&mut bytes)?;
    if read as u64 > most { Err(too_large(most)) } else { Ok(bytes) }
}

/// Reads a file of at most `most` bytes, and refuses what is no ordinary file: nobody would end the wait for a pipe.
///
/// # Errors
/// As [`read`], or it is a pipe, a device or a folder.
pub fn read_ordinary(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    if !fs::metadata(path)?.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is not an ordinary file"));
    }
    read(path, most)
}

/// Reads a text of at most `most` bytes. It may come through a pipe or from a device that ends.
///
/// # Errors
/// As [`read`], or it is not UTF-8.
pub fn read_text(path: &Path, most: u64) -> io::Result<String> {
    String::from_utf8(read(path, most)?)
        .map_err(|error| io::Error::new(io::ErrorKind::InvalidData, format!("it is not UTF-8: {}", error.utf8_error())))
}

fn too_large(most: u64) -> io::Error {
    let most = match most {
        0..=9_999 => format!("{most} bytes"),
        10_000..=9_999_999 => format!("{} kB", most / 1_000),
        _ => format!("{} MB", most / 1_000_000),
    };
    io::Error::new(io::ErrorKind::FileTooLarge, format!("it has more than {most}, which is the most that is read"))
}
