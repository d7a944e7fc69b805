//! Logs that grow by one JSON object a line: the one reader and the one writer of them.
//!
//! A line has a checksum, its number, and the checksum of the line before it: `{"blake3":"16 hex digits","line":"NUMBER/BEFORE",
//! "TAG":ENTRY}`. A damaged line is therefore noticed, and so is one that is missing, doubled or moved. It is an error that
//! names the file and the line, because somebody has relied on it. That lines are missing at the end only another file can
//! tell. Lines that are appended together, with one sync, say with what (`"batch":"BEFORE/TOTAL"`, bytes, before the TAG).
//!
//! The one exception is the *torn tail*, which a kill or a power cut leaves of an append that had not returned: bytes
//! after the last newline, or lines of the last append from the first on in which the system never stored some blocks, so
//! that they read as zeros. Nobody has relied on it. Readers leave it out and report it, and opening the log for writing
//! cuts it off.
//!
//! A file that is not such a log is refused and stays as it is.

use std::fs;
use std::io::{self, BufRead, BufReader, Read};
use std::marker::PhantomData;
use std::path::Path;

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::bounded;
use crate::durable::{self, AppendFile, fault};
use crate::error::{DataError, LineFault, Result};

mod seal;
mod tail;

pub(crate) use seal::stated_number;
pub(crate) use seal::unseal;
use seal::{Chain, begins_a_line, is_sealed};
pub(crate) use tail::length_of_lines;

/// Most bytes of a log that is read. A run of a million matches of 100 games stays below it.
pub(crate) const MOST_LOG_BYTES: u64 = 4 << 30;

/// What the lines of a log hold.
pub trait LogEntry: Serialize + DeserializeOwned {
    /// The key under which the entry stands in its line; not `batch`.
    const TAG: &'static str;

    /// Whether earlier versions of the program wrote these logs without seals, each line the bare entry. Such lines are
    /// read where they come before the first sealed line.
    const ONCE_UNSEALED: bool = false;

    /// Whether the file is one line that is only ever replaced, which needs no number.
    const IS_ONE_LINE: bool = false;

    /// Longest line that is read, bytes. A longer one is damage: it is not interpreted, because what a line says takes more
    /// memory than the line.
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
    chain: Chain,
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
    /// What the next line states of those before it.
    chain: Chain,
}

/// What a log holds where it is intact, and where it is not.
#[derive(Debug)]
pub struct LogSurvey<T> {
    /// The intact entries, each with the number of its line, from 1.
    pub entries: Vec<(usize, T)>,
    /// The damaged lines by their numbers, from 1, and the intact ones that are not where they were written
    /// ([`LineFault::Order`]).
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
        let mut chain = Chain::default();
        let first = entries(&line[..length_of_lines::<T>(&line)], &mut chain).next();
        first.map(|line| line.in_order().map_err(at)).transpose()
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
        // Nothing is cut before all of it has been read and is known to be such a log.
        let mut file = AppendFile::open(path)?;
        if locked {
            file.lock()?;
        }
        let contents = Self::read(path)?;
        file.cut(contents.length)?;
        let chain = contents.chain.clone();
        Ok((LineLog { file, chain, entries: PhantomData }, contents))
    }

    /// Puts a log with these entries in the place of the one that is there, whole or not at all, and opens it.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn replace<'a>(path: &Path, entries: impl IntoIterator<Item = &'a T>) -> Result<LineLog<T>>
    where
        T: 'a,
    {
        let mut chain = Chain::default();
        let lines = seal::lines(path, entries, &mut chain)?;
        durable::write_atomically(path, |file| io::Write::write_all(file, lines.as_bytes()))?;
        Ok(LineLog { file: AppendFile::open(path)?, chain, entries: PhantomData })
    }

    /// Adds an entry. When this returns, the entry survives a kill and a power cut.
    ///
    /// # Errors
    /// The file cannot be written; it is then as it was.
    pub fn append(&mut self, entry: &T) -> Result<()> {
        self.append_all([entry])
    }

    /// Adds several entries with one sync, or, where they are longer than the longest line, with as few as that takes.
    ///
    /// # Errors
    /// The file cannot be written; it is then as it was.
    pub fn append_all<'a>(&mut self, entries: impl IntoIterator<Item = &'a T>) -> Result<()>
    where
        T: 'a,
    {
        let before = self.file.length();
        let mut chain = self.chain.clone();
        for lines in seal::appends(self.path(), entries, &mut chain)? {
            if let Err(error) = self.file.append(lines.as_bytes()) {
                // All of them or none. Should this fail too, the next append cuts the rest.
                let _ = self.file.cut(before);
                return Err(error);
            }
        }
        self.chain = chain;
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
        fault::step(fault::Step::Remove).and_then(|()| fs::remove_file(path)).map_err(DataError::io("remove", path))?;
        durable::crash::removed(path);
        durable::sync_folder(path.parent().unwrap_or(Path::new(".")))
    }
}

/// The bytes of a file, of a line that is too long only its beginning; none if it is not there. A pipe or a device, which
/// might never end, is refused.
pub(crate) fn read_regular_file<T: LogEntry>(path: &Path) -> Result<Vec<u8>> {
    match fs::metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Ok(metadata) if !metadata.is_file() => return Err(DataError::NotALog { path: path.to_owned() }),
        _ => {}
    }
    bounded::read_lines(path, MOST_LOG_BYTES, T::LONGEST_LINE).map_err(DataError::io("read", path))
}

fn contents<T: LogEntry>(path: &Path, bytes: &[u8]) -> Result<LogContents<T>> {
    let length = length_of_lines::<T>(bytes);
    let at = |line: usize| move |fault| DataError::Line { path: path.to_owned(), line, fault };
    let mut chain = Chain::default();
    let lines = entries(&bytes[..length], &mut chain);
    let entries = lines
        .map(|line| {
            let number = line.number;
            line.in_order().map_err(at(number))
        })
        .collect::<Result<Vec<T>>>()?;
    let torn = &bytes[length..];
    if entries.is_empty() && !begins_a_line(torn, T::TAG) {
        return Err(DataError::NotALog { path: path.to_owned() });
    }
    if torn.len() > T::LONGEST_LINE {
        return Err(at(entries.len() + 1)(too_long::<T>()));
    }
    Ok(LogContents { entries, torn_bytes: torn.len() as u64, length: length as u64, chain })
}

fn survey<T: LogEntry>(path: &Path, bytes: &[u8]) -> Result<LogSurvey<T>> {
    let length = length_of_lines::<T>(bytes);
    let torn = &bytes[length..];
    let mut survey = LogSurvey { entries: Vec::new(), damaged: Vec::new(), torn_bytes: torn.len() as u64 };
    let mut chain = Chain::default();
    for line in entries(&bytes[..length], &mut chain) {
        match line.entry {
            Ok(entry) => survey.entries.push((line.number, entry)),
            Err(fault) => survey.damaged.push((line.number, fault)),
        }
        survey.damaged.extend(line.order.err().map(|fault| (line.number, fault)));
    }
    if length == 0 && !begins_a_line(torn, T::TAG) {
        return Err(DataError::NotALog { path: path.to_owned() });
    }
    if torn.len() > T::LONGEST_LINE {
        let line = survey.entries.len() + survey.damaged.len() + 1;
        survey.damaged.push((line, too_long::<T>()));
        survey.torn_bytes = 0;
    }
    Ok(survey)
}

/// What is wrong with a line that was not read whole. Behind the last newline it is no torn tail either: nothing that is
/// written at once is that long.
fn too_long<T: LogEntry>() -> LineFault {
    LineFault::Long { most: T::LONGEST_LINE }
}

/// A whole line.
struct Line<T> {
    /// Its number in the file, from 1.
    number: usize,
    /// What it holds.
    entry: Result<T, LineFault>,
    /// Whether the lines before it are those that it was written after.
    order: Result<(), LineFault>,
}

impl<T> Line<T> {
    fn in_order(self) -> Result<T, LineFault> {
        self.entry.and_then(|entry| self.order.map(|()| entry))
    }
}

/// What each of these whole lines holds; `chain` then is that of all of them.
fn entries<T: LogEntry>(lines: &[u8], chain: &mut Chain) -> impl Iterator<Item = Line<T>> {
    let mut sealed_before = !T::ONCE_UNSEALED;
    (1..).zip(lines.split_inclusive(|&byte| byte == b'\n')).map(move |(number, line)| {
        let line = &line[..line.len() - 1];
        sealed_before |= is_sealed(line);
        let entry = match line.len() > T::LONGEST_LINE {
            true => Err(too_long::<T>()),
            false if sealed_before => unseal(line),
            false => serde_json::from_slice(line).map_err(LineFault::from),
        };
        let order = chain.follow(line, entry.is_ok());
        Line { number, entry, order }
    })
}
