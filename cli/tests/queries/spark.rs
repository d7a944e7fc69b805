//! Spark SQL. It is large, so only `scripts/oracles spark` installs it, and where it is missing the test says so and passes
//! whatever `KIRIN_ORACLES` says.

use rules::{Janggi, Wangqi};
use serde_json::Value;
use std::collections::BTreeSet;
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// The folder with PySpark, if it is there and Java runs.
fn spark() -> Option<PathBuf> {
    let folder = super::oracles()?.join("spark");
    let list = std::fs::read_to_string(folder.join("requirements.txt"));
    let java = Command::new("java").arg("-version").stdout(Stdio::null()).stderr(Stdio::null()).status();
    if list.is_ok_and(|list| list == include_str!("spark.txt")) && java.is_ok_and(|status| status.success()) {
        return Some(folder);
    }
    // Not `eprintln!`: tests show what that prints only when they fail.
    let _ = writeln!(std::io::stderr(), "SKIPPED: Spark or Java is missing (scripts/oracles spark)");
    None
}

#[test]
fn spark_counts_the_same_openings() {
    let Some(packages) = spark() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let [wangqi, janggi] = ["wangqi", "janggi"].map(|variant| folder.path().join(variant));
    let wanted = [super::openings::<Wangqi>(&wangqi), super::openings::<Janggi>(&janggi)];
    let blocks = super::blocks("The same with Spark");
    let [(language, query), ..] = blocks.as_slice() else { panic!("no query") };
    assert_eq!(language, "sql");
    let queries = [super::query_for::<Wangqi>(query, &wangqi), super::query_for::<Janggi>(query, &janggi)];
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/queries/spark.py");
    let mut python = Command::new("python3");
    python.env("PYTHONPATH", packages).arg(script).current_dir(&folder);
    python.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = python.spawn().expect("python3");
    let text = serde_json::to_string(&queries).expect("JSON");
    child.stdin.take().expect("a pipe").write_all(text.as_bytes()).expect("written");
    let output = child.wait_with_output().expect("its output");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let tables: Vec<Vec<Value>> = serde_json::from_slice(&output.stdout).expect("JSON");
    let found: Vec<BTreeSet<String>> = tables.iter().map(|rows| rows.iter().map(Value::to_string).collect()).collect();
    assert_eq!(found, wanted);
}
