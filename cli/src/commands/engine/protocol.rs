//! The three protocols, and what a line of each says. UCI, USI and UCCI are one protocol in three dialects; here they
//! become one set of commands that knows no variant.

use super::go::Go;

/// The language of a dialogue.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Protocol {
    /// Universal Chess Interface; also what is spoken before the first word.
    #[default]
    Uci,
    /// Universal Shogi Interface.
    Usi,
    /// Universal Chinese Chess Protocol.
    Ucci,
}

impl Protocol {
    /// The word that begins the dialogue: also the name of the notation in which its moves are written.
    pub fn word(self) -> &'static str {
        match self {
            Protocol::Uci => "uci",
            Protocol::Usi => "usi",
            Protocol::Ucci => "ucci",
        }
    }

    /// What stands before a message for people.
    pub fn message(self) -> &'static str {
        match self {
            Protocol::Uci | Protocol::Usi => "info string",
            Protocol::Ucci => "info message",
        }
    }
}

/// A position as a GUI describes it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Placement {
    /// The position to begin with, in FEN or SFEN; `None` is the variant's start.
    pub start: Option<String>,
    /// The moves that lead from there to the present position.
    pub moves: Vec<String>,
}

/// What a GUI wants.
#[derive(Clone, Debug, PartialEq)]
pub enum Command {
    /// Who are you?
    Handshake(Protocol),
    /// Are you done with what was said before?
    IsReady,
    /// What comes now belongs to another game.
    NewGame,
    /// An option; buttons have no value.
    SetOption { name: String, value: String },
    /// The position to think about.
    Position(Placement),
    /// Think.
    Go(Go),
    /// Say your move now.
    Stop,
    /// The move you were pondering about was played.
    PonderHit,
    /// The program shall end.
    Quit,
    /// Nothing was said, or nothing that matters.
    Nothing,
}

/// Reads a line. Words that mean nothing before a command are skipped, as UCI asks.
///
/// # Errors
/// It is no command, or one that makes no sense: what is wrong, for people.
pub fn parse(protocol: Protocol, line: &str) -> Result<Command, String> {
    let mut words = line.split_whitespace();
    let Some(first) = words.next() else { return Ok(Command::Nothing) };
    let rest: Vec<&str> = words.collect();
    Ok(match first {
        "uci" => Command::Handshake(Protocol::Uci),
        "usi" => Command::Handshake(Protocol::Usi),
        "ucci" => Command::Handshake(Protocol::Ucci),
        "isready" => Command::IsReady,
        "ucinewgame" | "usinewgame" | "uccinewgame" => Command::NewGame,
        "setoption" => option(&rest)?,
        "position" => Command::Position(placement(&rest)?),
        "go" => Command::Go(Go::parse(protocol, &rest)?),
        // The game is over: a search that still runs is of no use.
        "stop" | "gameover" => Command::Stop,
        "ponderhit" => Command::PonderHit,
        "quit" => Command::Quit,
        // What engines may ignore: logging, registration, the moves that UCCI forbids (our rules know repetition).
        "debug" | "register" | "banmoves" => Command::Nothing,
        other => return Err(format!("unknown command {}", quoted(other))),
    })
}

/// A few characters of what was said, for a message.
pub fn quoted(text: &str) -> String {
    const SHOWN: usize = 40;
    let shown: String = text.chars().take(SHOWN).collect();
    format!("{shown:?}{}", if text.chars().nth(SHOWN).is_some() { "…" } else { "" })
}

/// `name NAME [value VALUE]`; in UCCI `NAME [VALUE]`.
fn option(words: &[&str]) -> Result<Command, String> {
    let (name, value) = match words {
        ["name", words @ ..] => {
            let at = words.iter().position(|&word| word == "value").unwrap_or(words.len());
            (words[..at].join(" "), words.get(at + 1..).unwrap_or_default().join(" "))
        }
        [name, value @ ..] => ((*name).to_owned(), value.join(" ")),
        [] => (String::new(), String::new()),
    };
    if name.is_empty() {
        return Err("setoption without a name".to_owned());
    }
    Ok(if name == "newgame" { Command::NewGame } else { Command::SetOption { name, value } })
}

/// `startpos | fen FEN | sfen SFEN`, then `moves MOVE …`.
fn placement(words: &[&str]) -> Result<Placement, String> {
    let at = words.iter().position(|&word| word == "moves").unwrap_or(words.len());
    let start = match &words[..at] {
        ["startpos"] => None,
        ["fen" | "sfen", text @ ..] if !text.is_empty() => Some(text.join(" ")),
        _ => return Err("position wants startpos, fen FEN or sfen SFEN, then moves".to_owned()),
    };
    let moves = words.get(at + 1..).unwrap_or_default().iter().map(|&word| word.to_owned()).collect();
    Ok(Placement { start, moves })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> Command {
        parse(Protocol::Uci, line).expect(line)
    }

    #[test]
    fn positions_and_options_of_all_dialects() {
        let moves = |list: &[&str]| list.iter().map(|&mv| mv.to_owned()).collect();
        assert_eq!(
            read("position startpos moves h3e3  h10g8"),
            Command::Position(Placement { start: None, moves: moves(&["h3e3", "h10g8"]) })
        );
        assert_eq!(
            read("position sfen 4k4/9/9/9/9/9/9/9/4K4 b P 1 moves P*5e"),
            Command::Position(Placement {
                start: Some("4k4/9/9/9/9/9/9/9/4K4 b P 1".to_owned()),
                moves: moves(&["P*5e"])
            })
        );
        let option = |name: &str, value: &str| Command::SetOption { name: name.to_owned(), value: value.to_owned() };
        assert_eq!(read("setoption name Move Overhead value 50"), option("Move Overhead", "50"));
        assert_eq!(read("setoption name EvalFile value a b.safetensors"), option("EvalFile", "a b.safetensors"));
        assert_eq!(read("setoption name Clear Hash"), option("Clear Hash", ""));
        assert_eq!(read("setoption usemillisec true"), option("usemillisec", "true"));
        assert_eq!(read("setoption newgame"), Command::NewGame);
        assert_eq!(read("gameover win"), Command::Stop);
        assert_eq!(read("  "), Command::Nothing);
    }

    #[test]
    fn nonsense_is_named() {
        for (line, says) in [
            ("xyzzy plugh", "unknown command \"xyzzy\""),
            ("position", "position wants"),
            ("position fen", "position wants"),
            ("position fen moves a1a2", "position wants"),
            ("setoption", "without a name"),
            ("setoption name value 3", "without a name"),
        ] {
            assert!(parse(Protocol::Uci, line).expect_err(line).contains(says), "{line}");
        }
        let long = "x".repeat(1 << 20);
        assert!(parse(Protocol::Usi, &long).expect_err("a long word").len() < 100);
    }
}
