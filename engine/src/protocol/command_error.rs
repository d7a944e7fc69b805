//! Why a line is not a command.

use super::quoted;

/// A line that is not a command.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CommandError {
    /// The first word is not a command of this protocol.
    #[error("unknown command {}", quoted(.0))]
    Unknown(String),
    /// A word of `go` lacks its number.
    #[error("go: {0} needs a number")]
    NumberMissing(String),
    /// `setoption` without the name of an option.
    #[error("setoption without the name of an option")]
    NoOptionName,
    /// `position` without a position.
    #[error("position needs startpos, fen FEN or sfen SFEN, then the moves")]
    NoPosition,
}
