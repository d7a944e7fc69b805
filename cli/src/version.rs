//! The version of this program.

/// The git revision it was built from, with `-dirty` where its sources were changed since, or `unknown`.
pub const GIT_REVISION: &str = env!("KIRIN_GIT_REVISION");

/// Version and revision, as `kirin --version` prints them.
pub const VERSION: &str = concat!(env!("CARGO_PKG_VERSION"), " (", env!("KIRIN_GIT_REVISION"), ")");
