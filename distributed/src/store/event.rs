//! Events of a store in addition to its answers.

use std::fmt;
use std::time::Duration;

/// An event that a person should know of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StoreEvent {
    /// A request has failed for a while, and is retried.
    Waiting {
        /// What is tried.
        action: &'static str,
        /// The store.
        url: String,
        /// The object.
        key: String,
        /// The last error's own words.
        reason: String,
        /// Time after which the request is given up.
        left: Duration,
    },
    /// The store answers again.
    Answers {
        /// The store.
        url: String,
    },
    /// An empty file, which a power cut may have left of an upload, was moved away, and the object was uploaded.
    Quarantined {
        /// The store.
        url: String,
        /// The object.
        key: String,
        /// Where the file is now.
        to: String,
    },
}

impl fmt::Display for StoreEvent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StoreEvent::Waiting { action, url, key, reason, left } => {
                write!(f, "waiting for {url}, for {} s at most: cannot {action} {key}: {reason}", left.as_secs())
            }
            StoreEvent::Answers { url } => write!(f, "{url} answers again"),
            StoreEvent::Quarantined { url, key, to } => {
                write!(f, "{key} in {url} was an empty file; it is now {to}, and the object was uploaded again")
            }
        }
    }
}
