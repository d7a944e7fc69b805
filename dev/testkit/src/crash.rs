//! Simulated power cuts for tests: what a disk may hold after one.
//!
//! [`record`] notes every write, sync, rename and removal of this thread that goes through [`data::durable`]. From these
//! notes [`Recording::leave`] makes a folder as a power cut after any of them may leave it: everything that was synced is
//! there, and any part of the rest. A write that was not synced is kept, lost, or kept in some blocks while the others
//! read as zeros. A name that was made, changed or removed in a folder that was not synced since is either new or old,
//! independently of the others.
//!
//! # Examples
//! ```
//! use data::durable::write_atomically;
//! use std::io::Write;
//! use testkit::crash;
//! # let (folder, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
//! let recording = crash::record();
//! write_atomically(&folder.path().join("state"), |file| file.write_all(b"whole")).unwrap();
//! for seed in 0..10 {
//!     for step in 0..=recording.steps() {
//!         let left = other.path().join(format!("{step}-{seed}"));
//!         recording.leave(step, seed, folder.path(), &left).unwrap();
//!         let state = std::fs::read(left.join("state"));
//!         assert!(state.is_err() || state.unwrap() == b"whole");
//!     }
//! }
//! ```

use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use data::durable::{Change, DiskObserver, FileIdentity, Observed, observe};

use crate::SplitMix64;

/// Bytes of a block, which a disk keeps or loses as a whole.
const BLOCK: usize = 512;

/// A recorded step. Files are numbered as they are made.
#[derive(Clone, Debug)]
enum DiskStep {
    Created(PathBuf, usize),
    FolderCreated(PathBuf),
    Written(usize, Vec<u8>),
    Cut(usize, u64),
    Synced(usize),
    Renamed(PathBuf, PathBuf),
    Removed(PathBuf),
    FolderSynced(PathBuf),
}

/// A recording of this thread, until dropped.
#[must_use = "the recording ends when this is dropped"]
pub struct Recording {
    notes: Rc<Recorder>,
    _observed: Observed,
}

/// Begins to record.
pub fn record() -> Recording {
    let notes = Rc::new(Recorder::default());
    Recording { _observed: observe(Rc::clone(&notes) as Rc<dyn DiskObserver>), notes }
}

impl Recording {
    /// Steps so far.
    pub fn steps(&self) -> usize {
        self.notes.0.borrow().steps.len()
    }

    /// Fills the folder `into` with what a power cut after the first `steps` steps may leave of `base`; other seeds keep
    /// other parts of what was not synced.
    ///
    /// # Errors
    /// A file or folder cannot be made.
    pub fn leave(&self, steps: usize, seed: u64, base: &Path, into: &Path) -> io::Result<()> {
        let mut disk = Disk { chance: Chance(SplitMix64(seed)), ..Disk::default() };
        self.notes.0.borrow().steps[..steps].iter().for_each(|step| disk.apply(step));
        disk.leave(base, into)
    }
}

#[derive(Debug, Default)]
struct Notes {
    steps: Vec<DiskStep>,
    /// The numbers of the files. The system may give the identity of a removed file to another.
    files: HashMap<FileIdentity, usize>,
    made: usize,
}

impl Notes {
    /// The step to record. A file that was there before the recording is not recorded.
    fn step(&mut self, change: Change<'_>) -> Option<DiskStep> {
        Some(match change {
            Change::Created(path, file) => {
                let number = self.made;
                self.made += 1;
                self.files.insert(FileIdentity::of_file(file).ok()?, number);
                DiskStep::Created(path.to_owned(), number)
            }
            Change::FolderCreated(path) => DiskStep::FolderCreated(path.to_owned()),
            Change::Written(file, bytes) => DiskStep::Written(self.number(file)?, bytes.to_owned()),
            Change::Cut(file, length) => DiskStep::Cut(self.number(file)?, length),
            Change::Synced(file) => DiskStep::Synced(self.number(file)?),
            Change::Renamed(from, to) => DiskStep::Renamed(from.to_owned(), to.to_owned()),
            Change::Removed(path) => DiskStep::Removed(path.to_owned()),
            Change::FolderSynced(path) => DiskStep::FolderSynced(path.to_owned()),
        })
    }

    fn number(&self, file: &File) -> Option<usize> {
        self.files.get(&FileIdentity::of_file(file).ok()?).copied()
    }
}

#[derive(Debug, Default)]
struct Recorder(RefCell<Notes>);

impl DiskObserver for Recorder {
    fn after(&self, change: Change<'_>) {
        let mut notes = self.0.borrow_mut();
        if let Some(step) = notes.step(change) {
            notes.steps.push(step);
        }
    }
}

/// The contents of a file: what was synced, and what was done since.
#[derive(Clone, Debug, Default)]
struct FileContents {
    synced: Vec<u8>,
    now: Vec<u8>,
    /// The places of the writes since the last sync, in `now`.
    unsynced: Vec<(usize, usize)>,
}

/// What a name refers to.
#[derive(Clone, Copy, Debug, PartialEq)]
enum DiskEntry {
    Folder,
    File(usize),
}

#[derive(Debug, Default)]
struct Disk {
    files: HashMap<usize, FileContents>,
    synced: BTreeMap<PathBuf, DiskEntry>,
    /// Changes of names since their folder was last synced; those of one step are kept or lost together.
    pending: Vec<Vec<(PathBuf, Option<DiskEntry>)>>,
    chance: Chance,
}

impl Disk {
    fn apply(&mut self, step: &DiskStep) {
        match step {
            DiskStep::Created(path, file) => {
                self.files.insert(*file, FileContents::default());
                self.pending.push(vec![(path.clone(), Some(DiskEntry::File(*file)))]);
            }
            DiskStep::FolderCreated(path) => self.pending.push(vec![(path.clone(), Some(DiskEntry::Folder))]),
            DiskStep::Written(file, bytes) => {
                let contents = self.files.entry(*file).or_default();
                let start = contents.now.len();
                contents.now.extend_from_slice(bytes);
                contents.unsynced.push((start, contents.now.len()));
            }
            DiskStep::Cut(file, length) => {
                let contents = self.files.entry(*file).or_default();
                contents.now.truncate(*length as usize);
                contents.unsynced.retain_mut(|(start, end)| {
                    *end = (*end).min(*length as usize);
                    *start < *end
                });
            }
            DiskStep::Synced(file) => {
                let contents = self.files.entry(*file).or_default();
                contents.synced = contents.now.clone();
                contents.unsynced.clear();
            }
            DiskStep::Renamed(from, to) => {
                let entry = self.entry(from);
                self.pending.push(vec![(from.clone(), None), (to.clone(), entry)]);
            }
            DiskStep::Removed(path) => self.pending.push(vec![(path.clone(), None)]),
            DiskStep::FolderSynced(folder) => {
                // A change in two folders survives once one of them is synced.
                let (done, pending) = std::mem::take(&mut self.pending)
                    .into_iter()
                    .partition(|changes: &Vec<_>| changes.iter().any(|(path, _)| path.parent() == Some(folder)));
                self.pending = pending;
                keep(&mut self.synced, done);
            }
        }
    }

    /// What the program finds under a name.
    fn entry(&self, path: &Path) -> Option<DiskEntry> {
        let changes = self.pending.iter().flatten().rev().find(|(changed, _)| changed == path);
        changes.map_or_else(|| self.synced.get(path).copied(), |(_, entry)| *entry)
    }

    fn leave(mut self, base: &Path, into: &Path) -> io::Result<()> {
        let kept = std::mem::take(&mut self.pending).into_iter().filter(|_| self.chance.one_in(2)).collect();
        keep(&mut self.synced, kept);
        fs::create_dir_all(into)?;
        // Parents come before their contents. The contents of a folder whose name was lost are lost, too.
        for (path, entry) in std::mem::take(&mut self.synced) {
            let Ok(inside) = path.strip_prefix(base) else { continue };
            let place = into.join(inside);
            if !place.parent().is_some_and(Path::is_dir) {
                continue;
            }
            match entry {
                DiskEntry::Folder => fs::create_dir_all(place)?,
                DiskEntry::File(file) => fs::write(place, self.contents(file))?,
            }
        }
        Ok(())
    }

    /// The contents of a file after the power cut.
    fn contents(&mut self, file: usize) -> Vec<u8> {
        let FileContents { synced, now, unsynced } = self.files.get(&file).cloned().unwrap_or_default();
        let mut left = synced;
        if now.len() < left.len() && self.chance.one_in(2) {
            left.truncate(now.len());
        }
        for (start, end) in unsynced {
            // The file may have grown without its blocks being stored.
            if self.chance.one_in(3) {
                continue;
            }
            left.resize(left.len().max(end), 0);
            for block in (start..end).step_by(BLOCK) {
                if !self.chance.one_in(4) {
                    let end = end.min(block + BLOCK);
                    left[block..end].copy_from_slice(&now[block..end]);
                }
            }
        }
        left
    }
}

fn keep(names: &mut BTreeMap<PathBuf, DiskEntry>, changes: Vec<Vec<(PathBuf, Option<DiskEntry>)>>) {
    for (path, entry) in changes.into_iter().flatten() {
        match entry {
            Some(entry) => drop(names.insert(path, entry)),
            None => drop(names.remove(&path)),
        }
    }
}

/// Decides what is kept.
#[derive(Debug, Default)]
struct Chance(SplitMix64);

impl Chance {
    fn one_in(&mut self, of: u64) -> bool {
        self.0.next_u64().is_multiple_of(of)
    }
}
