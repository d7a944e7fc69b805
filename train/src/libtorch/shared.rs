//! Finds and opens `libkirin_torch.so`.

#![allow(unsafe_code)]

use super::functions::{DECLARATIONS, connect};
use super::{LibraryError, image, installed};
use libloading::Library;
use libloading::os::unix;
use std::ffi::{CStr, c_char, c_void};
use std::path::{Path, PathBuf};

const NAME: &str = "libkirin_torch.so";

/// The folder in which a library that was built here looks for libtorch first.
const LIBTORCH: &str = env!("KIRIN_LIBTORCH");
/// The parts of libtorch that are opened with the library.
const PARTS: [&str; 2] = ["libtorch_cpu.so", "libc10.so"];

/// Memory that libtorch writes to while it is opened, bytes: with 100 MB it ended the program, with 150 MB it did not.
const NEEDED: u64 = 150 << 20;

/// Refuses to open libtorch where a limit of data (`ulimit -d`) would let it end the program.
fn require_memory() -> Result<(), LibraryError> {
    let number = |file: &str, name: &str| {
        let text = std::fs::read_to_string(file).ok()?;
        text.lines().find_map(|line| line.strip_prefix(name)?.split_whitespace().next()?.parse::<u64>().ok())
    };
    // `unlimited` is no number, and where the system does not tell there is nothing to compare with.
    let Some(limit) = number("/proc/self/limits", "Max data size") else { return Ok(()) };
    let used = number("/proc/self/status", "VmData:").unwrap_or_default() << 10;
    let left = limit.saturating_sub(used);
    if left < NEEDED { Err(LibraryError::Memory { wanted: NEEDED, left }) } else { Ok(()) }
}

/// Whether the driver of NVIDIA GPUs is installed. libtorch need not be opened where it is not.
pub(super) fn has_driver() -> bool {
    // SAFETY: initialisers of the driver's library only set up its own tables.
    unsafe { Library::new("libcuda.so.1") }.is_ok()
}

type Functions = unsafe extern "C" fn(declarations: u64) -> *const *mut ();
type Open = unsafe extern "C" fn(file: *const c_char, error: *mut *const c_char) -> *mut c_void;

/// The open library.
#[derive(Debug)]
pub(crate) struct Torch(Library);

impl Torch {
    /// Opens a further part of libtorch.
    ///
    /// # Errors
    /// [`LibraryError::Part`]: the part cannot be opened.
    pub fn part(&self, name: &'static CStr) -> Result<Library, LibraryError> {
        let refused = |source| LibraryError::Part { name, source };
        let mut error = std::ptr::null();
        // SAFETY: the symbol is a function of this type. Both pointers are valid, and so is the message behind `error`
        // until the next call. Initialisers of a part of libtorch only register its kernels.
        unsafe {
            let open = self.0.get::<Open>(c"kirin_torch_open").map_err(refused)?;
            let handle = open(name.as_ptr(), &mut error);
            if handle.is_null() {
                let source = CStr::from_ptr(error).into();
                return Err(refused(libloading::Error::DlOpen { source }));
            }
            Ok(unix::Library::from_raw(handle).into())
        }
    }
}

/// A folder that may hold the library.
struct Candidate {
    folder: PathBuf,
    /// Whether pip made it.
    installed: bool,
}

/// Opens the library and connects `tch` with it.
pub(super) fn load() -> Result<Torch, LibraryError> {
    require_memory()?;
    let candidates = candidates();
    let mut refused = None;
    for Candidate { folder, installed } in &candidates {
        let path = folder.join(NAME);
        match path.try_exists() {
            Ok(true) => {}
            Ok(false) => continue,
            Err(source) => return Err(LibraryError::Unreadable { path, source }),
        }
        let libtorch = if *installed { installed::libtorch(folder) } else { Ok(PathBuf::from(LIBTORCH)) };
        let libtorch = match libtorch {
            Ok(libtorch) => libtorch,
            // The environment of another Python may have what this one lacks.
            Err(error) => {
                refused = refused.or(Some(error));
                continue;
            }
        };
        image::require_ours(&path, if *installed { installed::REPAIR } else { COPY })?;
        for part in PARTS {
            image::require_libtorch(&libtorch.join(part))?;
        }
        let repair = if *installed { installed::REPAIR } else { REBUILD };
        // SAFETY: the initialisers of libtorch register its operators and do nothing to us.
        let library = unsafe { Library::new(&path) }.map_err(|source| LibraryError::Unusable {
            path: path.clone(),
            repair,
            source,
        })?;
        match connected(library, &path) {
            // An old library may lie in one folder and the right one in the next.
            Err(error @ LibraryError::OtherBuild { .. }) => refused = refused.or(Some(error)),
            result => return result,
        }
    }
    // SAFETY: as above.
    match (unsafe { Library::new(NAME) }, refused) {
        (Ok(library), _) => connected(library, Path::new(NAME)),
        (Err(_), Some(refused)) => Err(refused),
        (Err(source), None) => {
            let folders = candidates.into_iter().map(|candidate| candidate.folder).collect();
            Err(LibraryError::Missing { name: NAME, folders, source })
        }
    }
}

/// What to do where a library that was built is not whole, or cannot be opened.
const COPY: &str = "`make build` makes it again, in target/release, from where it is copied with its .sha256";
const REBUILD: &str = "if libtorch was moved or removed, `make build` finds or installs it again";

/// Where a build leaves the library, as seen from the program: `deps` for programs and `../deps` for examples, the
/// program's own folder for tests and for programs that were copied somewhere. Then where pip installs it.
fn candidates() -> Vec<Candidate> {
    let program = std::env::current_exe().unwrap_or_default();
    let folder = program.parent().unwrap_or(Path::new("."));
    let built = [folder.join("deps"), folder.to_owned(), folder.join("../deps")];
    let built = built.into_iter().map(|folder| Candidate { folder, installed: false });
    built.chain(installed::folders(&program).into_iter().map(|folder| Candidate { folder, installed: true })).collect()
}

fn connected(library: Library, path: &Path) -> Result<Torch, LibraryError> {
    // SAFETY: the symbol is a function of this type. It returns its table only if it was built for the same declarations
    // of functions as this program, and the table is valid as long as the library is open: for the life of the process.
    unsafe {
        let functions = library
            .get::<Functions>(c"kirin_torch_functions")
            .map_err(|source| LibraryError::Unusable { path: path.to_owned(), repair: REBUILD, source })?;
        let table = functions(DECLARATIONS);
        if table.is_null() {
            return Err(LibraryError::OtherBuild { path: path.to_owned() });
        }
        connect(table);
    }
    Ok(Torch(library))
}
