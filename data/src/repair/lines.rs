//! What can be saved of a damaged log.

use std::collections::BTreeSet;
use std::path::Path;

use crate::error::{DataError, LineFault, Result};
use crate::line_log::{LineLog, LogEntry, length_of_lines, read_regular_file, stated_number, unseal};

use super::Aside;

/// Longest line in which a flipped bit is looked for, bytes: each of its bits is tried, and the seal computed anew.
const LONGEST_MENDED: usize = 16 << 10;

/// Most missing lines that are counted one by one.
const MOST_MISSING: usize = 1 << 16;

/// What a damaged log still says.
#[derive(Debug)]
pub struct Salvage<T> {
    /// The entries that are intact or mended, each with the number of its line, from 1.
    pub entries: Vec<(usize, T)>,
    /// The numbers of the lines that one flipped bit had damaged, and that are as they were.
    pub mended: Vec<usize>,
    /// The numbers of the lines that are lost.
    pub lost: Vec<usize>,
    /// Whether intact lines were doubled or moved, or some were missing. The entries are in the order in which they were
    /// written, each once.
    pub out_of_order: bool,
}

impl<T> Salvage<T> {
    /// Nothing was wrong.
    pub fn is_clean(&self) -> bool {
        self.mended.is_empty() && self.lost.is_empty() && !self.out_of_order
    }

    /// What was wrong, in words: `line 3 is damaged, lines 4, 7 had a flipped bit each`.
    pub fn what(&self) -> String {
        let (lost, mended) = (&self.lost, &self.mended);
        let numbers = |lines: &[usize]| lines.iter().map(usize::to_string).collect::<Vec<_>>().join(", ");
        let lost = match lost.len() {
            0 => None,
            1 => Some(format!(
                "line {} is {}",
                lost[0],
                if self.out_of_order { "missing or damaged" } else { "damaged" }
            )),
            _ => Some(format!(
                "lines {} are {}",
                numbers(lost),
                if self.out_of_order { "missing or damaged" } else { "damaged" }
            )),
        };
        let mended = match mended.len() {
            0 => None,
            1 => Some(format!("line {} had a flipped bit", mended[0])),
            _ => Some(format!("lines {} had a flipped bit each", numbers(mended))),
        };
        let order = self.out_of_order.then(|| "its lines are not in the order in which they were written".to_owned());
        lost.into_iter().chain(mended).chain(order).collect::<Vec<_>>().join(", ")
    }
}

/// Reads what is intact of a log, and mends lines in which one bit has flipped: of all lines that differ from such a line
/// in one bit, the seal of 64 bits fits the right one only. A file that is no such log at all is one lost line. Nothing is
/// changed, and a log that is not there is empty.
///
/// # Errors
/// The file cannot be read.
pub fn salvage<T: LogEntry>(path: &Path) -> Result<Salvage<T>> {
    let survey = match LineLog::<T>::survey(path) {
        Err(DataError::NotALog { path }) if path.is_file() => {
            return Ok(Salvage { entries: Vec::new(), mended: Vec::new(), lost: vec![1], out_of_order: false });
        }
        survey => survey?,
    };
    let mut salvage = Salvage { entries: survey.entries, mended: Vec::new(), lost: Vec::new(), out_of_order: false };
    if survey.damaged.is_empty() {
        return Ok(salvage);
    }
    let bytes = read_regular_file::<T>(path)?;
    let lines: Vec<&[u8]> = bytes[..length_of_lines::<T>(&bytes)].split(|&byte| byte == b'\n').collect();
    for (number, fault) in survey.damaged {
        if matches!(fault, LineFault::Order { .. }) {
            salvage.out_of_order = true;
            continue;
        }
        match lines.get(number - 1).and_then(|line| mended(line)) {
            Some(entry) => {
                salvage.mended.push(number);
                salvage.entries.push((number, entry));
            }
            None => salvage.lost.push(number),
        }
    }
    if salvage.out_of_order {
        // By the numbers that they state, which those of earlier versions do not.
        let written = |number: usize| {
            let stated = lines.get(number - 1).and_then(|line| stated_number(line));
            stated.map_or(number, |stated| stated as usize)
        };
        salvage.entries.iter_mut().for_each(|(number, _)| *number = written(*number));
    }
    salvage.entries.sort_by_key(|(number, _)| *number);
    if salvage.out_of_order {
        salvage.entries.dedup_by_key(|(number, _)| *number);
        let there: BTreeSet<usize> = salvage.entries.iter().map(|(number, _)| *number).collect();
        // A stated number is that of a line of a file that was read: none is far beyond their count.
        let last = there.last().copied().unwrap_or(0).min(lines.len() + MOST_MISSING);
        salvage.lost.extend((1..=last).filter(|number| !there.contains(number)));
        salvage.lost.sort_unstable();
        salvage.lost.dedup();
    }
    Ok(salvage)
}

/// Puts a log with what can be saved in the place of a damaged one, which is copied aside first, and says what it was.
/// `keep` may drop more of the entries; it tells what has been done, which is written down.
///
/// # Errors
/// A file cannot be read or written.
pub fn salvage_log<T: LogEntry>(
    path: &Path,
    aside: &mut Aside,
    keep: impl FnOnce(&mut Salvage<T>) -> Option<(String, String)>,
) -> Result<Vec<(usize, T)>> {
    let mut salvaged = salvage::<T>(path)?;
    if let Some((what, done)) = keep(&mut salvaged) {
        aside.copy(path, what, done)?;
        LineLog::replace(path, salvaged.entries.iter().map(|(_, entry)| entry))?;
    }
    Ok(salvaged.entries)
}

/// The entry of a line in which one bit has flipped.
fn mended<T: LogEntry>(line: &[u8]) -> Option<T> {
    if line.len() > LONGEST_MENDED {
        return None;
    }
    let mut line = line.to_owned();
    for at in 0..line.len() {
        for bit in 0..8 {
            line[at] ^= 1 << bit;
            if let Ok(entry) = unseal(&line) {
                return Some(entry);
            }
            line[at] ^= 1 << bit;
        }
    }
    None
}
