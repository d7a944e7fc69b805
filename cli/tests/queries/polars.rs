//! The query in Rust. The parts of polars that it needs compile for minutes, so only `scripts/oracles polars` builds it,
//! and where it is missing the test says so and passes whatever `KIRIN_ORACLES` says.

use rules::{Janggi, Variant, Wangqi};
use std::path::{Path, PathBuf};
use std::process::Command;
use testkit::oracle;

/// The sources of the program, by their names in its folder.
const SOURCES: [(&str, &str); 4] = [
    ("Cargo.toml", include_str!("polars/Cargo.toml")),
    ("Cargo.lock", include_str!("polars/Cargo.lock")),
    ("src/main.rs", include_str!("polars/src/main.rs")),
    ("src/openings.rs", include_str!("polars/src/openings.rs")),
];

/// The program that was built of these sources, if it is there.
fn program() -> Option<PathBuf> {
    let folder = oracle::folder()?.join("polars-rust");
    let is_current =
        |(name, text): &(&str, &str)| std::fs::read_to_string(folder.join(name)).is_ok_and(|old| old == *text);
    let program = folder.join("queries");
    if SOURCES.iter().all(is_current) && program.exists() {
        return Some(program);
    }
    oracle::skipped("the query in Rust is not built (scripts/oracles polars)")
}

#[test]
fn the_page_has_the_query_that_is_built() {
    let blocks = super::blocks("The openings, counted by others");
    let rust: Vec<&str> =
        blocks.iter().filter(|(language, _)| language == "rust").map(|(_, text)| text.as_str()).collect();
    assert_eq!(rust, [include_str!("polars/src/openings.rs")]);
}

#[test]
fn polars_in_rust_counts_the_same_openings() {
    fn counts_agree<V: Variant>(program: &Path, folder: &Path) {
        let wanted = super::openings::<V>(folder);
        let mut command = Command::new(program);
        command.arg(folder).arg(V::ID);
        assert_eq!(super::ask(command, ""), wanted);
    }
    let Some(program) = program() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    counts_agree::<Wangqi>(&program, &folder.path().join("wangqi"));
    counts_agree::<Janggi>(&program, &folder.path().join("janggi"));
}
