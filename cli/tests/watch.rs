//! `kirin watch` on runs that are over, interrupted and in progress, and on what is none.

use crate::kirin::kirin_in;
use crate::lab::{Lab, wait_until};
use serde_json::Value;
use std::process::Command;

fn state(lab: &Lab) -> Value {
    let ran = kirin_in(lab.path(), &["watch", "run", "--once", "--json"]);
    assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);
    serde_json::from_str(&ran.out).unwrap_or_else(|error| panic!("{error}: {}", ran.out))
}

#[test]
fn a_run_is_watched_while_it_goes_on_and_after_it_was_killed() {
    let lab = Lab::new("wangqi").set("selfplay.plies_per_generation=20000");
    let mut child = lab.start(&[]);
    wait_until("it plays", || {
        lab.file("progress.json").exists() && state(&lab)["stage"]["done"].as_u64().is_some_and(|done| done > 0)
    });
    let running = state(&lab);
    assert_eq!((&running["condition"], &running["generation"]), (&"running".into(), &1.into()), "{running}");
    assert_eq!(running["stage"]["task"], "selfplay");
    let share = running["done"].as_f64().expect("a share");
    assert!(share > 0.0 && share < 0.5, "{running}");
    let ran = kirin_in(lab.path(), &["watch", "run"]);
    assert!(ran.code == Some(0) && ran.out.contains("stage    self-play, "), "{}{}", ran.out, ran.err);

    child.kill().expect("killed");
    child.wait().expect("waited for");
    let killed = state(&lab);
    assert_eq!((&killed["condition"], &killed["seconds_left"]), (&"interrupted".into(), &Value::Null), "{killed}");
    let ran = kirin_in(lab.path(), &["watch", "run", "--once"]);
    assert!(ran.out.contains(": interrupted; kirin run goes on with it\n"), "{}", ran.out);
}

#[test]
fn a_run_that_is_over_has_its_losses_and_its_rating() {
    let lab = Lab::new("wangqi");
    lab.succeed("run", &[]);
    let before = std::fs::read(lab.file("events.jsonl")).expect("events");
    let state = state(&lab);
    assert_eq!(
        (&state["condition"], &state["done"], &state["generation"]),
        (&"finished".into(), &1.0.into(), &2.into())
    );
    assert!(state["losses"]["policy"].as_f64().is_some_and(|loss| loss > 0.0), "{state}");
    assert_eq!(state["rating"]["network"], 2);
    assert!(state["health"].as_array().is_some_and(|figures| !figures.is_empty()), "{state}");
    assert_eq!(std::fs::read(lab.file("events.jsonl")).expect("events"), before, "nothing is changed");
}

#[test]
fn what_is_no_run_is_told() {
    let folder = tempfile::tempdir().expect("a folder");
    let ran = kirin_in(folder.path(), &["watch", "nowhere", "--once"]);
    assert!(ran.code == Some(74) && ran.err.contains("cannot read nowhere"), "{}", ran.err);
    std::fs::create_dir(folder.path().join("empty")).expect("a folder");
    let ran = kirin_in(folder.path(), &["watch", "empty", "--once"]);
    assert!(
        ran.code == Some(78) && ran.err.contains("empty is not a run folder: it has no config.toml"),
        "{}",
        ran.err
    );
    let refused = Command::new(env!("CARGO_BIN_EXE_kirin")).args(["watch", "empty", "--json"]).output().expect("kirin");
    assert_eq!(refused.status.code(), Some(2), "--json without --once");
}
