//! Checks that a shared library is whole before the dynamic linker maps it. The linker trusts the library's header, and a
//! program that touches the missing part of a file that was copied in part is ended by SIGBUS.

use super::LibraryError;
use sha2::{Digest, Sha256};
use std::fs::{self, File};
use std::io::{self, ErrorKind};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

/// Largest library whose checksum is compared. Ours has 3 MB.
const MOST_BYTES: u64 = 256 << 20;
/// Largest file with a checksum.
const MOST_SUM_BYTES: u64 = 4096;

/// What is added to the name of a library for the name of the file with its checksum, which `make build` writes
/// (`sha256sum`).
const SUM: &str = ".sha256";

/// Refuses a library of ours that is not what was built: one that is shorter than its header says, or that has another
/// checksum than the file next to it, if there is one. `repair` says what to do then.
///
/// # Errors
/// It is not whole, or it cannot be read.
pub(super) fn require_ours(path: &Path, repair: &'static str) -> Result<(), LibraryError> {
    let what = defect(path).and_then(|short| if short.is_some() { Ok(short) } else { other_sum(path) });
    refuse(path, what, repair)
}

/// Refuses a library of libtorch that is shorter than its header says. One that is not there is left to the dynamic linker.
///
/// # Errors
/// It is not whole, or it cannot be read.
pub(super) fn require_libtorch(path: &Path) -> Result<(), LibraryError> {
    match defect(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
        what => refuse(path, what, "install libtorch again"),
    }
}

fn refuse(path: &Path, what: io::Result<Option<String>>, repair: &'static str) -> Result<(), LibraryError> {
    let path = path.to_owned();
    match what {
        Ok(None) => Ok(()),
        Ok(Some(what)) => Err(LibraryError::Damaged { path, what, repair }),
        Err(source) => Err(LibraryError::Unreadable { path, source }),
    }
}

/// Says how much of the file is missing, if its header describes more than it has. A file that is no library is left to
/// the dynamic linker, which reports it.
fn defect(path: &Path) -> io::Result<Option<String>> {
    let file = File::open(path)?;
    let (length, wanted) = (file.metadata()?.len(), described_length(&file)?);
    Ok((length < wanted).then(|| format!("it has {length} bytes, and by its header {wanted} or more")))
}

/// The length that the header of a 64-bit little-endian ELF file describes: up to the end of the last segment and of the
/// table of sections, which linkers place at the end. 0 for other files.
fn described_length(file: &File) -> io::Result<u64> {
    let mut header = [0; 64];
    match file.read_exact_at(&mut header, 0) {
        Err(error) if error.kind() == ErrorKind::UnexpectedEof => return Ok(0),
        read => read?,
    }
    if !header.starts_with(b"\x7fELF\x02\x01") {
        return Ok(0);
    }
    let [segments, sections] = [0x20, 0x28].map(|at| number::<8>(&header, at));
    let [segment_size, segment_count, section_size, section_count] =
        [0x36, 0x38, 0x3a, 0x3c].map(|at| number::<2>(&header, at));
    let mut end = sections.saturating_add(section_size * section_count);
    for index in 0..segment_count {
        let at = segments.saturating_add(index * segment_size);
        let mut segment = [0; 56];
        match file.read_exact_at(&mut segment, at) {
            Err(error) if error.kind() == ErrorKind::UnexpectedEof => return Ok(end.max(at.saturating_add(56))),
            read => read?,
        }
        const LOADED: u64 = 1;
        if number::<4>(&segment, 0) == LOADED {
            end = end.max(number::<8>(&segment, 0x08).saturating_add(number::<8>(&segment, 0x20)));
        }
    }
    Ok(end)
}

/// A little-endian number of `N` bytes.
fn number<const N: usize>(bytes: &[u8], at: usize) -> u64 {
    bytes[at..at + N].iter().rev().fold(0, |number, &byte| number << 8 | u64::from(byte))
}

/// Says so if the library has another checksum than the file next to it.
fn other_sum(path: &Path) -> io::Result<Option<String>> {
    let mut name = path.as_os_str().to_owned();
    name.push(SUM);
    let beside = PathBuf::from(name);
    match fs::symlink_metadata(&beside) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        there => there?,
    };
    let text = data::bounded::read_ordinary(&beside, MOST_SUM_BYTES)?;
    let text = String::from_utf8_lossy(&text);
    let wanted = text.split_whitespace().next().unwrap_or_default();
    let bytes = data::bounded::read_ordinary(path, MOST_BYTES)?;
    let found: String = Sha256::digest(&bytes).iter().map(|byte| format!("{byte:02x}")).collect();
    Ok((found != wanted).then(|| format!("its SHA-256 is not that in {}", beside.display())))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// This program itself is a file of the same kind.
    #[test]
    fn a_library_cut_short_anywhere_is_refused_and_so_is_one_with_other_bytes() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("lib.so");
        let whole = fs::read(std::env::current_exe().expect("this program")).expect("it can be read");
        let told = |bytes: &[u8]| {
            fs::write(&path, bytes).expect("written");
            require_ours(&path, "make build").map_err(|error| error.to_string())
        };
        assert_eq!(told(&whole), Ok(()));
        for length in [64, 100, 4096, whole.len() / 2, whole.len() - 1] {
            let error = told(&whole[..length]).expect_err("cut short");
            assert!(error.contains(&format!("lib.so is not whole: it has {length} bytes")), "{error}");
            assert!(error.contains("make build"), "{error}");
        }
        assert_eq!(told(b"junk"), Ok(()), "the dynamic linker refuses it");

        let sum: String = Sha256::digest(&whole).iter().map(|byte| format!("{byte:02x}")).collect();
        fs::write(folder.path().join("lib.so.sha256"), format!("{sum}  lib.so\n")).expect("written");
        assert_eq!(told(&whole), Ok(()));
        let mut hole = whole.clone();
        let middle = hole.len() / 2;
        hole[middle..middle + 4096].fill(0x55);
        let error = told(&hole).expect_err("other bytes");
        assert!(error.contains("its SHA-256 is not that in") && error.contains("lib.so.sha256"), "{error}");
        assert!(require_libtorch(&folder.path().join("none.so")).is_ok(), "left to the dynamic linker");
    }
}
