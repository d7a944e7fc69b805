//! Whether a store can do what a run needs of it: proven by doing it, with objects of its own that are removed afterwards.

use crate::error::Result;
use crate::{Placed, Store};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// One thing that was tried.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// What the store should do.
    pub what: &'static str,
    /// Why it did not; `None` if it did.
    pub fault: Option<String>,
    /// How long it took.
    pub took: Duration,
}

/// Names that end where the next begins: enough that a listing must be right, few enough for one page.
const LISTED: usize = 5;

/// Tries what a run needs of a store: create-only puts, reading after writing, listing. All findings are returned, good
/// and bad.
///
/// # Errors
/// The store cannot be reached or refuses the credentials: then nothing can be found out.
pub fn examine(store: &Store) -> Result<Vec<Finding>> {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let folder = format!("doctor/{}-{}", since.as_nanos(), std::process::id());
    let findings = tried(store, &folder);
    for name in (0..LISTED).map(|number| format!("{folder}/{number}")) {
        store.remove(&name)?;
    }
    findings
}

fn tried(store: &Store, folder: &str) -> Result<Vec<Finding>> {
    let mut findings = Vec::new();
    let mut begun = Instant::now();
    let mut found = |what, fault: Option<String>| {
        findings.push(Finding { what, fault, took: begun.elapsed() });
        begun = Instant::now();
    };
    let key = |number: usize| format!("{folder}/{number}");
    let content = |number: usize| format!("object {number} of an examination").into_bytes();

    let absent = store.get(&key(0))?;
    found("an object that is not there is reported as such", absent.map(|_| "it was there".to_owned()));

    for number in 0..LISTED {
        let placed = store.put_new(&key(number), content(number))?;
        let fault = (placed != Placed::New).then(|| format!("the store says that it was there: {placed:?}"));
        let read = store.get(&key(number))?;
        let unread = (read.as_deref() != Some(&content(number)[..])).then(|| match read {
            Some(other) => format!("{} other bytes came back", other.len()),
            None => "it was not there".to_owned(),
        });
        if number == 0 || fault.is_some() || unread.is_some() {
            found("an object that was put is read back at once", fault.or(unread));
        }
    }

    let second = store.put_new(&key(0), b"another object of the same name".to_vec())?;
    let fault = (second != Placed::Taken).then(|| "it replaced the first one".to_owned());
    let kept = store.get(&key(0))?.as_deref() == Some(&content(0)[..]);
    let fault = fault.or((!kept).then(|| "the first one is gone".to_owned()));
    found("a second object of the same name is refused", fault);

    let listed = store.names_in(folder)?;
    let expected: Vec<String> = (0..LISTED).map(|number| number.to_string()).collect();
    let fault = (listed != expected).then(|| format!("{listed:?} instead of {expected:?}"));
    found("a listing has all that was put", fault);
    Ok(findings)
}
