//! How a game ends.

use crate::result::GameResult;
use crate::side::Side;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;
use std::str::FromStr;

/// The result of a finished game, and how it came about.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Outcome {
    /// The winner, or a draw.
    pub result: GameResult,
    /// Why the game ended.
    pub termination: Termination,
    /// Points of the first and second player where the rule set counts them (Janggi `kja`).
    pub points: Option<[f32; 2]>,
}

impl Outcome {
    /// A win for `winner`.
    pub const fn win(winner: Side, termination: Termination) -> Outcome {
        Outcome { result: GameResult::win(winner), termination, points: None }
    }

    /// A draw.
    pub const fn draw(termination: Termination) -> Outcome {
        Outcome { result: GameResult::Draw, termination, points: None }
    }

    /// The winner; `None` for a draw.
    pub const fn winner(&self) -> Option<Side> {
        self.result.winner()
    }

    /// +1 for a win, 0 for a draw, −1 for a loss, from the point of view of `side`.
    pub fn score(&self, side: Side) -> f32 {
        f32::from(self.result.for_side(side))
    }

    /// Whether the game was cut off at the ply limit without a winner. Such a draw does not say that
    /// the players stood equally well.
    pub fn is_cut_off(&self) -> bool {
        self.result == GameResult::Draw && self.termination == Termination::MaxPlies
    }
}

macro_rules! terminations {
    ($($(#[$doc:meta])* $variant:ident = $name:literal,)*) => {
        /// Why a game ended. There is one list for all variants and tools; files hold the [name](Termination::name).
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
    /// The rule set's ply limit was reached.
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

impl Serialize for Termination {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

impl<'de> Deserialize<'de> for Termination {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

/// A word that does not name a termination.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is not the name of a termination")]
pub struct UnknownTermination(pub String);
