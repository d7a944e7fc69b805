//! Hands the list of libtorch's C functions, which crate `torch` has made, on to `src/libtorch/functions.rs`, and lists the
//! networks in `networks/`, which come with the program.

use std::fmt::Write as _;
use std::path::PathBuf;
use std::{env, fs};

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let list = env::var("DEP_KIRIN_TORCH_FUNCTIONS").expect("crate `torch` names its list");
    println!("cargo::rustc-env=KIRIN_TORCH_FUNCTIONS={list}");
    // Not named for Windows, where nothing asks for it.
    if let Ok(libtorch) = env::var("DEP_KIRIN_TORCH_LIBTORCH") {
        println!("cargo::rustc-env=KIRIN_LIBTORCH={libtorch}");
    }
    list_networks();
}

/// Writes the table of the networks that come with the program (`src/builtin.rs`).
fn list_networks() {
    println!("cargo::rerun-if-changed=networks");
    let folder = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets it")).join("networks");
    let mut files: Vec<PathBuf> = fs::read_dir(&folder)
        .unwrap_or_else(|error| panic!("{}: {error}", folder.display()))
        .map(|entry| entry.expect("a readable folder").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "safetensors"))
        .collect();
    files.sort();
    let mut table = "&[\n".to_owned();
    for file in files {
        let variant = file.file_stem().expect("it has an extension").to_string_lossy();
        writeln!(table, "    ({variant:?}, include_bytes!({:?})),", file.display().to_string()).expect("it fits");
    }
    table.push(']');
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets it")).join("networks.rs");
    fs::write(&out, table).unwrap_or_else(|error| panic!("{}: {error}", out.display()));
}
