//! A line and its checksum.
//!
//! `{"blake3":"DIGEST","TAG":ENTRY}` is an append of its own: DIGEST is of the bytes of ENTRY. Lines that were appended
//! together, with one sync, have the form `{"blake3":"DIGEST","batch":"BEFORE/TOTAL","TAG":ENTRY}`, where DIGEST covers
//! everything between it and the last brace, BEFORE is the number of bytes of the append before this line, and TOTAL the
//! number of all its bytes. Numbers and digests have hexadecimal digits.
//!
//! A line of a chained log ([`LogEntry::CHAINED`]) has `"line":"NUMBER/PREVIOUS",` before these keys: its number in the
//! log, from 1, in decimal digits, and the DIGEST of the line before, which is zeros for the first line. If the line
//! before has no chain, as earlier versions wrote it, PREVIOUS is the checksum of its bytes.

use super::LogEntry;
use crate::checked_json::checksum;
use crate::error::{DataError, LineFault, Result};
use rayon::prelude::*;
use std::path::Path;

const HEAD: &str = "{\"blake3\":\"";
const DIGEST_DIGITS: usize = 16;
const LINE: &str = "\"line\":\"";
const BATCH: &str = "\"batch\":\"";
const NUMBER_DIGITS: usize = 8;

/// Where the first key after the checksum begins.
const FIRST_KEY: usize = HEAD.len() + DIGEST_DIGITS + "\",".len();

/// Bytes of the key `line` and its value.
const LINE_LENGTH: usize = LINE.len() + NUMBER_DIGITS + "/".len() + DIGEST_DIGITS + "\",".len();

/// Bytes of the key `batch` and its value.
const BATCH_LENGTH: usize = BATCH.len() + 2 * NUMBER_DIGITS + "/\",".len();

/// The place of a line in its append, bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct AppendPosition {
    /// Bytes of the append before the line.
    pub before: usize,
    /// Bytes of the whole append.
    pub total: usize,
}

/// The last line of a chained log so far, to which the next one is bound.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Link {
    /// Its number; 0 before the first line.
    number: u64,
    /// Its checksum; `None` where the line is damaged.
    previous: Option<String>,
    /// Whether a line of the chain was read.
    is_chained: bool,
}

impl Default for Link {
    fn default() -> Link {
        Link { number: 0, previous: Some("0".repeat(DIGEST_DIGITS)), is_chained: false }
    }
}

impl Link {
    /// Moves on to the next line of a log, intact or not, and checks that it was written as the next one.
    ///
    /// # Errors
    /// [`LineFault::Order`]: the line is intact and was written as another one, or it states no number and a line
    /// before it does.
    pub fn follow<T: LogEntry>(&mut self, line: &[u8], is_intact: bool) -> Result<(), LineFault> {
        if !T::CHAINED {
            return Ok(());
        }
        let expected = self.number + 1;
        let Some(stated) = stated::<T>(line).filter(|_| is_intact) else {
            if is_intact && self.is_chained {
                return Err(LineFault::Order { expected, stated: None });
            }
            *self = Link { number: expected, previous: is_intact.then(|| checksum(line)), ..*self };
            return Ok(());
        };
        let is_next = stated.number == expected && self.previous.as_deref().is_none_or(|own| own == stated.previous);
        *self = Link { number: stated.number, previous: Some(stated.digest.to_owned()), is_chained: true };
        if is_next { Ok(()) } else { Err(LineFault::Order { expected, stated: Some(stated.number) }) }
    }
}

/// What an intact line of a chain states of itself and of the line before.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stated<'a> {
    /// Its number, from 1.
    pub number: u64,
    /// Its checksum.
    pub digest: &'a str,
    /// The checksum of the line before.
    pub previous: &'a str,
}

/// What a line states of its place in a chain; `None` for a line without a chain.
pub(crate) fn stated<T: LogEntry>(line: &[u8]) -> Option<Stated<'_>> {
    let head = std::str::from_utf8(line.get(..start_of_entry::<T>(line))?).ok()?;
    let (digest, rest) = head.strip_prefix(HEAD)?.split_at_checked(DIGEST_DIGITS)?;
    let (number, previous) = rest.strip_prefix("\",")?.strip_prefix(LINE)?.strip_suffix("\",")?.split_once('/')?;
    let is_number = number.len() == NUMBER_DIGITS && number.bytes().all(|c| c.is_ascii_digit());
    let is_digest = previous.len() == DIGEST_DIGITS && previous.bytes().all(|c| c.is_ascii_hexdigit());
    (is_number && is_digest).then_some(Stated { number: number.parse().ok()?, digest, previous })
}

/// Where the keys after `line` begin if a line has that key, or else those after the checksum.
fn start_of_entry<T: LogEntry>(line: &[u8]) -> usize {
    let is_chained = T::CHAINED && line.get(FIRST_KEY..).is_some_and(|rest| rest.starts_with(LINE.as_bytes()));
    if is_chained { FIRST_KEY + LINE_LENGTH } else { FIRST_KEY }
}

/// Whether a line has a checksum, good or bad.
pub(super) fn has_checksum(line: &[u8]) -> bool {
    line.starts_with(HEAD.as_bytes())
}

/// The lines of some entries, each an append of its own; `link` moves to the last of them.
///
/// # Errors
/// An entry cannot be written as JSON.
pub(super) fn lines<'a, T: LogEntry + 'a>(
    path: &Path,
    entries: impl IntoIterator<Item = &'a T>,
    link: &mut Link,
) -> Result<String> {
    if T::CHAINED {
        return entries.into_iter().map(|entry| Ok(line::<T>("", &json(path, entry)?, link))).collect();
    }
    let entries: Vec<&T> = entries.into_iter().collect();
    let line = |entry: &&T| Ok(line::<T>("", &json(path, *entry)?, &mut Link::default()));
    Ok(entries.par_iter().map(line).collect::<Result<Vec<String>>>()?.concat())
}

/// The lines of some entries, grouped into appends. No append of several lines is longer than the longest line. `link`
/// moves to the last of them.
///
/// # Errors
/// An entry cannot be written as JSON.
pub(super) fn appends<'a, T: LogEntry + 'a>(
    path: &Path,
    entries: impl IntoIterator<Item = &'a T>,
    link: &mut Link,
) -> Result<Vec<String>> {
    let head = FIRST_KEY + if T::CHAINED { LINE_LENGTH } else { 0 } + BATCH_LENGTH;
    let mut batches: Vec<(usize, Vec<String>)> = Vec::new();
    for entry in entries {
        let json = json(path, entry)?;
        let length = head + T::TAG.len() + "\"\":}\n".len() + json.len();
        match batches.last_mut() {
            Some((total, batch)) if *total + length <= T::LONGEST_LINE => {
                *total += length;
                batch.push(json);
            }
            _ => batches.push((length, vec![json])),
        }
    }
    Ok(batches.into_iter().map(|(total, batch)| together::<T>(total, &batch, link)).collect())
}

fn together<T: LogEntry>(total: usize, batch: &[String], link: &mut Link) -> String {
    if let [json] = batch {
        return line::<T>("", json, link);
    }
    let mut lines = String::with_capacity(total);
    for json in batch {
        let place = format!("{BATCH}{:08x}/{total:08x}\",", lines.len());
        lines += &line::<T>(&place, json, link);
    }
    lines
}

/// The line of an entry, with its place in a batch; `link` moves to it.
fn line<T: LogEntry>(place: &str, json: &str, link: &mut Link) -> String {
    let tag = T::TAG;
    if !T::CHAINED {
        let hashed = format!("{place}\"{tag}\":{json}");
        let digest = digest(if place.is_empty() { json } else { &hashed });
        return format!("{HEAD}{digest}\",{hashed}}}\n");
    }
    let number = link.number + 1;
    // A log with a damaged line is not written to.
    let previous = link.previous.as_deref().unwrap_or_default();
    let hashed = format!("{LINE}{number:0NUMBER_DIGITS$}/{previous}\",{place}\"{tag}\":{json}");
    let digest = digest(&hashed);
    let line = format!("{HEAD}{digest}\",{hashed}}}\n");
    *link = Link { number, previous: Some(digest), is_chained: true };
    line
}

fn json<T: LogEntry>(path: &Path, entry: &T) -> Result<String> {
    serde_json::to_string(entry).map_err(|source| DataError::NotJson { path: path.to_owned(), source })
}

fn digest(hashed: &str) -> String {
    checksum(hashed.as_bytes())
}

/// The entry of a line.
///
/// # Errors
/// The line is not one of this log, its checksum does not fit, or its contents are no entry.
pub(crate) fn checked_entry<T: LogEntry>(line: &[u8]) -> Result<T, LineFault> {
    Ok(serde_json::from_str(opened::<T>(line)?)?)
}

/// The JSON of a line's entry, if its checksum is right.
///
/// # Errors
/// The line is not one of this log, or its checksum does not fit.
pub(super) fn opened<T: LogEntry>(line: &[u8]) -> Result<&str, LineFault> {
    let (start, in_batch) = (start_of_entry::<T>(line), place::<T>(line).is_some());
    let is_chained = start > FIRST_KEY;
    if is_chained && stated::<T>(line).is_none() {
        return Err(LineFault::Foreign);
    }
    let line = std::str::from_utf8(line).map_err(|_| LineFault::Foreign)?;
    let rest = line.strip_prefix(HEAD).ok_or(LineFault::Foreign)?;
    let (sum, rest) = rest.split_at_checked(DIGEST_DIGITS).ok_or(LineFault::Foreign)?;
    let hashed = rest.strip_prefix("\",").and_then(|rest| rest.strip_suffix('}')).ok_or(LineFault::Foreign)?;
    let before = start - FIRST_KEY + if in_batch { BATCH_LENGTH } else { 0 };
    let json = hashed.get(before..).unwrap_or_default().strip_prefix('"').and_then(|rest| rest.strip_prefix(T::TAG));
    let json = json.and_then(|rest| rest.strip_prefix("\":")).ok_or(LineFault::Foreign)?;
    if digest(if in_batch || is_chained { hashed } else { json }) != sum {
        return Err(LineFault::Checksum);
    }
    Ok(json)
}

/// The place that the beginning of a line states, whatever its checksum; `None` if the line was an append of its own.
pub(super) fn place<T: LogEntry>(line: &[u8]) -> Option<AppendPosition> {
    let start = start_of_entry::<T>(line);
    let head = line.get(start - "\",".len()..start + BATCH_LENGTH)?;
    let numbers = head.strip_prefix(b"\",")?.strip_prefix(BATCH.as_bytes())?.strip_suffix(b"\",")?;
    let number = |digits: &[u8]| {
        let digits = std::str::from_utf8(digits).ok().filter(|text| text.bytes().all(|c| c.is_ascii_hexdigit()))?;
        usize::from_str_radix(digits, 16).ok()
    };
    let (before, total) = numbers.split_at(NUMBER_DIGITS);
    Some(AppendPosition { before: number(before)?, total: number(total.strip_prefix(b"/")?)? })
}

/// Whether the beginning of a line states that it was an append of its own.
pub(super) fn is_alone<T: LogEntry>(line: &[u8]) -> bool {
    let start = start_of_entry::<T>(line);
    let key = line.get(start..start + BATCH.len());
    key.is_some_and(|key| !key.contains(&0) && key != BATCH.as_bytes())
}

/// Whether a line is of such a log, even if up to two bytes of its beginning differ.
pub(super) fn resembles_a_line<T: LogEntry>(line: &[u8]) -> bool {
    const MOST_OTHERS: usize = 2;
    beginnings::<T>().iter().any(|start| {
        let others = line.iter().zip(start.bytes()).filter(|(byte, expected)| *expected != b' ' && *byte != expected);
        line.len() >= start.len() && others.count() <= MOST_OTHERS
    })
}

/// Whether these may be the first bytes of a line with a checksum, some of them perhaps never stored.
pub(super) fn begins_a_line<T: LogEntry>(bytes: &[u8]) -> bool {
    beginnings::<T>().iter().any(|start| {
        let mut pairs = bytes.iter().zip(start.bytes());
        pairs.all(|(&byte, expected)| {
            byte == 0 || if expected == b' ' { byte.is_ascii_hexdigit() } else { byte == expected }
        })
    })
}

/// How lines of a log may begin; a space stands for a digit.
fn beginnings<T: LogEntry>() -> Vec<String> {
    let digits = |count| " ".repeat(count);
    let (digest, number) = (digits(DIGEST_DIGITS), digits(NUMBER_DIGITS));
    let batch = format!("{BATCH}{number}/{number}\",");
    let line = T::CHAINED.then(|| format!("{LINE}{number}/{digest}\","));
    let lines = line.into_iter().chain([String::new()]);
    let keys = lines.flat_map(|line| [line.clone(), line + &batch]);
    keys.map(|keys| format!("{HEAD}{digest}\",{keys}\"{}\":", T::TAG)).collect()
}
