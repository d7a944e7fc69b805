//! Exit codes with meaning, as in `sysexits.h`, and the one place that prints an error.

use eval::ratings::RatingError;
use std::fmt;
use std::io::{self, Write};
use std::process::ExitCode;

/// Why a command stopped, for errors that carry no type of their own.
#[derive(Debug)]
pub enum Failure {
    /// Wrong input: a configuration, a position, a name. Exit code 78.
    Input(String),
    /// Some checks did not pass (perft suite, verification); the details are printed already. Exit code 1.
    Check(String),
    /// A signal asked to stop; all that was finished is kept and the same command goes on. Exit code 75.
    Drained(String),
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Input(text) | Failure::Check(text) | Failure::Drained(text) => f.write_str(text),
        }
    }
}

impl std::error::Error for Failure {}

/// Wrong input, as an error.
pub fn input(text: impl Into<String>) -> anyhow::Error {
    Failure::Input(text.into()).into()
}

/// Wrong input, as an error, if there are complaints about it.
pub fn sound(complaints: &[String]) -> anyhow::Result<()> {
    if complaints.is_empty() { Ok(()) } else { Err(input(complaints.join("\n"))) }
}

const DRAINED: u8 = 75;
const INPUT_OUTPUT: u8 = 74;
const CONFIGURATION: u8 = 78;
const INTERNAL: u8 = 70;

/// Prints the error, if there is one, and gives the exit code.
pub fn exit_code(result: anyhow::Result<()>) -> ExitCode {
    let Err(error) = result else { return ExitCode::SUCCESS };
    let code = code(&error);
    let _ = io::stdout().flush();
    let prefix = if code == DRAINED { "" } else { "error: " };
    eprintln!("{prefix}{}", message(&error));
    ExitCode::from(code)
}

/// What went wrong, then why. Errors that already tell their cause are not followed by it again.
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
    error.chain().find_map(code_of).unwrap_or(INTERNAL)
}

/// The exit code that one cause asks for, if it is of a kind that does.
fn code_of(cause: &(dyn std::error::Error + 'static)) -> Option<u8> {
    if let Some(failure) = cause.downcast_ref::<Failure>() {
        return Some(match failure {
            Failure::Input(_) => CONFIGURATION,
            Failure::Check(_) => 1,
            Failure::Drained(_) => DRAINED,
        });
    }
    if let Some(error) = cause.downcast_ref::<train::TrainError>() {
        return match error {
            train::TrainError::File { .. } | train::TrainError::Device { .. } => Some(CONFIGURATION),
            train::TrainError::Io { .. } | train::TrainError::Data(_) | train::TrainError::Store(_) => {
                Some(INPUT_OUTPUT)
            }
            _ => None,
        };
    }
    if let Some(error) = cause.downcast_ref::<eval::EngineError>() {
        return Some(match error {
            eval::EngineError::Start { .. } | eval::EngineError::File { .. } => INPUT_OUTPUT,
            eval::EngineError::Stopped => DRAINED,
            _ => CONFIGURATION,
        });
    }
    if let Some(error) = cause.downcast_ref::<eval::MatchError>() {
        return match error {
            eval::MatchError::Stopped => Some(DRAINED),
            eval::MatchError::Changed { .. }
            | eval::MatchError::Config(_)
            | eval::MatchError::MixedVariants { .. }
            | eval::MatchError::InUse { .. }
            | eval::MatchError::Rating(RatingError::NoGames | RatingError::UnknownAnchor { .. }) => Some(CONFIGURATION),
            eval::MatchError::File(_)
            | eval::MatchError::Read { .. }
            | eval::MatchError::Resources { .. }
            | eval::MatchError::Line { .. } => Some(INPUT_OUTPUT),
            _ => None,
        };
    }
    if let Some(error) = cause.downcast_ref::<selfplay::generator::GenerateError>() {
        use selfplay::generator::GenerateError::{Data, OtherGeneration, Snapshot};
        return matches!(error, Data(_) | Snapshot(_) | OtherGeneration { .. }).then_some(INPUT_OUTPUT);
    }
    let is_input = cause.is::<rules::FenError>()
        || cause.is::<rules::MoveError>()
        || cause.is::<rules::UnknownNotation>()
        || cause.is::<rules::UnknownVariant>()
        || cause.is::<rules::UnknownPreset>();
    let is_file = cause.is::<data::DataError>() || cause.is::<io::Error>();
    if is_input {
        Some(CONFIGURATION)
    } else if is_file {
        Some(INPUT_OUTPUT)
    } else {
        None
    }
}
