//! The job files in a real SLURM of four virtual nodes (`scripts/slurm-cluster`): they are accepted, a job whose node
//! dies and one whose time is nearly over are requeued, a cancelled one is not, and a chain continues after a drained
//! link.
//!
//! A shell script replaces `kirin`; `scripts/oracles` installs SLURM. Where it is missing the tests say so and pass;
//! with `KIRIN_ORACLES=required` that is a failure.

mod virtual_cluster;

use self::virtual_cluster::{VirtualCluster, submitted, wait_until};
use distributed::deployment::{Deployment, Needs, Pace, slurm};
use std::path::Path;

/// The replacement for `kirin`: records its start, exits with success if there is a file `over`, and drains when it is
/// asked to, once: scancel signals it, and so does the job's shell.
const PROGRAM: &str = r#"#!/bin/bash
me=$1-${SLURM_ARRAY_TASK_ID:-0}
trap 'trap "" TERM; echo "$me drained" >> notes; exit 75' TERM
echo "$me begins" >> notes
while [ ! -e over ]; do sleep 0.1; done
echo "$me ends" >> notes
"#;

/// Writes job files into a folder, with the script as the program.
fn write(folder: &Path, workers: u32, chain: u32) {
    let needs = Needs { cpus: 2, memory: "64M".parse().unwrap(), gpus: 0 };
    let deployment = Deployment {
        name: "demo".to_owned(),
        store: "file:///nowhere".to_owned(),
        config: "[run]\n".to_owned(),
        workers,
        worker: needs,
        trainer: needs,
        referee: needs,
        grace: 30,
        spool: "64M".parse().unwrap(),
        pace: Pace::default(),
    };
    let program = folder.join("kirin");
    std::fs::write(&program, PROGRAM).unwrap();
    let made = std::process::Command::new("chmod").arg("+x").arg(&program).status().unwrap();
    assert!(made.success());
    let options = slurm::Options { chain, kirin: program.display().to_string(), ..slurm::Options::default() };
    for file in slurm::files(&deployment, &options).unwrap() {
        std::fs::write(folder.join(file.name), file.text).unwrap();
    }
}

/// How often a line occurs in the notes.
fn noted(folder: &Path, line: &str) -> usize {
    let notes = std::fs::read_to_string(folder.join("notes")).unwrap_or_default();
    notes.lines().filter(|found| *found == line).count()
}

/// Four nodes and a folder with these job files; `None` where there is no SLURM.
fn begun(workers: u32, chain: u32) -> Option<(VirtualCluster, tempfile::TempDir)> {
    let slurm = VirtualCluster::start(4)?;
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), workers, chain);
    Some((slurm, folder))
}

#[test]
fn jobs_survive_their_node_and_their_time_but_not_scancel() {
    // Four jobs that each fill a node.
    let Some((slurm, folder)) = begun(2, 1) else { return };
    let folder = folder.path();
    for role in ["trainer", "referee", "worker"] {
        slurm.run(folder, &["sbatch", "--test-only", &format!("{role}.sbatch")]);
    }
    let jobs = submitted(&slurm.run(folder, &["bash", "submit.sh"]));
    let [trainer, referee, worker] = jobs.as_slice() else { panic!("{jobs:?}") };
    let began = |who: &str| noted(folder, &format!("{who} begins"));
    wait_until("all four began", || ["trainer-0", "referee-0", "worker-0", "worker-1"].map(began) == [1; 4]);

    // A node dies under worker 0, the time of worker 1 is nearly over, and the trainer is cancelled.
    let (lost, drained) = (format!("{worker}_0"), format!("{worker}_1"));
    let node = slurm.run(folder, &["squeue", "-h", "-j", &lost, "-o", "%N"]);
    slurm.lose(node.trim());
    slurm.run(folder, &["scancel", "--batch", "--signal=USR1", &drained]);
    slurm.run(folder, &["scancel", trainer]);
    wait_until("two drained", || noted(folder, "worker-1 drained") + noted(folder, "trainer-0 drained") == 2);
    wait_until("both workers began again", || {
        slurm.hurry(folder);
        [began("worker-0"), began("worker-1")] == [2, 2]
    });
    std::fs::write(folder.join("over"), "").unwrap();
    wait_until("nothing is left", || slurm.run(folder, &["squeue", "-h"]).is_empty());
    assert_eq!([began("trainer-0"), began("referee-0")], [1, 1], "one was cancelled, and nothing befell the other");
    for job in [referee, &lost, &drained] {
        let state = slurm.run(folder, &["scontrol", "-o", "show", "job", job]);
        assert!(state.contains("JobState=COMPLETED") && state.contains("ExitCode=0:0"), "{state}");
    }
    slurm.bring_back(node.trim());
    wait_until("the node is there again", || slurm.run(folder, &["sinfo", "-h", "-o", "%t %D"]).trim() == "idle 4");
}

#[test]
fn a_chain_goes_on_after_a_drained_link() {
    let Some((slurm, folder)) = begun(1, 2) else { return };
    let folder = folder.path();
    let jobs = submitted(&slurm.run(folder, &["bash", "submit.sh"]));
    assert_eq!(jobs.len(), 6);
    let all = ["trainer-0", "referee-0", "worker-0"];
    let every = |times: usize| all.iter().all(|who| noted(folder, &format!("{who} begins")) == times);
    wait_until("the first links began", || every(1));
    std::thread::sleep(std::time::Duration::from_secs(1));
    assert!(every(1), "the second links wait for the first");
    for job in &jobs[..3] {
        slurm.run(folder, &["scancel", "--batch", "--signal=USR1", job]);
    }
    wait_until("the second links began", || every(2));
    std::fs::write(folder.join("over"), "").unwrap();
    wait_until("nothing is left", || slurm.run(folder, &["squeue", "-h"]).is_empty());
    assert!(every(2));
}
