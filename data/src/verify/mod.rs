//! Whether files are what was written, and whether what they say can be true.
//!
//! A reader stops at the first fault. Here a file is read to its end, so that one call reports everything that is wrong.
//! Nothing is changed.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use serde::Serialize;

use crate::bounded::{self, FileVerdict};
use crate::error::{DataError, FileFault};
use crate::line_log::{LineLog, LogEntry};

mod doubles;
mod folder;
mod game;

pub(crate) use doubles::SeenIds;
pub(crate) use folder::{of_journal, sound_shard};

pub use folder::{games_in, verify};
pub use game::{OutcomeFault, check_outcome};

/// What helps with a file that has been damaged.
pub const RESTORE: &str = "restore it from a copy";

/// Something that is wrong with a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct VerifyProblem {
    /// The file.
    #[serde(serialize_with = "crate::output::shown_path")]
    pub file: PathBuf,
    /// What is wrong with it.
    pub what: String,
    /// What to do.
    pub repair: String,
}

impl fmt::Display for VerifyProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}; {}", self.file.display(), self.what, self.repair)
    }
}

/// What was found, and how much was looked at.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Findings {
    /// Everything that is wrong.
    pub problems: Vec<VerifyProblem>,
    /// What could not be checked, because the machine could not read it or work with it. It may be sound.
    pub unchecked: Vec<VerifyProblem>,
    /// What a kill leaves behind: nothing has relied on it, and the next run of the program tidies it up.
    pub leftovers: Vec<VerifyProblem>,
    /// Files that were read.
    pub files: u64,
    /// Games that were played again, those of matches among them.
    pub games: u64,
    /// Searched positions that were compared with their games.
    pub positions: u64,
    /// Networks and training states that were read.
    pub networks: u64,
}

impl Findings {
    /// Everything was checked, and nothing is wrong.
    pub fn is_clean(&self) -> bool {
        self.problems.is_empty() && self.unchecked.is_empty()
    }

    /// Adds something that is wrong.
    pub fn problem(&mut self, file: &Path, what: impl Into<String>, repair: impl Into<String>) {
        self.problems.push(VerifyProblem { file: file.to_owned(), what: what.into(), repair: repair.into() });
    }

    /// Adds an error about a file: as a problem, or as unchecked if the machine failed.
    pub fn judge(&mut self, file: &Path, verdict: FileVerdict, what: impl Into<String>, repair: impl Into<String>) {
        match verdict {
            FileVerdict::Damaged => self.problem(file, what, repair),
            FileVerdict::Unknown => {
                let what = format!("it could not be checked: {}", what.into());
                let repair = "nothing is known about it before that is put right".to_owned();
                self.unchecked.push(VerifyProblem { file: file.to_owned(), what, repair });
            }
        }
    }

    /// Adds that a folder cannot be listed.
    pub fn unlisted(&mut self, folder: &Path, error: &io::Error) {
        self.judge(folder, bounded::verdict(error), format!("cannot list it: {error}"), RESTORE);
    }

    /// Adds what kept a file from being read.
    pub fn unreadable(&mut self, file: &Path, error: &DataError) {
        match error {
            DataError::Changed { path, difference, .. } => {
                self.problem(path, format!("it has changed since it was written ({difference})"), RESTORE);
            }
            DataError::Malformed { path, fault: FileFault::Rows { found, wanted } } => {
                self.problem(path, format!("it has {found} rows, and the manifest says {wanted}"), RESTORE);
            }
            DataError::Malformed { path, fault } => self.problem(path, fault.to_string(), RESTORE),
            DataError::TooNew { path, found } => {
                self.problem(path, format!("it has schema version {found}"), "use a newer kirin");
            }
            DataError::Io { action, path, source } => {
                self.judge(path, error.verdict(), format!("cannot {action} it: {source}"), RESTORE);
            }
            DataError::NotALog { .. } => self.problem(file, "it is not a log of this kind", RESTORE),
            other => self.judge(file, other.verdict(), other.to_string(), RESTORE),
        }
    }

    /// Reads a log and adds what is wrong with its lines; the intact entries, each with the number of its line.
    pub fn log<T: LogEntry>(&mut self, path: &Path) -> Vec<(usize, T)> {
        self.files += 1;
        let survey = match LineLog::<T>::survey(path) {
            Ok(survey) => survey,
            Err(error) => {
                self.unreadable(path, &error);
                return Vec::new();
            }
        };
        for (line, fault) in survey.damaged {
            self.problem(
                path,
                format!("line {line}: {fault}"),
                "restore it from a copy; with --repair the sound lines stay",
            );
        }
        if survey.torn_bytes > 0 {
            self.leftovers.push(VerifyProblem {
                file: path.to_owned(),
                what: format!("its last line was not finished ({} bytes)", survey.torn_bytes),
                repair: "it is left out, and cut off when the log is written to".to_owned(),
            });
        }
        survey.entries
    }

    /// Adds what was found elsewhere.
    pub fn add(&mut self, other: Findings) {
        self.problems.extend(other.problems);
        self.unchecked.extend(other.unchecked);
        self.leftovers.extend(other.leftovers);
        self.files += other.files;
        self.games += other.games;
        self.positions += other.positions;
        self.networks += other.networks;
    }
}
