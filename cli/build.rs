//! Writes the git revision into the binary, which `kirin --version` prints and every run records, and the configurations of the
//! folder `configs`.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs, io};

fn main() -> io::Result<()> {
    println!("cargo::rerun-if-changed=build.rs");
    write_configs()?;
    // Without git, or in a source tarball, there is no revision to tell.
    let revision = revision().unwrap_or_else(|| "unknown".into());
    println!("cargo::rustc-env=KIRIN_GIT_REVISION={revision}");
    Ok(())
}

/// Writes the names and texts of the configurations, in the order of the names, as an expression of Rust.
fn write_configs() -> io::Result<()> {
    let folder = fs::canonicalize("../configs")?;
    println!("cargo::rerun-if-changed={}", folder.display());
    let mut files: Vec<PathBuf> =
        fs::read_dir(&folder)?.map(|entry| entry.map(|entry| entry.path())).collect::<Result<_, _>>()?;
    files.retain(|file| file.extension().is_some_and(|extension| extension == "toml"));
    files.sort();
    let entry = |file: &PathBuf| format!("    ({:?}, include_str!({file:?})),\n", file.file_stem().unwrap_or_default());
    let text = format!("&[\n{}]\n", files.iter().map(entry).collect::<String>());
    fs::write(Path::new(&env::var_os("OUT_DIR").unwrap_or_default()).join("configs.rs"), text)
}

/// The commit that is checked out, with `-dirty` where the program's sources differ from it.
///
/// Cargo runs this again when another commit is checked out or a source file changes.
fn revision() -> Option<String> {
    // A tarball may have been unpacked inside another repository.
    git(&["ls-files", "--error-unmatch", "../Cargo.toml"])?;
    for file in ["HEAD", "logs/HEAD"] {
        watch(&git(&["rev-parse", "--git-path", file])?);
    }
    let sources = sources()?;
    sources.iter().for_each(|path| watch(path));
    let paths: Vec<&str> = sources.iter().map(String::as_str).collect();
    let commit = git(&["rev-parse", "--short=12", "HEAD"])?;
    let changes = git(&[&["--no-optional-locks", "status", "--porcelain", "--"], &paths[..]].concat())?;
    Some(if changes.is_empty() { commit } else { format!("{commit}-dirty") })
}

/// What the program is made of: the `src` folder of each crate, some of which lie in another's folder, and the versions of
/// its dependencies.
fn sources() -> Option<Vec<String>> {
    let crates = fs::read_dir("..").ok()?.filter_map(Result::ok).map(|entry| entry.path());
    let within = |folder: &Path| fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let folders = crates.flat_map(|folder| within(&folder).chain([folder]).collect::<Vec<_>>());
    let sources = folders.filter(|folder| folder.join("Cargo.toml").is_file()).map(|folder| folder.join("src"));
    let mut sources: Vec<String> = sources.map(|folder| folder.display().to_string()).collect();
    sources.push("../Cargo.lock".into());
    Some(sources)
}

/// A file that does not exist would make cargo run this at every build.
fn watch(path: &str) {
    if Path::new(path).exists() {
        println!("cargo::rerun-if-changed={path}");
    }
}

fn git(arguments: &[&str]) -> Option<String> {
    let output = Command::new("git").args(arguments).output().ok().filter(|output| output.status.success())?;
    Some(String::from_utf8(output.stdout).ok()?.trim().to_owned())
}
