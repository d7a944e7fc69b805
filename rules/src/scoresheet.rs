//! The record of a finished game.

use crate::fen::FenError;
use crate::game::Game;
use crate::moves::Move;
use crate::notated::Notated;
use crate::outcome::{Outcome, Termination};
use crate::position::Position;
use crate::replay::{IllegalMove, Replay};
use crate::result::GameResult;
use crate::ruleset::{Rules, RulesError};
use serde::{Deserialize, Serialize};

/// A finished game: the rule set, where it began, the moves, and how it ended. Code that records or reads games holds a
/// scoresheet, and next to it its own data (names of the players, results of a search).
///
/// A sheet made [of a game](Self::of) is legal. A sheet read from a file may hold any moves; [`replay`](Self::replay)
/// checks each of them.
///
/// As JSON it is an object with `variant`, `ruleset` (the text of [`Rules`]), `start_fen` (`null` for the variant's own
/// start), `moves` (codes), `result`, `termination`, `points_first` and `points_second`.
///
/// # Examples
/// ```
/// use rules::{Game, GameResult, Outcome, Position, Rules, Scoresheet, Side, Termination, Xiangqi};
///
/// let game = Game::<Xiangqi>::from_moves_text(Rules::default(), Position::start(), "h3e3 h10g8 e3e7")?;
/// let sheet = Scoresheet::of(&game, Outcome::win(Side::First, Termination::Resign));
/// assert_eq!(sheet.outcome.result, GameResult::FirstWins);
/// assert_eq!(sheet.moves_text()?, "h3e3 h10g8 e3e7");
///
/// // Through a file and back, then move by move.
/// let line = serde_json::to_string(&sheet)?;
/// let read: Scoresheet<Xiangqi> = serde_json::from_str(&line)?;
/// assert_eq!(read, sheet);
/// let mut replay = read.replay();
/// while let Some(ply) = replay.step()? {
///     assert!(ply.legal.contains(&ply.mv));
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(into = "Written", try_from = "Written", bound = "")]
pub struct Scoresheet<V: Notated> {
    /// The rule set.
    pub rules: Rules<V>,
    /// The position the game began from.
    pub start: Position<V>,
    /// The moves from there to the end.
    pub moves: Vec<Move>,
    /// How the game ended.
    pub outcome: Outcome,
}

impl<V: Notated> Scoresheet<V> {
    /// The sheet of a game that has ended so.
    pub fn of(game: &Game<V>, outcome: Outcome) -> Self {
        Scoresheet { rules: *game.rules(), start: game.start_position().clone(), moves: game.moves().to_vec(), outcome }
    }

    /// Number of moves.
    pub fn plies(&self) -> usize {
        self.moves.len()
    }

    /// The game ply by ply, each move checked before it is shown.
    pub fn replay(&self) -> Replay<'_, V> {
        Replay::new(self.rules, self.start.clone(), &self.moves)
    }

    /// The game as it stood after `plies` moves, without a check: only for a sheet that is known to be legal, because
    /// it was made of a game or has been replayed.
    ///
    /// # Panics
    /// If the game has fewer moves. If a move is illegal it may panic, or return a position that cannot arise.
    pub fn replay_unchecked(&self, plies: usize) -> Game<V> {
        let mut game = Game::from_position(self.rules, self.start.clone());
        for &mv in &self.moves[..plies] {
            game.play(mv);
        }
        game
    }

    /// The moves in UCI, separated by single spaces. Where the game itself is at hand, [`Game::moves_text`] is cheaper.
    ///
    /// # Errors
    /// The first move that is not legal.
    pub fn moves_text(&self) -> Result<String, IllegalMove> {
        Ok(self.replay().finish()?.moves_text())
    }
}

/// A sheet in a file.
#[derive(Serialize, Deserialize)]
struct Written {
    variant: String,
    ruleset: String,
    start_fen: Option<String>,
    moves: Vec<Move>,
    result: GameResult,
    termination: Termination,
    points_first: Option<f32>,
    points_second: Option<f32>,
}

/// Why an object in a file is not a sheet of the variant.
#[derive(Debug, thiserror::Error)]
enum WrittenError {
    #[error("a game of {found}, not of {wanted}")]
    Variant { found: String, wanted: &'static str },
    #[error(transparent)]
    Rules(#[from] RulesError),
    #[error("start position: {0}")]
    Start(#[from] FenError),
}

impl<V: Notated> From<Scoresheet<V>> for Written {
    fn from(sheet: Scoresheet<V>) -> Written {
        let Outcome { result, termination, points } = sheet.outcome;
        Written {
            variant: V::ID.to_owned(),
            ruleset: sheet.rules.to_string(),
            start_fen: sheet.start.start_fen(),
            moves: sheet.moves,
            result,
            termination,
            points_first: points.map(|points| points[0]),
            points_second: points.map(|points| points[1]),
        }
    }
}

impl<V: Notated> TryFrom<Written> for Scoresheet<V> {
    type Error = WrittenError;

    fn try_from(written: Written) -> Result<Self, Self::Error> {
        if written.variant != V::ID {
            return Err(WrittenError::Variant { found: written.variant, wanted: V::ID });
        }
        Ok(Scoresheet {
            rules: written.ruleset.parse()?,
            start: Position::from_start_fen(written.start_fen.as_deref())?,
            moves: written.moves,
            outcome: Outcome {
                result: written.result,
                termination: written.termination,
                points: written.points_first.zip(written.points_second).map(|(first, second)| [first, second]),
            },
        })
    }
}
