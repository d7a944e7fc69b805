//! What the person who started a program can do about an error.

/// What an error asks for. The exit code of a program that ends with the error follows from it (`sysexits.h`).
///
/// An error type has a method `exit_kind` beside its variants, so that who adds a variant decides this too. It gives `None`
/// where only the error's source can tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExitKind {
    /// Other input: a setting, a position, a name, a folder that does not fit.
    Input,
    /// A sound file, or a machine that can do what was asked: a file is damaged or missing, a disk is full, memory is short.
    Machine,
    /// The same command again: a signal asked to stop, and all that was finished is kept.
    Resume,
    /// A report: the error is a bug.
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
