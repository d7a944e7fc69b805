//! What can be saved of a damaged log.

use std::collections::HashSet;
use std::path::Path;

use crate::error::{DataError, LineFault, Result};
use crate::line_log::{LineLog, LogEntry, Stated, length_of_lines, read_regular_file, stated};

use super::Aside;

/// What a damaged log still says.
#[derive(Debug)]
pub struct Salvage<T> {
    /// The entries that are intact, each with the number of its line, from 1: the one that it states, or else that in
    /// the file.
    pub entries: Vec<(usize, T)>,
    /// The numbers of the lines that are lost.
    pub lost: Vec<usize>,
    /// Whether lines were missing, doubled or moved.
    pub out_of_order: bool,
}

impl<T> Salvage<T> {
    /// Nothing was wrong.
    pub fn is_clean(&self) -> bool {
        self.lost.is_empty() && !self.out_of_order
    }

    /// What was wrong, in words: `lines 3, 7-9 are damaged`. Empty where nothing was.
    pub fn what(&self) -> String {
        let gone = if self.out_of_order { "damaged or missing" } else { "damaged" };
        match self.lost.as_slice() {
            [] if self.out_of_order => "lines are doubled or moved".to_owned(),
            [] => String::new(),
            [line] => format!("line {line} is {gone}"),
            lines => format!("lines {} are {gone}", ranges(lines)),
        }
    }
}

/// Ascending numbers: `4, 7-9`.
fn ranges(numbers: &[usize]) -> String {
    let runs = numbers.chunk_by(|before, next| before + 1 == *next);
    let text = runs.map(|run| match run {
        [first, .., last] => format!("{first}-{last}"),
        one => one.iter().map(usize::to_string).collect(),
    });
    text.collect::<Vec<_>>().join(", ")
}

/// Reads what is intact of a log. Lines of a chained log that are doubled or moved are sorted by their numbers, each
/// once. A file that is not such a log counts as one lost line. Nothing is changed, and a log that is not there is empty.
///
/// # Errors
/// The file cannot be read.
pub fn salvage<T: LogEntry>(path: &Path) -> Result<Salvage<T>> {
    let survey = match LineLog::<T>::survey(path) {
        Err(DataError::NotALog { path }) if path.is_file() => {
            return Ok(Salvage { entries: Vec::new(), lost: vec![1], out_of_order: false });
        }
        survey => survey?,
    };
    let mut salvage = Salvage { entries: survey.entries, lost: Vec::new(), out_of_order: false };
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
        salvage.lost.push(number);
    }
    salvage.entries.sort_by_key(|(number, _)| *number);
    if salvage.out_of_order {
        put_in_order(&mut salvage, &lines);
    }
    Ok(salvage)
}

/// Most lines that may be missing in one place. A line that states a higher number is not believed.
const MOST_MISSING: usize = 1 << 20;

/// Sorts the entries by the numbers that their lines state, each once, and counts missing numbers as lost. Lines without
/// a number, which come before all others, keep their order. A later line without a number is lost, and so is a line that
/// was written after another line than the one before it.
fn put_in_order<T: LogEntry>(salvage: &mut Salvage<T>, lines: &[&[u8]]) {
    let damaged = salvage.lost.len();
    let mut seen = HashSet::new();
    let (mut unnumbered, mut numbered) = (Vec::new(), Vec::new());
    for (at, entry) in salvage.entries.drain(..) {
        let line = lines[at - 1];
        if !seen.insert(line) {
            continue;
        }
        match stated::<T>(line) {
            Some(stated) => numbered.push((stated, entry)),
            None if numbered.is_empty() => unnumbered.push((unnumbered.len() + 1, entry)),
            None => {}
        }
    }
    numbered.sort_by_key(|(stated, _)| stated.number);
    let mut last: Option<Stated<'_>> = None;
    salvage.entries = unnumbered;
    for (stated, entry) in numbered {
        let before = salvage.entries.last().map_or(0, |(number, _)| *number);
        let number = usize::try_from(stated.number).unwrap_or(usize::MAX);
        let follows = last.is_none_or(|last| last.number + 1 < stated.number || last.digest == stated.previous);
        if follows && number > before && number - before <= lines.len() + MOST_MISSING {
            last = Some(stated);
            salvage.entries.push((number, entry));
        }
    }
    let there: HashSet<usize> = salvage.entries.iter().map(|(number, _)| *number).collect();
    let end = salvage.entries.last().map_or(0, |(number, _)| *number).max(there.len() + damaged);
    salvage.lost = (1..=end).filter(|number| !there.contains(number)).collect();
}

/// Replaces a damaged log with what can be saved of it, after copying the damaged log to the quarantine. `keep` may drop
/// more of the entries; it returns what was wrong and what was done, which are recorded.
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
