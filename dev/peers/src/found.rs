//! Where peers are found on this machine, and what happens if they are not.

use std::io::Write;
use std::path::PathBuf;

/// The release of pyffish, and of the Fairy-Stockfish built from its sources: `pyffish==VERSION`.
const REQUIREMENT: &str = include_str!("../oracles/requirements.txt");

/// What goes wrong with a peer.
#[derive(Debug, thiserror::Error)]
pub enum PeerError {
    /// It is not on this machine.
    #[error("{what} is not here ({why}); {fix}")]
    Missing {
        /// The peer.
        what: String,
        /// What was tried.
        why: String,
        /// How to get it.
        fix: &'static str,
    },
    /// It does not play this variant.
    #[error("{what} does not play {variant}")]
    Foreign {
        /// The peer.
        what: String,
        /// The variant.
        variant: String,
    },
    /// It is here and fails.
    #[error("{what}: {problem}")]
    Broken {
        /// The peer.
        what: String,
        /// What it did.
        problem: String,
    },
}

/// The peer, or `None` and a line on the error output that says what is not compared and why.
///
/// # Panics
/// If the peer is missing and the environment says `KIRIN_ORACLES=required`; if it is here and fails.
pub fn or_skip<T>(peer: Result<T, PeerError>) -> Option<T> {
    match peer {
        Ok(peer) => Some(peer),
        Err(error @ PeerError::Missing { .. }) => {
            let required = std::env::var("KIRIN_ORACLES").is_ok_and(|value| value == "required");
            assert!(!required, "KIRIN_ORACLES=required, but {error}");
            // Not `eprintln!`: tests show what that prints only when they fail.
            let _ = writeln!(std::io::stderr(), "SKIPPED: {error}");
            None
        }
        Err(error) => panic!("{error}"),
    }
}

/// A file of this crate's `oracles/`.
pub(crate) fn own_file(name: &str) -> PathBuf {
    [env!("CARGO_MANIFEST_DIR"), "oracles", name].iter().collect()
}

/// The definitions of the variants that Fairy-Stockfish does not know by itself, with which the product teaches it.
pub(crate) fn variant_file() -> PathBuf {
    [env!("CARGO_MANIFEST_DIR"), "../../engine/src/client/fairy-stockfish.ini"].iter().collect()
}

/// Where `scripts/oracles` installs: `NAME` or `NAME-VERSION` below it.
pub(crate) fn installed(name: &str) -> PathBuf {
    let cache = match std::env::var_os("XDG_CACHE_HOME") {
        Some(cache) if !cache.is_empty() => PathBuf::from(cache),
        _ => PathBuf::from(std::env::var_os("HOME").unwrap_or_default()).join(".cache"),
    };
    cache.join("kirin/oracles").join(name)
}

/// `pyffish-VERSION`, as `name` with the version that `oracles/requirements.txt` fixes.
pub(crate) fn with_version(name: &str) -> String {
    let version = REQUIREMENT.trim().rsplit("==").next().unwrap_or_default();
    format!("{name}-{version}")
}
