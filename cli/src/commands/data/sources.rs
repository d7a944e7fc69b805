//! Where `kirin data import` finds games: files, folders, archives, standard input.

use crate::failure::input;
use anyhow::Context;
use data::bounded::{is_standard_input, read_named, read_ordinary};
use flate2::read::MultiGzDecoder;
use records::{RecordFormat, file_name};
use std::io::{Cursor, Read};
use std::path::{Path, PathBuf};
use zip::ZipArchive;

/// Largest file of records that is read, bytes. The file is in memory several times.
const MOST_RECORD_BYTES: u64 = 256 << 20;
/// Bytes of all files in an archive together, decompressed. Otherwise a few kilobytes could keep the program busy for
/// hours.
const MOST_ARCHIVE_BYTES: u64 = 1 << 30;

/// The first bytes of what gzip has compressed.
const GZIP: &[u8] = &[0x1f, 0x8b];
/// The first bytes of a zip archive with files, and of one without.
const ZIP: [&[u8]; 2] = [b"PK\x03\x04", b"PK\x05\x06"];

/// A file of games.
pub struct Source {
    /// Its name in messages.
    pub shown: String,
    /// Its name in the table: below the folder that was named, so that files of one name in several folders differ.
    pub name: String,
    /// Its bytes, or why they cannot be had.
    pub bytes: Result<Vec<u8>, String>,
}

impl Source {
    /// The name by which its format is known.
    pub fn format_hint(&self) -> &str {
        self.shown.strip_suffix(".gz").unwrap_or(&self.shown)
    }
}

/// A file on the disk.
struct SourceFile {
    path: PathBuf,
    name: String,
    /// Whether it was found in a folder. Only what a person names may be a pipe.
    is_found: bool,
}

/// The files that some arguments mean.
pub struct Sources {
    files: Vec<SourceFile>,
    /// Whether files of folders and archives are read whatever their endings are.
    any_ending: bool,
    /// Files of folders and archives that are hidden, or whose endings no format of games has.
    passed_over: u64,
}

impl Sources {
    /// The files that these arguments mean: those of a folder in the order of their names, except in the folder `to`.
    ///
    /// # Errors
    /// A folder cannot be read, or holds no file of games.
    pub fn of(named: &[PathBuf], to: &Path, any_ending: bool) -> anyhow::Result<Sources> {
        let mut sources = Sources { files: Vec::new(), any_ending, passed_over: 0 };
        for path in named {
            if !is_standard_input(path) && path.is_dir() {
                let before = sources.files.len();
                sources.add_folder(path, path, to)?;
                if sources.files.len() == before {
                    let why = format!("{} holds no files of games, which end in {}", path.display(), endings());
                    return Err(input(if any_ending { format!("{} holds no files", path.display()) } else { why }));
                }
            } else {
                let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
                sources.files.push(SourceFile { path: path.clone(), name, is_found: false });
            }
        }
        Ok(sources)
    }

    /// Adds the files of a folder and of those below it. Hidden ones, links to folders and the folder that the games go
    /// to are passed over.
    fn add_folder(&mut self, root: &Path, folder: &Path, to: &Path) -> anyhow::Result<()> {
        let cannot_read = |path: &Path| format!("cannot read {}", path.display());
        let is_target =
            |path: &Path| path.canonicalize().is_ok_and(|path| to.canonicalize().is_ok_and(|to| path == to));
        let entries = std::fs::read_dir(folder).and_then(Iterator::collect::<std::io::Result<Vec<_>>>);
        let mut entries = entries.with_context(|| cannot_read(folder))?;
        entries.sort_by_key(std::fs::DirEntry::file_name);
        for entry in entries {
            let path = entry.path();
            let is_hidden = is_hidden(&entry.file_name().to_string_lossy());
            if entry.file_type().with_context(|| cannot_read(&path))?.is_dir() {
                if !is_hidden && !is_target(&path) {
                    self.add_folder(root, &path, to)?;
                }
            } else if path.is_file() {
                let name = path.strip_prefix(root).unwrap_or(&path).to_string_lossy().into_owned();
                if !is_hidden && (self.any_ending || has_known_ending(&name)) {
                    self.files.push(SourceFile { path, name, is_found: true });
                } else {
                    self.passed_over += 1;
                }
            }
        }
        Ok(())
    }

    /// Reads file after file, those of archives too. Returns how many were passed over because they are hidden or no
    /// format of games has their ending.
    ///
    /// # Errors
    /// A file on the disk cannot be read.
    pub fn each(self, mut each: impl FnMut(Source)) -> anyhow::Result<u64> {
        let mut passed_over = self.passed_over;
        for file in &self.files {
            let shown = file.path.display().to_string();
            let read = if file.is_found { read_ordinary } else { read_named };
            let bytes = read(&file.path, MOST_RECORD_BYTES).with_context(|| format!("cannot read {shown}"))?;
            if is_zip(&bytes) {
                passed_over += of_archive(&shown, &file.name, &bytes, self.any_ending, &mut each);
            } else {
                each(plain(shown, file.name.clone(), bytes, MOST_RECORD_BYTES));
            }
        }
        Ok(passed_over)
    }
}

/// Whether a file of a folder or of an archive is read.
pub fn has_known_ending(name: &str) -> bool {
    let name = name.rsplit(['/', '\\']).next().unwrap_or_default().to_lowercase();
    match name.strip_suffix(".gz") {
        Some(inner) if !inner.contains('.') || inner.ends_with('.') => true,
        inner => name.ends_with(".zip") || RecordFormat::of_file(inner.unwrap_or(&name)).is_some(),
    }
}

/// The endings of such files, for messages.
fn endings() -> String {
    let of_formats = RecordFormat::ALL.iter().flat_map(|format| format.extensions).copied();
    of_formats.chain(["gz", "zip"]).map(|ending| format!(".{ending}")).collect::<Vec<_>>().join(", ")
}

fn is_zip(bytes: &[u8]) -> bool {
    ZIP.iter().any(|first| bytes.starts_with(first))
}

/// A file, decompressed if gzip has compressed it.
fn plain(shown: String, name: String, bytes: Vec<u8>, most: u64) -> Source {
    if !bytes.starts_with(GZIP) {
        return Source { shown, name, bytes: Ok(bytes) };
    }
    let bytes = bounded(MultiGzDecoder::new(bytes.as_slice()), most);
    Source { shown, name, bytes }
}

/// All bytes of what is decompressed, if they are at most `most`.
fn bounded(from: impl Read, most: u64) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::new();
    match from.take(most + 1).read_to_end(&mut bytes) {
        Ok(_) if bytes.len() as u64 > most => Err(format!("it has more than {most} bytes when it is decompressed")),
        Ok(_) => Ok(bytes),
        Err(error) => Err(format!("it cannot be decompressed, so it is damaged or cut off: {error}")),
    }
}

/// Whether a part of a path, on the disk or in an archive, marks what is hidden. The folders `.` and `..` are not: archives
/// have them in front of the names of files, and nothing is unpacked to where they point.
fn is_hidden(part: &str) -> bool {
    part.starts_with('.') && !matches!(part, "." | "..") || part == "__MACOSX"
}

/// Reads the files of an archive in the order of their names. Returns how many are passed over, because they are hidden
/// or no format of games has their ending.
fn of_archive(shown: &str, name: &str, bytes: &[u8], any_ending: bool, each: &mut impl FnMut(Source)) -> u64 {
    let whole = |why: String| Source { shown: shown.to_owned(), name: name.to_owned(), bytes: Err(why) };
    let mut archive = match ZipArchive::new(Cursor::new(bytes)) {
        Ok(archive) => archive,
        Err(error) => {
            each(whole(format!("it is no zip archive that can be read: {error}")));
            return 0;
        }
    };
    let (mut all, mut inside) = (0, Vec::new());
    for at in 0..archive.len() {
        // A file whose entry is damaged has no name, and is told of below.
        let inner = archive.by_index_raw(at).map(|file| (file.is_dir(), file_name(file.name_raw())));
        let (is_folder, inner) = inner.unwrap_or_else(|_| (false, format!("file {}", at + 1)));
        if is_folder {
            continue;
        }
        all += 1;
        if !inner.split(['/', '\\']).any(is_hidden) {
            inside.push((inner, at));
        }
    }
    inside.sort();
    inside.retain(|(inner, _)| any_ending || has_known_ending(inner));
    if inside.is_empty() {
        each(whole(format!("it holds no files of games, which end in {}", endings())));
    }
    let passed_over = (all - inside.len()) as u64;
    let mut left = MOST_ARCHIVE_BYTES;
    for (inner, at) in inside {
        let most = left.min(MOST_RECORD_BYTES);
        let read = match archive.by_index(at) {
            Ok(file) => bounded(file, most),
            Err(error) => Err(format!("it cannot be read from the archive: {error}")),
        };
        let [shown, name] = [shown, name].map(|archive| format!("{archive}/{inner}"));
        let source = match read {
            Ok(bytes) if is_zip(&bytes) => {
                let why = "it is an archive in an archive; unpack the outer one".to_owned();
                Source { shown, name, bytes: Err(why) }
            }
            Ok(bytes) => plain(shown, name, bytes, most),
            Err(why) => Source { shown, name, bytes: Err(why) },
        };
        left = left.saturating_sub(source.bytes.as_ref().map_or(0, |bytes| bytes.len() as u64));
        each(source);
        if left == 0 {
            let why = "its files have more than 1 GiB together; unpack it, and import the folder".to_owned();
            each(whole(why));
            break;
        }
    }
    passed_over
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    #[test]
    fn what_grows_beyond_the_bound_is_refused() {
        let mut writer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
        writer.write_all(&[b'1'; 100_000]).unwrap();
        let bomb = writer.finish().unwrap();
        assert!(bomb.len() < 1_000, "{} bytes", bomb.len());
        let decompressed = |bytes: &[u8], most| plain("games.txt.gz".into(), String::new(), bytes.to_vec(), most);
        let whole = decompressed(&bomb, 100_000);
        assert_eq!((whole.format_hint(), whole.bytes.as_ref().map(Vec::len)), ("games.txt", Ok(100_000)));
        let error = decompressed(&bomb, 99_999).bytes.unwrap_err();
        assert_eq!(error, "it has more than 99999 bytes when it is decompressed");
        let error = decompressed(&bomb[..bomb.len() - 9], 100_000).bytes.unwrap_err();
        assert!(error.contains("damaged or cut off"), "{error}");
    }

    #[test]
    fn endings_of_games_are_known() {
        for name in ["a.pgn", "b/A.XQF", "a.KIF.gz", "v1.2/games.gz", "games.zip", "a.html"] {
            assert!(has_known_ending(name), "{name}");
        }
        for part in [".git", "..a", "...", "__MACOSX"] {
            assert!(is_hidden(part), "{part}");
        }
        for part in [".", "..", "", "a.pgn"] {
            assert!(!is_hidden(part), "{part}");
        }
        for name in ["README", "README.md", "a.tar.gz", "photo.jpg", "a.kif/README", ".", ".gz.bak"] {
            assert!(!has_known_ending(name), "{name}");
        }
    }
}
