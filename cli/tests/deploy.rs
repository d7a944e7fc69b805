//! `kirin cluster`: files for schedulers, and what a run on many machines will do.

use crate::kirin::{Ran, kirin_in};
use crate::lab::{CONFIG, Lab};
use serde_json::Value;

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

fn simulated(more: &[&str]) -> Ran {
    kirin_in(std::path::Path::new("."), &[&["cluster", "simulate"], more].concat())
}

#[test]
fn a_simulation_goes_on_from_its_own_measurements() {
    let ran = simulated(&["--json", "--workers", "1,4", "--set", "put_ms=55", "--set", "worker_hour=0.5"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let report: Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(report["measured"]["put_ms"], 55.0);
    assert_eq!(report["outcomes"][1]["workers"], 4);
    assert_eq!(report["outcomes"][1]["money"], 48.0);
    let folder = tempfile::tempdir().unwrap();
    let (measured, prices) = (folder.path().join("measured.json"), folder.path().join("prices.json"));
    // One of the files is what was printed, the other one its section alone.
    std::fs::write(&measured, &ran.out).unwrap();
    std::fs::write(&prices, report["prices"].to_string()).unwrap();
    let files = ["--measured", measured.to_str().unwrap(), "--prices", prices.to_str().unwrap()];
    let again = simulated(&[&["--json", "--workers", "1,4"], &files[..]].concat());
    assert_eq!(again.out, ran.out);
    let table = simulated(&["--workers", "1"]).out;
    assert!(
        table.contains("The first part to be busy all the time: the trainer's arithmetic, at 1.3 workers."),
        "{table}"
    );
}

#[test]
fn wrong_measurements_are_refused() {
    for (set, message) in [
        ("putms=5", "no measurement and no price is called \"putms\"; did you mean put_ms?"),
        ("put_ms=soon", "--set put_ms=soon: write KEY=NUMBER"),
        ("put_ms=-1", "put_ms: -1 is out of range; 0 to 1000000000000"),
    ] {
        let ran = simulated(&["--set", set]);
        assert_eq!(ran.code, Some(78), "{set}");
        assert!(ran.err.contains(message), "{}", ran.err);
    }
    assert_eq!(simulated(&["--workers", "0"]).code, Some(2));
}
