//! Wangqi 王棋 (Ōgi): 8 × 8, drops, forced promotion.

use crate::fen::FenError;
use crate::game::Game;
use crate::key;
use crate::moves::MoveList;
use crate::outcome::Outcome;
use crate::piece::{Cell, Kind};
use crate::position::Position;
use crate::variant::Variant;

/// Wangqi.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Wangqi;

/// Rule-set presets: there is one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Preset {
    /// The published rules.
    Standard,
}

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
    const PRESETS: &'static [&'static str] = &["standard"];

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

    fn generate(_position: &Position<Self>, _moves: &mut MoveList) {}

    fn is_check(_position: &Position<Self>) -> bool {
        false
    }

    fn validate(_position: &Position<Self>) -> Result<(), FenError> {
        Ok(())
    }

    fn special_end(_game: &Game<Self>) -> Option<Outcome> {
        None
    }
}
