//! Checking the networks and training states of a run.

use crate::error::{LabError, Result};
use crate::events::{Event, Stage};
use crate::folder::RunFolder;
use crate::network_files::{network_files, training_states};
use data::verify::{Findings, RESTORE};
use std::path::Path;
use train::{Blueprint, FileError, NetworkFile};

/// Every network of the run exists, is intact and has the recorded id; the training state after the newest one is
/// intact too.
pub(super) fn check(folder: &RunFolder, events: &[Event], findings: &mut Findings) {
    let mut blueprint: Option<Blueprint> = None;
    let networks = listed(network_files(folder, events), findings);
    for (path, id) in networks {
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
    let newest = trained.map(|event| event.generation).max();
    for path in listed(training_states(folder, newest), findings) {
        findings.files += 1;
        match train::check_checkpoint(&path, &blueprint) {
            Ok(()) => findings.networks += 1,
            Err(error) => findings.judge(&path, error.verdict(), wrong_with(&error), RESTORE),
        }
    }
}

/// The files of a folder that could be listed; one that could not is added to the findings.
fn listed<T: Default>(files: Result<T>, findings: &mut Findings) -> T {
    files.unwrap_or_else(|error| {
        if let LabError::Io { path, source, .. } = &error {
            findings.unlisted(path, source);
        }
        T::default()
    })
}

/// An error and its cause, on one line.
fn with_cause(error: &dyn std::error::Error) -> String {
    match error.source() {
        Some(cause) => format!("{error}: {cause}"),
        None => error.to_string(),
    }
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
            findings.judge(path, error.verdict(), wrong_with(&error), RESTORE);
            None
        }
    }
}

/// What is wrong with a network or a training state, without its name and without the remedy.
pub(crate) fn wrong_with(error: &FileError) -> String {
    let what = match error {
        FileError::File { problem, .. } => problem.to_string(),
        FileError::Io { source, .. } => source.to_string(),
        other => with_cause(other),
    };
    // Some messages already contain the remedy.
    what.strip_suffix(&format!("; {RESTORE}")).unwrap_or(&what).to_owned()
}
