//! `kirin analyse`, as promised to people and scripts.

use crate::kirin::{command, kirin};
use serde_json::Value;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::Stdio;

/// A rook checks on the tenth rank, the general has one move, and a horse mates.
const MATE_IN_TWO: &str = "5k3/4a4/3a5/5N1N1/9/4p4/6R2/9/p3A4/4KAB2 w - - 11 132";

#[test]
fn a_forced_mate_is_told_with_its_line() {
    let arguments = ["analyse", "--net", "none", "--variant", "xiangqi", "--fen", MATE_IN_TWO, "--visits", "5000"];
    let ran = kirin(&arguments);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert!(ran.out.contains("no network"), "it says what it lacks: {}", ran.out);
    assert!(ran.out.contains("win 100.0 %") && ran.out.contains("win in 3"), "{}", ran.out);
    assert!(ran.out.trim_end().ends_with("the outcome is certain"), "{}", ran.out);
    let ran = kirin(&[&arguments[..], &["--json", "--batch", "1"]].concat());
    let shown: Value = serde_json::from_str(ran.out.lines().last().expect("a line")).expect("JSON");
    assert_eq!((&shown["finish"], &shown["net"]), (&Value::from("proven"), &Value::Null));
    assert_eq!(shown["proven"], serde_json::json!({ "outcome": "win", "plies": 3 }));
    assert_eq!(shown["lines"][0]["moves"][0], "g4g10");
    assert_eq!(shown["lines"][0]["moves"].as_array().map(Vec::len), Some(3));
}

#[test]
fn without_a_name_the_network_is_the_one_that_comes_with_kirin() {
    let ran = kirin(&["analyse", "--variant", "wangqi", "--visits", "64", "--json"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert!(ran.err.contains("comes with Kirin"), "{}", ran.err);
    let shown: Value = serde_json::from_str(ran.out.lines().last().expect("a line")).expect("JSON");
    let network = train::builtin(rules::VariantId::Wangqi).expect("readable").expect("there is one");
    assert_eq!(shown["net"], network.id());
}

#[test]
fn lines_and_simulations_are_those_asked_for() {
    let moves = "h3e3 h10g8";
    let ran = kirin(&[
        "analyse",
        "--net",
        "none",
        "--variant",
        "xiangqi",
        "--moves",
        moves,
        "--visits",
        "800",
        "--multipv",
        "4",
        "--json",
    ]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let shown: Value = serde_json::from_str(ran.out.lines().last().expect("a line")).expect("JSON");
    assert_eq!((&shown["simulations"], &shown["finish"]), (&Value::from(800), &Value::from("simulations")));
    let lines = shown["lines"].as_array().expect("lines");
    let visits: Vec<u64> = lines.iter().filter_map(|line| line["visits"].as_u64()).collect();
    assert!(visits.len() == 4 && visits.is_sorted_by(|a, b| a >= b), "{visits:?}");
    assert!(shown["seldepth"].as_u64() >= Some(2) && shown["depth"].as_f64() > Some(1.0));
}

/// Without a limit it streams until the first Ctrl-C, and then says what it knows.
#[test]
fn ctrl_c_stops_and_prints_what_is_known() {
    let mut child =
        command(Path::new("."), &["analyse", "--net", "none", "--variant", "xiangqi", "--json", "--memory", "4096"])
            .stdout(Stdio::piped())
            .spawn()
            .expect("kirin starts");
    let mut lines = BufReader::new(child.stdout.take().expect("its output")).lines();
    let mut text: Vec<String> = lines.by_ref().take(2).map(|line| line.expect("UTF-8")).collect();
    let told = std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("kill");
    assert!(told.success());
    text.extend(lines.map(|line| line.expect("UTF-8")));
    assert_eq!(child.wait().expect("it ends").code(), Some(0));
    let reports: Vec<Value> = text.iter().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert!(reports.len() > 2, "it streams: {text:?}");
    assert!(reports.iter().rev().skip(1).all(|report| report["finish"].is_null()));
    assert_eq!(reports[reports.len() - 1]["finish"], "stopped");
}

#[test]
fn what_cannot_be_analysed_is_refused_with_a_reason() {
    let ran = kirin(&["analyse", "--variant", "xiangqi", "--fen", "R2k5/1R7/9/9/9/9/9/9/9/5K3 b - - 0 1"]);
    assert_eq!(ran.code, Some(78));
    assert!(ran.err.contains("the game is over: the first player has won (checkmate)"), "{}", ran.err);
    let ran = kirin(&["analyse", "--visits", "10"]);
    assert!(ran.code != Some(0) && ran.err.contains("--variant"), "{}", ran.err);
    let ran = kirin(&["analyse", "--variant", "xiangqi", "--visits", "0"]);
    assert!(ran.code != Some(0) && ran.err.contains("1..=1000000000"), "{}", ran.err);
}
