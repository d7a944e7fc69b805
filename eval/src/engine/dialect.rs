//! Moves and positions as each protocol writes them.

use super::protocol::Protocol;
use rules::{Game, Move, Notation, Position, PositionFormat, Variant};

/// How moves and positions of a variant are written in a protocol.
#[derive(Clone, Copy)]
pub(super) struct Dialect<V: Variant> {
    /// What stands before a position.
    word: &'static str,
    positions: &'static PositionFormat<V>,
    moves: &'static Notation<V>,
}

impl<V: Variant> Default for Dialect<V> {
    /// UCI, in which every variant can be written, as Fairy-Stockfish does.
    fn default() -> Self {
        Dialect { word: "fen", positions: const { &PositionFormat::FEN }, moves: const { &Notation::UCI } }
    }
}

impl<V: Variant> Dialect<V> {
    /// `None` if the variant cannot be written in that protocol.
    pub fn of(protocol: Protocol) -> Option<Dialect<V>> {
        let uci = Dialect::default();
        match protocol {
            Protocol::Auto | Protocol::Uci => Some(uci),
            Protocol::Ucci => Some(Dialect { moves: Notation::named("ucci").ok()?, ..uci }),
            Protocol::Usi => Some(Dialect {
                word: "sfen",
                positions: PositionFormat::named("sfen").ok()?,
                moves: Notation::named("usi").ok()?,
            }),
        }
    }

    /// A position and the moves that led from it to the present one.
    pub fn position(self, game: &Game<V>) -> String {
        let mut text = format!("position {} {}", self.word, self.positions.write(game.start_position()));
        for (number, (&mv, position)) in game.moves().iter().zip(game.positions()).enumerate() {
            text += if number == 0 { " moves " } else { " " };
            text += &self.moves.write(position, mv);
        }
        text
    }

    /// A legal move.
    pub fn write(self, position: &Position<V>, mv: Move) -> String {
        self.moves.write(position, mv)
    }

    /// The legal move that a text means. Shogi engines may say `=` where they do not promote.
    pub fn read(self, position: &Position<V>, text: &str) -> Option<Move> {
        let text = if self.word == "sfen" { text.strip_suffix('=').unwrap_or(text) } else { text };
        self.moves.read(position, text).ok()
    }
}
