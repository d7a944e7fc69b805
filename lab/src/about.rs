//! What a run is, written when it begins: `run.json`, for people and for the report.

use crate::branch::Ancestor;
use crate::error::{LabError, Result};
use crate::folder::RunFolder;
use data::durable;
use serde::{Deserialize, Serialize};

/// The contents of `run.json`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct About {
    /// The name of the run in its data: the variant and the name of the folder.
    pub run_id: String,
    /// The variant's id.
    pub variant: String,
    /// The variant's title.
    pub title: String,
    /// Name of the rule set.
    pub ruleset: String,
    /// Seed of all randomness.
    pub seed: u64,
    /// Version of the program that began the run.
    pub kirin_version: String,
    /// Revision of the source it was built from.
    pub git_revision: String,
    /// Stands for all settings that make games and weights what they are, and so may not change.
    pub config_digest: String,
    /// Threads it worked with at first.
    pub threads: usize,
    /// When it began, milliseconds since 1970, UTC.
    pub started_at_ms: i64,
    /// The run from whose newest network and games it began; absent where it began from nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<Ancestor>,
}

impl About {
    /// Reads the file; `None` if there is none.
    ///
    /// # Errors
    /// The file cannot be read or is damaged.
    pub fn read(folder: &RunFolder) -> Result<Option<About>> {
        let path = folder.about();
        match std::fs::read_to_string(&path) {
            Ok(text) => serde_json::from_str(&text).map(Some).map_err(|source| LabError::Damaged { path, source }),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(LabError::io("read", &path)(error)),
        }
    }

    /// Writes the file whole.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn write(&self, folder: &RunFolder) -> Result<()> {
        Ok(durable::write_atomically(&folder.about(), |out| Ok(serde_json::to_writer_pretty(out, self)?))?)
    }
}
