//! Damage at many places of every file of a run, finished or interrupted: it is reported with the path, or the run
//! reaches the same end. There is never a panic, and never a different figure.
//!
//! All readers of the damaged run (openings, summary, record, tables of matches, curves) show the same figures or an
//! error with a path. A log with whole lines cut from its end reads as it did before these lines were written.

use crate::tiny::damage::files;
use crate::tiny::{copy, end, run_smallest};
use data::{DataStore, OpeningQuery};
use lab::RunFolder;
use std::collections::BTreeSet;
use std::error::Error;
use std::fmt::Debug;
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use testkit::fault;

/// Bits flipped and lengths cut in each file.
const FLIPS: usize = 5;
const CUTS: usize = 3;

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
fn told(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(next) = cause {
        text = format!("{text}: {next}");
        cause = next.source();
    }
    text
}

/// Figures read from a run, or the error. The folder of the run is called [`FOLDER`] in both.
type Shown = Result<String, String>;

const FOLDER: &str = "THE RUN";

/// The output of each read-only command on a run, by name.
fn readers(folder: &RunFolder) -> [(&'static str, Shown); 6] {
    fn shown<T: Debug, E: Error + 'static>(folder: &RunFolder, read: Result<T, E>) -> Shown {
        let root = folder.root().display().to_string();
        let called = |text: String| text.replace(&root, FOLDER);
        read.map(|figures| called(format!("{figures:?}"))).map_err(|error| called(told(&error)))
    }
    let store = || DataStore::open_read_only(&folder.data());
    let matches = folder.matches();
    [
        ("openings", shown(folder, store().and_then(|store| store.openings(&OpeningQuery::new("wangqi"))))),
        ("summary", shown(folder, store().and_then(|store| store.summary("wangqi", 0..=u32::MAX)))),
        ("events", shown(folder, lab::events::read(&folder.events()))),
        ("ladder", shown(folder, eval::ladder(&matches, None))),
        ("standings", shown(folder, eval::standings(&matches, None))),
        ("metrics", shown(folder, train::MetricsEntry::read(&folder.metrics()))),
    ]
}

/// What readers show of a run in which this log has fewer lines, or is missing. Nothing if the file is not a log: all
/// other files are written in one piece.
fn with_fewer_lines(made: &RunFolder, file: &Path) -> BTreeSet<(&'static str, Shown)> {
    if file.extension().is_none_or(|end| end != "jsonl") {
        return BTreeSet::new();
    }
    let bytes = fs::read(made.root().join(file)).expect("a file");
    let ends = (0..bytes.len()).filter(|&at| at == 0 || bytes[at - 1] == b'\n');
    let kept = ends.map(|at| Some(&bytes[..at])).chain([None]);
    kept.flat_map(|bytes| readers(&with(made, file, bytes).1)).collect()
}

/// A copy of a run in which a file has other bytes, or is missing.
fn with(made: &RunFolder, file: &Path, bytes: Option<&[u8]>) -> (tempfile::TempDir, RunFolder) {
    let temporary = tempfile::tempdir().expect("a folder");
    let folder = RunFolder::new(temporary.path().join("run"));
    copy(made.root(), folder.root());
    let path = folder.root().join(file);
    match bytes {
        Some(bytes) => fs::write(&path, bytes).expect("written"),
        None => fs::remove_file(&path).expect("removed"),
    }
    (temporary, folder)
}

/// Damages every file of a run in many ways, one at a time.
fn sweep(made: &RunFolder, reference: &[String]) {
    let (mut named, mut unharmed, mut seen_by_readers) = (0, 0, 0);
    let undisturbed = readers(made);
    for file in files(made.root()) {
        let bytes = fs::read(made.root().join(&file)).expect("a file");
        let fewer = with_fewer_lines(made, &file);
        for (what, bytes) in damaged(&bytes) {
            let case = format!("{} {what}", file.display());
            let (_temporary, folder) = with(made, &file, bytes.as_deref());
            let found = catch_unwind(|| lab::verify::verify(&folder, &|_| ()));
            let found = found.unwrap_or_else(|_| panic!("{case}: verify panicked"));
            let inside = found.problems.iter().all(|problem| problem.file.starts_with(folder.root()));
            assert!(inside, "{case}: {:#?}", found.problems);
            let shown = catch_unwind(|| readers(&folder)).unwrap_or_else(|_| panic!("{case}: a reader panicked"));
            for shown in shown {
                let is_named = shown.1.as_ref().is_err_and(|error| error.contains(FOLDER));
                seen_by_readers += u32::from(is_named);
                assert!(is_named || undisturbed.contains(&shown) || fewer.contains(&shown), "{case}: {shown:?}");
            }
            let went_on = catch_unwind(AssertUnwindSafe(|| run_smallest(&folder)));
            let mut is_named = !found.is_clean();
            match went_on.unwrap_or_else(|_| panic!("{case}: the run panicked")) {
                Ok(()) => assert_eq!(end(&folder), reference, "{case}"),
                Err(error) => {
                    let (told, root) = (told(&error), folder.root().display().to_string());
                    assert!(told.contains(&root), "{case}: {told}");
                    is_named = true;
                }
            }
            *(if is_named { &mut named } else { &mut unharmed }) += 1;
        }
    }
    println!("{named} were named, {unharmed} came to the same end, readers named {seen_by_readers}");
    assert!(named > 30 && unharmed > 5 && seen_by_readers > 0, "{named} {unharmed} {seen_by_readers}");
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
        let fault = fault::install(fault::FaultKind::Kill, step);
        let ended = run_smallest(&made);
        drop(fault);
        assert!(ended.is_err(), "no step left two games in the journal");
        if fs::read_to_string(made.root().join(journal)).is_ok_and(|text| text.lines().count() >= 2) {
            return sweep(&made, &end(&whole));
        }
    }
}
