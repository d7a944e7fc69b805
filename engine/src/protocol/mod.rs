//! UCI, USI and UCCI: the messages between a GUI (or match runner) and an engine.
//!
//! The three protocols have one structure and differ in words. Here each message is one type with one reader and one
//! writer, which take the protocol as an argument. The client ([`crate::client`]) and the server ([`crate::server`])
//! share them, so a command that one end writes is a command that the other end reads.
//!
//! - [`GuiCommand`]: what a GUI sends; [`Go`] and [`PositionCommand`] are its larger parts.
//! - [`Reply`]: what an engine sends; [`EngineOption`], [`Info`] and [`BestMove`] are its larger parts.
//! - [`GameNotation`]: how a variant's moves and positions are written in a protocol.
//!
//! Readers accept what real programs send: unknown words are skipped, numbers out of range are clamped. Nothing here
//! does input or output.
//!
//! ```
//! use engine::protocol::{GuiCommand, Dialect, Go, Protocol};
//! use rules::Side;
//! use std::time::Duration;
//!
//! let usi = Dialect::new(Protocol::Usi);
//! let GuiCommand::Go(go) = GuiCommand::read(usi, "go btime 60000 wtime 45000 byoyomi 5000")? else { unreachable!() };
//! assert_eq!(go.clocks.of(Side::First).left, Some(Duration::from_secs(60)), "Black (先手) moves first in shogi");
//! assert_eq!(GuiCommand::Go(go).write(usi), "go btime 60000 wtime 45000 byoyomi 5000");
//! # Ok::<(), engine::protocol::CommandError>(())
//! ```

mod command;
mod command_error;
mod go;
mod info;
mod notation;
mod option;
mod reply;
#[cfg(test)]
mod round_trips;

pub use command::{GuiCommand, PositionCommand};
pub use command_error::CommandError;
pub use go::{Clocks, Go, PlayerTime};
pub use info::{Info, ReportedScore};
pub use notation::{GameNotation, PositionError};
pub use option::{EngineOption, OptionKind};
pub use reply::{BestMove, Reply};

use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// One of the three protocols.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Protocol {
    /// Universal Chess Interface, as Fairy-Stockfish and Pikafish speak it.
    #[default]
    Uci,
    /// Universal Shogi Interface.
    Usi,
    /// Universal Chinese Chess Protocol.
    Ucci,
}

impl Protocol {
    /// All protocols, in the order in which an engine's protocol is guessed.
    pub const ALL: [Protocol; 3] = [Protocol::Uci, Protocol::Usi, Protocol::Ucci];

    /// The first word of a session (`uci`), which is also the name of the notation of its moves. The engine ends its
    /// answer with this word followed by `ok`.
    pub const fn word(self) -> &'static str {
        match self {
            Protocol::Uci => "uci",
            Protocol::Usi => "usi",
            Protocol::Ucci => "ucci",
        }
    }

    /// What stands in front of a message for people.
    pub(crate) const fn message_prefix(self) -> &'static str {
        match self {
            Protocol::Uci | Protocol::Usi => "info string",
            Protocol::Ucci => "info message",
        }
    }
}

impl fmt::Display for Protocol {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

impl FromStr for Protocol {
    type Err = UnknownProtocol;

    fn from_str(text: &str) -> Result<Protocol, UnknownProtocol> {
        let found = Protocol::ALL.into_iter().find(|protocol| protocol.word() == text);
        found.ok_or_else(|| UnknownProtocol(text.to_owned()))
    }
}

/// A word that names no protocol.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is not a protocol; use auto, uci, usi or ucci")]
pub struct UnknownProtocol(pub String);

/// A protocol and the unit of its times, which in UCCI depends on an option of the engine (`usemillisec`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dialect {
    /// The protocol.
    pub protocol: Protocol,
    /// Whether times are in whole seconds instead of milliseconds.
    pub in_seconds: bool,
}

impl Dialect {
    /// A protocol with its own unit of time: seconds in UCCI, milliseconds in the others.
    pub const fn new(protocol: Protocol) -> Dialect {
        Dialect { protocol, in_seconds: matches!(protocol, Protocol::Ucci) }
    }

    /// This dialect with times in milliseconds.
    #[must_use]
    pub const fn with_milliseconds(self) -> Dialect {
        Dialect { in_seconds: false, ..self }
    }
}

/// The first characters of a received text, for a message about it.
pub(crate) fn quoted(text: &str) -> String {
    const SHOWN: usize = 40;
    let shown: String = text.chars().take(SHOWN).collect();
    format!("{shown:?}{}", if text.chars().nth(SHOWN).is_some() { "…" } else { "" })
}
