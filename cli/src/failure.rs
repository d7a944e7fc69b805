//! Exit codes with meaning, as in `sysexits.h`, and the one place that prints an error.

use crate::output;
use anyhow::Context;
use eval::ratings::RatingError;
use lab::LabError;
use lab::cluster::ClusterError;
use settings::Complaints;
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
    /// A signal asked to stop; all that was finished is kept and the same command goes on. Exit code 75.
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

const DRAINED: u8 = 75;
const INPUT_OUTPUT: u8 = 74;
const CONFIGURATION: u8 = 78;
/// A fault of the program, `EX_SOFTWARE`.
pub const INTERNAL: u8 = 70;

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
    let prefix = if code == DRAINED { "" } else { "error: " };
    eprintln!("{prefix}{}", message(&error));
    ExitCode::from(code)
}

fn is_closed_pipe(cause: &(dyn std::error::Error + 'static)) -> bool {
    cause.downcast_ref::<io::Error>().is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
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
            Failure::Damage(_) => INPUT_OUTPUT,
            Failure::Drained(_) => DRAINED,
        });
    }
    if let Some(error) = cause.downcast_ref::<LabError>() {
        return code_of_run(error);
    }
    if let Some(error) = cause.downcast_ref::<store::StoreError>() {
        return Some(code_of_store(error));
    }
    if let Some(error) = cause.downcast_ref::<train::TrainError>() {
        return match error {
            train::TrainError::File { .. } | train::TrainError::Device { .. } => Some(CONFIGURATION),
            train::TrainError::Library(_)
            | train::TrainError::Memory(_)
            | train::TrainError::NoThread { .. }
            | train::TrainError::Io { .. }
            | train::TrainError::Data(_)
            | train::TrainError::Game { .. }
            | train::TrainError::Store(_) => Some(INPUT_OUTPUT),
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
            | eval::MatchError::Variant(_)
            | eval::MatchError::Log(data::DataError::InUse { .. } | data::DataError::NotALog { .. })
            | eval::MatchError::Rating(RatingError::NoGames | RatingError::UnknownAnchor { .. }) => Some(CONFIGURATION),
            eval::MatchError::Log(_)
            | eval::MatchError::Line { .. }
            | eval::MatchError::Read { .. }
            | eval::MatchError::Resources { .. }
            | eval::MatchError::Thread { .. }
            | eval::MatchError::Threads { .. }
            | eval::MatchError::Header { .. }
            | eval::MatchError::Game { .. } => Some(INPUT_OUTPUT),
            eval::MatchError::Engine(error) => code_of(error),
            _ => None,
        };
    }
    if let Some(error) = cause.downcast_ref::<selfplay::generator::GenerateError>() {
        use selfplay::generator::GenerateError::{Data, OtherGeneration, Snapshot, Threads};
        return matches!(error, Data(_) | Snapshot(_) | OtherGeneration { .. } | Threads { .. })
            .then_some(INPUT_OUTPUT);
    }
    if let Some(error) = cause.downcast_ref::<data::OutputError>() {
        return Some(match error {
            data::OutputError::Kind { .. } | data::OutputError::Stream { .. } => CONFIGURATION,
            data::OutputError::NoFolder { .. } | data::OutputError::Look { .. } => INPUT_OUTPUT,
        });
    }
    let is_input = cause.is::<rules::FenError>()
        || cause.is::<rules::MoveError>()
        || cause.is::<rules::UnknownNotation>()
        || cause.is::<rules::UnknownVariant>()
        || cause.is::<rules::UnknownPreset>()
        || cause.is::<eval::engine::EngineSpecError>();
    let is_file = cause.is::<data::DataError>() || cause.is::<io::Error>();
    if is_input {
        Some(CONFIGURATION)
    } else if is_file {
        Some(INPUT_OUTPUT)
    } else {
        None
    }
}

/// The exit code of an error of the store that machines share: what never passes by itself is not to be tried again.
fn code_of_store(error: &store::StoreError) -> u8 {
    use store::StoreError::{
        Absent, Address, Credentials, Exists, Folder, Key, Object, OtherStore, Refused, Runtime, Server, Settings,
        Stopped, Unable, Unreachable,
    };
    match error {
        Address { .. }
        | Settings { .. }
        | Server { .. }
        | Key { .. }
        | Credentials { .. }
        | Unable { .. }
        | Refused { .. }
        | OtherStore { .. } => CONFIGURATION,
        Folder { .. } | Runtime { .. } | Absent { .. } | Exists { .. } | Object { .. } | Unreachable { .. } => {
            INPUT_OUTPUT
        }
        Stopped { .. } => DRAINED,
    }
}

/// The exit code of an error between machines.
fn code_of_role(error: &ClusterError) -> u8 {
    match error {
        ClusterError::SpoolFull { .. }
        | ClusterError::SpoolInUse { .. }
        | ClusterError::StoreLost { .. }
        | ClusterError::Gap { .. }
        | ClusterError::NoShard { .. }
        | ClusterError::Waiting { .. }
        | ClusterError::Object { .. } => INPUT_OUTPUT,
        _ => CONFIGURATION,
    }
}

/// The exit code of an error of a run. Errors that only pass on what is beneath them give the code of that.
fn code_of_run(error: &LabError) -> Option<u8> {
    match error {
        LabError::Syntax { .. }
        | LabError::Config { .. }
        | LabError::OtherSettings { .. }
        | LabError::ConfigMissing { .. }
        | LabError::ConfigChanged { .. }
        | LabError::Branch { .. }
        | LabError::NoBuiltin { .. }
        | LabError::HalfBegun { .. }
        | LabError::Fit { .. }
        | LabError::Exists { .. }
        | LabError::Unmeasured { .. }
        | LabError::Locked { .. }
        | LabError::Memory { .. }
        | LabError::NoRun { .. }
        | LabError::Variant(_)
        | LabError::Preset(_) => Some(CONFIGURATION),
        LabError::ReadConfig { .. }
        | LabError::Io { .. }
        | LabError::Thread { .. }
        | LabError::Damaged { .. }
        | LabError::Gap { .. }
        | LabError::SlotsMissing { .. }
        | LabError::OtherGames { .. } => Some(INPUT_OUTPUT),
        LabError::WriteConfig(_) => Some(INTERNAL),
        LabError::Store(error) => Some(code_of_store(error)),
        LabError::Cluster(error) => Some(code_of_role(error)),
        LabError::Data(error) => code_of(error),
        LabError::Train(error) | LabError::Resume(error) | LabError::NoCheckpoint { source: error, .. } => {
            code_of(error)
        }
        LabError::Selfplay(error) | LabError::Network { source: error, .. } => code_of(error),
        LabError::Match(error) => code_of(error),
    }
}
