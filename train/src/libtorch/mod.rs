//! libtorch, opened when a network is first needed.
//!
//! Loading libtorch takes longer than most commands of `kirin`. So no program is linked with it; `libkirin_torch.so`
//! (crate `torch`) is, and is opened at run time. Code that makes tensors calls [`open`] first. From then on `tch` works
//! as if libtorch had been linked.
//!
//! This is so on Linux, on x86-64 and aarch64. Programs for other systems are linked with libtorch (`linked.rs`).

#[cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]
mod functions;
#[cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]
mod image;
#[cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]
mod installed;
#[cfg(all(target_os = "linux", target_env = "gnu"))]
mod memory;
#[cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]
#[path = "shared.rs"]
mod source;
#[cfg(not(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64"))))]
#[path = "linked.rs"]
mod source;

use libloading::Library;
use source::Torch;
use std::ffi::CStr;
use std::path::PathBuf;
use std::sync::OnceLock;

/// Why libtorch, or a part of it, cannot be used. The dynamic linker's own message is the source.
#[derive(Debug, thiserror::Error)]
pub enum LibraryError {
    /// The shared library is nowhere.
    #[error(
        "{name}, through which kirin uses libtorch, is in none of the folders {}; training, a GPU and evaluator.backend = \
         \"torch\" need it: copy it from target/release, where `make build` puts it beside the program",
        folders.iter().map(|folder| folder.display().to_string()).collect::<Vec<_>>().join(", ")
    )]
    Missing {
        /// File name of the library.
        name: &'static str,
        /// The folders in which it was looked for first; the dynamic linker then looked in its own.
        folders: Vec<PathBuf>,
        /// What the dynamic linker says.
        source: libloading::Error,
    },
    /// The shared library is there but cannot be opened, usually because libtorch itself is gone.
    #[error("cannot open {}; {repair}", path.display())]
    Unusable {
        /// The library.
        path: PathBuf,
        /// What to do.
        repair: &'static str,
        /// What the dynamic linker says.
        source: libloading::Error,
    },
    /// The program was installed by pip, and PyTorch, which has libtorch, was not.
    #[error(
        "PyTorch is not installed in {}; training, a GPU and evaluator.backend = \"torch\" need its libtorch: \
         pip install torch=={version}", packages.display()
    )]
    NotInstalled {
        /// The folder of the environment's packages.
        packages: PathBuf,
        /// The version that is needed.
        version: &'static str,
    },
    /// The program was installed by pip, and PyTorch is of another version than it was built for.
    #[error("{} is PyTorch {found}, and kirin needs {version}: pip install torch=={version}", torch.display())]
    OtherVersion {
        /// The package.
        torch: PathBuf,
        /// Its version.
        found: String,
        /// The version that is needed.
        version: &'static str,
    },
    /// The shared library, or one of libtorch's, is not what was built or installed.
    #[error("{} is not whole: {what}; {repair}", path.display())]
    Damaged {
        /// The library.
        path: PathBuf,
        /// What is wrong with it.
        what: String,
        /// What to do.
        repair: &'static str,
    },
    /// A library, or the file with its checksum, cannot be read.
    #[error("cannot read {} or its .sha256", path.display())]
    Unreadable {
        /// The library.
        path: PathBuf,
        /// The operating system's own words.
        source: std::io::Error,
    },
    /// A limit of the process leaves too little memory. libtorch would end the program.
    #[error(
        "libtorch needs {} MB of memory to begin with, and the limit of the process (ulimit -d) leaves {} MB: raise it",
        wanted >> 20, left >> 20
    )]
    Memory {
        /// Bytes that it needs.
        wanted: u64,
        /// Bytes that are left.
        left: u64,
    },
    /// The shared library belongs to another build.
    #[error("{} belongs to another build of kirin; copy the one that was built with this program", path.display())]
    OtherBuild {
        /// The library.
        path: PathBuf,
    },
    /// libtorch has no part of this name, or it cannot be opened.
    #[error("cannot open {}", name.to_string_lossy())]
    Part {
        /// File name of the part.
        name: &'static CStr,
        /// What the dynamic linker says.
        source: libloading::Error,
    },
}

/// libtorch, open from the first call on. Later calls return what the first one found.
///
/// # Errors
/// The shared library is missing or cannot be opened.
pub(crate) fn open() -> Result<&'static Torch, &'static LibraryError> {
    static TORCH: OnceLock<Result<Torch, LibraryError>> = OnceLock::new();
    TORCH
        .get_or_init(|| {
            #[cfg(all(target_os = "linux", target_env = "gnu"))]
            memory::keep();
            source::load()
        })
        .as_ref()
}

/// Whether the driver of NVIDIA GPUs is, or may be, installed. Does not open libtorch.
pub(crate) fn has_driver() -> bool {
    static DRIVER: OnceLock<bool> = OnceLock::new();
    *DRIVER.get_or_init(source::has_driver)
}

/// libtorch's GPU part, loaded by the first call. No program refers to it by a symbol: it registers its kernels when it
/// is loaded, and must stay loaded.
///
/// # Errors
/// libtorch cannot be opened, or has no such part.
pub(crate) fn cuda() -> Result<&'static Library, &'static LibraryError> {
    static CUDA: OnceLock<Result<Library, LibraryError>> = OnceLock::new();
    let torch = open()?;
    let name = if cfg!(windows) { c"torch_cuda.dll" } else { c"libtorch_cuda.so" };
    CUDA.get_or_init(|| torch.part(name)).as_ref()
}
