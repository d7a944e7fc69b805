//! The networks and training states of a run: those that exist, and those that should by its record.

use crate::error::{LabError, Result};
use crate::events::{Event, Stage};
use crate::folder::{RunFolder, files_in};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// The networks that exist or should exist, with the ids on record.
pub(crate) fn network_files<'a>(folder: &RunFolder, events: &'a [Event]) -> Result<BTreeMap<PathBuf, Option<&'a str>>> {
    let mut recorded: BTreeMap<PathBuf, Option<&str>> =
        files(&folder.network(0))?.into_iter().map(|file| (file, None)).collect();
    recorded.insert(folder.network(0), None);
    for event in events {
        if let Stage::Train(train) = &event.stage {
            recorded.insert(folder.network(event.generation), Some(&train.network));
        }
    }
    Ok(recorded)
}

/// The training states that exist, and the one after the newest training, which should exist.
pub(crate) fn training_states(folder: &RunFolder, newest: Option<u32>) -> Result<BTreeSet<PathBuf>> {
    let mut states: BTreeSet<PathBuf> = files(&folder.checkpoint(0))?.into_iter().collect();
    states.extend(newest.map(|generation| folder.checkpoint(generation)));
    Ok(states)
}

/// Networks or training states in the folder of this one; none if the folder is missing.
fn files(one: &Path) -> Result<Vec<PathBuf>> {
    let folder = one.parent().unwrap_or(one);
    let mut files = files_in(folder, "safetensors").map_err(LabError::io("list", folder))?;
    files.retain(|path| !hidden(path));
    Ok(files)
}

/// Whether it is a temporary file of a write in progress.
fn hidden(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.'))
}
