//! `kirin --version` tells the revision it was built from.

use std::process::Command;

use crate::kirin::kirin;

#[test]
fn the_version_names_the_revision_that_is_checked_out() {
    let ran = kirin(&["--version"]);
    let version = ran.out.trim();
    let prefix = concat!("kirin ", env!("CARGO_PKG_VERSION"), " (");
    let revision = version.strip_prefix(prefix).and_then(|rest| rest.strip_suffix(')'));
    let revision = revision.unwrap_or_else(|| panic!("{version:?}"));
    if revision != "unknown" {
        let head = ["-C", env!("CARGO_MANIFEST_DIR"), "rev-parse", "--short=12", "HEAD"];
        let head = Command::new("git").args(head).output().expect("git, which told the build a revision");
        let head = String::from_utf8(head.stdout).expect("hexadecimal digits");
        assert_eq!(revision.strip_suffix("-dirty").unwrap_or(revision), head.trim());
    }
}
