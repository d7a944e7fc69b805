//! Why an engine cannot take part.

use super::fault::Fault;
use std::path::PathBuf;

/// Why an engine cannot take part in a match; found before the first game, with what to do about it.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    /// Settings out of range.
    #[error("{0}")]
    Config(String),
    /// There is no such program.
    #[error("engine {engine}: there is no program {command}: {fix}")]
    Missing {
        /// The engine's name in tables.
        engine: String,
        /// What was looked for.
        command: String,
        /// What to do.
        fix: String,
    },
    /// The system does not start it.
    #[error("engine {engine}: {} cannot be started: {source}", program.display())]
    Start {
        /// The engine's name in tables.
        engine: String,
        /// The program.
        program: PathBuf,
        /// The system's own words.
        source: std::io::Error,
    },
    /// It does not speak the protocol.
    #[error(
        "engine {engine}: no answer in {tried}: {fault}; is it an engine? Name its protocol (protocol=usi), give it \
         its arguments (arg=…), or more time to start (handshake_ms=…)"
    )]
    Handshake {
        /// The engine's name in tables.
        engine: String,
        /// The protocols that were tried.
        tried: String,
        /// What happened in the last.
        fault: Fault,
    },
    /// The variant cannot be written in the protocol.
    #[error("engine {engine}: {variant} cannot be played in {protocol}; use {others}")]
    Protocol {
        /// The engine's name in tables.
        engine: String,
        /// The variant.
        variant: &'static str,
        /// The protocol.
        protocol: String,
        /// Those in which it can.
        others: String,
    },
    /// It does not know the variant.
    #[error("engine {engine} ({version}) does not know the variant {variant}{hint}")]
    UnknownVariant {
        /// The engine's name in tables.
        engine: String,
        /// What it calls itself.
        version: String,
        /// What it was asked for.
        variant: String,
        /// What to do, after a semicolon.
        hint: String,
    },
    /// It has no such option, or the option has no such value.
    #[error("engine {engine}: option {option}: {reason}")]
    Option {
        /// The engine's name in tables.
        engine: String,
        /// The option.
        option: String,
        /// What is wrong, and what it has.
        reason: String,
    },
    /// It plays by other rules.
    #[error("engine {engine} ({version}) plays another game than {variant}: {difference}; {fix}")]
    OtherGame {
        /// The engine's name in tables.
        engine: String,
        /// What it calls itself.
        version: String,
        /// The variant.
        variant: &'static str,
        /// Where, and what differs.
        difference: String,
        /// What to do.
        fix: &'static str,
    },
    /// It broke down while it was tested.
    #[error("engine {engine} ({version}) failed before the first game: {fault}")]
    Broken {
        /// The engine's name in tables.
        engine: String,
        /// What it calls itself.
        version: String,
        /// What it did.
        fault: Fault,
    },
    /// There is no limit to its thinking.
    #[error(
        "engine {engine}: nothing limits its thinking; add nodes=1000 (or depth=, time=), or give the match a limit"
    )]
    NoLimit {
        /// The engine's name in tables.
        engine: String,
    },
    /// Its file cannot be read or the variant's definition not written.
    #[error("engine {engine}: {}: {source}", path.display())]
    File {
        /// The engine's name in tables.
        engine: String,
        /// The file.
        path: PathBuf,
        /// The system's own words.
        source: std::io::Error,
    },
    /// It was asked to stop.
    #[error("stopped before the first game")]
    Stopped,
}
