//! What a trainer has gathered from its store: for each generation a file of the run folder that lists the shards whose
//! games it took. A run that was never in a store has no such files.

use crate::error::{LabError, Result};
use crate::folder::{RunFolder, files_in};
use data::verify::{Findings, RESTORE, VerifyProblem};
use data::{bounded, checked_json, durable};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Most bytes of a list that are read. A line of it has about 100.
const MOST_LIST_BYTES: u64 = 64 << 20;

/// A shard as one generation gathered it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Taken {
    /// The worker.
    pub worker: u32,
    /// The number of its shard.
    pub sequence: u64,
    /// BLAKE3 of the object, 64 hex digits.
    pub blake3: String,
    /// Games taken from it.
    pub games: u64,
    /// Games that were there already and were dropped.
    pub doubles: u64,
    /// Why the whole shard was left out; absent if it was used.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fault: Option<String>,
}

/// The shards that a generation gathered.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Gathered {
    /// The shards, in the order in which their games were taken.
    pub shards: Vec<Taken>,
    /// Each worker's next shard: all earlier ones were gathered, by this generation or an earlier one.
    pub next: BTreeMap<u32, u64>,
}

impl Gathered {
    /// Reads what a generation has gathered; `None` if it gathered nothing yet.
    ///
    /// # Errors
    /// The file cannot be read or is damaged.
    pub fn read(folder: &RunFolder, generation: u32) -> Result<Option<Gathered>> {
        read(&file(folder, generation))
    }

    /// Writes the list before the games are committed: an interrupted generation is gathered again from the same shards.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn write(&self, folder: &RunFolder, generation: u32) -> Result<()> {
        let path = file(folder, generation);
        durable::create_folder(&folder.gathered())?;
        let text = checked_json::to_text(self).map_err(|source| LabError::Damaged { path: path.clone(), source })?;
        Ok(durable::write_atomically(&path, |out| out.write_all(text.as_bytes()))?)
    }
}

fn file(folder: &RunFolder, generation: u32) -> PathBuf {
    folder.gathered().join(format!("gen-{generation:04}.json"))
}

fn read(path: &Path) -> Result<Option<Gathered>> {
    let damaged = |source| LabError::Damaged { path: path.to_owned(), source };
    match bounded::read_ordinary(path, MOST_LIST_BYTES) {
        Ok(text) => checked_json::from_slice(&text).map(Some).map_err(damaged),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(LabError::io("read", path)(error)),
    }
}

/// Whether the run of this folder has been in a store.
///
/// # Errors
/// The machine cannot tell.
pub(crate) fn has_been_in_a_store(folder: &RunFolder) -> Result<bool> {
    Ok(durable::is_there(&folder.gathered())?)
}

/// Checks the lists, and reports which shards were left out.
pub(crate) fn verify(folder: &RunFolder, findings: &mut Findings) {
    let lists = folder.gathered();
    let paths = files_in(&lists, "json").unwrap_or_else(|error| {
        findings.unlisted(&lists, &error);
        Vec::new()
    });
    for path in paths {
        findings.files += 1;
        match read(&path) {
            Ok(list) => {
                for Taken { worker, sequence, fault, .. } in list.iter().flat_map(|list| &list.shards) {
                    if let Some(fault) = fault {
                        let what = format!("shard {sequence} of worker {worker} was left out: {fault}");
                        let repair = "the run does without its games".to_owned();
                        findings.leftovers.push(VerifyProblem { file: path.clone(), what, repair });
                    }
                }
            }
            Err(LabError::Damaged { source, .. }) => findings.problem(&path, source.to_string(), RESTORE),
            Err(error) => findings.judge(&path, error.verdict(), error.to_string(), RESTORE),
        }
    }
}
