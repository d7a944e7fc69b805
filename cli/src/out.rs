//! Outputs of commands. Every path on the command line that is written to is checked here before the work begins, so that no
//! command replaces its inputs, or files of a run, a data folder or a store.

use crate::failure::input;
use crate::output;
use anyhow::Context;
use data::durable::FileIdentity;
use data::{DataStore, Output};
use lab::RunFolder;
use std::path::{Path, PathBuf};

/// The output that `option` names: a file, which is replaced, or a stream. `inputs` are the files that the command reads. If
/// the output is standard output, messages go to standard error from now on.
///
/// # Errors
/// It is neither, is one of the inputs, or is a file that kirin keeps.
pub fn file_or_stream(option: &str, path: &Path, inputs: &[&Path]) -> anyhow::Result<Output> {
    let out = Output::new(path).context(option.to_owned())?;
    if let Some(file) = out.file() {
        refuse_inputs(option, path, inputs)?;
        refuse_kept(option, path, file)?;
        if let Some(kept) = data::kept_by_kirin(file) {
            return Err(input(format!("{option} {} is {kept}; choose another file", path.display())));
        }
    }
    if out.is_standard_output() {
        output::divert();
    }
    Ok(out)
}

/// Like [`file_or_stream`], where only a file makes sense. The contents of an existing file are left to the command.
///
/// # Errors
/// It is no ordinary file, or belongs to a run, a data folder or a store.
pub fn file(option: &str, path: &Path) -> anyhow::Result<PathBuf> {
    let out = Output::new(path).context(option.to_owned())?;
    let file = out.file().ok_or(data::OutputError::Stream { path: path.to_owned() }).context(option.to_owned())?;
    refuse_kept(option, path, file)?;
    Ok(path.to_owned())
}

/// A folder to write into, which may not exist yet.
///
/// # Errors
/// It is not a folder, or belongs to a run, a data folder or a store.
pub fn folder(option: &str, path: &Path) -> anyhow::Result<PathBuf> {
    if path.exists() && !path.is_dir() {
        return Err(input(format!("{option} {} is to be a folder, and it is not one", path.display())));
    }
    if let Some(above) = path.ancestors().skip(1).find(|above| above.exists() && !above.is_dir()) {
        let (path, above) = (path.display(), above.display());
        return Err(input(format!("{option} {path} cannot be made: {above} is not a folder")));
    }
    refuse_kept(option, path, &resolved(path))?;
    Ok(path.to_owned())
}

/// Like [`folder`], for tables and logs of the command's own, which a run must not have among its own.
///
/// # Errors
/// As there, or it is the folder of a run.
pub fn own_folder(option: &str, path: &Path) -> anyhow::Result<PathBuf> {
    let path = folder(option, path)?;
    if RunFolder::new(&path).is_run()? {
        return Err(input(format!("{option} {} is the folder of a run; choose another", path.display())));
    }
    Ok(path)
}

/// The path without links, as far as it exists.
fn resolved(path: &Path) -> PathBuf {
    let there = path.ancestors().find_map(|above| {
        let above = if above.as_os_str().is_empty() { Path::new(".") } else { above };
        above.canonicalize().ok()
    });
    let missing = path.ancestors().take_while(|above| !above.as_os_str().is_empty() && !above.exists()).count();
    let names: Vec<_> = path.components().rev().take(missing).collect();
    names.into_iter().rev().fold(there.unwrap_or_default(), |path, name| path.join(name))
}

/// Refuses a file that the command reads, under any path.
fn refuse_inputs(option: &str, path: &Path, inputs: &[&Path]) -> anyhow::Result<()> {
    let Ok(own) = FileIdentity::of_path(path) else { return Ok(()) };
    match inputs.iter().find(|read| FileIdentity::of_path(read).is_ok_and(|read| read == own)) {
        Some(read) => {
            let (path, read) = (path.display(), read.display());
            Err(input(format!("{option} {path} is {read}, which this command reads; choose another file")))
        }
        None => Ok(()),
    }
}

/// Refuses a place that belongs to a data folder, a run or a store. `real` is the path without links.
fn refuse_kept(option: &str, path: &Path, real: &Path) -> anyhow::Result<()> {
    let path = path.display();
    if let Some(owner) = DataStore::owner_of(real) {
        let owner = owner.display();
        return Err(input(format!("{option} {path} lies in the data folder {owner}; choose another place")));
    }
    if let Some(owner) = RunFolder::owner_of(real) {
        let owner = owner.display();
        return Err(input(format!("{option} {path} belongs to the run in {owner}; choose another place")));
    }
    Ok(())
}

#[cfg(all(test, unix))] // on Windows only administrators make links
mod tests {
    use super::*;

    #[test]
    fn nothing_that_kirin_keeps_is_written_over() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        for made in ["run/data/games", "run/nets", "run/matches", "imported/games", "imported/positions"] {
            std::fs::create_dir_all(at(made)).unwrap();
        }
        for file in ["run/run.json", "run/data/manifest.jsonl", "imported/manifest.jsonl", "games.pgn"] {
            std::fs::write(at(file), "{}").unwrap();
        }
        std::fs::write(at("cup.jsonl"), "{\"blake3\":\"0123456789abcdef\",\"match\":{}}\n").unwrap();
        std::os::unix::fs::symlink(at("run"), at("link")).unwrap();
        std::os::unix::fs::symlink(at("run/run.json"), at("about")).unwrap();
        let refused = [
            ("run/run.json", "belongs to the run"),
            ("run/config.toml", "belongs to the run"),
            ("run/metrics.jsonl", "belongs to the run"),
            ("run/nets/../lock", "belongs to the run"),
            ("link/matches/x.pgn", "belongs to the run"),
            ("about", "belongs to the run"),
            ("run/data/manifest.jsonl", "lies in the data folder"),
            ("run/data/games/x", "lies in the data folder"),
            ("imported/games.pgn", "lies in the data folder"),
            ("cup.jsonl", "is a log of kirin"),
            ("games.pgn", "which this command reads"),
        ];
        for (path, why) in refused {
            let error = file_or_stream("--out", &at(path), &[&at("games.pgn")]).unwrap_err().to_string();
            assert!(error.starts_with("--out ") && error.contains(why), "{path}: {error}");
        }
        for free in ["run/games.pgn", "new.pgn", "link/new.parquet"] {
            let out = file_or_stream("--out", &at(free), &[&at("games.pgn")]).unwrap();
            assert!(out.file().is_some(), "{free}");
        }
        for (path, why) in
            [("run/nets", "belongs to the run"), ("link/data/x/y", "lies in the data folder"), ("games.pgn", "folder")]
        {
            let error = super::folder("--folder", &at(path)).unwrap_err().to_string();
            assert!(error.contains(why), "{path}: {error}");
        }
        for free in ["run/curves/deep", "cup", "cup/inner"] {
            super::folder("--folder", &at(free)).unwrap();
        }
        for stream in [Path::new("-"), Path::new("/dev/null"), folder.path()] {
            assert!(file("--log", stream).is_err(), "{stream:?}");
        }
        // A log may exist already; the command that continues it checks what it is.
        file("--log", &at("cup.jsonl")).unwrap();
    }
}
