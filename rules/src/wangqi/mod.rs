//! Wangqi 王棋 (Ōgi): 8 × 8, drops, forced promotion.

use crate::fen::FenError;
use crate::game::Game;
use crate::moves::{Move, MoveList};
use crate::outcome::Outcome;
use crate::piece::Kind;
use crate::position::Position;
use crate::rulebook::Rulebook;
use crate::shogi_family::{self, Family};

mod board;
mod notation;

/// Wangqi.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Wangqi;

const BISHOP: Kind = 5;
const ROOK: Kind = 6;
/// 王姫: bishop and chess knight.
const PRINCESS: Kind = 7;
/// 龍馬.
const HORSE: Kind = 12;
/// 龍王.
const DRAGON: Kind = 13;
/// 女神: bishop, chess knight and king.
const GODDESS: Kind = 14;

/// The face each kind turns to; itself where it has none.
const PROMOTED: [Kind; 15] = [0, 8, 9, 10, 11, 12, 13, 14, 8, 9, 10, 11, 12, 13, 14];

impl Rulebook for Wangqi {
    const ID: &'static str = "wangqi";
    const FILES: usize = 8;
    const RANKS: usize = 8;
    const KINDS: usize = 15;
    const MAX_PLIES: u32 = 300;
    const START: &'static str = "lnsiksnl/1r4b1/pppppppp/8/8/PPPPPPPP/1B4R1/LNSIKSNL[] w - - 0 1";
    const PRESETS: &'static [(&'static str, ())] = &[("standard", ())];

    type Extra = ();
    type Preset = ();

    shogi_family::shared_rules!(Wangqi, Set = u64, PROMOTED = PROMOTED);

    fn special_end(game: &Game<Self>) -> Option<Outcome> {
        shogi_family::repetition(game)
    }
}

impl Family for Wangqi {
    const GOLDS: &'static [Kind] = &[8, 9, 10, 11];
    const DIAGONALS: &'static [Kind] = &[BISHOP, PRINCESS, HORSE, GODDESS];
    const ORTHOGONALS: &'static [Kind] = &[ROOK, DRAGON];
    const STEPPERS: &'static [Kind] = &[shogi_family::KING, HORSE, DRAGON, GODDESS];
    const LEAPERS: &'static [Kind] = &[PRINCESS, GODDESS];
    const PROMOTION_BY_CHOICE: bool = false;
    const PAWN_DROP_MAY_MATE: bool = true;
    /// Ranks 6–8 for the first player, 1–3 for the second.
    const ZONES: [u64; 2] = [0xffff_ff00_0000_0000, 0x0000_0000_00ff_ffff];
    const LAST_RANK: [u64; 2] = [0xff00_0000_0000_0000, 0x0000_0000_0000_00ff];
    const LAST_TWO_RANKS: [u64; 2] = [0xffff_0000_0000_0000, 0x0000_0000_0000_ffff];
}
