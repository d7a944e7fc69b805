//! What the user of a program can do about an error.

/// What an error asks the user for. It determines the exit code of a program that ends with the error (`sysexits.h`).
///
/// An error type has a method `exit_kind` next to its variants, so that each new variant is given a kind. It returns
/// `None` where only the error's source can tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExitKind {
    /// Other input: a setting, a position, a name or a folder is not suitable.
    Input,
    /// An intact file, or a machine that can do the work: a file is damaged or missing, a disk is full, memory is short.
    Machine,
    /// The same command again: a signal asked to stop, and all finished work is kept.
    Resume,
    /// A bug report.
    Bug,
}

impl ExitKind {
    /// The exit code: 78 (`EX_CONFIG`), 74 (`EX_IOERR`), 75 (`EX_TEMPFAIL`) or 70 (`EX_SOFTWARE`).
    pub const fn code(self) -> u8 {
        match self {
            ExitKind::Input => 78,
            ExitKind::Machine => 74,
            ExitKind::Resume => 75,
            ExitKind::Bug => 70,
        }
    }
}
