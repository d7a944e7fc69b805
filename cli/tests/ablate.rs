//! `kirin ablate`: runs side by side, a table, and the same table after an interruption.

use crate::lab::Lab;

#[test]
fn settings_are_compared_and_more_of_them_play_only_what_is_missing() {
    let lab = Lab::new("wangqi").set("run.generations=1");
    let table = |vary: &str| {
        let out =
            lab.succeed("ablate", &["--vary", vary, "--seeds", "1", "--pairs", "1", "--folder", "ablation", "--json"]);
        let rows: serde_json::Value = serde_json::from_str(&out).expect("JSON");
        rows.as_array().expect("rows").clone()
    };
    let settings = |rows: &[serde_json::Value]| {
        let mut names: Vec<String> =
            rows.iter().map(|row| row["setting"].as_str().expect("a name").to_owned()).collect();
        names.sort();
        names
    };
    let games = || {
        let logs = std::fs::read_dir(lab.path().join("ablation/matches")).expect("matches");
        logs.map(|log| std::fs::read_to_string(log.expect("a log").path()).expect("text").lines().count())
            .sum::<usize>()
    };
    let rows = table("search.visits=2,3");
    assert_eq!(settings(&rows), ["visits=2", "visits=3"]);
    assert!(rows.iter().all(|row| row["seeds"].as_array().is_some_and(|seeds| seeds.len() == 1)), "{rows:?}");
    let sum: f64 = rows.iter().map(|row| row["elo"].as_f64().expect("Elo")).sum();
    assert!(sum.abs() < 1e-6, "Elo is above the mean of all: {rows:?}");
    let before = games();
    assert_eq!(table("search.visits=2,3").len(), 2);
    assert_eq!(games(), before, "nothing was left to do");

    assert_eq!(settings(&table("search.visits=2,3,4")), ["visits=2", "visits=3", "visits=4"]);
    assert!(games() > before);
}

#[test]
fn every_line_of_the_log_names_its_run() {
    let lab = Lab::new("wangqi").set("run.generations=1");
    let told = lab.succeed("ablate", &["--vary", "search.visits=2,3", "--seeds", "1", "--pairs", "1", "--folder", "a"]);
    let lines: Vec<&str> =
        told.lines().filter(|line| line.contains(": generation ") || line.contains("] generation ")).collect();
    assert!(lines.len() >= 6, "{told}");
    let names = |line: &&str| line.contains("] visits=2 seed=") || line.contains("] visits=3 seed=");
    assert!(lines.iter().all(names), "{told}");
    assert!(told.contains("n/a"), "one seed has no error by seeds: {told}");
}

#[test]
fn what_cannot_be_compared_is_refused() {
    let lab = Lab::new("wangqi");
    let refused = |more: &[&str]| lab.refused(78, "ablate", &[more, &["--folder", "ablation"]].concat());
    assert!(refused(&["--vary", "search.vists=2,3"]).contains("did you mean search.visits?"));
    assert!(refused(&["--vary", "search.visits=2", "--seeds", "1"]).contains("one run alone"));
    assert!(
        refused(&["--vary", "search.visits=2,3,2"]).contains("--vary gives visits=2 twice, in the folder ablation")
    );
    assert!(!lab.path().join("ablation").exists(), "nothing is made");
}
