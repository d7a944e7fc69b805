//! What a killed program left in a run's folder, and locks that were removed.

use crate::lab::state::temporaries;
use crate::lab::{Lab, ended, signal, wait_until};
use std::fs;
use std::process::Child;

/// A run that has finished a game and is held up there.
fn held_up(lab: &Lab) -> Child {
    let child = lab.start(&[]);
    wait_until("a game is finished", || lab.lines("data/journal/variant=wangqi/gen=0001.jsonl") > 0);
    signal(&child, "STOP");
    child
}

/// Removes locks while a program holds them.
fn remove_locks(lab: &Lab, names: &[&str]) {
    names.iter().for_each(|name| fs::remove_file(lab.file(name)).expect("removed"));
}

#[test]
fn unfinished_files_of_a_killed_program_are_removed_and_told() {
    let lab = Lab::new("wangqi").set("run.generations=1");
    lab.succeed("run", &[]);
    let before = lab.state();
    let names = [".config.toml.tmp-77-0", "nets/.gen-0001.safetensors.tmp-77-1", "data/.manifest.jsonl.tmp-77-2"];
    for name in names {
        fs::write(lab.file(name), "half a fi").expect("written");
    }
    fs::write(lab.file("nets/notes.txt"), "of the user").expect("written");
    let said = lab.succeed("run", &[]);
    assert!(said.contains("cleaned up after a killed program: removed 3 files that it had not finished"), "{said}");
    assert!(temporaries(lab.path()).is_empty(), "{:?} are left", temporaries(lab.path()));
    fs::remove_file(lab.file("nets/notes.txt")).expect("what is not of a program stays");
    lab.state().assert_same(&before);
    assert!(!lab.succeed("run", &[]).contains("cleaned up"), "there is nothing to tell any more");
}

/// Another program is refused by the lock of the data. The first one ends at its next stage. Nothing is lost.
#[test]
fn without_its_lock_a_run_ends_at_the_next_stage() {
    let undisturbed = Lab::new("wangqi");
    undisturbed.succeed("run", &[]);
    let lab = Lab::new("wangqi");
    let first = held_up(&lab);
    remove_locks(&lab, &["lock"]);
    let message = lab.refused(74, "run", &[]);
    let holder = format!("run/data is in use by another kirin process (process {}", first.id());
    assert!(message.contains(&holder), "{message}");
    signal(&first, "CONT");
    let (code, said) = ended(first);
    assert_eq!(code, Some(74), "{said}");
    assert!(said.contains("run was moved or deleted while it was written"), "{said}");
    lab.succeed("run", &[]);
    lab.state().assert_same(&undisturbed.state());
}

/// With both locks gone another program may do the whole run meanwhile. The first one then changes nothing of it.
#[test]
fn without_any_lock_the_first_program_commits_nothing_more() {
    let undisturbed = Lab::new("wangqi");
    undisturbed.succeed("run", &[]);
    let lab = Lab::new("wangqi");
    let first = held_up(&lab);
    remove_locks(&lab, &["lock", "data/.lock"]);
    lab.succeed("run", &[]);
    lab.state().assert_same(&undisturbed.state());
    signal(&first, "CONT");
    let (code, said) = ended(first);
    assert_eq!(code, Some(74), "{said}");
    assert!(said.contains("was moved or deleted while it was written"), "{said}");
    lab.state().assert_same(&undisturbed.state());
}
