//! What a run is, written when it begins: `run.json`, for people and for the report.

use crate::error::{LabError, Result};
use crate::folder::RunFolder;
use data::{checked_json, durable};
use serde::{Deserialize, Serialize};
use std::io::Write;

/// Most bytes of `run.json` that are read. It has some hundred, and 16 more for each change of settings.
const MOST_BYTES: u64 = 4 << 20;

/// What a run began from, as `run.json` keeps it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ancestor {
    /// The folder of a run, or the file of a network, as it was given.
    pub folder: String,
    /// The run's name in its data; empty for a network file.
    pub run_id: String,
    /// Id of the network that is network 0 here.
    pub network: String,
    /// The generation of that network there.
    pub generation: u32,
    /// Games that were taken over.
    pub games: u64,
    /// Searched positions of these games.
    pub positions: u64,
}

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
    /// Digest of all settings that determine games and weights, and so may not change.
    pub config_digest: String,
    /// The digests that the settings in its `config.toml` have had. A program with new settings that resumes the run
    /// writes their defaults down and adds a digest. Empty in runs of programs that did not record it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub config_digests: Vec<String>,
    /// Threads it used at the start.
    pub threads: usize,
    /// Evaluations a second measured for network 0 when the run began, with the settings chosen then. Absent where the
    /// configuration left nothing to choose, and in runs of earlier versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub evaluations_per_second: Option<f64>,
    /// When it began, milliseconds since 1970, UTC.
    pub started_at_ms: i64,
    /// The run from whose newest network and games it began; absent if it began from scratch.
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
        match data::bounded::read_ordinary(&path, MOST_BYTES) {
            Ok(text) => checked_json::from_slice(&text).map(Some).map_err(|source| LabError::Damaged { path, source }),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(LabError::io("read", &path)(error)),
        }
    }

    /// Writes the file whole.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn write(&self, folder: &RunFolder) -> Result<()> {
        let text = checked_json::to_text(self).map_err(std::io::Error::from);
        Ok(durable::write_atomically(&folder.about(), |out| out.write_all(text?.as_bytes()))?)
    }

    /// Adds digests that the stored settings have or are about to get, and writes the file if one of them is new.
    ///
    /// # Errors
    /// It cannot be written.
    pub(crate) fn acknowledge(&mut self, digests: impl Iterator<Item = String>, folder: &RunFolder) -> Result<()> {
        let known = self.config_digests.len();
        for digest in digests {
            if !self.config_digests.contains(&digest) {
                self.config_digests.push(digest);
            }
        }
        if self.config_digests.len() == known { Ok(()) } else { self.write(folder) }
    }
}
