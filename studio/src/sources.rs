//! What a studio shows: runs, data and match logs, found in the folders that were named, and single match logs.
//!
//! A source is asked for by its id, which is its path from what was named on. No other file is read, whatever a caller
//! asks for: ids are compared with what was found, and never become paths.

use crate::error::{ApiError, StudioError};
use lab::RunFolder;
use serde::Serialize;
use std::path::{Path, PathBuf};
use utoipa::ToSchema;

/// What a folder holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Kind {
    /// A run.
    Run,
    /// Games and positions.
    Data,
    /// Logs of matches.
    Matches,
}

/// A folder with something to show, or a match log.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(crate) struct Source {
    /// By which it is asked for.
    pub id: String,
    /// What it holds.
    pub kind: Kind,
    /// Its folder; its log, if it is a single one.
    #[serde(skip)]
    pub path: PathBuf,
}

/// The named folders and match logs.
#[derive(Debug)]
pub(crate) struct Sources {
    /// Each with what its ids begin with: its name, or its whole path where another one has that name.
    named: Vec<(String, PathBuf)>,
}

/// How deep below a named folder runs and data are looked for.
const DEPTH: u32 = 3;
/// Most folders that are shown.
const MOST: usize = 500;
/// Folders of a run that hold logs of matches.
const IN_RUN: [&str; 3] = ["matches", "results", "tournament"];

impl Sources {
    /// The named folders and match logs.
    ///
    /// # Errors
    /// One of them is neither, or cannot be read.
    pub fn open(named: &[PathBuf]) -> Result<Sources, StudioError> {
        for path in named {
            let about = std::fs::metadata(path);
            let about = about.map_err(|source| StudioError::Unreadable { path: path.clone(), source })?;
            if !about.is_dir() {
                if !is_named_as_log(path) {
                    return Err(StudioError::NoSource { path: path.clone() });
                }
                eval::log::read(path)?;
            }
        }
        let mut different: Vec<&PathBuf> = Vec::new();
        for path in named {
            let is_same =
                |other: &&PathBuf| path.canonicalize().is_ok_and(|it| other.canonicalize().is_ok_and(|o| o == it));
            if !different.iter().any(is_same) {
                different.push(path);
            }
        }
        // `.` has the name of the folder that it is.
        let name_of = |path: &Path| Some(path.canonicalize().ok()?.file_name()?.to_string_lossy().into_owned());
        let with_name = |path: &&PathBuf| {
            let name = name_of(path);
            let others = different.iter().filter(|other| name_of(other) == name).count();
            (name.filter(|_| others == 1).unwrap_or_else(|| path.display().to_string()), (*path).clone())
        };
        Ok(Sources { named: different.iter().map(with_name).collect() })
    }

    /// All that can be shown now, by id.
    pub fn all(&self) -> Vec<Source> {
        self.below(&|_| true)
    }

    /// What can be shown now of the folders whose ids are wanted, by id. Below others nothing is looked for.
    fn below(&self, is_wanted: &dyn Fn(&str) -> bool) -> Vec<Source> {
        let mut found = Vec::new();
        for (name, folder) in self.named.iter().filter(|(name, _)| is_wanted(name)) {
            look(folder, name, DEPTH, is_wanted, &mut found);
        }
        found.sort_by(|a, b| a.id.cmp(&b.id));
        found.dedup_by(|a, b| a.id == b.id);
        found
    }

    /// The folders with logs of matches, those in runs among them, and the named logs, by id.
    pub fn match_folders(&self) -> Vec<Source> {
        let mut folders = Vec::new();
        for source in self.all() {
            match source.kind {
                Kind::Matches => folders.push(source),
                Kind::Run => {
                    let within = IN_RUN.iter().map(|name| Source {
                        id: format!("{}/{name}", source.id),
                        kind: Kind::Matches,
                        path: source.path.join(name),
                    });
                    folders.extend(within.filter(|folder| holds_logs(&folder.path)));
                }
                Kind::Data => {}
            }
        }
        folders
    }

    /// What has this id.
    ///
    /// # Errors
    /// Nothing has it, or something of another kind.
    pub fn find(&self, id: &str, kinds: &[Kind]) -> Result<Source, ApiError> {
        let leads_there =
            |above: &str| id.strip_prefix(above).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
        let mut found = self.below(&leads_there).into_iter();
        let found = found.find(|source| source.id == id && kinds.contains(&source.kind));
        found.ok_or_else(|| ApiError::Unknown(format!("there is no {id:?} here (any more)")))
    }
}

/// Whether there is a file in a folder that may be the log of a match.
fn holds_logs(folder: &Path) -> bool {
    let is_folder = folder.symlink_metadata().is_ok_and(|about| about.is_dir());
    is_folder && eval::log::logs_in(folder).is_ok_and(|logs| !logs.is_empty())
}

/// Whether a file has a name such as match logs have.
fn is_named_as_log(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "jsonl")
}

/// Adds what is in a folder, and in those below it whose ids are wanted; or a log, if it is one that was named.
fn look(folder: &Path, id: &str, depth: u32, is_wanted: &dyn Fn(&str) -> bool, found: &mut Vec<Source>) {
    let mut add = |kind| found.push(Source { id: id.to_owned(), kind, path: folder.to_owned() });
    if folder.is_file() {
        return add(Kind::Matches);
    }
    if RunFolder::new(folder).is_run().unwrap_or(false) {
        return add(Kind::Run);
    }
    if folder.join("manifest.jsonl").is_file() {
        return add(Kind::Data);
    }
    let mut entries: Vec<PathBuf> =
        std::fs::read_dir(folder).into_iter().flatten().flatten().map(|it| it.path()).collect();
    if entries.iter().any(|path| is_named_as_log(path)) {
        add(Kind::Matches);
    }
    entries.sort();
    if depth == 0 {
        return;
    }
    for path in entries {
        let Some(name) = path.file_name().map(|name| name.to_string_lossy()) else { continue };
        let id = format!("{id}/{name}");
        let is_folder = || path.symlink_metadata().is_ok_and(|about| about.is_dir());
        if !name.starts_with('.') && found.len() < MOST && is_wanted(&id) && is_folder() {
            look(&path, &id, depth - 1, is_wanted, found);
        }
    }
}
