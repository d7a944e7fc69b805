//! `pip install train/python`: the package is complete without the folder that it was made of.
//!
//! pip gets what builds it (hatchling) as it gets any package. Where that fails, or PyTorch is missing (`scripts/oracles
//! python`), the test says so and passes; with `KIRIN_ORACLES=required` that is a failure.

use crate::pytorch;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use testkit::oracle;

/// pip, installing into a folder, with the packages of another one.
fn install(into: &Path, packages: &Path, what: &[&str]) -> Option<Output> {
    let mut pip = Command::new("python3");
    pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--target"]).arg(into).args(what);
    pip.env("PYTHONPATH", packages).env("PIP_ROOT_USER_ACTION", "ignore").output().ok()
}

/// Names in a folder.
fn names(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).expect("a folder");
    let mut names: Vec<_> = entries.map(|entry| entry.expect("an entry").path()).collect();
    names.sort();
    names
}

#[test]
fn the_package_that_pip_installs_is_whole() {
    let Some(python) = pytorch::python() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let (builder, installed) = (folder.path().join("builder"), folder.path().join("installed"));
    if !install(&builder, folder.path(), &["hatchling"]).is_some_and(|output| output.status.success()) {
        return drop(oracle::missing::<PathBuf>(
            "hatchling, which builds train/python, cannot be installed with python3 -m pip",
        ));
    }
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("python");
    let before = names(&sources);
    let package = sources.to_str().expect("UTF-8");
    let output = install(&installed, &builder, &["--no-deps", "--no-build-isolation", package]).expect("pip");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(names(&sources), before, "it leaves nothing behind in the sources");
    let run = |arguments: &[&str]| {
        let mut python = Command::new(&python);
        python.args(arguments).current_dir(folder.path()).env("PYTHONPATH", &installed);
        let output = python.env("PYTHONDONTWRITEBYTECODE", "1").output().expect("Python");
        assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    let at = run(&["-c", "import kirin_net; print(kirin_net.__file__)"]);
    assert!(Path::new(at.trim()).starts_with(&installed), "{at}");
    assert!(run(&["-m", "kirin_net", "export", "--help"]).contains("--to"));
}
