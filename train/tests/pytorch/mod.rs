//! The Python with PyTorch that `scripts/oracles python` installs, for the tests of `train/python`.

use std::path::{Path, PathBuf};
use std::process::Command;
use testkit::oracle;

/// The Python, if it was installed from the current list of packages; otherwise it is missing.
pub fn python() -> Option<PathBuf> {
    let list = include_str!("../../python/requirements.txt");
    let folder = oracle::packages("python", list, "PyTorch for train/python is missing (scripts/oracles python)");
    folder.map(|folder| folder.join("python"))
}

/// Runs the unit tests in a folder of `train/python`, which find the package, `more` packages, and our results in
/// `reference`.
pub fn unit_tests(python: &Path, tests: &str, more: &[PathBuf], reference: &Path) {
    let package = Path::new(env!("CARGO_MANIFEST_DIR")).join("python");
    let paths = [&[package.join("src")], more].concat();
    let output = Command::new(python)
        .args(["-m", "unittest", "discover", "--start-directory"])
        .arg(package.join(tests))
        .env("PYTHONPATH", std::env::join_paths(paths).unwrap())
        .env("KIRIN_REFERENCE", reference)
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && text.contains("OK") && !text.contains("skipped"), "{text}");
}
