//! `kirin bench` as programs use it.

mod kirin;

use kirin::kirin_in;
use serde_json::Value;

const SUBJECT: &[&str] = &[
    "--variant",
    "wangqi",
    "--net",
    "1x8",
    "--threads",
    "1",
    "--device",
    "cpu",
    "--precision",
    "fp32",
    "--batch",
    "8",
    "--json",
];

fn measured(arguments: &[&str]) -> Value {
    let folder = tempfile::tempdir().expect("a folder");
    let ran = kirin_in(folder.path(), &[&["bench"], arguments, SUBJECT].concat());
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    serde_json::from_str(&ran.out).expect("one JSON object")
}

#[test]
fn self_play_is_measured_against_the_network_alone() {
    let found = measured(&["selfplay", "--visits", "4", "--seconds", "1"]);
    let number = |key: &str| found[key].as_f64().unwrap_or_else(|| panic!("no number {key} in {found}"));
    for key in ["evals_per_s", "net_evals_per_s", "positions_per_s", "overhead_us"] {
        assert!(number(key) > 0.0, "{key} in {found}");
    }
    assert!((number("ratio") - number("evals_per_s") / number("net_evals_per_s")).abs() < 1e-6);
    assert!((0.0..=1.0).contains(&number("cache_hit_rate")) && number("batch_fill") > 0.9, "{found}");
    assert_eq!(found["evaluator"]["batch"], 8);
}

#[test]
fn a_match_is_measured_against_the_network_alone() {
    let found = measured(&["match", "--visits", "4", "--pairs", "40", "--seconds", "1"]);
    let number = |key: &str| found[key].as_f64().unwrap_or_else(|| panic!("no number {key} in {found}"));
    assert!(number("evals_per_s") > 0.0 && number("net_evals_per_s") > 0.0, "{found}");
    assert!((number("ratio") - number("evals_per_s") / number("net_evals_per_s")).abs() < 1e-6);
    assert!((0.5..=1.0).contains(&number("batch_fill")), "{found}");
}

#[test]
fn a_network_is_measured_in_every_open_setting() {
    let found = measured(&["net", "--seconds", "0.05"]);
    // Both layouts; the rest was given, and one thread cannot be split.
    assert_eq!(found["rows"].as_array().map(Vec::len), Some(2), "{found}");
    assert!(found["best"]["evals_per_s"].as_f64().is_some_and(|rate| rate > 0.0));
    assert_eq!((found["best"]["precision"].as_str(), found["wdl_difference"].as_f64()), (Some("fp32"), Some(0.0)));
}

#[test]
fn what_is_no_network_is_told() {
    let folder = tempfile::tempdir().expect("a folder");
    for (net, words) in [("big", "no such file, and no size like 4x64"), ("0x64", "blocks: 0 is out of range")] {
        let ran = kirin_in(folder.path(), &["bench", "net", "--variant", "wangqi", "--net", net]);
        assert!(ran.code == Some(78) && ran.err.contains(words), "{:?} {}", ran.code, ran.err);
    }
}
