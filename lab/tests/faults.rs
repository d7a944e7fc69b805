//! Every step of a run that touches the disk fails once, or is the last before a kill or a power cut. The run resumes
//! with the same command, `verify` finds nothing wrong, and games, networks and results are those of an undisturbed
//! run.
//!
//! `make test` takes some of the steps; `make faults` takes each of them (`cargo test --release -p lab --test runs faults:: --
//! --ignored`).

use crate::tiny::{end, problems, run_smallest};
use lab::RunFolder;
use std::path::Path;
use testkit::{crash, fault};

/// The result of an undisturbed run.
fn undisturbed() -> Vec<String> {
    let temporary = tempfile::tempdir().expect("a folder");
    let folder = RunFolder::new(temporary.path().join("run"));
    run_smallest(&folder).expect("a run");
    assert_eq!(problems(&folder), [] as [String; 0]);
    end(&folder)
}

/// Resumes the run from what is left, and compares.
fn assert_goes_on(folder: &RunFolder, reference: &[String], case: &str) {
    run_smallest(folder).unwrap_or_else(|error| panic!("{case}: {error}: {:?}", std::error::Error::source(&error)));
    assert_eq!(problems(folder), [] as [String; 0], "{case}");
    assert_eq!(end(folder), reference, "{case}");
}

/// Makes the step `first` fail, and each step `every` steps later.
fn fail_steps(kind: fault::FaultKind, first: u64, every: u64) -> u64 {
    let reference = undisturbed();
    let mut failed = 0;
    for step in (first..).step_by(every as usize) {
        let temporary = tempfile::tempdir().expect("a folder");
        let folder = RunFolder::new(temporary.path().join("run"));
        let fault = fault::install(kind, step);
        let ended = run_smallest(&folder);
        let happened = fault.happened();
        drop(fault);
        if !happened {
            ended.expect("nothing failed");
            return failed;
        }
        failed += 1;
        // A step may fail without harm, such as the removal of a temporary file.
        assert_goes_on(&folder, &reference, &format!("{kind:?} at step {step}, which ended with {:?}", ended.err()));
    }
    failed
}

/// Cuts the power after the step `first`, and again after every `every` steps.
fn cut_the_power(first: usize, every: usize, seeds: u64) -> usize {
    let reference = undisturbed();
    let temporary = tempfile::tempdir().expect("a folder");
    let base = temporary.path().join("whole/run");
    let recording = crash::record();
    run_smallest(&RunFolder::new(&base)).expect("a run");
    let steps: Vec<usize> = (first..=recording.steps()).step_by(every).collect();
    let place = |step: usize, seed: u64| temporary.path().join(format!("{step}-{seed}/run"));
    for &step in &steps {
        (0..seeds).for_each(|seed| recording.leave(step, seed, &base, &place(step, seed)).expect("a folder"));
    }
    drop(recording);
    for &step in &steps {
        for seed in 0..seeds {
            let folder = RunFolder::new(place(step, seed));
            let case = format!("a power cut after step {step}, disk {seed}");
            assert_goes_on(&folder, &reference, &case);
            std::fs::remove_dir_all(folder.root().parent().unwrap_or(Path::new("."))).expect("removed");
        }
    }
    steps.len()
}

#[test]
fn a_run_goes_on_after_a_failed_step() {
    assert!(fail_steps(fault::FaultKind::DiskFull, 3, 17) >= 5);
}

#[test]
fn a_run_goes_on_after_a_kill_at_a_step() {
    assert!(fail_steps(fault::FaultKind::Kill, 8, 17) >= 5);
}

#[test]
fn a_run_goes_on_after_a_power_cut() {
    assert!(cut_the_power(5, 12, 1) >= 5);
}

#[test]
#[ignore = "several minutes: make faults"]
fn a_run_goes_on_after_each_failed_step() {
    let steps = [fault::FaultKind::DiskFull, fault::FaultKind::Kill].map(|kind| fail_steps(kind, 1, 1));
    println!("{steps:?} steps failed");
    assert!(steps.iter().all(|&steps| steps > 80), "{steps:?}");
}

#[test]
#[ignore = "several minutes: make faults"]
fn a_run_goes_on_after_each_power_cut() {
    let steps = cut_the_power(0, 1, 3);
    println!("the power was cut after each of {steps} steps, with 3 disks each");
    assert!(steps > 80, "{steps}");
}
