//! For systems where programs are linked with libtorch: there is nothing to open but its parts.

#![allow(unsafe_code)]

use super::LibraryError;
use libloading::Library;
use std::ffi::CStr;

/// libtorch, which is there from the start.
#[derive(Debug)]
pub(crate) struct Torch;

impl Torch {
    /// Opens a further part of libtorch.
    ///
    /// # Errors
    /// [`LibraryError::Part`]: the part cannot be opened.
    pub fn part(&self, name: &'static CStr) -> Result<Library, LibraryError> {
        // SAFETY: initialisers of a part of libtorch only register its kernels.
        unsafe { Library::new(&*name.to_string_lossy()) }.map_err(|source| LibraryError::Part { name, source })
    }
}

/// Cannot fail here.
pub(super) fn load() -> Result<Torch, LibraryError> {
    Ok(Torch)
}

/// Whether the driver of NVIDIA GPUs may be installed. Only libtorch, which is open already, can tell.
pub(super) fn has_driver() -> bool {
    true
}
