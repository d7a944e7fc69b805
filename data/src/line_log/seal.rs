//! A line and its seal.
//!
//! `{"blake3":"DIGEST","line":"NUMBER/PREVIOUS","TAG":ENTRY}`: DIGEST is of all between it and the last brace, NUMBER counts
//! the lines of the log from 1 in 8 decimal digits, and PREVIOUS is the DIGEST of the line before, or zeros. So a line that
//! is missing, doubled or moved is noticed at the next one ([`Chain`]). Lines that were appended together, with one sync,
//! have `"batch":"BEFORE/TOTAL",` before the TAG: BEFORE are the bytes of the append before this line, and TOTAL all its
//! bytes, both hexadecimal.
//!
//! Earlier versions wrote no `line`, and where there is no `batch` either, DIGEST is of ENTRY alone. A log may begin with such
//! lines. To a line without a checksum, PREVIOUS is the checksum of its bytes.

use super::LogEntry;
use crate::error::{DataError, LineFault, Result};
use crate::sealed::checksum;
use std::path::Path;

const HEAD: &str = "{\"blake3\":\"";
const DIGEST_DIGITS: usize = 16;
const LINE: &str = "\"line\":\"";
const BATCH: &str = "\"batch\":\"";
const NUMBER_DIGITS: usize = 8;

/// Where the first key after the checksum begins.
const FIRST_KEY: usize = HEAD.len() + DIGEST_DIGITS + "\",".len();

/// Bytes of what a line says of its place in the log.
const LINE_LENGTH: usize = LINE.len() + NUMBER_DIGITS + "/".len() + DIGEST_DIGITS + "\",".len();

/// Bytes of what a line of a batch says of its place.
const BATCH_LENGTH: usize = BATCH.len() + 2 * NUMBER_DIGITS + "/\",".len();

/// Bytes of a line up to where its entry's key begins, if it is of a batch.
const LONGEST_HEAD: usize = FIRST_KEY + LINE_LENGTH + BATCH_LENGTH;

/// The lines of a log up to some line, as the next one states them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Chain {
    /// How many lines there are.
    lines: u64,
    /// The checksum of the last one; `None` where it is damaged.
    last: Option<String>,
    /// Whether a line has stated its place. All later ones do.
    has_begun: bool,
}

impl Default for Chain {
    fn default() -> Chain {
        Chain { lines: 0, last: Some("0".repeat(DIGEST_DIGITS)), has_begun: false }
    }
}

impl Chain {
    /// The next line, with its checksum and what it states of its place.
    fn write(&mut self, tagged: &str) -> String {
        let last = self.last.take().unwrap_or_else(|| "0".repeat(DIGEST_DIGITS));
        let sealed = format!("{LINE}{:08}/{last}\",{tagged}", self.lines + 1);
        let digest = digest(&sealed);
        let line = format!("{HEAD}{digest}\",{sealed}}}\n");
        *self = Chain { lines: self.lines + 1, last: Some(digest), has_begun: true };
        line
    }

    /// Goes on to the next line, which `is_intact` or not, and compares what it states.
    ///
    /// # Errors
    /// Lines before it are missing, doubled or moved. Those after it are counted from what it states.
    pub fn follow(&mut self, line: &[u8], is_intact: bool) -> Result<(), LineFault> {
        let (number, last) = (self.lines + 1, self.last.take());
        self.lines = number;
        if !is_intact {
            return Ok(());
        }
        self.last = Some(match is_sealed(line) {
            true => {
                String::from_utf8_lossy(line.get(HEAD.len()..HEAD.len() + DIGEST_DIGITS).unwrap_or_default()).into()
            }
            false => checksum(line),
        });
        let Some((stated, previous)) = stated(line) else {
            return if self.has_begun { Err(LineFault::Order { stated: None, number }) } else { Ok(()) };
        };
        self.has_begun = true;
        self.lines = stated;
        let fits = stated == number && last.is_none_or(|last| last.as_bytes() == previous);
        if fits { Ok(()) } else { Err(LineFault::Order { stated: Some(stated), number }) }
    }
}

/// What an intact line states of its place: its number, and the checksum of the line before it.
fn stated(line: &[u8]) -> Option<(u64, &[u8])> {
    let stated = line.get(FIRST_KEY..FIRST_KEY + LINE_LENGTH)?.strip_prefix(LINE.as_bytes())?.strip_suffix(b"\",")?;
    let (number, previous) = stated.split_at(NUMBER_DIGITS);
    let number = std::str::from_utf8(number).ok().filter(|number| number.bytes().all(|c| c.is_ascii_digit()))?;
    Some((number.parse().ok()?, previous.strip_prefix(b"/")?))
}

/// The number that an intact line states.
pub(crate) fn stated_number(line: &[u8]) -> Option<u64> {
    stated(line).map(|(number, _)| number)
}

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
pub(super) fn lines<'a, T: LogEntry + 'a>(
    path: &Path,
    entries: impl IntoIterator<Item = &'a T>,
    chain: &mut Chain,
) -> Result<String> {
    entries.into_iter().map(|entry| Ok(alone::<T>(&json(path, entry)?, chain))).collect()
}

/// The lines of some entries, put together to appends. None is longer than the longest line, unless it is one line.
pub(super) fn appends<'a, T: LogEntry + 'a>(
    path: &Path,
    entries: impl IntoIterator<Item = &'a T>,
    chain: &mut Chain,
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
    Ok(batches.into_iter().map(|(total, batch)| together::<T>(total, &batch, chain)).collect())
}

fn together<T: LogEntry>(total: usize, batch: &[String], chain: &mut Chain) -> String {
    if let [json] = batch {
        return alone::<T>(json, chain);
    }
    let mut lines = String::with_capacity(total);
    for json in batch {
        let tagged = format!("{BATCH}{:08x}/{total:08x}\",\"{}\":{json}", lines.len(), T::TAG);
        lines += &chain.write(&tagged);
    }
    lines
}

fn alone<T: LogEntry>(json: &str, chain: &mut Chain) -> String {
    match T::IS_ONE_LINE {
        true => format!("{HEAD}{}\",\"{}\":{json}}}\n", digest(json), T::TAG),
        false => chain.write(&format!("\"{}\":{json}", T::TAG)),
    }
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
    let (is_placed, in_batch) = (stated(line).is_some(), place(line).is_some());
    let line = std::str::from_utf8(line).map_err(|_| LineFault::Foreign)?;
    let rest = line.strip_prefix(HEAD).ok_or(LineFault::Foreign)?;
    let (sum, rest) = rest.split_at_checked(DIGEST_DIGITS).ok_or(LineFault::Foreign)?;
    let sealed = rest.strip_prefix("\",").and_then(|rest| rest.strip_suffix('}')).ok_or(LineFault::Foreign)?;
    let skipped = if is_placed { LINE_LENGTH } else { 0 } + if in_batch { BATCH_LENGTH } else { 0 };
    let tagged = sealed.get(skipped..).unwrap_or_default();
    let json = tagged.strip_prefix('"').and_then(|rest| rest.strip_prefix(T::TAG));
    let json = json.and_then(|rest| rest.strip_prefix("\":")).ok_or(LineFault::Foreign)?;
    if digest(if is_placed || in_batch { sealed } else { json }) != sum {
        return Err(LineFault::Checksum);
    }
    Ok(json)
}

/// The place that the beginning of a line states, whatever its seal; `None` if the line was an append of its own.
pub(super) fn place(line: &[u8]) -> Option<Place> {
    // Some of the bytes before it may never have been stored.
    let [first, second] = [FIRST_KEY, FIRST_KEY + LINE_LENGTH].map(|at| line.get(at..at + BATCH_LENGTH));
    let batch = first.filter(|head| head.starts_with(BATCH.as_bytes())).or(second.filter(|_| may_state_line(line)))?;
    let numbers = batch.strip_prefix(BATCH.as_bytes())?.strip_suffix(b"\",")?;
    let number = |digits: &[u8]| {
        let digits = std::str::from_utf8(digits).ok().filter(|text| text.bytes().all(|c| c.is_ascii_hexdigit()))?;
        usize::from_str_radix(digits, 16).ok()
    };
    let (before, total) = numbers.split_at(NUMBER_DIGITS);
    Some(Place { before: number(before)?, total: number(total.strip_prefix(b"/")?)? })
}

/// Whether a line states its place in the log, or has bytes there that were never stored.
fn may_state_line(line: &[u8]) -> bool {
    let key = line.iter().skip(FIRST_KEY).zip(LINE.bytes());
    key.clone().count() == LINE.len() && key.into_iter().all(|(&byte, expected)| byte == 0 || byte == expected)
}

/// Whether the beginning of a line states that it was an append of its own.
pub(super) fn is_alone(line: &[u8]) -> bool {
    let start = if may_state_line(line) { FIRST_KEY + LINE_LENGTH } else { FIRST_KEY };
    let keys = line.get(FIRST_KEY..FIRST_KEY + LINE.len()).zip(line.get(start..start + BATCH.len()));
    keys.is_some_and(|(first, key)| !first.contains(&0) && !key.contains(&0) && key != BATCH.as_bytes())
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
    let batch = format!("{BATCH}{number}/{number}\",");
    [String::new(), format!("{LINE}{number}/{digest}\",")].into_iter().any(|line| {
        starts(format!("{HEAD}{digest}\",{line}\"{tag}\":"))
            || starts(format!("{HEAD}{digest}\",{line}{batch}\"{tag}\":"))
    })
}
