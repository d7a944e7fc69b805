//! Each library is compiled with the same features whichever members are selected (dev/workspace-hack/Cargo.toml says
//! why).

use std::collections::BTreeSet;
use std::process::Command;

/// The members that are built on polars and parquet, which take minutes to compile.
const HEAVY: &[&str] = &["data", "selfplay", "train", "eval", "lab", "cli", "kirin-python", "fuzz"];

/// The libraries of a selection of members, each with its version and features.
fn libraries(selection: &[&str]) -> BTreeSet<String> {
    let tree =
        ["tree", "--offline", "--locked", "--edges", "normal,build,dev", "--prefix", "none", "--format", "{p} {f}"];
    let output =
        Command::new(env!("CARGO")).current_dir(env!("CARGO_MANIFEST_DIR")).args(tree).args(selection).output();
    let output = output.expect("cargo");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    // A library that came before is marked with a star.
    text.lines().map(|line| line.trim_end_matches(" (*)").to_owned()).collect()
}

#[test]
fn a_member_alone_uses_the_features_of_the_workspace() {
    let of_workspace = libraries(&["--workspace"]);
    assert!(of_workspace.iter().any(|library| library.starts_with("polars-core ")));
    for member in HEAVY {
        let alone = libraries(&["--package", member]);
        let different: Vec<_> = alone.difference(&of_workspace).collect();
        assert!(different.is_empty(), "cargo test -p {member} compiles these anew: {different:#?}");
    }
}
