//! Objects as files of a folder. A name appears only after its bytes are on the disk.

use super::Placed;
use super::error::{Result, StoreError};
use super::identity::{self, Identity};
use bytes::Bytes;
use std::fs::{self, File};
use std::io::{self, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};

/// Separates an object's name from the rest in the name of a file that is being written. No object name contains it.
const UNFINISHED: char = '#';

/// Folder for files that never held an object.
const DAMAGED: &str = "damaged";

/// A file that was moved away because an object of its name was to be written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Moved {
    /// Its new name in the store.
    pub to: String,
}

/// A folder of objects. It is never created by a read or a write.
#[derive(Debug)]
pub(crate) struct Folder {
    url: String,
    root: PathBuf,
}

impl Folder {
    /// The folder `root`, whether it exists or not. `url` is used in messages.
    pub fn new(url: &str, root: PathBuf) -> Folder {
        Folder { url: url.to_owned(), root }
    }

    /// Creates the folder, so that it survives a power cut.
    ///
    /// # Errors
    /// The folder cannot be created, or a folder above it cannot be synced.
    pub fn create(&self) -> Result<()> {
        let missing: Vec<&Path> = self.root.ancestors().take_while(|folder| !folder.exists()).collect();
        let made = fs::create_dir_all(&self.root)
            .and_then(|()| missing.iter().filter_map(|folder| folder.parent()).try_for_each(sync_folder));
        made.map_err(|source| StoreError::Folder { folder: self.root.clone(), source })
    }

    /// Whether there is nothing at its path.
    pub fn is_missing(&self) -> bool {
        !self.root.exists()
    }

    /// Removes a folder that has become empty, those above it, and `root` too if it was created for this.
    pub fn remove_empty(&self, prefix: &str, root: bool) {
        let folder = self.root.join(prefix);
        let below = folder.ancestors().take_while(|folder| *folder != self.root);
        for folder in below.chain(root.then_some(self.root.as_path())) {
            // A folder that is not empty stays.
            let _ = fs::remove_dir(folder);
        }
    }

    /// Creates an object if it does not exist. With an `identity` it checks before and after writing that the store is
    /// still that one. The second value is an empty file that had the name and was moved.
    ///
    /// # Errors
    /// The folder is missing or is not the one of `identity`, or a file cannot be written, synced, read or renamed.
    pub fn put(&self, key: &str, bytes: &Bytes, identity: Option<&Identity>) -> Result<(Placed, Option<Moved>)> {
        let put = self.try_to_put(key, bytes, identity);
        if let (Err(_), Some((folder, _))) = (&put, key.rsplit_once('/')) {
            // The folders just created may be below the mount point of a missing disk.
            self.remove_empty(folder, false);
        }
        put
    }

    fn try_to_put(&self, key: &str, bytes: &Bytes, identity: Option<&Identity>) -> Result<(Placed, Option<Moved>)> {
        let failed = |error| self.failed("upload", key, &error);
        let path = self.root.join(key);
        self.prove("upload", key, identity)?;
        if self.is_missing() {
            let source = io::Error::new(ErrorKind::NotFound, "there is no such folder");
            return Err(StoreError::Folder { folder: self.root.clone(), source });
        }
        let folder = self.made_folder(&path).map_err(failed)?;
        let mut file = self.unfinished(&path, &folder).map_err(failed)?;
        file.write_all(bytes).and_then(|()| file.as_file().sync_all()).map_err(failed)?;
        // The disk may have disappeared while the file was written.
        self.prove("upload", key, identity)?;
        let mut moved = None;
        loop {
            file = match file.persist_noclobber(&path) {
                Ok(_) => {
                    self.sync_up(&folder).map_err(failed)?;
                    return Ok((Placed::New, moved));
                }
                Err(error) if error.error.kind() == ErrorKind::AlreadyExists => error.file,
                Err(error) => return Err(failed(error.error)),
            };
            match self.read(key, bytes.len() as u64) {
                Ok(Some(there)) if there == *bytes => {
                    self.sync_up(&folder).map_err(failed)?;
                    return Ok((Placed::Same, moved));
                }
                // A power cut has left the name of an object whose bytes were never written.
                Ok(None) => moved = self.quarantine(key).map_err(failed)?.or(moved),
                Ok(Some(_)) | Err(StoreError::Object { .. }) => return Ok((Placed::Taken, moved)),
                Err(error) => return Err(error),
            }
        }
    }

    /// An object of at most `most` bytes; `None` if there is none. An empty file is not an object.
    ///
    /// # Errors
    /// The object has more bytes or is no ordinary file, it cannot be read, or it is missing and the folder is not the
    /// one of `identity`.
    pub fn get(&self, key: &str, most: u64, identity: Option<&Identity>) -> Result<Option<Bytes>> {
        let read = self.read(key, most)?;
        if read.is_none() {
            self.prove("get", key, identity)?;
        }
        Ok(read)
    }

    /// Whether there is an object. An empty file is not an object.
    ///
    /// # Errors
    /// The object is no ordinary file or cannot be examined, or it is missing and the folder is not the one of
    /// `identity`.
    pub fn contains(&self, key: &str, identity: Option<&Identity>) -> Result<bool> {
        let there = self.size("look for", key)?.is_some();
        if !there {
            self.prove("look for", key, identity)?;
        }
        Ok(there)
    }

    /// Names of files in a folder; empty files and unfinished ones are not objects.
    ///
    /// # Errors
    /// The folder is not the one of `identity`, or cannot be listed.
    pub fn names_in(&self, prefix: &str, identity: Option<&Identity>) -> Result<Vec<String>> {
        let failed = |error| self.failed("list", prefix, &error);
        self.prove("list", prefix, identity)?;
        let mut names = Vec::new();
        let entries = match fs::read_dir(self.root.join(prefix)) {
            Err(error) if is_absent(&error) => return Ok(names),
            entries => entries.map_err(failed)?,
        };
        for entry in entries {
            let entry = entry.map_err(failed)?;
            let Ok(name) = entry.file_name().into_string() else { continue };
            // The entry itself may be a link.
            let about = match fs::metadata(entry.path()) {
                Err(error) if is_absent(&error) => continue,
                about => about.map_err(failed)?,
            };
            if about.is_file() && about.len() > 0 && !name.contains(UNFINISHED) {
                names.push(name);
            }
        }
        Ok(names)
    }

    /// Removes an object; it may be missing.
    ///
    /// # Errors
    /// The file cannot be removed.
    pub fn remove(&self, key: &str) -> Result<()> {
        match fs::remove_file(self.root.join(key)) {
            Err(error) if !is_absent(&error) => Err(self.failed("remove", key, &error)),
            _ => Ok(()),
        }
    }

    /// Checks by the identity file that this is still the folder that was opened.
    fn prove(&self, action: &'static str, key: &str, identity: Option<&Identity>) -> Result<()> {
        let Some(identity) = identity else { return Ok(()) };
        let there = match self.read(&identity.key, identity::MOST_BYTES) {
            // A large or odd file is certainly not the identity.
            Err(StoreError::Object { .. }) => Some(Bytes::new()),
            there => there?,
        };
        identity.prove(&self.url, action, key, there.as_deref())
    }

    /// The size of an object; `None` if there is no file, or an empty one.
    fn size(&self, action: &'static str, key: &str) -> Result<Option<u64>> {
        match fs::metadata(self.root.join(key)) {
            Err(error) if is_absent(&error) => Ok(None),
            Err(error) => Err(self.failed(action, key, &error)),
            // Reading a pipe would block.
            Ok(about) if !about.is_file() => Err(self.unusable(key, "it is not an ordinary file".to_owned())),
            Ok(about) => Ok(Some(about.len()).filter(|&size| size > 0)),
        }
    }

    fn read(&self, key: &str, most: u64) -> Result<Option<Bytes>> {
        let too_large = |size: u64| self.unusable(key, format!("it has {size} bytes, and at most {most} are read"));
        let Some(size) = self.size("get", key)? else { return Ok(None) };
        if size > most {
            return Err(too_large(size));
        }
        let mut bytes = Vec::new();
        let read = bytes.try_reserve(size as usize + 1).map_err(io::Error::from).and_then(|()| {
            let mut file = File::open(self.root.join(key))?.take(most.saturating_add(1));
            file.read_to_end(&mut bytes)
        });
        match read {
            Err(error) if is_absent(&error) => Ok(None),
            Err(error) => Err(self.failed("get", key, &error)),
            Ok(read) if read as u64 > most => Err(too_large(read as u64)),
            Ok(_) => Ok(Some(bytes.into())),
        }
    }

    /// The folder of a file, created with its parents, except for the root.
    fn made_folder(&self, path: &Path) -> io::Result<PathBuf> {
        let folder = path.parent().unwrap_or(&self.root);
        let mut missing: Vec<&Path> = folder.ancestors().take_while(|above| *above != self.root).collect();
        missing.reverse();
        for folder in missing {
            match fs::create_dir(folder) {
                Ok(()) => {}
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
        }
        Ok(folder.to_owned())
    }

    /// A file next to the object, with the usual permissions and an unpredictable name.
    fn unfinished(&self, path: &Path, folder: &Path) -> io::Result<tempfile::NamedTempFile> {
        let mut prefix = path.file_name().unwrap_or_default().to_os_string();
        prefix.push(UNFINISHED.to_string());
        let mut builder = tempfile::Builder::new();
        builder.prefix(&prefix);
        #[cfg(unix)]
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
        builder.tempfile_in(folder)
    }

    /// Syncs a folder and those above it, up to the root: they may be new.
    fn sync_up(&self, folder: &Path) -> io::Result<()> {
        folder.ancestors().take_while(|above| above.starts_with(&self.root)).try_for_each(sync_folder)
    }

    /// Moves an empty file away; `None` if another program did so first.
    fn quarantine(&self, key: &str) -> io::Result<Option<Moved>> {
        let from = self.root.join(key);
        let free = |number: &u32| self.root.join(format!("{DAMAGED}/{key}.{number}")).symlink_metadata().is_err();
        let Some(number) = (0..).find(free) else { return Ok(None) };
        let to = format!("{DAMAGED}/{key}.{number}");
        let path = self.root.join(&to);
        self.made_folder(&path)?;
        match fs::rename(&from, &path) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            renamed => renamed?,
        }
        if fs::metadata(&path)?.len() > 0 {
            // Another program has written the object in between. It is moved back.
            fs::hard_link(&path, &from)?;
            fs::remove_file(&path)?;
            return Ok(None);
        }
        self.sync_up(path.parent().unwrap_or(&self.root))?;
        Ok(Some(Moved { to }))
    }

    fn unusable(&self, key: &str, reason: String) -> StoreError {
        StoreError::Object { url: self.url.clone(), key: key.to_owned(), reason }
    }

    fn failed(&self, action: &'static str, key: &str, error: &io::Error) -> StoreError {
        let reason = error.to_string();
        StoreError::Unreachable { action, url: self.url.clone(), key: key.to_owned(), reason }
    }
}

/// Whether there is no such file, which includes a file in place of a folder.
fn is_absent(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory)
}

fn sync_folder(folder: &Path) -> io::Result<()> {
    File::open(folder)?.sync_all()
}
