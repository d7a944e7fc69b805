//! Errors of a store. Each names the place and the repair.

use settings::ExitKind;
use std::io;
use std::path::PathBuf;
use std::time::Duration;

/// The result of the functions of this module.
pub type Result<T, E = StoreError> = std::result::Result<T, E>;

/// Every error of a store.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// A URL that is not one of a store.
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
    /// A server address in the environment is invalid.
    #[error("{url} cannot be opened: {variable}={value:?} is no address of a server: {reason}")]
    Server {
        /// The URL of the store.
        url: String,
        /// The variable.
        variable: String,
        /// Its value.
        value: String,
        /// What is wrong with it.
        reason: String,
    },
    /// An invalid object name.
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
    /// The operating system refused a thread for requests.
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
    #[error("{url} has {key} already ({reason})")]
    Exists {
        /// The store.
        url: String,
        /// The object.
        key: String,
        /// The store's own words.
        reason: String,
    },
    /// An object cannot be read: it is too large, or not an ordinary file.
    #[error("cannot read {key} in {url}: {reason}")]
    Object {
        /// The store.
        url: String,
        /// The object.
        key: String,
        /// What is wrong with it.
        reason: String,
    },
    /// The store now belongs to another run.
    #[error(
        "cannot {action} {key} in {url}: its {proof} is no longer the one of this run. Nothing was written; bring the store \
         of this run back there, or name the right one"
    )]
    OtherStore {
        /// What was tried.
        action: &'static str,
        /// The store.
        url: String,
        /// The object.
        key: String,
        /// The object that identifies the store.
        proof: String,
    },
    /// A stop was asked for while the store did not answer.
    #[error("stopped while waiting for {url}, which does not answer ({reason}); the same command continues")]
    Stopped {
        /// The store.
        url: String,
        /// The last error's own words.
        reason: String,
    },
    /// The store refuses, and would do so again.
    #[error("cannot {action} {key} in {url}: {remedy} ({reason})")]
    Refused {
        /// What was tried.
        action: &'static str,
        /// The store.
        url: String,
        /// The object.
        key: String,
        /// What to do.
        remedy: &'static str,
        /// The store's own words.
        reason: String,
    },
    /// The store rejects the credentials or the access.
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
    /// The store does not answer, or gives transient errors; it was retried for as long as allowed.
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
    /// The store lacks a needed operation.
    #[error("cannot {action} {key} in {url}: {reason}; this kind of store cannot hold a run")]
    Unable {
        /// What was tried.
        action: &'static str,
        /// The store.
        url: String,
        /// The object.
        key: String,
        /// The store's own words.
        reason: String,
    },
}

/// Messages about credentials in answers that have no status of their own for them.
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

/// Permanent refusals, by S3's code or by the message of `object_store`, with what to do. They are checked before
/// [`CREDENTIAL_FAULTS`]: some have the same status.
const REMEDIES: &[(&[&str], &str)] = &[
    (
        &["RequestTimeTooSkewed"],
        "the clock of this machine is wrong; set it (timedatectl shows it), and start this again",
    ),
    (
        &["NoSuchBucket", "ContainerNotFound", "specified bucket does not exist"],
        "there is no such bucket; create it, or correct its name in the URL",
    ),
    (
        &[
            "AuthorizationHeaderMalformed",
            "IllegalLocationConstraintException",
            "PermanentRedirect",
            "TemporaryRedirect",
            "redirect without LOCATION",
            "status code: 301",
            "status code: 302",
            "status code: 307",
            "status code: 308",
        ],
        "the bucket is in another region or behind another server; set AWS_REGION, or AWS_ENDPOINT_URL",
    ),
];

/// S3 codes for which a retry helps, whatever the status.
const PASSING: &[&str] = &[
    "RequestTimeout",
    "IncompleteBody",
    "ClientDisconnected",
    "OperationAborted",
    "ConditionalRequestConflict",
    "PriorRequestNotComplete",
    "InternalError",
    "ServiceUnavailable",
    "SlowDown",
    "Throttl",
    "RequestLimitExceeded",
    "BandwidthLimitExceeded",
];

/// The error that an answer means for the caller.
pub(crate) fn classified(action: &'static str, url: &str, key: &str, error: object_store::Error) -> StoreError {
    use object_store::Error;
    let (url, key) = (url.to_owned(), key.to_owned());
    let reason = one_line(&error);
    let says = |codes: &[&str]| codes.iter().any(|code| reason.contains(code));
    if let Some((_, remedy)) = REMEDIES.iter().find(|(codes, _)| says(codes)) {
        return StoreError::Refused { action, url, key, remedy, reason };
    }
    match error {
        Error::NotFound { .. } => StoreError::Absent { url, key },
        Error::AlreadyExists { .. } | Error::Precondition { .. } => StoreError::Exists { url, key, reason },
        Error::PermissionDenied { .. } | Error::Unauthenticated { .. } => {
            StoreError::Credentials { action, url, key, reason }
        }
        Error::InvalidPath { .. }
        | Error::NotSupported { .. }
        | Error::NotImplemented { .. }
        | Error::UnknownConfigurationKey { .. } => StoreError::Unable { action, url, key, reason },
        _ if says(CREDENTIAL_FAULTS) => StoreError::Credentials { action, url, key, reason },
        _ if says(PASSING) => StoreError::Unreachable { action, url, key, reason },
        _ => match status(&reason) {
            Some(405 | 501 | 505) => StoreError::Unable { action, url, key, reason },
            None | Some(408 | 425 | 429 | 500..) => StoreError::Unreachable { action, url, key, reason },
            Some(_) => {
                let remedy = "it refuses this request, and would again; check the URL and the server's address";
                StoreError::Refused { action, url, key, remedy, reason }
            }
        },
    }
}

/// The status of an answer, parsed from the message of `object_store`, whose types are private.
fn status(reason: &str) -> Option<u16> {
    let (_, rest) = reason.split_once("status code: ")?;
    rest.get(..3)?.parse().ok()
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

impl StoreError {
    /// What the error asks the user for: a permanent error is not to be retried.
    pub fn exit_kind(&self) -> ExitKind {
        match self {
            StoreError::Address { .. }
            | StoreError::Settings { .. }
            | StoreError::Server { .. }
            | StoreError::Key { .. }
            | StoreError::Credentials { .. }
            | StoreError::Unable { .. }
            | StoreError::Refused { .. }
            | StoreError::OtherStore { .. } => ExitKind::Input,
            StoreError::Folder { .. }
            | StoreError::Runtime { .. }
            | StoreError::Absent { .. }
            | StoreError::Exists { .. }
            | StoreError::Object { .. }
            | StoreError::Unreachable { .. } => ExitKind::Machine,
            StoreError::Stopped { .. } => ExitKind::Resume,
        }
    }
}
