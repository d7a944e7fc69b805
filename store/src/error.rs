//! What can go wrong with a store. Each error names the place and the repair.

use std::io;
use std::path::PathBuf;
use std::time::Duration;

/// The result of everything here.
pub type Result<T, E = StoreError> = std::result::Result<T, E>;

/// Every error of this crate.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// A URL that is none of a store.
    #[error(
        "{url} is no store: {reason}; write file:///folder, s3://bucket/prefix, gs://bucket/prefix or az://container/prefix"
    )]
    Address {
        /// The URL.
        url: String,
        /// What is wrong with it.
        reason: String,
    },
    /// The settings in the environment do not make a store.
    #[error("{url} cannot be opened with the settings in the environment")]
    Settings {
        /// The URL.
        url: String,
        /// What is wrong with them.
        source: Box<object_store::Error>,
    },
    /// A name that no object can have.
    #[error("{key} cannot be the name of an object: {reason}")]
    Key {
        /// The name.
        key: String,
        /// Why.
        reason: String,
    },
    /// A folder cannot be used.
    #[error("cannot use the folder {}", folder.display())]
    Folder {
        /// The folder.
        folder: PathBuf,
        /// The operating system's own words.
        source: io::Error,
    },
    /// The operating system gave no thread for requests.
    #[error("cannot start a thread for requests to the store")]
    Runtime {
        /// The operating system's own words.
        source: io::Error,
    },
    /// There is no such object.
    #[error("{url} has no {key}")]
    Absent {
        /// The store.
        url: String,
        /// The object.
        key: String,
    },
    /// There is an object of this name already.
    #[error("{url} has {key} already")]
    Exists {
        /// The store.
        url: String,
        /// The object.
        key: String,
    },
    /// The store does not know who asks, or does not let them.
    #[error(
        "cannot {action} {key} in {url}: it refuses the credentials ({reason}); renew them (expired ones, too), allow \
         reading, listing and writing, and start this again"
    )]
    Credentials {
        /// What was tried.
        action: &'static str,
        /// The store.
        url: String,
        /// The object.
        key: String,
        /// The store's own words.
        reason: String,
    },
    /// The store does not answer, or with an error that passes by itself; it was tried again for as long as was allowed.
    #[error("cannot {action} {key} in {url}, tried again and again: {reason}")]
    Unreachable {
        /// What was tried.
        action: &'static str,
        /// The store.
        url: String,
        /// The object.
        key: String,
        /// The last error's own words.
        reason: String,
    },
    /// The store cannot do what is needed.
    #[error("cannot {action} {key} in {url}: {reason}; this kind of store cannot hold a run")]
    Unable {
        /// What was tried.
        action: &'static str,
        /// The store.
        url: String,
        /// The object.
        key: String,
        /// Its own words.
        reason: String,
    },
}

/// What stores say of credentials, in answers that have no status of their own for it.
const CREDENTIAL_FAULTS: &[&str] = &[
    "ExpiredToken",
    "InvalidToken",
    "TokenRefreshRequired",
    "InvalidAccessKeyId",
    "SignatureDoesNotMatch",
    "RequestExpired",
    "AccessDenied",
    "AuthenticationFailed",
    "invalid_grant",
];

/// What an answer means for whoever asked.
pub(crate) fn classified(action: &'static str, url: &str, key: &str, error: object_store::Error) -> StoreError {
    use object_store::Error;
    let (url, key) = (url.to_owned(), key.to_owned());
    let reason = one_line(&error);
    match error {
        Error::NotFound { .. } if !reason.contains("NoSuchBucket") => StoreError::Absent { url, key },
        Error::AlreadyExists { .. } | Error::Precondition { .. } => StoreError::Exists { url, key },
        Error::PermissionDenied { .. } | Error::Unauthenticated { .. } => {
            StoreError::Credentials { action, url, key, reason }
        }
        Error::NotFound { .. }
        | Error::InvalidPath { .. }
        | Error::NotSupported { .. }
        | Error::NotImplemented { .. }
        | Error::UnknownConfigurationKey { .. } => StoreError::Unable { action, url, key, reason },
        _ if CREDENTIAL_FAULTS.iter().any(|fault| reason.contains(fault)) => {
            StoreError::Credentials { action, url, key, reason }
        }
        _ => StoreError::Unreachable { action, url, key, reason },
    }
}

/// No answer in time.
pub(crate) fn late(action: &'static str, url: &str, key: &str, waited: Duration) -> StoreError {
    let reason = format!("no answer within {waited:?}");
    StoreError::Unreachable { action, url: url.to_owned(), key: key.to_owned(), reason }
}

/// An error with its causes on one line.
fn one_line(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(next) = cause {
        let words = next.to_string();
        if !text.contains(&words) {
            text = format!("{text}: {words}");
        }
        cause = next.source();
    }
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
