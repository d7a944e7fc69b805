//! Wangqi 王棋 (Ōgi): 8 × 8, drops, forced promotion.

use crate::fen::FenError;
use crate::game::Game;
use crate::key;
use crate::moves::{Move, MoveList};
use crate::outcome::Outcome;
use crate::piece::{Cell, Kind};
use crate::position::Position;
use crate::shogi_family::{self, Family, KNIGHT, LANCE, PAWN};
use crate::side::Side;
use crate::variant::Variant;

mod board;

/// Wangqi.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Wangqi;

/// Rule-set presets: there is one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Preset {
    /// The published rules.
    Standard,
}

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
/// The hand slot of each kind when captured.
const CAPTURED_SLOT: [Option<usize>; 15] = {
    let mut slots = [None; 15];
    let mut slot = 0;
    while slot < 7 {
        slots[1 + slot] = Some(slot);
        slots[8 + slot] = Some(slot);
        slot += 1;
    }
    slots
};

/// Ranks 6–8 for the first player, 1–3 for the second.
const ZONE: [u64; 2] = [0xffff_ff00_0000_0000, 0x0000_0000_00ff_ffff];
const LAST_RANK: [u64; 2] = [0xff00_0000_0000_0000, 0x0000_0000_0000_00ff];
const LAST_TWO_RANKS: [u64; 2] = [0xffff_0000_0000_0000, 0x0000_0000_0000_ffff];

const KEYS: usize = key::table_len(64, 15, 7);
static KEY_TABLE: [u128; KEYS] = key::table(Wangqi::ID);

impl Variant for Wangqi {
    const ID: &'static str = "wangqi";
    const TITLE: &'static str = "Wangqi 王棋";
    const FILES: usize = 8;
    const RANKS: usize = 8;
    const KINDS: usize = 15;
    const HAND_KINDS: usize = 7;
    const HAND_FIRST: Kind = 1;
    const MAX_PLIES: u32 = 300;
    const START: &'static str = "lnsiksnl/1r4b1/pppppppp/8/8/PPPPPPPP/1B4R1/LNSIKSNL[] w - - 0 1";
    const CODES: &'static [&'static str] =
        &["K", "P", "L", "N", "S", "B", "R", "I", "+P", "+L", "+N", "+S", "+B", "+R", "+I"];
    const GLYPHS: &'static [[&'static str; 2]] = &[
        ["玉", "王"],
        ["歩", "歩"],
        ["香", "香"],
        ["桂", "桂"],
        ["銀", "銀"],
        ["角", "角"],
        ["飛", "飛"],
        ["姫", "姫"],
        ["と", "と"],
        ["杏", "杏"],
        ["圭", "圭"],
        ["全", "全"],
        ["馬", "馬"],
        ["龍", "龍"],
        ["神", "神"],
    ];
    /// N L P I S R B.
    const HAND_ORDER: &'static [usize] = &[2, 1, 0, 6, 3, 5, 4];
    const FAIRY_STOCKFISH: Option<&'static str> = Some(include_str!("fairy-stockfish.ini"));
    const PRESETS: &'static [&'static str] = &["standard"];
    const MASK_PLANES: usize = 2;

    type Set = u64;
    type Cells = [Cell; 64];
    type KindSets = [u64; 15];
    type Hand = [u8; 7];
    type Extra = ();
    type Preset = Preset;

    const NO_CELLS: Self::Cells = [Cell::EMPTY; 64];
    const NO_KINDS: Self::KindSets = [0; 15];
    const NO_HAND: Self::Hand = [0; 7];

    fn presets() -> &'static [(&'static str, Preset)] {
        &[("standard", Preset::Standard)]
    }

    fn keys() -> &'static [u128] {
        &KEY_TABLE
    }

    fn generate(position: &Position<Self>, moves: &mut MoveList) {
        shogi_family::generate(position, moves);
    }

    fn count(position: &Position<Self>, _: &mut MoveList) -> usize {
        shogi_family::count(position)
    }

    fn is_check(position: &Position<Self>) -> bool {
        shogi_family::is_check(position)
    }

    #[inline(always)]
    fn promoted(kind: Kind) -> Kind {
        PROMOTED[kind]
    }

    #[inline(always)]
    fn captured_slot(kind: Kind) -> Option<usize> {
        CAPTURED_SLOT[kind]
    }

    fn validate(position: &Position<Self>) -> Result<(), FenError> {
        shogi_family::validate(position)
    }

    fn special_end(game: &Game<Self>) -> Option<Outcome> {
        shogi_family::repetition(game)
    }

    fn win_in_one(position: &Position<Self>, legal: &[Move], _: &mut MoveList) -> Option<Move> {
        shogi_family::win_in_one(position, legal)
    }

    /// The promotion zones: the first player's, the second player's.
    fn mask(index: usize) -> u64 {
        ZONE[index]
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

    #[inline(always)]
    fn zone(side: Side) -> u64 {
        ZONE[side.index()]
    }

    #[inline(always)]
    fn dead(side: Side, kind: Kind) -> u64 {
        match kind {
            PAWN | LANCE => LAST_RANK[side.index()],
            KNIGHT => LAST_TWO_RANKS[side.index()],
            _ => 0,
        }
    }
}
