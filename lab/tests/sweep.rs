//! Damage at many places of every file of a run, finished or interrupted: it is named with its path, or the run comes to
//! the same end. There is never a panic, and never another figure.

mod tiny;

use data::durable::fault;
use lab::{LabError, RunFolder};
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use tiny::{copy, end, run_smallest};

/// Bits flipped and lengths cut in each file.
const FLIPS: usize = 5;
const CUTS: usize = 3;

/// The files below a folder, by their paths in it.
fn files(root: &Path) -> Vec<PathBuf> {
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

/// What a file of these bytes may become, `None` for a file that is gone.
fn damaged(bytes: &[u8]) -> Vec<(String, Option<Vec<u8>>)> {
    let mut all = vec![("removed".to_owned(), None), ("emptied".to_owned(), Some(Vec::new()))];
    if bytes.is_empty() {
        return all;
    }
    for number in 0..FLIPS {
        // Spread over the file, the first and the last byte among them.
        let at = (bytes.len() - 1) * number / (FLIPS - 1);
        let mut flipped = bytes.to_owned();
        flipped[at] ^= 1 << (number % 8);
        all.push((format!("bit {} of byte {at} flipped", number % 8), Some(flipped)));
    }
    for number in 1..=CUTS {
        let length = bytes.len() * number / (CUTS + 1);
        all.push((format!("cut to {length} of {} bytes", bytes.len()), Some(bytes[..length].to_owned())));
    }
    all
}

/// Every cause of an error, in a line.
fn told(error: &LabError) -> String {
    let mut text = error.to_string();
    let mut cause = std::error::Error::source(error);
    while let Some(next) = cause {
        text = format!("{text}: {next}");
        cause = next.source();
    }
    text
}

/// Damages every file of a run in many ways, one at a time.
fn sweep(made: &RunFolder, reference: &[String]) {
    let (mut named, mut unharmed) = (0, 0);
    for file in files(made.root()) {
        let bytes = fs::read(made.root().join(&file)).expect("a file");
        for (what, bytes) in damaged(&bytes) {
            let case = format!("{} {what}", file.display());
            let temporary = tempfile::tempdir().expect("a folder");
            let folder = RunFolder::new(temporary.path().join("run"));
            copy(made.root(), folder.root());
            let path = folder.root().join(&file);
            match bytes {
                Some(bytes) => fs::write(&path, bytes).expect("written"),
                None => fs::remove_file(&path).expect("removed"),
            }
            let found = catch_unwind(|| lab::verify::verify(&folder, &|_| ()));
            let found = found.unwrap_or_else(|_| panic!("{case}: verify panicked"));
            if !found.is_clean() {
                let inside = found.problems.iter().all(|problem| problem.file.starts_with(folder.root()));
                assert!(inside, "{case}: {:#?}", found.problems);
                named += 1;
                continue;
            }
            let went_on = catch_unwind(AssertUnwindSafe(|| run_smallest(&folder)));
            match went_on.unwrap_or_else(|_| panic!("{case}: the run panicked")) {
                Ok(()) => {
                    assert_eq!(end(&folder), reference, "{case}");
                    unharmed += 1;
                }
                Err(error) => {
                    let (told, root) = (told(&error), folder.root().display().to_string());
                    assert!(told.contains(&root), "{case}: {told}");
                    named += 1;
                }
            }
        }
    }
    println!("{named} were named, {unharmed} came to the same end");
    assert!(named > 30 && unharmed > 5, "{named} {unharmed}");
}

#[test]
fn every_file_of_a_finished_run() {
    let temporary = tempfile::tempdir().expect("a folder");
    let made = RunFolder::new(temporary.path().join("run"));
    run_smallest(&made).expect("a run");
    sweep(&made, &end(&made));
}

#[test]
fn every_file_of_a_run_that_was_killed_in_self_play() {
    let temporary = tempfile::tempdir().expect("a folder");
    let whole = RunFolder::new(temporary.path().join("whole/run"));
    run_smallest(&whole).expect("a run");
    let journal = "data/journal/variant=wangqi/gen=0001.jsonl";
    for step in (20..).step_by(3) {
        let made = RunFolder::new(temporary.path().join(format!("{step}/run")));
        let fault = fault::install(fault::Kind::Kill, step);
        let ended = run_smallest(&made);
        drop(fault);
        assert!(ended.is_err(), "no step left two games in the journal");
        if fs::read_to_string(made.root().join(journal)).is_ok_and(|text| text.lines().count() >= 2) {
            return sweep(&made, &end(&whole));
        }
    }
}
