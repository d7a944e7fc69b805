//! Fault injection for tests: "make the n-th step fail, for n = 1, 2, … until the run is clean".
//!
//! Steps are counted per thread, so tests that run side by side do not disturb each other. Without a fault installed a
//! step costs one read of a thread-local, in addition to its system call.
//!
//! # Examples
//! ```
//! use data::durable::{fault, write_atomically};
//! use std::io::Write;
//! # let folder = tempfile::tempdir().unwrap();
//! let path = folder.path().join("state");
//! for n in 1.. {
//!     let fault = fault::install(fault::FaultKind::DiskFull, n);
//!     let written = write_atomically(&path, |file| file.write_all(b"whole"));
//!     let happened = fault.happened();
//!     drop(fault);
//!     assert!(!path.exists() || std::fs::read(&path).unwrap() == b"whole");
//!     if !happened {
//!         assert!(written.is_ok());
//!         break;
//!     }
//! }
//! ```

use std::cell::Cell;
use std::io;
use std::marker::PhantomData;

/// The number of "input/output error" in Unix systems.
const EIO: i32 = 5;

/// What a fault does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FaultKind {
    /// The step fails with "no space left"; the steps after it work, cleaning up among them.
    DiskFull,
    /// The step fails with an error of the device (EIO); the steps after it work.
    Failing,
    /// The step and all after it fail: what a `kill -9` at that moment leaves on the disk.
    Kill,
}

/// The steps that can fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileStep {
    /// Creating or opening a file or folder.
    Create,
    /// Handing bytes to the operating system; a failing one writes half of them first.
    Write,
    /// Syncing a file.
    Sync,
    /// Renaming a temporary file to its final name.
    Rename,
    /// Syncing a folder.
    SyncFolder,
    /// Removing the temporary file of a failed write.
    Remove,
    /// Cutting off the rest of a failed append.
    Cut,
    /// Reading a file.
    Read,
}

#[derive(Clone, Copy)]
struct FaultPlan {
    kind: FaultKind,
    /// Steps still to come before the failing one; 0 from that step on.
    before: u64,
    happened: bool,
}

thread_local! {
    static PLAN: Cell<Option<FaultPlan>> = const { Cell::new(None) };
}

/// A fault installed on this thread until dropped.
#[must_use = "the fault is gone when this is dropped"]
pub struct InstalledFault(PhantomData<*const ()>);

/// Makes the `n`-th step from now on this thread fail (the first has the number 1).
pub fn install(kind: FaultKind, n: u64) -> InstalledFault {
    PLAN.set(Some(FaultPlan { kind, before: n, happened: false }));
    InstalledFault(PhantomData)
}

impl InstalledFault {
    /// Whether there were enough steps for the fault to happen.
    pub fn happened(&self) -> bool {
        PLAN.get().is_some_and(|plan| plan.happened)
    }
}

impl Drop for InstalledFault {
    fn drop(&mut self) {
        PLAN.set(None);
    }
}

/// Counts one step, and fails if a fault is due.
pub(crate) fn step(step: FileStep) -> io::Result<()> {
    let Some(mut plan) = PLAN.get() else { return Ok(()) };
    if plan.happened {
        return match plan.kind {
            FaultKind::Kill => Err(io::Error::other(format!("killed before {step:?}"))),
            FaultKind::DiskFull | FaultKind::Failing => Ok(()),
        };
    }
    plan.before = plan.before.saturating_sub(1);
    plan.happened = plan.before == 0;
    PLAN.set(Some(plan));
    match (plan.happened, plan.kind) {
        (false, _) => Ok(()),
        (true, FaultKind::DiskFull) => Err(io::ErrorKind::StorageFull.into()),
        (true, FaultKind::Failing) => Err(io::Error::from_raw_os_error(EIO)),
        (true, FaultKind::Kill) => Err(io::Error::other(format!("killed at {step:?}"))),
    }
}
