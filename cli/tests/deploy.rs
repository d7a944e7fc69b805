//! `kirin cluster`: files for schedulers.

use crate::kirin::{Ran, kirin_in};
use crate::lab::{CONFIG, Lab};

/// Runs `kirin cluster WHAT` on the config of a tiny run.
fn cluster(lab: &Lab, what: &str, more: &[&str]) -> Ran {
    let own = ["cluster", what, CONFIG, "--set", "run.variant=wangqi", "--set", "run.budget=none"];
    kirin_in(lab.path(), &[&own, more].concat())
}

const STORE: [&str; 4] = ["--store", "s3://bucket/demo", "--workers", "3"];

#[test]
fn job_files_name_this_program_and_hold_a_config_that_it_reads() {
    let lab = Lab::new("wangqi");
    let ran = cluster(&lab, "slurm", &[&STORE[..], &["--name", "demo", "--set", "search.visits=7"]].concat());
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let names = ["config.toml", "worker.sbatch", "trainer.sbatch", "referee.sbatch", "submit.sh"];
    let expected: String = names.iter().map(|name| format!("demo-slurm/{name}\n")).collect();
    assert_eq!(ran.out, expected + "to begin: bash demo-slurm/submit.sh\n");
    let worker = std::fs::read_to_string(lab.path().join("demo-slurm/worker.sbatch")).unwrap();
    assert!(worker.contains(env!("CARGO_BIN_EXE_kirin")), "{worker}");
    let config = std::fs::read_to_string(lab.path().join("demo-slurm/config.toml")).unwrap();
    assert!(config.contains("visits = 7\n") && config.contains("folder = \"run\"\n"), "{config}");
    // The config is complete: files from it are the same.
    let again = ["cluster", "slurm", "demo-slurm/config.toml", "--name", "demo", "--out", "again"];
    assert_eq!(kirin_in(lab.path(), &[&again[..], &STORE].concat()).code, Some(0));
    assert_eq!(std::fs::read_to_string(lab.path().join("again/config.toml")).unwrap(), config);
}

#[test]
fn manifests_are_written() {
    let lab = Lab::new("wangqi");
    let more = ["--name", "demo", "--image", "registry.example/kirin:1", "--secret", "demo-store"];
    let ran = cluster(&lab, "kubernetes", &[&STORE[..], &more].concat());
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    for name in ["config.yaml", "worker.yaml", "trainer.yaml", "referee.yaml", "Containerfile"] {
        assert!(lab.path().join("demo-kubernetes").join(name).exists(), "{name}");
    }
}

#[test]
fn what_was_changed_by_hand_is_not_overwritten() {
    let lab = Lab::new("wangqi");
    let arguments = [&STORE[..], &["--name", "demo"]].concat();
    assert_eq!(cluster(&lab, "slurm", &arguments).code, Some(0));
    assert_eq!(cluster(&lab, "slurm", &arguments).code, Some(0), "the same again");
    std::fs::write(lab.path().join("demo-slurm/submit.sh"), "mine").unwrap();
    let other = [&STORE[..3], &["9", "--name", "demo"]].concat();
    let ran = cluster(&lab, "slurm", &other);
    assert_eq!(ran.code, Some(78));
    assert!(ran.err.contains("is there already and is different; choose another --out"), "{}", ran.err);
    let worker = std::fs::read_to_string(lab.path().join("demo-slurm/worker.sbatch")).unwrap();
    assert!(worker.contains("--array=0-2\n"), "nothing was written");
}

#[test]
fn wrong_values_name_their_flag() {
    let lab = Lab::new("wangqi");
    let ran = cluster(&lab, "slurm", &["--store", "bucket", "--workers", "0", "--name", "My Run", "--time", "10s"]);
    assert_eq!(ran.code, Some(78));
    for flag in ["--store: ", "--workers: ", "--name: ", "--time: "] {
        assert!(ran.err.contains(flag), "{flag}: {}", ran.err);
    }
    let ran = cluster(&lab, "slurm", &[&STORE[..], &["--set", "run.budget=5m"]].concat());
    assert_eq!(ran.code, Some(78));
    assert!(ran.err.contains("--set run.budget=none --set run.generations=N"), "{}", ran.err);
    assert_eq!(cluster(&lab, "slurm", &[&STORE[..], &["--memory", "4"]].concat()).code, Some(2));
    assert!(!lab.path().join("tiny-slurm").exists(), "nothing was written");
}
