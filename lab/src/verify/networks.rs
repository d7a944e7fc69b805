//! Checking the networks and training states of a run.

use crate::events::{Event, Stage};
use crate::folder::RunFolder;
use data::verify::{Findings, RESTORE};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use train::{Blueprint, NetworkFile, TrainError};

/// Every network of the run is there, intact, and the one that was recorded; so is the training state after the newest.
pub(super) fn check(folder: &RunFolder, events: &[Event], findings: &mut Findings) {
    let mut blueprint: Option<Blueprint> = None;
    for (path, id) in network_files(folder, events) {
        let Some(file) = network(&path, findings) else { continue };
        if let Some(id) = id
            && file.id() != id
        {
            findings.problem(&path, format!("it is network {}, and events.jsonl says {id}", file.id()), RESTORE);
        }
        blueprint = Some(file.blueprint().clone());
    }
    let Some(blueprint) = blueprint else { return };
    let trained = events.iter().filter(|event| matches!(event.stage, Stage::Train(_)));
    for path in training_states(folder, trained.map(|event| event.generation).max()) {
        findings.files += 1;
        match train::check_checkpoint(&path, &blueprint) {
            Ok(()) => findings.networks += 1,
            Err(error) => findings.problem(&path, fault_of(&error), RESTORE),
        }
    }
}

/// The networks that are there or should be, with the ids on record.
pub(crate) fn network_files<'a>(folder: &RunFolder, events: &'a [Event]) -> BTreeMap<PathBuf, Option<&'a str>> {
    let mut recorded: BTreeMap<PathBuf, Option<&str>> =
        files(&folder.network(0)).into_iter().map(|file| (file, None)).collect();
    recorded.insert(folder.network(0), None);
    for event in events {
        if let Stage::Train(train) = &event.stage {
            recorded.insert(folder.network(event.generation), Some(&train.network));
        }
    }
    recorded
}

/// The training states that are there, and the one after the newest training, which should be.
pub(crate) fn training_states(folder: &RunFolder, newest: Option<u32>) -> BTreeSet<PathBuf> {
    let mut states: BTreeSet<PathBuf> = files(&folder.checkpoint(0)).into_iter().collect();
    states.extend(newest.map(|generation| folder.checkpoint(generation)));
    states
}

/// Networks or training states in the folder of this one.
fn files(one: &Path) -> Vec<PathBuf> {
    let entries = one.parent().and_then(|folder| std::fs::read_dir(folder).ok());
    let paths = entries.into_iter().flatten().filter_map(|entry| Some(entry.ok()?.path()));
    paths.filter(|path| path.extension().is_some_and(|end| end == "safetensors") && !hidden(path)).collect()
}

/// Whether it is a temporary file of a write in progress.
fn hidden(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.'))
}

/// Reads a network with all its checks.
pub(super) fn network(path: &Path, findings: &mut Findings) -> Option<NetworkFile> {
    findings.files += 1;
    match NetworkFile::read(path) {
        Ok(file) => {
            findings.networks += 1;
            Some(file)
        }
        Err(error) => {
            findings.problem(path, fault_of(&error), RESTORE);
            None
        }
    }
}

/// What is wrong with a network or a training state, without its name and without what to do.
pub(crate) fn fault_of(error: &TrainError) -> String {
    let what = match error {
        TrainError::File { problem, .. } => problem.to_string(),
        TrainError::Io { source, .. } => source.to_string(),
        other => other.to_string(),
    };
    // Some say already what to do.
    what.strip_suffix(&format!("; {RESTORE}")).unwrap_or(&what).to_owned()
}
