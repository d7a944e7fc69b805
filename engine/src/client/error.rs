//! Why an engine cannot take part.

use super::fault::EngineFault;
use crate::protocol::Protocol;
use settings::{Complaints, ExitKind};
use std::io;
use std::path::PathBuf;

/// Why an engine cannot take part in a match. It is found before the first game, and the message says what to do.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    /// Settings are out of range.
    #[error(transparent)]
    Config(#[from] Complaints),
    /// The program does not exist or is not executable.
    #[error("engine {engine}: there is no program {command}: {fix}")]
    Missing {
        /// The engine's name in tables.
        engine: String,
        /// The command that was looked up.
        command: String,
        /// What to do.
        fix: String,
        /// The operating system's error, if there was one.
        source: Option<io::Error>,
    },
    /// The operating system does not start it.
    #[error("engine {engine}: {} cannot be started: {source}", program.display())]
    Start {
        /// The engine's name in tables.
        engine: String,
        /// The program.
        program: PathBuf,
        /// The operating system's error.
        source: io::Error,
    },
    /// It does not answer in any protocol that was tried.
    #[error(
        "engine {engine}: no answer in {}: {source}; is it an engine? Give its protocol (protocol=usi), its arguments \
         (arg=…), or more time to start (handshake_ms=…)",
        listed(tried)
    )]
    Handshake {
        /// The engine's name in tables.
        engine: String,
        /// The protocols that were tried.
        tried: Vec<Protocol>,
        /// What happened in the last of them.
        source: EngineFault,
    },
    /// The protocol has no notation for the variant.
    #[error("engine {engine}: {variant} cannot be played over {protocol}; use {}", listed(others))]
    Protocol {
        /// The engine's name in tables.
        engine: String,
        /// The variant.
        variant: &'static str,
        /// The protocol.
        protocol: Protocol,
        /// The protocols in which the variant can be played.
        others: Vec<Protocol>,
    },
    /// It does not know the variant.
    #[error("engine {engine} ({version}) does not know the variant {variant}; {fix}")]
    UnknownVariant {
        /// The engine's name in tables.
        engine: String,
        /// Its own name and version.
        version: String,
        /// The variant it was asked for.
        variant: String,
        /// What to do.
        fix: String,
    },
    /// It has no such option, or the option has no such value.
    #[error("engine {engine}: option {option}: {reason}")]
    Option {
        /// The engine's name in tables.
        engine: String,
        /// The option.
        option: String,
        /// What is wrong, and what the engine has.
        reason: String,
    },
    /// It plays by other rules.
    #[error("engine {engine} ({version}) plays another game than {variant}: {difference}; {fix}")]
    OtherGame {
        /// The engine's name in tables.
        engine: String,
        /// Its own name and version.
        version: String,
        /// The variant.
        variant: &'static str,
        /// Where, and what differs.
        difference: String,
        /// What to do.
        fix: &'static str,
    },
    /// It failed while it was tested.
    #[error("engine {engine} ({version}) failed before the first game: {source}")]
    Failed {
        /// The engine's name in tables.
        engine: String,
        /// Its own name and version.
        version: String,
        /// What it did.
        source: EngineFault,
    },
    /// Nothing limits its thinking.
    #[error(
        "engine {engine}: nothing limits its thinking; add nodes=1000 (or depth=, time=), or give the match a limit"
    )]
    NoLimit {
        /// The engine's name in tables.
        engine: String,
    },
    /// The program cannot be read, or the definition of the variant cannot be written.
    #[error("engine {engine}: {}: {source}", path.display())]
    File {
        /// The engine's name in tables.
        engine: String,
        /// The file.
        path: PathBuf,
        /// The operating system's error.
        source: io::Error,
    },
    /// The match was stopped.
    #[error("stopped before the first game")]
    Stopped,
}

fn listed(protocols: &[Protocol]) -> String {
    protocols.iter().map(|protocol| protocol.word()).collect::<Vec<_>>().join(", ")
}

impl EngineError {
    /// What the error asks for.
    pub fn exit_kind(&self) -> ExitKind {
        match self {
            EngineError::Start { .. } | EngineError::File { .. } => ExitKind::Machine,
            EngineError::Stopped => ExitKind::Resume,
            _ => ExitKind::Input,
        }
    }
}
