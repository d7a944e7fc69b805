//! A run of two generations, and what may happen to its files.

use super::{copy, finish};
use lab::{Config, RunFolder};
use std::fs;
use std::path::{Path, PathBuf};

/// Something that happens to a file.
pub type Damage = fn(&Path);

/// The games of the newest generation, and its match against network 0.
pub const GAMES: &str = "data/games/variant=wangqi/gen=0002/w0.parquet";
pub const MATCH: &str = "matches/gen-0002-vs-gen-0001.jsonl";

/// The files below a folder, by their paths in it.
pub fn files(root: &Path) -> Vec<PathBuf> {
    let (mut folders, mut files) = (vec![root.to_owned()], Vec::new());
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else {
                files.push(path.strip_prefix(root).expect("inside").to_owned());
            }
        }
    }
    files.sort();
    files
}

/// The configuration with so many generations.
pub fn config(generations: u32) -> Config {
    let mut config = super::config();
    config.run.generations = generations;
    config
}

/// A run of two generations.
pub struct Made {
    folder: tempfile::TempDir,
}

impl Made {
    pub fn new() -> Made {
        let folder = tempfile::tempdir().expect("a folder");
        finish(&config(2), &RunFolder::new(folder.path().join("run")), None);
        Made { folder }
    }

    /// A copy under a name that belongs to its games.
    pub fn again(&self) -> (tempfile::TempDir, RunFolder) {
        let copied = tempfile::tempdir().expect("a folder");
        let run = copied.path().join("run");
        copy(&self.folder.path().join("run"), &run);
        (copied, RunFolder::new(run))
    }
}

pub fn flip(path: &Path) {
    let mut bytes = fs::read(path).expect("a file");
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(path, bytes).expect("written");
}

pub fn zero_the_middle(path: &Path) {
    let mut bytes = fs::read(path).expect("a file");
    let middle = bytes.len() / 2;
    bytes[middle - 4..middle + 4].fill(b'?');
    fs::write(path, bytes).expect("written");
}

pub fn junk(path: &Path) {
    fs::write(path, "junk\n").expect("written");
}

pub fn halve(path: &Path) {
    let bytes = fs::read(path).expect("a file");
    fs::write(path, &bytes[..bytes.len() / 2]).expect("written");
}

pub fn remove(path: &Path) {
    fs::remove_file(path).expect("removed");
}

/// Replaces the first bytes of a line, counted from 1.
pub fn spoil_line(path: &Path, line: usize) {
    let text = fs::read_to_string(path).expect("a log");
    let lines = text.lines().enumerate();
    let spoilt: String =
        lines.map(|(at, text)| if at + 1 == line { "{\"ha\n".into() } else { format!("{text}\n") }).collect();
    fs::write(path, spoilt).expect("written");
}
