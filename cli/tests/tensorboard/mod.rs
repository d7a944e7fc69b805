//! TensorBoard's own reader, which shares no code with our writer, reads the curves of a run.
//!
//! `scripts/oracles` installs it. Where it is missing the test says so and passes; with `KIRIN_ORACLES=required` that is
//! a failure.

use crate::kirin::kirin_in;
use crate::lab::Lab;
use serde_json::Value;
use std::path::PathBuf;
use std::process::Command;
use testkit::oracle;

/// Where `scripts/oracles` installs TensorBoard.
fn tensorboard() -> Option<PathBuf> {
    oracle::packages("tensorboard", include_str!("requirements.txt"), "TensorBoard is missing (scripts/oracles)")
}

#[test]
fn tensorboard_reads_the_curves_of_a_run() {
    let Some(packages) = tensorboard() else { return };
    let lab = Lab::new("wangqi");
    lab.succeed("run", &[]);
    // Twice: the second writing replaces the first.
    for _ in 0..2 {
        let ran = kirin_in(lab.path(), &["report", "run", "--tensorboard", "curves", "--json"]);
        let told: Value = serde_json::from_str(&ran.out).unwrap_or_else(|error| panic!("{error}: {}", ran.out));
        assert_eq!(told["tensorboard"], "curves/run/events.out.tfevents.0.kirin");
    }
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/tensorboard/scalars.py");
    let mut python = Command::new("python3");
    let output = python.env("PYTHONPATH", packages).arg(script).arg(lab.path().join("curves/run")).output();
    let output = output.expect("python3");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let curves: Value = serde_json::from_slice(&output.stdout).expect("JSON");

    let events = std::fs::read_to_string(lab.file("events.jsonl")).expect("events");
    let events = events.lines().map(|line| serde_json::from_str::<Value>(line).expect("JSON")["event"].take());
    let trained: Vec<Value> = events.filter(|event| event["stage"] == "train").collect();
    assert_eq!(trained.len(), 2);
    for (generation, stage) in (1..).zip(&trained) {
        let point = &curves["loss/policy"][generation - 1];
        let loss = stage["trained_policy_loss"].as_f64().expect("a loss");
        assert_eq!(point[0], generation, "{curves}");
        assert!((point[2].as_f64().expect("a value") - loss).abs() < 1e-6, "{point} and {loss}");
        let at = stage["at_ms"].as_f64().expect("a time") / 1000.0;
        assert!((point[1].as_f64().expect("a time") - at).abs() < 1e-3, "{point} and {at}");
    }
    for tag in ["rating/elo", "speed/samples_per_second", "health/first_score", "step/policy_loss"] {
        assert!(curves[tag].as_array().is_some_and(|points| !points.is_empty()), "no {tag} in {curves}");
    }
}
