//! Finding an engine's program.

use super::sys;
use std::env::consts::EXE_SUFFIX;
use std::io;
use std::path::{Path, PathBuf, is_separator};

/// The folder in which distributions install games; it need not be on the search path.
const GAMES: &str = "/usr/games";

/// Why there is no program, and what to do about it.
#[derive(Debug, thiserror::Error)]
#[error("{fix}")]
pub(super) struct NoProgram {
    pub fix: String,
    pub source: Option<io::Error>,
}

impl NoProgram {
    fn new(fix: impl Into<String>) -> NoProgram {
        NoProgram { fix: fix.into(), source: None }
    }
}

/// The program that a command means: a path with a `/` in it, or a name in the folders of the search path and, on Unix, in
/// `/usr/games`. On Windows `\` may stand for `/`, and `.exe` may be left out.
pub(super) fn locate(command: &str) -> Result<PathBuf, NoProgram> {
    if command.contains(is_separator) {
        let path = &with_suffix(command.into());
        return match path.metadata() {
            Ok(data) if data.is_dir() => Err(NoProgram::new("it is a folder; give the program in it")),
            Ok(data) if !sys::is_executable(&data) => {
                Err(NoProgram::new(format!("the file exists but is not executable; run chmod +x {command}")))
            }
            // A child process starts in the same folder, but it would look up a name without a folder elsewhere.
            Ok(_) => std::path::absolute(path)
                .map_err(|error| NoProgram { fix: "give its absolute path".to_owned(), source: Some(error) }),
            Err(error) => Err(NoProgram { fix: install(command), source: Some(error) }),
        };
    }
    let search = std::env::var_os("PATH").unwrap_or_default();
    let folders = std::env::split_paths(&search).chain(cfg!(unix).then(|| PathBuf::from(GAMES)));
    let found = folders
        .map(|folder| with_suffix(folder.join(command)))
        .find(|path| path.metadata().is_ok_and(|data| data.is_file() && sys::is_executable(&data)));
    found.ok_or_else(|| NoProgram::new(format!("it is not on the search path; {}", install(command))))
}

/// The file of a program, with the `.exe` that may be left out on Windows.
fn with_suffix(path: PathBuf) -> PathBuf {
    if EXE_SUFFIX.is_empty() || path.is_file() {
        return path;
    }
    let mut named = path.into_os_string();
    named.push(EXE_SUFFIX);
    named.into()
}

/// How to get the program.
fn install(command: &str) -> String {
    let name = command.rsplit(is_separator).next().unwrap_or_default().to_lowercase();
    let known = [("fairy", "fairy-stockfish"), ("stockfish", "stockfish"), ("gnushogi", "gnushogi")];
    match known.into_iter().find(|(part, _)| name.contains(part)) {
        Some((_, package)) => {
            format!("install it (Debian: apt-get install {package}, into {GAMES}), or give the path of the program")
        }
        None => "give the path of the engine's program".to_owned(),
    }
}

/// BLAKE3 of the program's file, 16 hex digits.
pub(super) fn digest(program: &Path) -> io::Result<String> {
    let mut hasher = blake3::Hasher::new();
    io::copy(&mut data::bounded::open_ordinary(program, std::fs::File::options().read(true))?, &mut hasher)?;
    Ok(hasher.finalize().to_hex()[..16].to_owned())
}
