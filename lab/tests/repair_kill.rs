//! A repair that is killed, or that fails at a step: no step loses anything, and repeating the repair gives the same
//! result.

use crate::tiny::damage::{Damage, GAMES, MATCH, Made, files, flip, halve, junk, remove, spoil_line};
use crate::tiny::problems;
use data::durable::is_temporary;
use data::repair::DAMAGED;
use lab::RunFolder;
use lab::repair::repair;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use testkit::fault;

/// All files below a folder with their bytes, by their paths in it.
fn contents(root: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    files(root).into_iter().map(|file| (file.clone(), fs::read(root.join(file)).expect("a file"))).collect()
}

/// The run after a repair: its files, without quarantined ones and half-written leftovers of a kill.
fn repaired(run: &RunFolder) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut files = contents(run.root());
    files.retain(|path, _| !path.starts_with(DAMAGED) && !is_temporary(path));
    files
}

/// Whether there are files with all of these contents.
fn keeps(run: &RunFolder, before: &BTreeSet<Vec<u8>>) -> bool {
    before.is_subset(&contents(run.root()).into_values().collect())
}

/// After a kill or a failed step, the repair is repeated. It gives the same files, and every earlier file, damaged or
/// intact, exists at every moment.
fn disturb_each_step(kind: fault::FaultKind) -> u32 {
    let made = Made::new();
    let cases: [(&str, Damage); 10] = [
        (GAMES, flip),
        ("data/manifest.jsonl", junk),
        ("nets/gen-0000.safetensors", flip),
        ("nets/gen-0002.safetensors", halve),
        ("checkpoints/gen-0002.safetensors", remove),
        ("slots.json", junk),
        ("events.jsonl", |path| spoil_line(path, 1)),
        ("plan.jsonl", junk),
        (MATCH, junk),
        ("metrics.jsonl", flip),
    ];
    let mut disturbed = 0;
    for (name, damage) in cases {
        let damaged = || {
            let (copied, run) = made.again();
            damage(&run.root().join(name));
            (copied, run)
        };
        let (_kept, once) = damaged();
        let before: BTreeSet<Vec<u8>> = contents(once.root()).into_values().collect();
        repair(&once).expect("a repair");
        let reference = repaired(&once);
        for step in 1.. {
            let case = format!("{name}, {kind:?} at step {step}");
            let (_copied, run) = damaged();
            let fault = fault::install(kind, step);
            let ended = repair(&run);
            let happened = fault.happened();
            drop(fault);
            if !happened {
                ended.unwrap_or_else(|error| panic!("{case}: {error}"));
                break;
            }
            disturbed += 1;
            assert!(keeps(&run, &before), "{case}: something is lost");
            repair(&run).unwrap_or_else(|error| panic!("{case}: {error}"));
            assert_eq!(problems(&run), [] as [String; 0], "{case}");
            let files = repaired(&run);
            assert!(files.keys().eq(reference.keys()), "{case}: {:?} and not {:?}", files.keys(), reference.keys());
            let other = files.iter().find(|(path, bytes)| reference.get(*path) != Some(bytes));
            assert!(other.is_none(), "{case}: {:?} is not what one repair makes", other.map(|(path, _)| path));
            assert!(keeps(&run, &before), "{case}: the second repair has lost something");
        }
    }
    println!("{disturbed} repairs: {kind:?}");
    disturbed
}

#[test]
fn a_kill_at_any_step_of_a_repair_loses_nothing() {
    assert!(disturb_each_step(fault::FaultKind::Kill) > 100);
}

#[test]
fn a_failure_at_any_step_of_a_repair_loses_nothing() {
    assert!(disturb_each_step(fault::FaultKind::DiskFull) > 100);
}
