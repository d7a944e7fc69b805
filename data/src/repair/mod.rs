//! Repair of what [`verify`](crate::verify) finds: damaged files are quarantined, never deleted, and remade where possible.
//!
//! Quarantined files are in the folder `damaged` below the folder that is repaired, under the path that they had.
//! `damaged/repairs.jsonl` has a line for each: the file, what was wrong, what was done, and how many games it cost. A
//! repair that was killed is repeated, with the same files as the result.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

use crate::bounded;
use crate::durable;
use crate::error::{DataError, Result};
use crate::line_log::{LineLog, LogEntry, MOST_LOG_BYTES};

mod folder;
mod lines;

pub use folder::repair;
pub use lines::{Salvage, salvage, salvage_log};

/// The folder of quarantined files, below the folder that was repaired.
pub const DAMAGED: &str = "damaged";

/// The list of repairs in that folder.
const REPAIRS: &str = "repairs.jsonl";

/// What was done with one file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Repair {
    /// When, milliseconds since 1970, UTC.
    pub at_ms: i64,
    /// The file, relative to the folder that was repaired.
    pub file: String,
    /// Where the file, or a copy of it as it was, is quarantined, relative to the same folder; absent where the file was
    /// missing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub aside: Option<String>,
    /// What was wrong.
    pub what: String,
    /// What was done.
    pub done: String,
    /// The shard whose games are lost with the file; absent where none are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lost: Option<Lost>,
}

/// A shard that a repair has removed.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Lost {
    /// Variant id.
    pub variant: String,
    /// Generation.
    pub generation: u32,
    /// Name of the shard.
    pub shard: String,
    /// Its games.
    pub games: u64,
    /// Searched positions of these games.
    pub positions: u64,
}

impl LogEntry for Repair {
    const TAG: &'static str = "repair";
}

/// The list of what was repaired in a folder.
pub fn list_of(root: &Path) -> PathBuf {
    root.join(DAMAGED).join(REPAIRS)
}

/// The shards that repairs of this folder have removed, each once.
///
/// # Errors
/// The list of repairs cannot be read.
pub fn lost(root: &Path) -> Result<Vec<Lost>> {
    let mut lost: Vec<Lost> =
        LineLog::<Repair>::read(&list_of(root))?.entries.into_iter().filter_map(|repair| repair.lost).collect();
    lost.sort();
    lost.dedup();
    Ok(lost)
}

/// The quarantine for damaged files of a folder.
#[derive(Debug)]
pub struct Aside {
    root: PathBuf,
    /// What has been done, oldest first.
    repairs: Vec<Repair>,
}

impl Aside {
    /// A quarantine for files below `root`. Its folder is made for the first of them.
    pub fn new(root: &Path) -> Aside {
        Aside { root: root.to_owned(), repairs: Vec::new() }
    }

    /// Moves a file into the folder of damaged ones. A missing file is only recorded.
    ///
    /// # Errors
    /// The file cannot be moved, or the move cannot be recorded.
    pub fn take(
        &mut self,
        path: &Path,
        what: impl Into<String>,
        done: impl Into<String>,
        lost: Option<Lost>,
    ) -> Result<()> {
        let aside = durable::is_there(path)?.then(|| self.free_place(path)).transpose()?;
        self.note(path, aside.as_deref(), what.into(), done.into(), lost)?;
        if let Some(aside) = aside {
            durable::rename(path, &aside).map_err(DataError::io("quarantine", path))?;
            for folder in [path.parent(), aside.parent()].into_iter().flatten() {
                durable::sync_folder(folder)?;
            }
        }
        Ok(())
    }

    /// Copies a log into the folder of damaged ones, before it is replaced.
    ///
    /// # Errors
    /// The file cannot be read, or the copy or the note cannot be written.
    pub fn copy(&mut self, path: &Path, what: impl Into<String>, done: impl Into<String>) -> Result<()> {
        let aside = durable::is_there(path)?.then(|| self.free_place(path)).transpose()?;
        if let Some(aside) = &aside {
            let bytes = bounded::read_ordinary(path, MOST_LOG_BYTES).map_err(DataError::io("read", path))?;
            durable::write_atomically(aside, |file| file.write_all(&bytes))?;
        }
        self.note(path, aside.as_deref(), what.into(), done.into(), None)
    }

    /// What has been done, oldest first.
    pub fn into_repairs(self) -> Vec<Repair> {
        self.repairs
    }

    /// A name that is free in the folder of damaged files: the file's own, or that with a number.
    fn free_place(&self, path: &Path) -> Result<PathBuf> {
        let first = self.root.join(DAMAGED).join(path.strip_prefix(&self.root).unwrap_or(path));
        durable::create_folder(first.parent().unwrap_or(&self.root))?;
        let name = first.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let numbered = (2..).map(|number| first.with_file_name(format!("{name}.{number}")));
        let free = std::iter::once(first.clone()).chain(numbered).find(|place| fs::symlink_metadata(place).is_err());
        Ok(free.unwrap_or(first))
    }

    fn note(
        &mut self,
        path: &Path,
        aside: Option<&Path>,
        what: String,
        done: String,
        lost: Option<Lost>,
    ) -> Result<()> {
        let inside = |path: &Path| path.strip_prefix(&self.root).unwrap_or(path).display().to_string();
        let at_ms = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_millis() as i64);
        let repair = Repair { at_ms, file: inside(path), aside: aside.map(inside), what, done, lost };
        let list = list_of(&self.root);
        durable::create_folder(list.parent().unwrap_or(&self.root))?;
        LineLog::open(&list)?.0.append(&repair)?;
        self.repairs.push(repair);
        Ok(())
    }
}
