//! Fault injection for tests: "make the n-th step fail, for n = 1, 2, … until the run is clean".
//!
//! Steps are counted per thread, so tests that run side by side do not disturb each other.
//!
//! # Examples
//! ```
//! use data::durable::write_atomically;
//! use std::io::Write;
//! use testkit::fault;
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
use std::rc::Rc;

use data::durable::{DiskObserver, FileStep, Observed, observe};

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

/// A fault installed on this thread until dropped.
#[must_use = "the fault is gone when this is dropped"]
pub struct InstalledFault {
    plan: Rc<FaultPlan>,
    _observed: Observed,
}

/// Makes the `n`-th step from now on this thread fail (the first has the number 1).
pub fn install(kind: FaultKind, n: u64) -> InstalledFault {
    let plan = Rc::new(FaultPlan { kind, before: Cell::new(n), happened: Cell::new(false) });
    InstalledFault { _observed: observe(Rc::clone(&plan) as Rc<dyn DiskObserver>), plan }
}

impl InstalledFault {
    /// Whether there were enough steps for the fault to happen.
    pub fn happened(&self) -> bool {
        self.plan.happened.get()
    }
}

struct FaultPlan {
    kind: FaultKind,
    /// Steps still to come before the failing one; 0 from that step on.
    before: Cell<u64>,
    happened: Cell<bool>,
}

impl DiskObserver for FaultPlan {
    /// Counts one step, and fails if a fault is due.
    fn before(&self, step: FileStep) -> io::Result<()> {
        if self.happened.get() {
            return match self.kind {
                FaultKind::Kill => Err(io::Error::other(format!("killed before {step:?}"))),
                FaultKind::DiskFull | FaultKind::Failing => Ok(()),
            };
        }
        self.before.set(self.before.get().saturating_sub(1));
        self.happened.set(self.before.get() == 0);
        match (self.happened.get(), self.kind) {
            (false, _) => Ok(()),
            (true, FaultKind::DiskFull) => Err(io::ErrorKind::StorageFull.into()),
            (true, FaultKind::Failing) => Err(io::Error::from_raw_os_error(EIO)),
            (true, FaultKind::Kill) => Err(io::Error::other(format!("killed at {step:?}"))),
        }
    }
}
