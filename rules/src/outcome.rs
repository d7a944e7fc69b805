//! How a game ends.

use crate::side::Side;
use std::fmt;
use std::str::FromStr;

/// The result of a finished game.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Outcome {
    /// The winner; `None` for a draw.
    pub winner: Option<Side>,
    /// Why the game ended.
    pub termination: Termination,
    /// Points of the first and second player where the rule set counts them (Janggi `kja`).
    pub points: Option<[f32; 2]>,
}

impl Outcome {
    /// A win for `winner`.
    pub const fn win(winner: Side, termination: Termination) -> Outcome {
        Outcome { winner: Some(winner), termination, points: None }
    }

    /// A draw.
    pub const fn draw(termination: Termination) -> Outcome {
        Outcome { winner: None, termination, points: None }
    }

    /// +1 for a win, 0 for a draw, −1 for a loss, from the point of view of `side`.
    pub fn score(&self, side: Side) -> f32 {
        match self.winner {
            None => 0.0,
            Some(winner) if winner == side => 1.0,
            Some(_) => -1.0,
        }
    }
}

macro_rules! terminations {
    ($($(#[$doc:meta])* $variant:ident = $name:literal,)*) => {
        /// Why a game ended. One list for all variants and tools.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Termination { $($(#[$doc])* $variant,)* }

        impl Termination {
            /// Every termination.
            pub const ALL: &'static [Termination] = &[$(Termination::$variant),*];

            /// The name in data and tables, for example `perpetual_check`.
            pub const fn name(self) -> &'static str {
                match self { $(Termination::$variant => $name,)* }
            }
        }

        impl FromStr for Termination {
            type Err = UnknownTermination;
            fn from_str(text: &str) -> Result<Self, Self::Err> {
                match text {
                    $($name => Ok(Termination::$variant),)*
                    _ => Err(UnknownTermination(text.to_owned())),
                }
            }
        }
    };
}

terminations! {
    /// The side to move is in check and has no legal move.
    Checkmate = "checkmate",
    /// The side to move has no legal move and is not in check: a loss in every variant that knows it.
    Stalemate = "stalemate",
    /// The commanders were captured (Kō shogi).
    KingCapture = "king_capture",
    /// The facing of the generals was accepted (Janggi 照面).
    Bikjang = "bikjang",
    /// Both players passed in turn (Janggi 虛手).
    MutualPass = "mutual_pass",
    /// Decided by counting points at the ply limit.
    Points = "points",
    /// The same position stood too often.
    Repetition = "repetition",
    /// A repetition in which the loser checked with every move.
    PerpetualCheck = "perpetual_check",
    /// A repetition in which the loser chased a piece with every move (Xiangqi 長捉).
    PerpetualChase = "perpetual_chase",
    /// A repetition in which the loser threatened mate or checked with every move (Xiangqi 長殺).
    PerpetualThreat = "perpetual_threat",
    /// Too many plies without a capture or another irreversible event.
    NoProgress = "no_progress",
    /// Neither side has the means to win.
    InsufficientMaterial = "insufficient_material",
    /// Both kings entered the enemy camp and the points were counted (Shogi).
    Impasse = "impasse",
    /// A player declared an entering-king win (Shogi).
    Declaration = "declaration",
    /// The rule set's limit of plies was reached.
    MaxPlies = "max_plies",
    /// A player gave up.
    Resign = "resign",
    /// A match manager ended the game.
    Adjudicated = "adjudicated",
    /// A player failed (crash, illegal move, time).
    Error = "error",
}

impl fmt::Display for Termination {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A word that names no termination.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is no termination")]
pub struct UnknownTermination(pub String);
