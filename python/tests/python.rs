//! The tests of the module `kirin`, which are written in Python: pytest, the examples of the docstrings, and mypy's comparison
//! of the stubs with the module.
//!
//! They run with the library that cargo has built. `scripts/oracles wheel` installs what they need; where it is missing the
//! test says so and passes, and with `KIRIN_ORACLES=required` that is a failure. The notebook that trains a network also needs
//! PyTorch (`scripts/oracles python`).

// One file of `testkit`: the package itself would compile the reader of Parquet files for this test.
#[allow(dead_code)] // not every function is used here
#[path = "../../dev/testkit/src/oracle.rs"]
mod oracle;

use std::path::{Path, PathBuf};
use std::process::Command;

/// The Python package with the library that cargo has built, in a folder of its own.
fn package() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let package = folder.path().join("kirin");
    std::fs::create_dir(&package).expect("a folder");
    for entry in std::fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("kirin")).expect("the package") {
        let entry = entry.expect("an entry");
        // Its folders are kirin.net, which needs PyTorch (train/tests/python.rs), and what scripts/wheel leaves there.
        if entry.path().is_file() {
            std::fs::copy(entry.path(), package.join(entry.file_name())).expect("a copy");
        }
    }
    // Next to this program lies the library on which it depends.
    let program = std::env::current_exe().expect("the path of this program");
    let library = format!("{}kirin_python{}", std::env::consts::DLL_PREFIX, std::env::consts::DLL_SUFFIX);
    let library = program.with_file_name(library);
    std::fs::copy(&library, package.join("_native.abi3.so")).unwrap_or_else(|error| panic!("{library:?}: {error}"));
    folder
}

/// Python with PyTorch, which prefers the packages that `PYTHONPATH` names; without it the tests that need it are skipped.
fn python_with_pytorch() -> PathBuf {
    let python = oracle::folder().map(|folder| folder.join("python/python")).filter(|python| python.is_file());
    let missing = || oracle::missing("PyTorch is missing (scripts/oracles python)");
    python.or_else(missing).unwrap_or_else(|| "python3".into())
}

/// A Python with the module and the packages of the oracle.
fn run(python: &Path, module: &Path, packages: &Path, arguments: &[&str]) {
    let paths = std::env::join_paths([module, packages]).expect("paths");
    let mut python = Command::new(python);
    python.args(arguments).env("PYTHONPATH", paths).env("PYTHONDONTWRITEBYTECODE", "1");
    let output = python.current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/tests")).output().expect("python3");
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "python3 {}\n{out}\n{err}", arguments.join(" "));
    println!("{out}");
}

fn packages() -> Option<PathBuf> {
    let what = "maturin and pytest are missing (scripts/oracles wheel)";
    oracle::packages("wheel", include_str!("requirements.txt"), what)
}

#[test]
fn python_plays() {
    let Some(packages) = packages() else { return };
    let module = package();
    run(&python_with_pytorch(), module.path(), &packages, &["-m", "pytest", "-q"]);
}

#[test]
fn stubs_have_the_types_of_the_module() {
    let Some(packages) = packages() else { return };
    let module = package();
    let settings = concat!(env!("CARGO_MANIFEST_DIR"), "/pyproject.toml");
    let stubtest = ["-m", "mypy.stubtest", "kirin", "--ignore-disjoint-bases", "--mypy-config-file", settings];
    run("python3".as_ref(), module.path(), &packages, &stubtest);
    let mypy = ["-m", "mypy", "--cache-dir=/dev/null", "--config-file", settings, "-p", "kirin"];
    run("python3".as_ref(), module.path(), &packages, &mypy);
}
