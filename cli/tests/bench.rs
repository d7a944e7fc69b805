//! `kirin bench` as programs use it.

mod kirin;

use kirin::kirin_in;
use serde_json::Value;
use testkit::oracle;

const SUBJECT: &[&str] = &["--variant", "wangqi", "--net", "1x8"];
const MACHINE: &[&str] = &["--threads", "1", "--device", "cpu", "--batch", "8", "--json"];

/// The JSON lines of a measurement.
fn lines(arguments: &[&str]) -> Vec<Value> {
    let folder = tempfile::tempdir().expect("a folder");
    let ran = kirin_in(folder.path(), &[&["bench"], arguments, MACHINE].concat());
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    ran.out.lines().map(|line| serde_json::from_str(line).expect("a JSON object")).collect()
}

fn measured(arguments: &[&str]) -> Value {
    let found = lines(&[arguments, SUBJECT].concat());
    assert_eq!(found.len(), 1);
    found[0].clone()
}

fn number(found: &Value, key: &str) -> f64 {
    found[key].as_f64().unwrap_or_else(|| panic!("no number {key} in {found}"))
}

#[test]
fn self_play_is_measured_against_the_network_alone() {
    let found = measured(&["selfplay", "--precision", "fp32", "--visits", "4", "--seconds", "1"]);
    let number = |key: &str| number(&found, key);
    for key in ["evals_per_s", "net_evals_per_s", "positions_per_s", "overhead_us"] {
        assert!(number(key) > 0.0, "{key} in {found}");
    }
    assert!((number("ratio") - number("evals_per_s") / number("net_evals_per_s")).abs() < 1e-6);
    assert!((0.0..=1.0).contains(&number("cache_hit_rate")) && number("batch_fill") > 0.9, "{found}");
    assert_eq!(found["evaluator"]["batch"], 8);
    let shares: f64 = found["time"].as_object().expect("shares").values().filter_map(Value::as_f64).sum();
    assert!((shares - 1.0).abs() < 1e-6, "{found}");
}

/// A search that takes longer than the measurement is seen: simulations are counted as they are made.
#[test]
fn long_searches_are_seen_in_a_short_measurement() {
    let found = measured(&["selfplay", "--precision", "fp32", "--visits", "1000000", "--seconds", "1"]);
    assert!(number(&found, "positions_per_s") > 0.0, "{found}");
    let (simulations, evaluations) = (number(&found, "simulations_per_s"), number(&found, "evals_per_s"));
    assert!(simulations > 0.9 * evaluations, "nearly every evaluation is a simulation's: {found}");
    assert!((number(&found, "positions_per_s") - simulations / 1e6).abs() < 1e-6 * simulations, "{found}");
}

#[test]
fn several_values_make_a_table() {
    let of = ["selfplay", "--variant", "wangqi,xiangqi", "--net", "1x8", "--visits", "2,4", "--seconds", "0.1"];
    let found = lines(&[&of[..], &["--precision", "fp32,int8"]].concat());
    let precision = |cell: &Value| cell["evaluator"]["precision"].clone();
    let cells: Vec<String> = found
        .iter()
        .map(|cell| format!("{} {} {} {}", cell["variant"], cell["network"], precision(cell), cell["visits"]))
        .collect();
    let mut expected = Vec::new();
    for variant in ["wangqi", "xiangqi"] {
        for format in ["fp32", "int8"] {
            expected.extend([2, 4].map(|visits| format!("{variant:?} \"1x8\" {format:?} {visits}")));
        }
    }
    assert_eq!(cells, expected);
}

/// With PyTorch where that is installed (`scripts/oracles python`).
#[test]
fn training_is_measured_and_beside_it_pytorch() {
    let found = measured(&["train", "--precision", "fp32", "--seconds", "0.5"]);
    let number = |key: &str| number(&found, key);
    assert!(number("samples_per_s") > 0.0, "{found}");
    let shares: f64 = found["time"].as_object().expect("shares").values().filter_map(Value::as_f64).sum();
    assert!((shares - 1.0).abs() < 1e-6, "{found}");
    assert_eq!(found["loader_wait"], found["time"]["data"]);
    // An exact value needs an idle machine and a network of a usual size. Tests run side by side, and a step of this
    // network does hardly anything, so this only detects a training that makes its batches between its steps.
    assert!(number("loader_wait") < 0.5, "{found}");
    let compared = !found["pytorch"].is_null();
    assert!(
        compared || !oracle::are_required(),
        "KIRIN_ORACLES=required, but PyTorch is missing (scripts/oracles python)"
    );
    if compared {
        assert!((number("ratio") - number("samples_per_s") / number("pytorch_samples_per_s")).abs() < 1e-6, "{found}");
    }
}

#[test]
fn a_match_is_measured_against_the_network_alone() {
    let found = measured(&["match", "--precision", "fp32", "--visits", "4", "--pairs", "40", "--seconds", "1"]);
    let number = |key: &str| number(&found, key);
    assert!(number("evals_per_s") > 0.0 && number("net_evals_per_s") > 0.0, "{found}");
    assert!((number("ratio") - number("evals_per_s") / number("net_evals_per_s")).abs() < 1e-6);
    assert!((0.5..=1.0).contains(&number("batch_fill")), "{found}");
}

#[test]
fn a_network_is_measured_in_every_open_setting() {
    let found = measured(&["net", "--precision", "fp32", "--seconds", "0.05"]);
    // Without libtorch, and both layouts of libtorch; the rest was given, and one thread cannot be split.
    let rows = found["rows"].as_array().expect("rows");
    let backends: Vec<_> = rows.iter().map(|row| row["backend"].as_str().unwrap_or_default()).collect();
    assert_eq!(backends, ["native", "torch", "torch"], "{found}");
    for row in rows {
        let of = |key: &str| row[key].as_u64();
        assert_eq!((row["precision"].as_str(), of("batch"), of("threads")), (Some("fp32"), Some(8), Some(1)), "{row}");
        assert_eq!(row["kernel"].is_string(), row["backend"] == "native", "{row}");
        assert!(row["evaluations_per_second"].as_f64().is_some_and(|rate| rate > 0.0), "{row}");
    }
    assert!(found["best"]["evaluations_per_second"].as_f64().is_some_and(|rate| rate > 0.0));
    assert_eq!((found["best"]["precision"].as_str(), found["wdl_difference"].as_f64()), (Some("fp32"), Some(0.0)));
}

#[test]
fn what_is_no_network_is_told() {
    let folder = tempfile::tempdir().expect("a folder");
    for (net, words) in
        [("big", "there is no such file, and it is not a size like 4x64"), ("0x64", "blocks: 0 is out of range")]
    {
        let ran = kirin_in(folder.path(), &["bench", "net", "--variant", "wangqi", "--net", net]);
        assert!(ran.code == Some(78) && ran.err.contains(words), "{:?} {}", ran.code, ran.err);
    }
}

/// With DuckDB where that is installed (`scripts/oracles`); that both make the same table is checked by the command itself.
#[test]
fn opening_statistics_are_measured_and_beside_them_duckdb() {
    let folder = tempfile::tempdir().expect("a folder");
    let of =
        ["bench", "openings", "--games", "300", "--depth", "6", "--min-games", "2", "--turns", "1", "--folder", "made"];
    let measure = |more: &[&str]| kirin_in(folder.path(), &[&of[..], more].concat());
    let ran = measure(&["--json"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let found: Value = serde_json::from_str(&ran.out).expect("a JSON object");
    for key in ["rows", "seconds", "peak_rss_mib", "bytes_per_position", "written_per_s", "read_per_s"] {
        assert!(number(&found, key) > 0.0, "{key} in {found}");
    }
    assert_eq!((&found["games"], &found["variant"]), (&300.into(), &"xiangqi".into()));
    if found["duckdb_seconds"].is_null() {
        assert!(ran.err.contains("SKIPPED: DuckDB"), "{}", ran.err);
    } else {
        let ratio = number(&found, "seconds") / number(&found, "duckdb_seconds");
        assert!((number(&found, "ratio") - ratio).abs() < 1e-6, "{found}");
    }
    // The games are kept.
    let ran = measure(&[]);
    assert!(ran.code == Some(0) && ran.out.contains("xiangqi, 300 games"), "{}{}", ran.out, ran.err);
    let ran = kirin_in(folder.path(), &["bench", "openings", "--games", "9", "--folder", "made"]);
    assert!(ran.code == Some(78) && ran.err.contains("holds 300 games already"), "{}", ran.err);
}
