//! What an engine sends to a GUI.

use super::Protocol;
use super::info::Info;
use super::option::EngineOption;

/// A line of an engine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reply {
    /// `id name`: the engine's name and version.
    Name(String),
    /// `id author`: the engine's author.
    Author(String),
    /// `option`: an option that can be set.
    Option(EngineOption),
    /// `uciok` and its like: the handshake is complete.
    HandshakeDone,
    /// `readyok`: all commands before `isready` are done.
    ReadyOk,
    /// `info`: a report of the search.
    Info(Info),
    /// `info string` (UCCI: `info message`): a message for people.
    Message(String),
    /// `bestmove`: the answer to `go`.
    BestMove(BestMove),
    /// `checkmate notimplemented` (USI): the engine does not solve mate problems.
    NoMateSolver,
    /// `MOVE: COUNT`: the leaves behind one move, in the answer to `go perft`.
    PerftMove {
        /// The move, in the engine's words.
        mv: String,
        /// Number of leaves.
        leaves: u64,
    },
    /// `Nodes searched: COUNT`: all leaves, the end of the answer to `go perft`.
    PerftTotal(u64),
    /// `bye` (UCCI): the answer to `quit`.
    Bye,
}

/// The answer to `go`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BestMove {
    /// A move.
    Move {
        /// The move, in the notation of the protocol.
        mv: String,
        /// The reply that the engine expects and would ponder on.
        ponder: Option<String>,
    },
    /// There is no legal move. USI has no words for that: a player who cannot move resigns.
    NoMove,
    /// The engine resigns.
    Resign,
    /// The engine declares that it has won (USI: 入玉宣言).
    Win,
}

/// The words before the total of `go perft`.
const PERFT_TOTAL: &str = "Nodes searched";

impl Reply {
    /// Reads a line; `None` for a line that is none of these.
    pub fn read(protocol: Protocol, line: &str) -> Option<Reply> {
        let line = line.trim();
        if line.strip_suffix("ok") == Some(protocol.word()) {
            return Some(Reply::HandshakeDone);
        }
        let (first, rest) =
            line.split_once(char::is_whitespace).map_or((line, ""), |(first, rest)| (first, rest.trim()));
        match first {
            "id" => {
                let (key, text) = rest.split_once(' ')?;
                match key {
                    "name" => Some(Reply::Name(text.trim().to_owned())),
                    "author" => Some(Reply::Author(text.trim().to_owned())),
                    _ => None,
                }
            }
            "option" => EngineOption::read(protocol, line).map(Reply::Option),
            "readyok" => Some(Reply::ReadyOk),
            "info" => {
                let message = rest.strip_prefix("string").or_else(|| rest.strip_prefix("message"));
                match message.filter(|text| text.is_empty() || text.starts_with(' ')) {
                    Some(text) => Some(Reply::Message(text.trim().to_owned())),
                    None => Info::read(protocol, rest).map(Reply::Info),
                }
            }
            "bestmove" => Some(Reply::BestMove(BestMove::read(protocol, rest))),
            "nobestmove" => Some(Reply::BestMove(BestMove::NoMove)),
            "checkmate" if rest == "notimplemented" => Some(Reply::NoMateSolver),
            "bye" => Some(Reply::Bye),
            _ => {
                let (what, count) = line.split_once(':')?;
                let leaves = count.trim().parse().ok()?;
                Some(if what == PERFT_TOTAL {
                    Reply::PerftTotal(leaves)
                } else {
                    Reply::PerftMove { mv: what.trim().to_owned(), leaves }
                })
            }
        }
    }

    /// Writes the line without its end. Messages are made one line.
    pub fn write(&self, protocol: Protocol) -> String {
        match self {
            Reply::Name(name) => format!("id name {name}"),
            Reply::Author(name) => format!("id author {name}"),
            Reply::Option(option) => option.write(protocol),
            Reply::HandshakeDone => format!("{}ok", protocol.word()),
            Reply::ReadyOk => "readyok".to_owned(),
            Reply::Info(info) => info.write(protocol),
            Reply::Message(text) => format!("{} {}", protocol.message_prefix(), text.replace(['\n', '\r'], " ")),
            Reply::BestMove(best) => best.write(protocol),
            Reply::NoMateSolver => "checkmate notimplemented".to_owned(),
            Reply::PerftMove { mv, leaves } => format!("{mv}: {leaves}"),
            Reply::PerftTotal(leaves) => format!("{PERFT_TOTAL}: {leaves}"),
            Reply::Bye => "bye".to_owned(),
        }
    }
}

impl BestMove {
    /// The words after `bestmove`.
    fn read(protocol: Protocol, rest: &str) -> BestMove {
        let words: Vec<&str> = rest.split_whitespace().collect();
        match (protocol, words.as_slice()) {
            (_, ["resign", ..]) => BestMove::Resign,
            (Protocol::Usi, ["win", ..]) => BestMove::Win,
            (_, [] | ["(none)" | "none" | "0000" | "null", ..]) => BestMove::NoMove,
            // A UCCI engine sends its resignation together with the move it would have played.
            (Protocol::Ucci, [_, more @ ..]) if more.contains(&"resign") => BestMove::Resign,
            (_, [mv, "ponder", reply, ..]) => {
                BestMove::Move { mv: (*mv).to_owned(), ponder: Some((*reply).to_owned()) }
            }
            (_, [mv, ..]) => BestMove::Move { mv: (*mv).to_owned(), ponder: None },
        }
    }

    fn write(&self, protocol: Protocol) -> String {
        match (self, protocol) {
            (BestMove::Move { mv, ponder: Some(reply) }, _) => format!("bestmove {mv} ponder {reply}"),
            (BestMove::Move { mv, ponder: None }, _) => format!("bestmove {mv}"),
            (BestMove::NoMove, Protocol::Uci) => "bestmove (none)".to_owned(),
            (BestMove::NoMove, Protocol::Ucci) => "nobestmove".to_owned(),
            (BestMove::NoMove, Protocol::Usi) | (BestMove::Resign, _) => "bestmove resign".to_owned(),
            (BestMove::Win, _) => "bestmove win".to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_in_each_protocol() {
        let answer = |protocol, line| match Reply::read(protocol, line) {
            Some(Reply::BestMove(best)) => Some(best),
            _ => None,
        };
        let mv = |mv: &str, ponder: Option<&str>| {
            Some(BestMove::Move { mv: mv.to_owned(), ponder: ponder.map(str::to_owned) })
        };
        assert_eq!(answer(Protocol::Uci, "bestmove h3e3 ponder h10g8"), mv("h3e3", Some("h10g8")));
        assert_eq!(answer(Protocol::Uci, "bestmove (none)"), Some(BestMove::NoMove));
        assert_eq!(answer(Protocol::Uci, "bestmove win"), mv("win", None));
        assert_eq!(answer(Protocol::Usi, "bestmove win"), Some(BestMove::Win));
        assert_eq!(answer(Protocol::Usi, "bestmove resign"), Some(BestMove::Resign));
        assert_eq!(answer(Protocol::Ucci, "bestmove h2e2 ponder h9g7 resign"), Some(BestMove::Resign));
        assert_eq!(answer(Protocol::Ucci, "bestmove h2e2 draw"), mv("h2e2", None));
        assert_eq!(answer(Protocol::Ucci, "nobestmove"), Some(BestMove::NoMove));
        assert_eq!(answer(Protocol::Uci, "info depth 3 pv h3e3 bestmove"), None);
        assert_eq!(answer(Protocol::Uci, ""), None);
    }

    #[test]
    fn other_lines() {
        let read = |line| Reply::read(Protocol::Uci, line);
        assert_eq!(read("uciok"), Some(Reply::HandshakeDone));
        assert_eq!(Reply::read(Protocol::Usi, "uciok"), None);
        assert_eq!(read("id name  Scripted 1.0"), Some(Reply::Name("Scripted 1.0".into())));
        assert_eq!(read("info string counts: 5"), Some(Reply::Message("counts: 5".into())));
        assert_eq!(read("h3e3: 44"), Some(Reply::PerftMove { mv: "h3e3".into(), leaves: 44 }));
        assert_eq!(read("Nodes searched: 1920"), Some(Reply::PerftTotal(1920)));
        for line in ["", "Stockfish 16 by the developers", "a: b", "id", "id name", "info multipv x"] {
            assert_eq!(read(line), None, "{line}");
        }
    }
}
