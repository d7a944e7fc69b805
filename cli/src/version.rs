//! The version of this program.

use data::Provenance;

/// The git revision it was built from, with `-dirty` where its sources were changed since, or `unknown`.
pub const GIT_REVISION: &str = env!("KIRIN_GIT_REVISION");

/// Version and revision, as `kirin --version` prints them.
pub const VERSION: &str = concat!(env!("CARGO_PKG_VERSION"), " (", env!("KIRIN_GIT_REVISION"), ")");

/// Where shards come from that no run has made.
pub fn provenance() -> Provenance {
    Provenance { config_digest: String::new(), git_revision: GIT_REVISION.to_owned() }
}
