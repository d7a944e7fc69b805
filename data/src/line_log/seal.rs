//! A line and its seal.
//!
//! `{"blake3":"DIGEST","TAG":ENTRY}` is an append of its own: DIGEST is of the bytes of ENTRY. Lines that were appended
//! together, with one sync, say so: `{"blake3":"DIGEST","batch":"BEFORE/TOTAL","TAG":ENTRY}`, where DIGEST is of all between
//! it and the last brace, BEFORE the bytes of the append before this line, and TOTAL all its bytes. Numbers and digests have
//! hexadecimal digits.

use super::LogEntry;
use crate::error::{DataError, LineFault, Result};
use crate::sealed::checksum;
use std::path::Path;

const HEAD: &str = "{\"blake3\":\"";
const DIGEST_DIGITS: usize = 16;
const BATCH: &str = "\"batch\":\"";
const NUMBER_DIGITS: usize = 8;

/// Bytes of what a line of a batch says of its place.
const BATCH_LENGTH: usize = BATCH.len() + 2 * NUMBER_DIGITS + "/\",".len();

/// Bytes of a line up to where its entry's key begins, if it is of a batch.
const LONGEST_HEAD: usize = HEAD.len() + DIGEST_DIGITS + "\",".len() + BATCH_LENGTH;

/// Where a line lies in what was appended with it, bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place {
    /// Before the line.
    pub before: usize,
    /// In all of its lines.
    pub total: usize,
}

/// Whether a line has a seal, good or bad.
pub(super) fn is_sealed(line: &[u8]) -> bool {
    line.starts_with(HEAD.as_bytes())
}

/// The lines of some entries, each an append of its own.
pub(super) fn lines<'a, T: LogEntry + 'a>(path: &Path, entries: impl IntoIterator<Item = &'a T>) -> Result<String> {
    let jsons = entries.into_iter().map(|entry| json(path, entry)).collect::<Result<Vec<String>>>()?;
    Ok(jsons.iter().map(|json| alone::<T>(json)).collect())
}

/// The lines of some entries, put together to appends. None is longer than the longest line, unless it is one line.
pub(super) fn appends<'a, T: LogEntry + 'a>(
    path: &Path,
    entries: impl IntoIterator<Item = &'a T>,
) -> Result<Vec<String>> {
    let mut batches: Vec<(usize, Vec<String>)> = Vec::new();
    for entry in entries {
        let json = json(path, entry)?;
        let length = LONGEST_HEAD + T::TAG.len() + "\"\":}\n".len() + json.len();
        match batches.last_mut() {
            Some((total, batch)) if *total + length <= T::LONGEST_LINE => {
                *total += length;
                batch.push(json);
            }
            _ => batches.push((length, vec![json])),
        }
    }
    Ok(batches.into_iter().map(|(total, batch)| together::<T>(total, &batch)).collect())
}

fn together<T: LogEntry>(total: usize, batch: &[String]) -> String {
    if let [json] = batch {
        return alone::<T>(json);
    }
    let mut lines = String::with_capacity(total);
    for json in batch {
        let sealed = format!("{BATCH}{:08x}/{total:08x}\",\"{}\":{json}", lines.len(), T::TAG);
        lines += &format!("{HEAD}{}\",{sealed}}}\n", digest(&sealed));
    }
    lines
}

fn alone<T: LogEntry>(json: &str) -> String {
    format!("{HEAD}{}\",\"{}\":{json}}}\n", digest(json), T::TAG)
}

fn json<T: LogEntry>(path: &Path, entry: &T) -> Result<String> {
    serde_json::to_string(entry).map_err(|source| DataError::NotJson { path: path.to_owned(), source })
}

fn digest(sealed: &str) -> String {
    checksum(sealed.as_bytes())
}

/// The entry of a line.
pub(crate) fn unseal<T: LogEntry>(line: &[u8]) -> Result<T, LineFault> {
    Ok(serde_json::from_str(opened::<T>(line)?)?)
}

/// The JSON of a line's entry, if its seal is right.
pub(super) fn opened<T: LogEntry>(line: &[u8]) -> Result<&str, LineFault> {
    let in_batch = place(line).is_some();
    let line = std::str::from_utf8(line).map_err(|_| LineFault::Foreign)?;
    let rest = line.strip_prefix(HEAD).ok_or(LineFault::Foreign)?;
    let (sum, rest) = rest.split_at_checked(DIGEST_DIGITS).ok_or(LineFault::Foreign)?;
    let sealed = rest.strip_prefix("\",").and_then(|rest| rest.strip_suffix('}')).ok_or(LineFault::Foreign)?;
    let tagged = if in_batch { sealed.get(BATCH_LENGTH..).unwrap_or_default() } else { sealed };
    let json = tagged.strip_prefix('"').and_then(|rest| rest.strip_prefix(T::TAG));
    let json = json.and_then(|rest| rest.strip_prefix("\":")).ok_or(LineFault::Foreign)?;
    if digest(if in_batch { sealed } else { json }) != sum {
        return Err(LineFault::Checksum);
    }
    Ok(json)
}

/// The place that the beginning of a line states, whatever its seal; `None` if the line was an append of its own.
pub(super) fn place(line: &[u8]) -> Option<Place> {
    let head = line.get(HEAD.len() + DIGEST_DIGITS..LONGEST_HEAD)?;
    let numbers = head.strip_prefix(b"\",")?.strip_prefix(BATCH.as_bytes())?.strip_suffix(b"\",")?;
    let number = |digits: &[u8]| {
        let digits = std::str::from_utf8(digits).ok().filter(|text| text.bytes().all(|c| c.is_ascii_hexdigit()))?;
        usize::from_str_radix(digits, 16).ok()
    };
    let (before, total) = numbers.split_at(NUMBER_DIGITS);
    Some(Place { before: number(before)?, total: number(total.strip_prefix(b"/")?)? })
}

/// Whether the beginning of a line states that it was an append of its own.
pub(super) fn is_alone(line: &[u8]) -> bool {
    let start = LONGEST_HEAD - BATCH_LENGTH;
    let key = line.get(start..start + BATCH.len());
    key.is_some_and(|key| !key.contains(&0) && key != BATCH.as_bytes())
}

/// Whether a line is of a log with this tag, though up to two bytes of its beginning are other ones.
pub(super) fn resembles_a_line(line: &[u8], tag: &str) -> bool {
    const MOST_OTHERS: usize = 2;
    let digits = |count| " ".repeat(count);
    let (digest, number) = (digits(DIGEST_DIGITS), digits(NUMBER_DIGITS));
    let resembles = |start: String| {
        let others = line.iter().zip(start.bytes()).filter(|(byte, expected)| *expected != b' ' && *byte != expected);
        line.len() >= start.len() && others.count() <= MOST_OTHERS
    };
    resembles(format!("{HEAD}{digest}\",\"{tag}\":"))
        || resembles(format!("{HEAD}{digest}\",{BATCH}{number}/{number}\",\"{tag}\":"))
}

/// Whether these may be the first bytes of a sealed line, some of them perhaps never stored.
pub(super) fn begins_a_line(bytes: &[u8], tag: &str) -> bool {
    // A space stands for a digit.
    let digits = |count| " ".repeat(count);
    let (digest, number) = (digits(DIGEST_DIGITS), digits(NUMBER_DIGITS));
    let starts = |start: String| {
        let mut pairs = bytes.iter().zip(start.bytes());
        pairs.all(|(&byte, expected)| {
            byte == 0 || if expected == b' ' { byte.is_ascii_hexdigit() } else { byte == expected }
        })
    };
    starts(format!("{HEAD}{digest}\",\"{tag}\":"))
        || starts(format!("{HEAD}{digest}\",{BATCH}{number}/{number}\",\"{tag}\":"))
}
