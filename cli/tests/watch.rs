//! `kirin watch` on runs that are over, interrupted and in progress, and on folders that hold no run.

use crate::kirin::kirin_in;
use crate::lab::{Lab, wait_until};
use serde_json::Value;
use std::process::Command;
use unicode_width::UnicodeWidthStr;

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
    assert!(ran.out.contains(": interrupted; the same command resumes it\n"), "{}", ran.out);
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

/// 30 plies are too few for a winner, so the games of the tiny run reach the ply limit, and the run says what to do.
#[test]
fn remedies_fit_80_columns_and_say_which_run_they_apply_to() {
    let lab = Lab::new("wangqi").set("selfplay.ending_share=0");
    let log = lab.kirin("run", &[]);
    assert_eq!(log.code, Some(0), "{}", log.err);
    let ran = kirin_in(lab.path(), &["watch", "run", "--once"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert!(ran.out.lines().all(|line| line.width() <= 80), "{}", ran.out);
    let remedy = "in the next run, give games more room with selfplay.max_plies";
    let lines: Vec<&str> = ran.out.lines().collect();
    let at = lines.iter().position(|line| line.starts_with("health   games cut off at the ply limit "));
    let at = at.unwrap_or_else(|| panic!("no alarm in\n{}", ran.out));
    let below = lines[at + 1..].iter().find(|line| line.starts_with("           ")).expect("a remedy");
    assert!(below.trim_start().starts_with(remedy), "{}", ran.out);
    let figure = lines[at..at + 2].iter().map(|line| line.trim()).collect::<Vec<_>>().join(" ");
    assert!(figure.contains(" in generation 2, healthy up to 15.0 %"), "{}", ran.out);
    assert!(!ran.out.contains("in their ranges"), "{}", ran.out);

    // The log, the page and JSON show the same remedy.
    assert!(format!("{}{}", log.out, log.err).contains(remedy), "{}{}", log.out, log.err);
    let state = state(&lab);
    let capped = state["health"].as_array().and_then(|all| all.iter().find(|figure| figure["name"] == "capped"));
    let capped = capped.unwrap_or_else(|| panic!("{state}"));
    assert_eq!((&capped["generation"], &capped["keys_when_resumed"]), (&2.into(), &serde_json::json!([])));
    assert_eq!(capped["keys_for_next_run"][0], "selfplay.max_plies");
    assert!(capped["remedy"].as_str().is_some_and(|text| text.starts_with("in the next run, ")), "{capped}");
    let ran = kirin_in(lab.path(), &["report", "run"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let page = std::fs::read_to_string(lab.file("report.html")).expect("the page");
    assert!(page.contains("in the next run, give games more room with <code>selfplay.max_plies</code>"));
}

/// A run that begins measures the machine for seconds before its folder holds a configuration.
#[test]
fn a_run_that_is_being_opened_is_no_error() {
    let folder = tempfile::tempdir().expect("a folder");
    let lock = lab::RunFolder::new(folder.path().join("run")).lock().expect("the lock");
    let ran = kirin_in(folder.path(), &["watch", "run", "--once"]);
    assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""));
    assert_eq!(ran.out, "run: being opened; the first stage begins after some measurements\n");
    let ran = kirin_in(folder.path(), &["watch", "run", "--once", "--json"]);
    let state: Value = serde_json::from_str(&ran.out).expect("JSON");
    assert_eq!((ran.code, &state["condition"]), (Some(0), &"opening".into()));
    drop(lock);
    assert_eq!(kirin_in(folder.path(), &["watch", "run", "--once"]).code, Some(78), "nothing opens it");
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
