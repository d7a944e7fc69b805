//! Programs that tests compare with, as `scripts/oracles` installs them. A test without its oracle says so and passes; with
//! `KIRIN_ORACLES=required` that is a failure.

use std::io::Write as _;
use std::path::PathBuf;

/// The folder of all oracles; `None` if there is neither `XDG_CACHE_HOME` nor `HOME`.
pub fn folder() -> Option<PathBuf> {
    let cache = match std::env::var_os("XDG_CACHE_HOME") {
        Some(cache) if !cache.is_empty() => PathBuf::from(cache),
        _ => PathBuf::from(std::env::var_os("HOME")?).join(".cache"),
    };
    Some(cache.join("kirin/oracles"))
}

/// The folder of this oracle, if it was installed from this list of packages; otherwise it is [`missing`].
pub fn packages(name: &str, list: &str, what: &str) -> Option<PathBuf> {
    let folder = folder().map(|folder| folder.join(name));
    let is_current = |folder: &PathBuf| {
        std::fs::read_to_string(folder.join("requirements.txt")).is_ok_and(|installed| installed == list)
    };
    folder.filter(is_current).or_else(|| missing(what))
}

/// Says that a test is skipped because `what` is missing, such as `moto is missing (scripts/oracles)`.
///
/// # Panics
/// If `KIRIN_ORACLES` is `required`.
pub fn missing<T>(what: &str) -> Option<T> {
    assert!(!are_required(), "KIRIN_ORACLES=required, but {what}");
    skipped(what)
}

/// Whether a missing oracle is a failure.
pub fn are_required() -> bool {
    std::env::var("KIRIN_ORACLES").is_ok_and(|value| value == "required")
}

/// Says that a test is skipped because `what` is missing, which is no failure.
pub fn skipped<T>(what: &str) -> Option<T> {
    // Not `eprintln!`: tests show what that prints only when they fail.
    let _ = writeln!(std::io::stderr(), "SKIPPED: {what}");
    None
}
