//! Playing recorded moves again, each one checked.

use crate::game::Game;
use crate::moves::{Move, MoveList};
use crate::notated::Notated;
use crate::position::Position;
use crate::ruleset::Rules;
use crate::text::MoveError;

/// Replays recorded moves: the only code that turns a record into a game again.
///
/// # Examples
/// ```
/// use rules::{Game, Position, Replay, Rules, Xiangqi};
///
/// let played = Game::<Xiangqi>::from_moves_text(Rules::default(), Position::start(), "h3e3 h10g8")?;
/// let mut replay = Replay::new(*played.rules(), Position::start(), played.moves());
/// let mut choices = Vec::new();
/// while let Some(ply) = replay.step()? {
///     choices.push((ply.game.side(), ply.legal.len()));
/// }
/// assert_eq!(choices.len(), 2);
/// assert_eq!(choices[0].1, 44);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Replay<'a, V: Notated> {
    game: Game<V>,
    moves: &'a [Move],
    legal: MoveList,
    /// The last step's move was found legal; the next step plays it.
    checked: Option<Move>,
}

/// A recorded ply before its move is played.
#[derive(Clone, Copy, Debug)]
pub struct Ply<'a, V: Notated> {
    /// The game so far; its present position is the one the move was made in.
    pub game: &'a Game<V>,
    /// The legal moves there.
    pub legal: &'a [Move],
    /// The recorded move, which is one of them.
    pub mv: Move,
}

impl<'a, V: Notated> Replay<'a, V> {
    /// Moves to be played from `start`.
    pub fn new(rules: Rules<V>, start: Position<V>, moves: &'a [Move]) -> Self {
        Replay { game: Game::from_position(rules, start), moves, legal: MoveList::new(), checked: None }
    }

    /// Advances to the next ply. After the last one it plays the last move and returns `None`.
    ///
    /// # Errors
    /// The recorded move is not legal. The game stays before it.
    pub fn step(&mut self) -> Result<Option<Ply<'_, V>>, IllegalMove> {
        if let Some(mv) = self.checked.take() {
            self.game.play(mv);
        }
        let Some(&mv) = self.moves.get(self.game.moves().len()) else { return Ok(None) };
        self.game.legal_moves(&mut self.legal);
        if !self.legal.contains(&mv) {
            return Err(IllegalMove { ply: self.game.ply(), mv, fen: self.game.position().fen() });
        }
        self.checked = Some(mv);
        Ok(Some(Ply { game: &self.game, legal: &self.legal, mv }))
    }

    /// Plays the remaining moves and returns the game.
    ///
    /// # Errors
    /// The first move that is not legal.
    pub fn finish(mut self) -> Result<Game<V>, IllegalMove> {
        while self.step()?.is_some() {}
        Ok(self.game)
    }
}

/// A recorded move that the rules do not allow.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("move {}, code {:#x}, is not legal in {fen}", ply + 1, mv.raw())]
pub struct IllegalMove {
    /// Moves played before it.
    pub ply: u32,
    /// The move.
    pub mv: Move,
    /// The position it was to be played in.
    pub fen: String,
}

/// A word among the moves of a game that is not a legal move.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("move {}: {source}", ply + 1)]
pub struct MovesTextError {
    /// Moves played before it.
    pub ply: u32,
    /// What is wrong with it.
    pub source: MoveError,
}
