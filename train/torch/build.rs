//! Lists the C functions of `torch-sys`, for this crate and for `train`, and writes libtorch's folder into the shared
//! library (rpath), so that it finds libtorch with no environment variable.
//!
//! `torch-sys` has already decided which libtorch is used (`LIBTORCH`, `LIBTORCH_LIB` or `LIBTORCH_USE_PYTORCH`) and
//! names its folder in `DEP_TCH_LIBTORCH_LIB`, but not for Windows, which has no rpath: it looks for libtorch in the
//! program's folder and in PATH.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

/// Files of `torch-sys` that declare C functions, a `pub fn` for each.
const DECLARATIONS: [&str; 3] = ["lib.rs", "cuda.rs", "c_generated.rs"];

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=../../Cargo.lock");
    println!("cargo::rerun-if-changed=src");
    remove_checksums();
    let list = PathBuf::from(variable("OUT_DIR")).join("functions.rs");
    fs::write(&list, functions(&torch_sys().join("src"))).expect("OUT_DIR can be written");
    println!("cargo::metadata=functions={}", list.display());
    if variable("CARGO_CFG_TARGET_OS") != "windows" {
        println!("cargo::metadata=libtorch={}", variable("DEP_TCH_LIBTORCH_LIB"));
        println!("cargo::rustc-cdylib-link-arg=-Wl,-rpath,{}", variable("DEP_TCH_LIBTORCH_LIB"));
    }
}

/// Removes the checksum of the library before it is relinked; `make build` writes the new one.
fn remove_checksums() {
    // OUT_DIR is target/release/build/torch-…/out.
    let out = PathBuf::from(variable("OUT_DIR"));
    let Some(folder) = out.ancestors().nth(3) else { return };
    for folder in [folder.to_owned(), folder.join("deps")] {
        // There is none before the first `make build`.
        let _ = fs::remove_file(folder.join("libkirin_torch.so.sha256"));
    }
}

/// A call of the macro `functions`: a hash of all declarations, then the names of the functions.
fn functions(sources: &Path) -> String {
    let mut names = Vec::new();
    let mut hasher = DefaultHasher::new();
    for file in DECLARATIONS {
        let path = sources.join(file);
        let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        text.hash(&mut hasher);
        let name = |line: &str| Some(line.trim_start().strip_prefix("pub fn ")?.split_once('(')?.0.to_owned());
        names.extend(text.lines().filter_map(name));
    }
    format!("functions! {{ {:#x}\n{}\n}}\n", hasher.finish(), names.join("\n"))
}

/// The folder of the sources of `torch-sys`. Only cargo knows it. (It may download what only tests need: metadata are of
/// the whole workspace.)
fn torch_sys() -> PathBuf {
    let output = Command::new(variable("CARGO"))
        .args(["metadata", "--format-version=1", "--locked", "--filter-platform", &variable("TARGET")])
        .output()
        .expect("cargo can be started");
    let metadata = String::from_utf8_lossy(&output.stdout);
    let manifests = metadata.split("\"manifest_path\":\"").filter_map(|rest| rest.split('"').next()).map(Path::new);
    // In the registry the folder's name ends with the version; a vendored copy has none.
    let is_torch_sys =
        |folder: &&Path| folder.file_name().is_some_and(|name| name.to_string_lossy().starts_with("torch-sys"));
    match manifests.filter_map(Path::parent).find(is_torch_sys) {
        Some(folder) => folder.to_owned(),
        None => panic!("cargo metadata does not name torch-sys: {}", String::from_utf8_lossy(&output.stderr)),
    }
}

fn variable(name: &str) -> String {
    env::var(name).unwrap_or_else(|error| panic!("{name}: {error}"))
}
