//! Exit codes with meaning, as in `sysexits.h`, and the one place that prints an error.

use crate::output;
use anyhow::Context;
use settings::{Complaints, ExitKind};
use std::fmt;
use std::io;
use std::path::Path;
use std::process::ExitCode;

/// Why a command stopped, for errors that carry no type of their own.
#[derive(Debug)]
pub enum Failure {
    /// Wrong input: a configuration, a position, a name. Exit code 78.
    Input(String),
    /// Some checks did not pass (perft suite, verification); the details are printed already. Exit code 1.
    Check(String),
    /// Files are not what was written; the details are printed already. Exit code 74.
    Damage(String),
    /// A signal asked to stop; all that was finished is kept, and the same command resumes. Exit code 75.
    Drained(String),
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Input(text) | Failure::Check(text) | Failure::Damage(text) | Failure::Drained(text) => {
                f.write_str(text)
            }
        }
    }
}

impl std::error::Error for Failure {}

/// Wrong input, as an error.
pub fn input(text: impl Into<String>) -> anyhow::Error {
    Failure::Input(text.into()).into()
}

/// Wrong input, as an error, if there are complaints about it.
///
/// # Errors
/// [`Failure::Input`] with every complaint, if there are any.
pub fn sound(complaints: Complaints) -> anyhow::Result<()> {
    complaints.into_result().map_err(|complaints| input(complaints.to_string()))
}

/// Checks that a file or folder named on the command line is there.
///
/// # Errors
/// It is not, or cannot be looked at; the message names it.
pub fn must_exist(path: &Path) -> anyhow::Result<()> {
    std::fs::metadata(path).map(|_| ()).with_context(|| format!("cannot read {}", path.display()))
}

/// Prints the error, if there is one, and gives the exit code. A result that could not be printed is an error, too.
pub fn exit_code(result: anyhow::Result<()>) -> ExitCode {
    let lost = output::finish();
    let error = match (result, lost) {
        (Ok(()), None) => return ExitCode::SUCCESS,
        (Ok(()), Some(lost)) => io::Error::new(lost.kind(), format!("cannot write to standard output: {lost}")).into(),
        (Err(error), _) => error,
    };
    if error.chain().any(is_closed_pipe) {
        output::end_quietly();
    }
    let code = code(&error);
    let prefix = if code == ExitKind::Resume.code() { "" } else { "error: " };
    eprintln!("{prefix}{}", message(&error));
    ExitCode::from(code)
}

fn is_closed_pipe(cause: &(dyn std::error::Error + 'static)) -> bool {
    cause.downcast_ref::<io::Error>().is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
}

/// What went wrong, then why. Errors that already include their cause are not followed by it again.
fn message(error: &anyhow::Error) -> String {
    let mut text = String::new();
    for cause in error.chain() {
        let next = cause.to_string();
        if text.is_empty() {
            text = next;
        } else if !text.contains(&next) {
            text += ": ";
            text += &next;
        }
    }
    text
}

fn code(error: &anyhow::Error) -> u8 {
    error.chain().find_map(code_of).unwrap_or(ExitKind::Bug.code())
}

/// The exit code that one cause asks for, if it is of a kind that does.
fn code_of(cause: &(dyn std::error::Error + 'static)) -> Option<u8> {
    match cause.downcast_ref::<Failure>() {
        Some(Failure::Check(_)) => return Some(1),
        Some(Failure::Input(_)) => return Some(ExitKind::Input.code()),
        Some(Failure::Damage(_)) => return Some(ExitKind::Machine.code()),
        Some(Failure::Drained(_)) => return Some(ExitKind::Resume.code()),
        None => {}
    }
    kind_of(cause).map(ExitKind::code)
}

/// What one cause asks for, if it is of a kind that tells.
fn kind_of(cause: &(dyn std::error::Error + 'static)) -> Option<ExitKind> {
    let is_input = cause.is::<rules::FenError>()
        || cause.is::<rules::MoveError>()
        || cause.is::<rules::UnknownNotation>()
        || cause.is::<rules::UnknownVariant>()
        || cause.is::<rules::UnknownPreset>()
        || cause.is::<rules::UnknownSetup>()
        || cause.is::<engine::client::EngineSpecError>();
    if is_input {
        return Some(ExitKind::Input);
    }
    if cause.is::<data::DataError>() || cause.is::<io::Error>() {
        return Some(ExitKind::Machine);
    }
    // A cause is of one of these types at most.
    None.or_else(|| cause.downcast_ref().and_then(lab::LabError::exit_kind))
        .or_else(|| cause.downcast_ref().and_then(train::TrainError::exit_kind))
        .or_else(|| cause.downcast_ref().and_then(train::FileError::exit_kind))
        .or_else(|| cause.downcast_ref().and_then(eval::MatchError::exit_kind))
        .or_else(|| cause.downcast_ref().and_then(selfplay::generator::GenerateError::exit_kind))
        .or_else(|| cause.downcast_ref().and_then(distributed::RoleError::exit_kind))
        .or_else(|| cause.downcast_ref().and_then(report::ReportError::exit_kind))
        .or_else(|| cause.downcast_ref().map(distributed::store::StoreError::exit_kind))
        .or_else(|| cause.downcast_ref().map(engine::EngineError::exit_kind))
        .or_else(|| cause.downcast_ref().map(data::OutputError::exit_kind))
        .or_else(|| cause.downcast_ref().map(data::QueryError::exit_kind))
        .or_else(|| cause.downcast_ref().map(studio::StudioError::exit_kind))
}
