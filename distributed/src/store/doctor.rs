//! Whether a store meets the needs of a run: tested with objects of its own, which are removed afterwards.

use super::error::{Result, StoreError};
use super::{Placed, Store};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// One test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// What the store should do.
    pub what: &'static str,
    /// Why it did not; `None` if it did.
    pub fault: Option<String>,
    /// How long it took.
    pub took: Duration,
}

/// The result of an examination.
#[derive(Debug, Default)]
pub struct Examination {
    /// All tests, passed and failed.
    pub findings: Vec<Finding>,
    /// Why the remaining tests were skipped: the store did not answer a request as it should.
    pub broke_off: Option<StoreError>,
    /// Test objects that could not be removed, and why. A run never removes anything, so a run can use this store.
    pub left_behind: Option<(Vec<String>, StoreError)>,
}

impl Examination {
    /// Whether every test ran and passed.
    pub fn is_good(&self) -> bool {
        self.broke_off.is_none() && self.findings.iter().all(|finding| finding.fault.is_none())
    }
}

/// Names such that one ends where the next begins: enough to prove a listing right, few enough for one page.
const LISTED: usize = 5;
/// Most bytes of an object of the examination.
const MOST_BYTES: u64 = 1 << 10;

/// Tries what a run needs of a store: create-only uploads, reading after writing, listing. The folder of a `file` URL is
/// created for this if it is missing, and removed again.
pub fn examine(store: &Store) -> Examination {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let folder = format!("doctor/{}-{}", since.as_nanos(), std::process::id());
    let created = store.connection.is_missing();
    let mut examination = Examination::default();
    let mut uploaded = 0;
    examination.broke_off =
        store.create().and_then(|()| tried(store, &folder, &mut examination.findings, &mut uploaded)).err();
    let names: Vec<String> = (0..uploaded).map(|number| format!("{folder}/{number}")).collect();
    for (number, name) in names.iter().enumerate() {
        if let Err(error) = store.remove(name) {
            examination.left_behind = Some((names[number..].to_vec(), error));
            break;
        }
    }
    store.connection.remove_empty(&folder, created);
    examination
}

fn tried(store: &Store, folder: &str, findings: &mut Vec<Finding>, uploaded: &mut usize) -> Result<()> {
    let mut begun = Instant::now();
    let mut found = |what, fault: Option<String>| {
        findings.push(Finding { what, fault, took: begun.elapsed() });
        begun = Instant::now();
    };
    let key = |number: usize| format!("{folder}/{number}");
    let content = |number: usize| format!("object {number} of an examination").into_bytes();

    let absent = store.get(&key(0), MOST_BYTES)?;
    found("an object that is not there is reported as such", absent.map(|_| "it was there".to_owned()));

    for number in 0..LISTED {
        let placed = store.put_new(&key(number), content(number))?;
        *uploaded = number + 1;
        let fault = (placed != Placed::New).then(|| format!("the store says that it was there: {placed:?}"));
        let read = store.get(&key(number), MOST_BYTES)?;
        let unread = (read.as_deref() != Some(&content(number)[..])).then(|| match read {
            Some(other) => format!("{} other bytes came back", other.len()),
            None => "it was not there".to_owned(),
        });
        if number == 0 || fault.is_some() || unread.is_some() {
            found("an object that was uploaded is read back at once", fault.or(unread));
        }
    }

    let second = store.put_new(&key(0), b"another object of the same name".to_vec())?;
    let fault = (second != Placed::Taken).then(|| "it replaced the first one".to_owned());
    let kept = store.get(&key(0), MOST_BYTES)?.as_deref() == Some(&content(0)[..]);
    let fault = fault.or((!kept).then(|| "the first one is gone".to_owned()));
    found("a second object of the same name is refused", fault);

    let listed = store.names_in(folder)?;
    let expected: Vec<String> = (0..LISTED).map(|number| number.to_string()).collect();
    let fault = (listed != expected).then(|| format!("{listed:?} instead of {expected:?}"));
    found("a listing has all that was uploaded", fault);
    Ok(())
}
