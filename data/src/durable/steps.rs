//! The steps that touch the disk, and the seam for tests of them: an observer sees each step of its thread and can make
//! it fail. Package `testkit` injects faults and simulates power cuts through it.
//!
//! Without an observer a step costs one read of a thread-local, in addition to its system call.

use std::cell::RefCell;
use std::fs::File;
use std::io;
use std::marker::PhantomData;
use std::path::Path;
use std::rc::Rc;

/// The steps that can fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileStep {
    /// Creating or opening a file or folder.
    Create,
    /// Handing bytes to the operating system; a failing one writes half of them first.
    Write,
    /// Syncing a file.
    Sync,
    /// Renaming a file.
    Rename,
    /// Syncing a folder.
    SyncFolder,
    /// Removing a file.
    Remove,
    /// Cutting off the rest of a failed append.
    Cut,
    /// Reading a file.
    Read,
}

/// A finished step that changed the disk.
#[derive(Clone, Copy, Debug)]
pub enum Change<'a> {
    /// A file was created under this name.
    Created(&'a Path, &'a File),
    /// A folder was created.
    FolderCreated(&'a Path),
    /// These bytes were appended to a file.
    Written(&'a File, &'a [u8]),
    /// A file was cut to this length.
    Cut(&'a File, u64),
    /// A file was synced.
    Synced(&'a File),
    /// A file was renamed, from the first name to the second.
    Renamed(&'a Path, &'a Path),
    /// A file was removed.
    Removed(&'a Path),
    /// The names in a folder were synced.
    FolderSynced(&'a Path),
}

/// Sees the steps of a thread.
pub trait DiskObserver {
    /// Called before a step.
    ///
    /// # Errors
    /// The step is to fail with this error.
    fn before(&self, _step: FileStep) -> io::Result<()> {
        Ok(())
    }

    /// Called after a step that changed the disk.
    fn after(&self, _change: Change<'_>) {}
}

thread_local! {
    static OBSERVERS: RefCell<Vec<Rc<dyn DiskObserver>>> = const { RefCell::new(Vec::new()) };
}

/// An observer is installed on this thread until this is dropped.
#[must_use = "the observer is removed when this is dropped"]
pub struct Observed {
    observer: Rc<dyn DiskObserver>,
    /// It must be dropped on the thread that made it.
    thread: PhantomData<*const ()>,
}

/// Lets `observer` see all steps of this thread from now on. Several observers see them in the order of their
/// installation.
pub fn observe(observer: Rc<dyn DiskObserver>) -> Observed {
    OBSERVERS.with_borrow_mut(|observers| observers.push(Rc::clone(&observer)));
    Observed { observer, thread: PhantomData }
}

impl Drop for Observed {
    fn drop(&mut self) {
        OBSERVERS.with_borrow_mut(|observers| observers.retain(|other| !Rc::ptr_eq(other, &self.observer)));
    }
}

/// Announces a step.
///
/// # Errors
/// An observer makes the step fail.
pub(crate) fn before(step: FileStep) -> io::Result<()> {
    OBSERVERS.with_borrow(|observers| observers.iter().try_for_each(|observer| observer.before(step)))
}

/// Reports a change that was made.
pub(crate) fn after(change: Change<'_>) {
    OBSERVERS.with_borrow(|observers| observers.iter().for_each(|observer| observer.after(change)));
}
