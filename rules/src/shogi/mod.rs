//! Shogi 将棋: 9 × 9, drops, promotion by choice.

use crate::fen::FenError;
use crate::game::Game;
use crate::moves::{Move, MoveList};
use crate::outcome::Outcome;
use crate::piece::Kind;
use crate::position::Position;
use crate::rulebook::Rulebook;
use crate::shogi_family::{self, Family};
use crate::side::Side;

mod board;
mod entering;
mod notation;

/// Shogi.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Shogi;

/// Rule-set presets: what happens when kings enter the enemy camp (入玉).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Preset {
    /// Points are counted when both kings have been there for a while; 24 are needed not to lose (24点法).
    Points24,
    /// A player declares a win with enough pieces and points there: 28 for the first player, 27 for the
    /// second (27点法, as the Computer Shogi Association has it).
    Declare27,
}

const GOLD: Kind = 5;
const BISHOP: Kind = 6;
const ROOK: Kind = 7;
/// 馬.
const HORSE: Kind = 12;
/// 龍.
const DRAGON: Kind = 13;

/// The face each kind turns to; itself where it has none.
const PROMOTED: [Kind; 14] = [0, 8, 9, 10, 11, GOLD, HORSE, DRAGON, 8, 9, 10, 11, HORSE, DRAGON];

/// The enemy's three ranks.
const ZONES: [u128; 2] = [board::ranks(Side::First, 6, 3), board::ranks(Side::Second, 6, 3)];

impl Rulebook for Shogi {
    const ID: &'static str = "shogi";
    const FILES: usize = 9;
    const RANKS: usize = 9;
    const KINDS: usize = 14;
    const MAX_PLIES: u32 = 500;
    const START: &'static str = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL[] w - - 0 1";
    const PRESETS: &'static [(&'static str, Preset)] =
        &[("points24", Preset::Points24), ("declare27", Preset::Declare27)];

    type Extra = ();
    type Preset = Preset;

    shogi_family::shared_rules!(Shogi, Set = u128, PROMOTED = PROMOTED);

    fn special_end(game: &Game<Self>) -> Option<Outcome> {
        shogi_family::repetition(game).or_else(|| match game.rules().preset() {
            Preset::Points24 => entering::impasse(game),
            Preset::Declare27 => entering::declaration(game.position()),
        })
    }
}

impl Family for Shogi {
    const GOLDS: &'static [Kind] = &[GOLD, 8, 9, 10, 11];
    const DIAGONALS: &'static [Kind] = &[BISHOP, HORSE];
    const ORTHOGONALS: &'static [Kind] = &[ROOK, DRAGON];
    const STEPPERS: &'static [Kind] = &[shogi_family::KING, HORSE, DRAGON];
    const LEAPERS: &'static [Kind] = &[];
    const PROMOTION_BY_CHOICE: bool = true;
    const PAWN_DROP_MAY_MATE: bool = false;
    const ZONES: [u128; 2] = ZONES;
    const LAST_RANK: [u128; 2] = [board::ranks(Side::First, 8, 1), board::ranks(Side::Second, 8, 1)];
    const LAST_TWO_RANKS: [u128; 2] = [board::ranks(Side::First, 7, 2), board::ranks(Side::Second, 7, 2)];
}
