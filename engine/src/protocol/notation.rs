//! How a variant's moves and positions are written in a protocol.

use super::Protocol;
use super::command::PositionCommand;
use rules::{FenError, Game, Move, MoveError, Notation, Position, PositionFormat, Rules, Variant};

/// Writes and reads the moves and positions of a variant. The default is that of UCI, in which every variant can be
/// written, with the notation of Fairy-Stockfish.
#[derive(Clone, Copy, Debug)]
pub struct GameNotation<V: Variant> {
    positions: &'static PositionFormat<V>,
    moves: &'static Notation<V>,
    /// Whether a move may end in `=`, as shogi programs write a promotion that was declined.
    may_decline: bool,
}

/// A position that cannot be set up.
#[derive(Debug, thiserror::Error)]
pub enum PositionError {
    /// The first position makes no sense.
    #[error(transparent)]
    Start(#[from] FenError),
    /// A move is not legal, or not a move.
    #[error("move {number}: {source}")]
    Move {
        /// Which move, from 1.
        number: usize,
        /// What is wrong with it.
        source: MoveError,
    },
}

impl<V: Variant> Default for GameNotation<V> {
    fn default() -> Self {
        GameNotation { positions: const { &PositionFormat::FEN }, moves: const { &Notation::UCI }, may_decline: false }
    }
}

impl<V: Variant> GameNotation<V> {
    /// `None` if the protocol has no notation for the variant.
    pub fn of(protocol: Protocol) -> Option<GameNotation<V>> {
        match protocol {
            Protocol::Uci => Some(GameNotation::default()),
            Protocol::Ucci => Some(GameNotation { moves: Notation::named("ucci").ok()?, ..GameNotation::default() }),
            Protocol::Usi => Some(GameNotation {
                positions: PositionFormat::named("sfen").ok()?,
                moves: Notation::named("usi").ok()?,
                may_decline: true,
            }),
        }
    }

    /// The command that sets up the present position of a game, with all moves that led to it.
    pub fn write_position(self, game: &Game<V>) -> PositionCommand {
        let moves = game.moves().iter().zip(game.positions());
        PositionCommand {
            start: Some(self.positions.write(game.start_position())),
            moves: moves.map(|(&mv, position)| self.moves.write(position, mv)).collect(),
        }
    }

    /// The game of a command.
    ///
    /// # Errors
    /// The position cannot be read, or one of the moves is not legal.
    pub fn read_position(self, rules: Rules<V>, command: &PositionCommand) -> Result<Game<V>, PositionError> {
        let start = match &command.start {
            None => Position::start(),
            // A GUI that speaks USI means SFEN, even where the text could be a FEN (in which `b` is the other side).
            Some(text) if self.positions.name != PositionFormat::<V>::FEN.name => {
                self.positions.read(text).or_else(|_| Position::from_text(text))?
            }
            Some(text) => Position::from_text(text)?,
        };
        let mut game = Game::from_position(rules, start);
        self.play_moves(&mut game, &command.moves, 0)?;
        Ok(game)
    }

    /// Plays moves; the first of them is number `played + 1` of its command.
    ///
    /// # Errors
    /// A move is not legal; those before it are then played.
    pub(crate) fn play_moves(self, game: &mut Game<V>, moves: &[String], played: usize) -> Result<(), PositionError> {
        for (index, text) in moves.iter().enumerate() {
            let mv = self.read_move(game.position(), text);
            game.play(mv.map_err(|source| PositionError::Move { number: played + index + 1, source })?);
        }
        Ok(())
    }

    /// Writes a legal move.
    pub fn write_move(self, position: &Position<V>, mv: Move) -> String {
        self.moves.write(position, mv)
    }

    /// The legal move that a text means.
    ///
    /// # Errors
    /// The text is not a move, or the move is not legal.
    pub fn read_move(self, position: &Position<V>, text: &str) -> Result<Move, MoveError> {
        let text = if self.may_decline { text.strip_suffix('=').unwrap_or(text) } else { text };
        self.moves.read(position, text)
    }
}
