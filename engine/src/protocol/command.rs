//! What a GUI sends to an engine.

use super::command_error::CommandError;
use super::go::Go;
use super::{Dialect, Protocol};

/// A command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GuiCommand {
    /// `uci`, `usi`, `ucci`: the session begins; the engine names itself and its options.
    Handshake(Protocol),
    /// `isready`: answer when all commands before this one are done.
    IsReady,
    /// `ucinewgame` and its like, or UCCI's option `newgame`: what follows belongs to another game.
    NewGame,
    /// `setoption`: sets an option.
    SetOption {
        /// Name of the option, as the engine or the user spells it.
        name: String,
        /// The value; empty for a button.
        value: String,
    },
    /// `position`: the position to think about.
    Position(PositionCommand),
    /// `go`: think.
    Go(Go),
    /// `stop`, or `gameover`: end the search and answer.
    Stop,
    /// `ponderhit`: the expected move was played.
    PonderHit,
    /// `quit`: end the session.
    Quit,
    /// `banmoves`: moves that the GUI forbids by its own rules of repetition.
    BanMoves,
    /// An empty line, or a command that an engine may ignore: `debug`, `register`.
    Ignored,
}

/// A position as it is sent: where the game began, and all moves since.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PositionCommand {
    /// The first position, in FEN or SFEN; `None` is the variant's own start.
    pub start: Option<String>,
    /// The moves from there, in the notation of the protocol.
    pub moves: Vec<String>,
}

impl GuiCommand {
    /// Reads a line.
    ///
    /// # Errors
    /// The line is not a command, or a part of it is missing.
    pub fn read(dialect: Dialect, line: &str) -> Result<GuiCommand, CommandError> {
        let mut words = line.split_whitespace();
        let Some(first) = words.next() else { return Ok(GuiCommand::Ignored) };
        let rest: Vec<&str> = words.collect();
        Ok(match first {
            "uci" => GuiCommand::Handshake(Protocol::Uci),
            "usi" => GuiCommand::Handshake(Protocol::Usi),
            "ucci" => GuiCommand::Handshake(Protocol::Ucci),
            "isready" => GuiCommand::IsReady,
            "ucinewgame" | "usinewgame" | "uccinewgame" => GuiCommand::NewGame,
            "setoption" => read_option(&rest)?,
            "position" => GuiCommand::Position(PositionCommand::read(&rest)?),
            "go" => GuiCommand::Go(Go::read(dialect, &rest)?),
            "stop" | "gameover" => GuiCommand::Stop,
            "ponderhit" => GuiCommand::PonderHit,
            "quit" => GuiCommand::Quit,
            "banmoves" => GuiCommand::BanMoves,
            "debug" | "register" => GuiCommand::Ignored,
            other => return Err(CommandError::Unknown(other.to_owned())),
        })
    }

    /// Writes the command as one line without its end.
    pub fn write(&self, dialect: Dialect) -> String {
        let protocol = dialect.protocol;
        match self {
            GuiCommand::Handshake(protocol) => protocol.word().to_owned(),
            GuiCommand::IsReady => "isready".to_owned(),
            GuiCommand::NewGame => format!("{}newgame", protocol.word()),
            GuiCommand::SetOption { name, value } => {
                let (name, value) = match (protocol, value.as_str()) {
                    (Protocol::Ucci, "") => (name.clone(), String::new()),
                    (Protocol::Ucci, value) => (name.clone(), format!(" {value}")),
                    (_, "") => (format!("name {name}"), String::new()),
                    (_, value) => (format!("name {name}"), format!(" value {value}")),
                };
                format!("setoption {name}{value}")
            }
            GuiCommand::Position(position) => position.write(protocol),
            GuiCommand::Go(go) => go.write(dialect),
            GuiCommand::Stop => "stop".to_owned(),
            GuiCommand::PonderHit => "ponderhit".to_owned(),
            GuiCommand::Quit => "quit".to_owned(),
            GuiCommand::BanMoves => "banmoves".to_owned(),
            GuiCommand::Ignored => String::new(),
        }
    }
}

/// `name NAME [value VALUE]`; in UCCI `NAME [VALUE]`.
fn read_option(words: &[&str]) -> Result<GuiCommand, CommandError> {
    let (name, value) = match words {
        ["name", words @ ..] => {
            let at = words.iter().position(|&word| word == "value").unwrap_or(words.len());
            (words[..at].join(" "), words.get(at + 1..).unwrap_or_default().join(" "))
        }
        [name, value @ ..] => ((*name).to_owned(), value.join(" ")),
        [] => (String::new(), String::new()),
    };
    match name.as_str() {
        "" => Err(CommandError::NoOptionName),
        "newgame" => Ok(GuiCommand::NewGame),
        _ => Ok(GuiCommand::SetOption { name, value }),
    }
}

impl PositionCommand {
    /// `startpos | fen FEN | sfen SFEN`, then `moves MOVE …`.
    fn read(words: &[&str]) -> Result<PositionCommand, CommandError> {
        let at = words.iter().position(|&word| word == "moves").unwrap_or(words.len());
        let start = match &words[..at] {
            ["startpos"] => None,
            ["fen" | "sfen", text @ ..] if !text.is_empty() => Some(text.join(" ")),
            _ => return Err(CommandError::NoPosition),
        };
        let moves = words.get(at + 1..).unwrap_or_default().iter().map(|&word| word.to_owned()).collect();
        Ok(PositionCommand { start, moves })
    }

    fn write(&self, protocol: Protocol) -> String {
        let mut text = match (&self.start, protocol) {
            (None, _) => "position startpos".to_owned(),
            (Some(start), Protocol::Usi) => format!("position sfen {start}"),
            (Some(start), Protocol::Uci | Protocol::Ucci) => format!("position fen {start}"),
        };
        for (number, mv) in self.moves.iter().enumerate() {
            text += if number == 0 { " moves " } else { " " };
            text += mv;
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const UCI: Dialect = Dialect::new(Protocol::Uci);

    fn read(line: &str) -> GuiCommand {
        GuiCommand::read(UCI, line).unwrap_or_else(|error| panic!("{line}: {error}"))
    }

    #[test]
    fn positions_and_options_of_all_protocols() {
        let moves = |list: &[&str]| list.iter().map(|&mv| mv.to_owned()).collect();
        assert_eq!(
            read("position startpos moves h3e3  h10g8"),
            GuiCommand::Position(PositionCommand { start: None, moves: moves(&["h3e3", "h10g8"]) })
        );
        assert_eq!(
            read("position sfen 4k4/9/9/9/9/9/9/9/4K4 b P 1 moves P*5e"),
            GuiCommand::Position(PositionCommand {
                start: Some("4k4/9/9/9/9/9/9/9/4K4 b P 1".to_owned()),
                moves: moves(&["P*5e"])
            })
        );
        let option = |name: &str, value: &str| GuiCommand::SetOption { name: name.to_owned(), value: value.to_owned() };
        assert_eq!(read("setoption name Move Overhead value 50"), option("Move Overhead", "50"));
        assert_eq!(read("setoption name EvalFile value a b.safetensors"), option("EvalFile", "a b.safetensors"));
        assert_eq!(read("setoption name Clear Hash"), option("Clear Hash", ""));
        assert_eq!(read("setoption usemillisec true"), option("usemillisec", "true"));
        assert_eq!(read("setoption newgame"), GuiCommand::NewGame);
        assert_eq!(read("gameover win"), GuiCommand::Stop);
        assert_eq!(read("  "), GuiCommand::Ignored);
    }

    #[test]
    fn lines_that_are_no_commands_are_named() {
        for (line, error) in [
            ("xyzzy plugh", "unknown command \"xyzzy\""),
            ("position", "position needs startpos"),
            ("position fen", "position needs startpos"),
            ("position fen moves a1a2", "position needs startpos"),
            ("setoption", "without the name"),
            ("setoption name value 3", "without the name"),
        ] {
            assert!(GuiCommand::read(UCI, line).unwrap_err().to_string().contains(error), "{line}");
        }
        let long = "x".repeat(1 << 20);
        assert!(GuiCommand::read(UCI, &long).unwrap_err().to_string().len() < 100);
    }
}
