//! Logs that grow by one JSON object a line: the one reader and the one writer of them.
//!
//! A line has a checksum: `{"blake3":"16 hex digits","TAG":ENTRY}`, where the digest is of the bytes of ENTRY. So a
//! damaged line is noticed; it is an error that names the file and the line, because the program may have relied on it.
//! Lines that are appended together, with one sync, state their place in the batch (`"batch":"BEFORE/TOTAL"`, bytes,
//! before the TAG and checksummed with it). In a log whose order matters ([`LogEntry::CHAINED`]) each line also has its
//! number and the checksum of the line before (`"line":"NUMBER/PREVIOUS"`), so a line that is missing, doubled or moved
//! is noticed as well. Only another file can tell that the last lines are missing.
//!
//! The one exception is the *torn tail*, which a kill or a power cut leaves of an append that had not returned: bytes
//! after the last newline, or lines of the last append from the first on in which some blocks were never stored and so
//! read as zeros. Nothing has relied on it. Readers leave it out and report it, and opening the log for writing cuts it
//! off.
//!
//! A file that is not such a log is refused and stays as it is.

use std::fs;
use std::io::{self, BufRead, BufReader, Read};
use std::marker::PhantomData;
use std::path::Path;

use rayon::prelude::*;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::bounded;
use crate::durable::{self, AppendFile};
use crate::error::{DataError, LineFault, Result};

mod checksum;
mod tail;

use checksum::{Link, begins_a_line, has_checksum, resembles_a_line};
pub(crate) use checksum::{Stated, checked_entry, stated};
pub(crate) use tail::length_of_lines;

/// Largest log that is read, bytes. A run of a million matches of 100 games stays below it.
pub(crate) const MOST_LOG_BYTES: u64 = 4 << 30;

/// What the lines of a log hold.
pub trait LogEntry: Serialize + DeserializeOwned + Send + Sync {
    /// The key under which the entry stands in its line; not `batch` and not `line`.
    const TAG: &'static str;

    /// Whether earlier versions of the program wrote these logs without checksums, each line the bare entry. Such lines are
    /// read where they come before the first checksummed line.
    const ONCE_WITHOUT_CHECKSUM: bool = false;

    /// Whether each line has its number and the checksum of the line before. Lines of earlier versions, which had neither, are
    /// read where they come before the first line that has them.
    const CHAINED: bool = false;

    /// Longest line that is read, bytes. A longer one counts as damaged and is not parsed, because an entry takes more
    /// memory than its line.
    const LONGEST_LINE: usize = 16 << 20;
}

/// A log open for appending.
///
/// # Examples
/// ```
/// use data::{LineLog, LogEntry};
/// use serde::{Deserialize, Serialize};
///
/// #[derive(Debug, PartialEq, Serialize, Deserialize)]
/// struct Event {
///     generation: u32,
/// }
///
/// impl LogEntry for Event {
///     const TAG: &'static str = "event";
/// }
///
/// # let folder = tempfile::tempdir().unwrap();
/// let path = folder.path().join("events.jsonl");
/// let (mut log, contents) = LineLog::<Event>::open(&path)?;
/// assert!(contents.entries.is_empty());
/// log.append(&Event { generation: 3 })?; // from here on it survives a kill and a power cut
///
/// let contents = LineLog::<Event>::read(&path)?;
/// assert_eq!(contents.entries, [Event { generation: 3 }]);
/// assert_eq!(contents.torn_bytes, 0);
/// # Ok::<(), data::DataError>(())
/// ```
#[derive(Debug)]
pub struct LineLog<T> {
    file: AppendFile,
    link: Link,
    entries: PhantomData<fn(T)>,
}

/// What a log held when it was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogContents<T> {
    /// The entries in the order of their lines: entry 0 is in line 1.
    pub entries: Vec<T>,
    /// Bytes of the torn tail; 0 after an orderly end.
    pub torn_bytes: u64,
    /// Bytes before the torn tail.
    length: u64,
    /// The last line.
    link: Link,
}

/// What a log holds where it is intact, and where it is not.
#[derive(Debug)]
pub struct LogSurvey<T> {
    /// The intact entries, each with the number of its line, from 1.
    pub entries: Vec<(usize, T)>,
    /// The damaged lines by their numbers, from 1. Those that are intact and out of order ([`LineFault::Order`]) are among the
    /// entries as well.
    pub damaged: Vec<(usize, LineFault)>,
    /// Bytes of the torn tail; 0 after an orderly end.
    pub torn_bytes: u64,
}

impl<T: LogEntry> LineLog<T> {
    /// Reads a log past its damaged lines and changes nothing, in order to find all that is wrong with it. A log that is
    /// not there is empty.
    ///
    /// # Errors
    /// The file cannot be read, or is not such a log.
    pub fn survey(path: &Path) -> Result<LogSurvey<T>> {
        survey(path, &read_regular_file::<T>(path)?)
    }

    /// Reads a log and changes nothing. A log that is not there is empty.
    ///
    /// # Errors
    /// The file cannot be read, a line is damaged, or the file is not such a log.
    pub fn read(path: &Path) -> Result<LogContents<T>> {
        contents(path, &read_regular_file::<T>(path)?)
    }

    /// The entry of the first line, without reading further; `None` if there is no whole line.
    ///
    /// # Errors
    /// The file cannot be read, or the line is damaged.
    pub fn first(path: &Path) -> Result<Option<T>> {
        let mut line = Vec::new();
        let file = bounded::open(path).map_err(DataError::io("read", path))?;
        let mut beginning = BufReader::new(file.take(T::LONGEST_LINE as u64 + 1));
        beginning.read_until(b'\n', &mut line).map_err(DataError::io("read", path))?;
        let at = |fault| DataError::Line { path: path.to_owned(), line: 1, fault };
        let whole = &line[..length_of_lines::<T>(&line)];
        let first = entries(whole, &mut Link::default()).next();
        first.map(|(_, entry, order)| entry.and_then(|entry| order.map(|()| entry)).map_err(at)).transpose()
    }

    /// Opens or begins a log in a folder that is there, reads it, and cuts off a torn tail.
    ///
    /// # Errors
    /// Those of [`read`](Self::read), after which the file is as it was; the file cannot be written.
    pub fn open(path: &Path) -> Result<(LineLog<T>, LogContents<T>)> {
        Self::open_file(path, false)
    }

    /// Opens a log as [`open`](Self::open) does, and keeps other processes from opening it in this way until it is
    /// dropped or the process ends.
    ///
    /// # Errors
    /// Those of [`open`](Self::open); another process has the log open.
    pub fn open_locked(path: &Path) -> Result<(LineLog<T>, LogContents<T>)> {
        Self::open_file(path, true)
    }

    fn open_file(path: &Path, locked: bool) -> Result<(LineLog<T>, LogContents<T>)> {
        // Nothing is cut before the whole file has been read and is known to be such a log.
        let mut file = AppendFile::open(path)?;
        if locked {
            file.lock()?;
        }
        let contents = Self::read(path)?;
        file.cut(contents.length)?;
        let link = contents.link.clone();
        Ok((LineLog { file, link, entries: PhantomData }, contents))
    }

    /// Replaces a log with one of these entries, whole or not at all, and opens it.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn replace<'a>(path: &Path, entries: impl IntoIterator<Item = &'a T>) -> Result<LineLog<T>>
    where
        T: 'a,
    {
        let mut link = Link::default();
        let lines = checksum::lines(path, entries, &mut link)?;
        durable::write_atomically(path, |file| io::Write::write_all(file, lines.as_bytes()))?;
        Ok(LineLog { file: AppendFile::open(path)?, link, entries: PhantomData })
    }

    /// Adds an entry. When this returns, the entry survives a kill and a power cut.
    ///
    /// # Errors
    /// The file cannot be written; it is then as it was.
    pub fn append(&mut self, entry: &T) -> Result<()> {
        self.append_all([entry])
    }

    /// Adds several entries with one sync or, if together they are longer than the longest line, with as few as possible.
    ///
    /// # Errors
    /// The file cannot be written; it is then as it was.
    pub fn append_all<'a>(&mut self, entries: impl IntoIterator<Item = &'a T>) -> Result<()>
    where
        T: 'a,
    {
        let before = self.file.length();
        let mut link = self.link.clone();
        for lines in checksum::appends(self.path(), entries, &mut link)? {
            if let Err(error) = self.file.append(lines.as_bytes()) {
                // All of them or none. Should this fail too, the next append cuts the rest.
                let _ = self.file.cut(before);
                return Err(error);
            }
        }
        self.link = link;
        Ok(())
    }

    /// The file.
    pub fn path(&self) -> &Path {
        self.file.path()
    }

    /// Deletes the file.
    ///
    /// # Errors
    /// The file cannot be deleted.
    pub fn remove(self) -> Result<()> {
        let path = self.path();
        durable::remove(path).map_err(DataError::io("remove", path))?;
        durable::sync_folder(path.parent().unwrap_or(Path::new(".")))
    }
}

/// The bytes of a file, without the rest of lines that are too long; none if it is not there. A pipe or a device, which
/// might never end, is refused.
///
/// # Errors
/// It is no regular file, is larger than a log may be, or cannot be read.
pub(crate) fn read_regular_file<T: LogEntry>(path: &Path) -> Result<Vec<u8>> {
    match fs::metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Ok(metadata) if !metadata.is_file() => return Err(DataError::NotALog { path: path.to_owned() }),
        _ => {}
    }
    bounded::read_lines(path, MOST_LOG_BYTES, T::LONGEST_LINE).map_err(DataError::io("read", path))
}

/// Whether these bytes begin with a line of any log.
pub(crate) fn begins_with_checksum(bytes: &[u8]) -> bool {
    has_checksum(bytes)
}

/// Whether at least one of these whole lines is of such a log. Only such a log is called damaged: other files of lines,
/// and other logs, may be in order.
fn is_such_a_log<T: LogEntry>(lines: &[u8]) -> bool {
    lines.split_inclusive(|&byte| byte == b'\n').any(|line| {
        let line = &line[..line.len() - 1];
        resembles_a_line::<T>(line)
            || (T::ONCE_WITHOUT_CHECKSUM
                && !has_checksum(line)
                && serde_json::from_slice::<serde_json::Map<_, _>>(line).is_ok())
    })
}

fn contents<T: LogEntry>(path: &Path, bytes: &[u8]) -> Result<LogContents<T>> {
    let length = length_of_lines::<T>(bytes);
    if length > 0 && !is_such_a_log::<T>(&bytes[..length]) {
        return Err(DataError::NotALog { path: path.to_owned() });
    }
    let at = |line: usize| move |fault| DataError::Line { path: path.to_owned(), line, fault };
    let mut link = Link::default();
    let lines = entries(&bytes[..length], &mut link);
    let lines = lines.map(|(line, entry, order)| entry.and_then(|entry| order.map(|()| entry)).map_err(at(line)));
    let entries = lines.collect::<Result<Vec<T>>>()?;
    let torn = &bytes[length..];
    if entries.is_empty() && !begins_a_line::<T>(torn) {
        return Err(DataError::NotALog { path: path.to_owned() });
    }
    if torn.len() > T::LONGEST_LINE {
        return Err(at(entries.len() + 1)(too_long::<T>()));
    }
    Ok(LogContents { entries, torn_bytes: torn.len() as u64, length: length as u64, link })
}

fn survey<T: LogEntry>(path: &Path, bytes: &[u8]) -> Result<LogSurvey<T>> {
    let length = length_of_lines::<T>(bytes);
    let torn = &bytes[length..];
    let mut survey = LogSurvey { entries: Vec::new(), damaged: Vec::new(), torn_bytes: torn.len() as u64 };
    for (line, entry, order) in entries(&bytes[..length], &mut Link::default()) {
        match entry {
            Ok(entry) => survey.entries.push((line, entry)),
            Err(fault) => survey.damaged.push((line, fault)),
        }
        survey.damaged.extend(order.err().map(|fault| (line, fault)));
    }
    let is_log = if length == 0 { begins_a_line::<T>(torn) } else { is_such_a_log::<T>(&bytes[..length]) };
    if !is_log {
        return Err(DataError::NotALog { path: path.to_owned() });
    }
    if torn.len() > T::LONGEST_LINE {
        let line = bytes[..length].iter().filter(|&&byte| byte == b'\n').count() + 1;
        survey.damaged.push((line, too_long::<T>()));
        survey.torn_bytes = 0;
    }
    Ok(survey)
}

/// The fault of a line that was not read whole. After the last newline it is no torn tail either, because no single
/// append writes a line that long.
fn too_long<T: LogEntry>() -> LineFault {
    LineFault::Long { most: T::LONGEST_LINE }
}

/// What each of these whole lines holds, with its number in the file, and whether it was written as the next one. `link`
/// becomes the last line.
fn entries<T: LogEntry>(
    lines: &[u8],
    link: &mut Link,
) -> impl Iterator<Item = (usize, Result<T, LineFault>, Result<(), LineFault>)> {
    let lines: Vec<&[u8]> = lines.split_inclusive(|&byte| byte == b'\n').map(|line| &line[..line.len() - 1]).collect();
    let unchecked =
        if T::ONCE_WITHOUT_CHECKSUM { lines.iter().take_while(|line| !has_checksum(line)).count() } else { 0 };
    let entry = |(at, line): (usize, &&[u8])| match line.len() > T::LONGEST_LINE {
        true => Err(too_long::<T>()),
        false if at >= unchecked => checked_entry(line),
        false => serde_json::from_slice(line).map_err(LineFault::from),
    };
    // With a GPU's thousands of unfinished games the file has hundreds of megabytes.
    let entries: Vec<Result<T, LineFault>> = lines.par_iter().enumerate().map(|(at, line)| entry((at, line))).collect();
    (1..).zip(lines).zip(entries).map(|((number, line), entry)| {
        let order = link.follow::<T>(line, entry.is_ok());
        (number, entry, order)
    })
}
