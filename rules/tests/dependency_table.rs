//! The dependency table of ARCHITECTURE.md, compared with the manifests: which crates a crate may use, and which
//! outside libraries only certain crates may use.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Each crate, by its folder, and the crates of ours it may use.
const MAY_USE: &[(&str, &[&str])] = &[
    ("settings", &[]),
    ("rules", &[]),
    ("records", &["rules"]),
    ("data", &["settings", "rules", "workspace-hack"]),
    ("search", &["settings", "rules"]),
    ("network", &["settings", "rules", "data", "search"]),
    ("selfplay", &["settings", "rules", "data", "search"]),
    ("train/torch", &[]),
    ("train", &["settings", "rules", "data", "search", "network", "torch"]),
    ("engine", &["settings", "rules", "data", "search"]),
    ("eval", &["settings", "rules", "records", "data", "search", "engine"]),
    ("lab", &["settings", "rules", "data", "search", "selfplay", "train", "eval"]),
    ("distributed", &["settings", "rules", "data", "search", "selfplay", "train", "eval", "lab"]),
    ("report", &["settings", "rules", "data", "train", "eval", "lab"]),
    ("studio", &["settings", "rules", "records", "data", "search", "train", "eval", "lab", "report"]),
    (
        "cli",
        &[
            "settings",
            "rules",
            "records",
            "data",
            "search",
            "selfplay",
            "train",
            "engine",
            "eval",
            "lab",
            "distributed",
            "report",
            "studio",
        ],
    ),
    ("python", &["settings", "rules", "records", "data", "search", "selfplay", "train", "eval", "lab"]),
    ("dev/testkit", &["data"]), // instruments of tests: no package may depend on it
    ("dev/peers", &["rules"]),  // nor this: other engines for tests and benches
    (
        "dev/fuzz", // nor this: random input
        &["settings", "rules", "records", "data", "search", "network", "selfplay", "train", "engine", "eval", "lab"],
    ),
    ("dev/workspace-hack", &[]), // no code, only features of outside libraries
];

/// Outside libraries, and the only crates that may know them.
const KNOWN_ONLY_BY: &[(&str, &[&str])] = &[
    ("tch", &["train"]),
    ("torch-sys", &["train/torch"]),
    ("parquet", &["data"]),
    ("polars", &["data"]),
    ("arrow-array", &["data"]),
    ("object_store", &["distributed"]),
    ("tokio", &["distributed", "studio", "dev/workspace-hack"]), // the last for features alone
    ("axum", &["studio"]),
    ("encoding_rs", &["records"]),
    ("chardetng", &["records"]),
    ("miniz_oxide", &["records"]),
    ("unicode-normalization", &["records"]),
    ("toml", &["eval", "lab", "report", "cli", "dev/fuzz"]), // the last for files of engines
    ("pyo3", &["python"]),
    ("numpy", &["python"]),
    ("clap", &["cli"]),
    ("anyhow", &["cli"]),
    ("indicatif", &["cli"]),
    ("terminal_size", &["cli"]),
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn manifest(folder: &str) -> toml::Table {
    let path = root().join(folder).join("Cargo.toml");
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    text.parse().unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Names in `[dependencies]` and `[build-dependencies]`. What tests use (`[dev-dependencies]`) may reach further.
fn dependencies(folder: &str) -> BTreeSet<String> {
    let manifest = manifest(folder);
    ["dependencies", "build-dependencies"]
        .iter()
        .filter_map(|section| manifest.get(*section)?.as_table())
        .flat_map(|table| table.keys().cloned())
        .collect()
}

#[test]
fn every_member_is_in_the_table() {
    let workspace = manifest("");
    let members: BTreeSet<&str> = workspace["workspace"]["members"]
        .as_array()
        .expect("members is a list")
        .iter()
        .filter_map(toml::Value::as_str)
        .collect();
    assert_eq!(members, MAY_USE.iter().map(|(name, _)| *name).collect());
}

#[test]
fn architecture_shows_this_table() {
    let page = std::fs::read_to_string(root().join("ARCHITECTURE.md")).expect("ARCHITECTURE.md");
    let (_, table) = page.split_once("| package | may use | is |\n|---|---|---|\n").expect("the table of packages");
    let rows = table.lines().take_while(|line| line.starts_with('|')).map(|line| {
        let mut cells = line.trim_matches('|').split('|').map(str::trim);
        let name = cells.next().unwrap_or_default().trim_matches('`');
        let uses = cells.next().unwrap_or_default();
        (name, if uses == "–" { Vec::new() } else { uses.split(", ").collect() })
    });
    let wanted: Vec<_> = MAY_USE.iter().map(|(name, uses)| (*name, uses.to_vec())).collect();
    assert_eq!(rows.collect::<Vec<_>>(), wanted);
}

#[test]
fn crates_use_only_what_the_table_allows() {
    let name_of = |folder: &'static str| folder.rsplit('/').next().unwrap_or(folder);
    let ours: BTreeSet<&str> = MAY_USE.iter().map(|(folder, _)| name_of(folder)).collect();
    for (folder, allowed) in MAY_USE {
        for dependency in dependencies(folder) {
            if ours.contains(dependency.as_str()) {
                assert!(allowed.contains(&dependency.as_str()), "{folder} must not depend on {dependency}");
            }
        }
    }
}

#[test]
fn outside_libraries_stay_with_their_crate() {
    for (name, _) in MAY_USE {
        let dependencies = dependencies(name);
        for (library, owners) in KNOWN_ONLY_BY {
            assert!(
                owners.contains(name) || !dependencies.contains(*library),
                "{name} must not know {library}: only {} may",
                owners.join(" and ")
            );
        }
    }
}

#[test]
fn rules_do_no_input_or_output() {
    for dependency in dependencies("rules") {
        assert!(["serde", "thiserror"].contains(&dependency.as_str()), "rules depends on {dependency}");
    }
}
