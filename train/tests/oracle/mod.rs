//! The Python with PyTorch that `scripts/oracles python` installs, for the tests of `train/python`.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The folder of `scripts/oracles`.
pub fn folder() -> Option<PathBuf> {
    let cache = match std::env::var_os("XDG_CACHE_HOME") {
        Some(cache) if !cache.is_empty() => PathBuf::from(cache),
        _ => PathBuf::from(std::env::var_os("HOME")?).join(".cache"),
    };
    Some(cache.join("kirin/oracles"))
}

/// The Python, if it was installed from the current list of packages. Where it is missing a message says so; with
/// `KIRIN_ORACLES=required` that is a failure.
pub fn python() -> Option<PathBuf> {
    let folder = folder()?.join("python");
    let list = std::fs::read_to_string(folder.join("requirements.txt")).unwrap_or_default();
    if list == include_str!("../../python/requirements.txt") {
        return Some(folder.join("python"));
    }
    missing("PyTorch for train/python is missing (scripts/oracles python)");
    None
}

/// Says that something is missing, or fails if it is required.
pub fn missing(what: &str) {
    let required = std::env::var("KIRIN_ORACLES").is_ok_and(|value| value == "required");
    assert!(!required, "KIRIN_ORACLES=required, but {what}");
    // Not `eprintln!`: tests show what that prints only when they fail.
    let _ = writeln!(std::io::stderr(), "SKIPPED: {what}");
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
