//! The process that holds a lock, for the message to a process that is refused: a lock itself does not name it.

use crate::bounded;
use std::fmt;
use std::fs::{self, File};
use std::io::{Seek, Write};
use std::path::Path;

/// Most bytes that are read of a lock: a number and the name of a machine.
const MOST_BYTES: u64 = 300;

/// The process that holds a lock, and its machine, as that process wrote it into the file. It is only shown to people: a
/// process that has just taken the lock may not have written it yet.
///
/// # Examples
/// ```
/// # let folder = tempfile::tempdir()?;
/// let path = folder.path().join("lock");
/// let lock = std::fs::File::create(&path)?;
/// data::LockOwner::sign(&lock, &path);
/// let told = data::LockOwner::of(&path).to_string();
/// assert!(told.starts_with(&format!(" (process {}", std::process::id())));
/// // Whatever else is in the file is not told.
/// std::fs::write(&path, "<b>1</b>")?;
/// assert_eq!(data::LockOwner::of(&path).to_string(), "");
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LockOwner(Option<(u32, String)>);

impl LockOwner {
    /// Writes this process, which has just taken the lock, into the lock's file. A file behind a link is not ours and
    /// stays as it is; if the file cannot be written, it stays unsigned.
    pub fn sign(mut lock: &File, path: &Path) {
        if !fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_file()) {
            return;
        }
        let text = format!("{} {}\n", std::process::id(), gethostname::gethostname().display());
        let _ = lock.set_len(0).and_then(|()| lock.rewind()).and_then(|()| lock.write_all(text.as_bytes()));
    }

    /// The owner of this lock, which is held; empty if the file does not name it.
    pub fn of(path: &Path) -> LockOwner {
        let text = bounded::read_ordinary(path, MOST_BYTES).ok().and_then(|bytes| String::from_utf8(bytes).ok());
        LockOwner(text.and_then(|text| parse(&text)))
    }
}

/// A number and the name of a machine, which may be missing.
fn parse(text: &str) -> Option<(u32, String)> {
    let mut words = text.split_whitespace();
    let process = words.next()?.parse().ok()?;
    let machine = words.next().unwrap_or_default();
    let is_name = machine.chars().all(|c| c.is_ascii_alphanumeric() || "-_.".contains(c));
    (is_name && words.next().is_none()).then(|| (process, machine.to_owned()))
}

impl fmt::Display for LockOwner {
    /// ` (process 4711 on lab-3)`, or nothing where it is not known.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            None => Ok(()),
            Some((process, machine)) if machine.is_empty() => write!(f, " (process {process})"),
            Some((process, machine)) => write!(f, " (process {process} on {machine})"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shorter_signature_leaves_nothing_of_a_longer_one_and_a_link_is_not_followed() {
        let folder = tempfile::tempdir().unwrap();
        let (path, theirs, link) =
            (folder.path().join("lock"), folder.path().join("theirs"), folder.path().join("link"));
        fs::write(&path, "4294967295 a-machine-with-a-rather-long-name-that-nobody-has\n".repeat(3)).unwrap();
        let lock = File::options().write(true).open(&path).unwrap();
        LockOwner::sign(&lock, &path);
        let text = fs::read_to_string(&path).unwrap();
        assert_eq!((text.lines().count(), text.split(' ').next()), (1, Some(std::process::id().to_string().as_str())));

        fs::write(&theirs, "thesis").unwrap();
        // On Windows only administrators make links.
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink(&theirs, &link).unwrap();
            LockOwner::sign(&File::options().write(true).open(&link).unwrap(), &link);
            assert_eq!(fs::read_to_string(&theirs).unwrap(), "thesis");
        }
    }

    #[test]
    fn only_a_number_and_a_name_are_told() {
        let told = |text: &str| LockOwner(parse(text)).to_string();
        assert_eq!(told("4711 lab-3.example\n"), " (process 4711 on lab-3.example)");
        assert_eq!(told("4711\n"), " (process 4711)");
        for text in ["", "\n", "-1 lab", "99999999999 lab", "1 lab 2", "1 \u{1b}[31m", "{\"a\":1}"] {
            assert_eq!(told(text), "", "{text:?}");
        }
    }
}
