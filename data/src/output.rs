//! Where a command writes what it was asked for: a file that appears whole, or a stream.
//!
//! A name on the command line may lead to anything. An ordinary file is replaced whole, and a link is followed to it. A
//! pipe or a character device, such as `/dev/stdout`, is written to directly: a rename would replace it with a file.
//! Everything else is refused before the work begins.

use std::fs::{self, File};
use std::io::{self, BufWriter, Read, Write};
use std::path::{Path, PathBuf};

use settings::ExitKind;

use crate::bounded::{kind_of, open_ordinary};
use crate::durable;
use crate::error::{DataError, Result};
use crate::line_log;
use crate::system;

/// Most links that are followed to a file that is not there yet: as many as Linux follows.
const MOST_LINKS: u32 = 40;

/// Something that a command writes to.
///
/// # Examples
/// ```
/// use data::Output;
///
/// # let folder = tempfile::tempdir()?;
/// let games = folder.path().join("games.pgn");
/// let latest = folder.path().join("latest.pgn");
/// std::os::unix::fs::symlink("games.pgn", &latest)?;
/// Output::new(&latest)?.write(|out| out.write_all(b"1. e4 *\n"))?;
/// assert!(latest.is_symlink());
/// assert_eq!(std::fs::read(&games)?, b"1. e4 *\n");
///
/// assert!(Output::new(folder.path()).is_err(), "a folder is refused");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Output {
    named: PathBuf,
    target: Target,
}

#[derive(Clone, Debug)]
enum Target {
    StandardOutput,
    StandardError,
    /// A pipe or a character device, by its name.
    Stream,
    /// A file, there or not, without links in its path.
    File(PathBuf),
}

/// Why nothing can be written to a name.
#[derive(Debug, thiserror::Error)]
pub enum OutputError {
    /// It leads to something that is neither a file nor a stream.
    #[error("{} is {kind}: name a file, a pipe or a character device, or - for standard output", path.display())]
    Kind {
        /// The name.
        path: PathBuf,
        /// What it is, in words.
        kind: &'static str,
    },
    /// A file is needed, and it leads to a stream.
    #[error("{} is no ordinary file, and one is needed here: choose another name", path.display())]
    Stream {
        /// The name.
        path: PathBuf,
    },
    /// Its folder is not there.
    #[error("cannot write {}: its folder is not there", path.display())]
    NoFolder {
        /// The name.
        path: PathBuf,
    },
    /// The system does not say what it leads to.
    #[error("cannot look at {}: {source}", path.display())]
    Look {
        /// The name.
        path: PathBuf,
        /// The system's own words.
        source: io::Error,
    },
}

impl Output {
    /// Finds out what a name leads to, and changes nothing. `-` is standard output, and so is any name of it.
    ///
    /// # Errors
    /// It is a folder, a socket or a block device, or its folder is not there.
    pub fn new(path: &Path) -> Result<Output, OutputError> {
        let named = path.to_owned();
        if path.as_os_str() == "-" {
            return Ok(Output { named, target: Target::StandardOutput });
        }
        let look = |source| OutputError::Look { path: named.clone(), source };
        let target = match fs::metadata(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Target::File(place_of_new(path)?),
            metadata => {
                let metadata = metadata.map_err(look)?;
                let kind = metadata.file_type();
                if system::is_standard_output(path, &metadata) {
                    Target::StandardOutput
                } else if system::is_standard_error(path, &metadata) {
                    Target::StandardError
                } else if kind.is_file() {
                    Target::File(path.canonicalize().map_err(look)?)
                } else if system::is_stream(kind) {
                    Target::Stream
                } else {
                    let kind = kind_of(&metadata).unwrap_or("no file");
                    return Err(OutputError::Kind { path: named, kind });
                }
            }
        };
        Ok(Output { named, target })
    }

    /// The name that it was given.
    pub fn named(&self) -> &Path {
        &self.named
    }

    /// Whether it is standard output, so that nothing else should be printed there.
    pub fn is_standard_output(&self) -> bool {
        matches!(self.target, Target::StandardOutput)
    }

    /// The file, there or not, without links in its path; `None` for a stream.
    pub fn file(&self) -> Option<&Path> {
        match &self.target {
            Target::File(path) => Some(path),
            _ => None,
        }
    }

    /// Writes it: a file appears whole or not at all, and a stream takes what comes.
    ///
    /// # Errors
    /// The file or stream cannot be written.
    pub fn write<T>(&self, write: impl FnOnce(&mut (dyn Write + Send)) -> io::Result<T>) -> Result<T> {
        let failed = |error| DataError::io("write", &self.named)(error);
        match &self.target {
            Target::File(path) => durable::write_atomically(path, |file| write(file)),
            Target::StandardOutput => through(io::stdout(), write).map_err(failed),
            Target::StandardError => through(io::stderr(), write).map_err(failed),
            Target::Stream => {
                let stream = File::options().write(true).open(&self.named).map_err(failed)?;
                through(stream, write).map_err(failed)
            }
        }
    }
}

fn through<T>(
    stream: impl Write + Send,
    write: impl FnOnce(&mut (dyn Write + Send)) -> io::Result<T>,
) -> io::Result<T> {
    let mut stream = BufWriter::with_capacity(1 << 16, stream);
    let value = write(&mut stream)?;
    stream.flush()?;
    Ok(value)
}

/// Serialises a path as messages show it (`serialize_with`): serde itself refuses one that is not UTF-8.
///
/// # Errors
/// Those of the serializer.
pub fn shown_path<S: serde::Serializer>(path: &Path, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(&path.display())
}

/// Where a new file will be: at the end of the links, in a folder that exists.
fn place_of_new(path: &Path) -> Result<PathBuf, OutputError> {
    let look = |source| OutputError::Look { path: path.to_owned(), source };
    let mut place = path.to_owned();
    for _ in 0..MOST_LINKS {
        match fs::read_link(&place) {
            Ok(next) => place = durable::parent(&place).join(next),
            Err(_) => {
                let no_folder = || OutputError::NoFolder { path: path.to_owned() };
                let name = place.file_name().ok_or_else(no_folder)?;
                return match durable::parent(&place).canonicalize() {
                    Ok(folder) if folder.is_dir() => Ok(folder.join(name)),
                    Ok(_) => Err(no_folder()),
                    Err(error) if error.kind() == io::ErrorKind::NotFound => Err(no_folder()),
                    Err(error) => Err(look(error)),
                };
            }
        }
    }
    Err(look(io::Error::other("too many links")))
}

/// The kind of a file that kirin keeps and no command would make again: a log, a network or training state, a packed
/// shard. `None` for any other file, and for a missing one.
pub fn kept_by_kirin(path: &Path) -> Option<&'static str> {
    /// Bytes that identify the kind.
    const HEAD: u64 = 64;
    let mut head = Vec::new();
    open_ordinary(path, File::options().read(true)).ok()?.take(HEAD).read_to_end(&mut head).ok()?;
    if line_log::begins_with_checksum(&head) {
        return Some("a log of kirin");
    }
    if head.starts_with(crate::shard_bundle::HEAD.as_bytes()) {
        return Some("a shard of kirin");
    }
    // A safetensors file: the length of a JSON object, and the object.
    let length = u64::from_le_bytes(*head.first_chunk::<8>()?);
    let fits =
        fs::metadata(path).is_ok_and(|metadata| metadata.len().checked_sub(8).is_some_and(|rest| length <= rest));
    (fits && head[8..].starts_with(b"{\"")).then_some("a network or a training state")
}

impl OutputError {
    /// What the error asks for.
    pub fn exit_kind(&self) -> ExitKind {
        match self {
            OutputError::Kind { .. } | OutputError::Stream { .. } => ExitKind::Input,
            OutputError::NoFolder { .. } | OutputError::Look { .. } => ExitKind::Machine,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)] // Windows has no names of pipes and sockets in folders
    #[test]
    fn pipes_and_devices_stay_what_they_are_and_links_are_followed() {
        use std::os::unix::fs::FileTypeExt;
        use std::process::Command;
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        assert!(Command::new("mkfifo").arg(at("pipe")).status().unwrap().success());
        std::os::unix::fs::symlink("pipe", at("link-to-pipe")).unwrap();
        for name in ["pipe", "link-to-pipe"] {
            let reader = std::thread::spawn({
                let pipe = at("pipe");
                move || fs::read(pipe).unwrap()
            });
            Output::new(&at(name)).unwrap().write(|out| out.write_all(b"games")).unwrap();
            assert_eq!(reader.join().unwrap(), b"games");
            assert!(fs::symlink_metadata(at("pipe")).unwrap().file_type().is_fifo(), "{name}");
        }
        // A file that is there, and one that is not, each behind two links.
        fs::create_dir(at("far")).unwrap();
        std::os::unix::fs::symlink("far/new", at("one")).unwrap();
        std::os::unix::fs::symlink("one", at("two")).unwrap();
        for text in ["first", "second"] {
            Output::new(&at("two")).unwrap().write(|out| out.write_all(text.as_bytes())).unwrap();
            assert!(at("one").is_symlink() && at("two").is_symlink());
            assert_eq!(fs::read_to_string(at("far/new")).unwrap(), text);
        }
        std::os::unix::fs::symlink("round", at("round")).unwrap();
        assert!(matches!(Output::new(&at("round")), Err(OutputError::Look { .. })));
        let _socket = std::os::unix::net::UnixListener::bind(at("socket")).unwrap();
        for (name, kind) in [("far", "a folder"), ("socket", "a socket")] {
            let error = Output::new(&at(name)).unwrap_err().to_string();
            assert!(error.contains(kind) && error.contains(name), "{error}");
        }
        assert!(matches!(Output::new(&at("nowhere/x")), Err(OutputError::NoFolder { .. })));
        assert!(Output::new(Path::new("-")).unwrap().is_standard_output());
        let null = Output::new(Path::new("/dev/null")).unwrap();
        assert!(null.file().is_none());
    }

    #[test]
    fn what_kirin_keeps_is_known_by_its_beginning() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x");
        let tensors = [&17u64.to_le_bytes()[..], b"{\"__metadata__\":{}"].concat();
        for (bytes, kept) in [
            (&b"{\"blake3\":\"0123456789abcdef\",\"event\":{}}\n"[..], true),
            (&tensors, true),
            (b"{\"format\":\"kirin shard 1\",\"games\":{}", true),
            (b"[Event \"a game\"]\n", false),
            (b"PAR1", false),
            (b"", false),
        ] {
            fs::write(&path, bytes).unwrap();
            assert_eq!(kept_by_kirin(&path).is_some(), kept, "{}", String::from_utf8_lossy(bytes));
        }
        assert_eq!(kept_by_kirin(&folder.path().join("missing")), None);
        assert_eq!(kept_by_kirin(folder.path()), None);
    }
}
