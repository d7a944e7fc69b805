//! Spark SQL, on a folder and on a bucket. It is large, so only `scripts/oracles spark` installs it, and where it is missing the
//! tests say so and pass whatever `KIRIN_ORACLES` says.

use super::{BUCKET, S3};
use rules::{Janggi, Wangqi};
use serde_json::Value;
use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use testkit::oracle;

/// The folder with PySpark, if it is there and Java runs.
fn spark() -> Option<PathBuf> {
    let folder = oracle::folder()?.join("spark");
    let list = std::fs::read_to_string(folder.join("requirements.txt"));
    let java = Command::new("java").arg("-version").stdout(Stdio::null()).stderr(Stdio::null()).status();
    if list.is_ok_and(|list| list == include_str!("spark.txt")) && java.is_ok_and(|status| status.success()) {
        return Some(folder);
    }
    skipped("Spark or Java")
}

/// The jars of Hadoop's client of S3, if they are there.
fn s3a() -> Option<Vec<PathBuf>> {
    let jars =
        std::fs::read_dir(oracle::folder()?.join("s3a")).ok().map(|folder| folder.flatten().map(|jar| jar.path()));
    jars.map(Iterator::collect).or_else(|| skipped("the client of S3 for Spark"))
}

fn skipped<T>(what: &str) -> Option<T> {
    oracle::skipped(&format!("{what} is missing (scripts/oracles spark)"))
}

/// The rows that Spark gives for the query of the page, asked of each of these data folders. `more` goes to spark.py.
fn ask(packages: &Path, scratch: &Path, data: &[(&str, String)], more: &[&OsStr]) -> Vec<BTreeSet<String>> {
    let blocks = super::blocks("The same with Spark");
    let [(language, query), ..] = blocks.as_slice() else { panic!("no query") };
    assert_eq!(language, "sql");
    let queries: Vec<String> = data.iter().map(|(variant, data)| super::query_for(query, variant, data)).collect();
    let mut python = Command::new("python3");
    python.env("PYTHONPATH", packages).arg(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/queries/spark.py"));
    python.arg(scratch.join("warehouse")).args(more).current_dir(scratch);
    let tables = super::output(python, &serde_json::to_string(&queries).expect("JSON"));
    let tables: Vec<Vec<Value>> = serde_json::from_slice(&tables).expect("JSON");
    tables.iter().map(|rows| rows.iter().map(Value::to_string).collect()).collect()
}

#[test]
fn spark_counts_the_same_openings() {
    let Some(packages) = spark() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let [wangqi, janggi] = ["wangqi", "janggi"].map(|variant| folder.path().join(variant));
    let wanted = [super::openings::<Wangqi>(&wangqi), super::openings::<Janggi>(&janggi)];
    let data = [("wangqi", wangqi.display().to_string()), ("janggi", janggi.display().to_string())];
    assert_eq!(ask(&packages, folder.path(), &data, &[]), wanted);
}

#[test]
fn spark_counts_the_same_openings_in_a_bucket() {
    let (Some(packages), Some(jars), Some(s3)) = (spark(), s3a(), S3::start()) else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let data = folder.path().join("data");
    let wanted = super::openings::<Janggi>(&data);
    super::upload(&s3, &data, "first/data");
    let endpoint = format!("http://{}", s3.address);
    let more: Vec<&OsStr> = [OsStr::new(&endpoint)].into_iter().chain(jars.iter().map(|jar| jar.as_os_str())).collect();
    let found = ask(&packages, folder.path(), &[("janggi", format!("s3a://{BUCKET}/first/data"))], &more);
    assert_eq!(found, [wanted]);
}
