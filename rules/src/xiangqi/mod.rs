//! Xiangqi 象棋: 9 × 10 points, river, palaces, flying general.

use crate::fen::FenError;
use crate::game::Game;
use crate::key;
use crate::moves::MoveList;
use crate::outcome::Outcome;
use crate::piece::Cell;
use crate::position::Position;
use crate::variant::Variant;

/// Xiangqi.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Xiangqi;

/// Rule-set presets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Preset {
    /// Repetition judged by check, chase and threat (長將, 長捉, 長殺).
    Full,
    /// Repetition: only perpetual check loses.
    Simple,
}

const KEYS: usize = key::table_len(90, 7, 0);
static KEY_TABLE: [u128; KEYS] = key::table(Xiangqi::ID);

impl Variant for Xiangqi {
    const ID: &'static str = "xiangqi";
    const TITLE: &'static str = "Xiangqi 象棋";
    const FILES: usize = 9;
    const RANKS: usize = 10;
    const KINDS: usize = 7;
    const MAX_PLIES: u32 = 400;
    const START: &'static str = "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w - - 0 1";
    const CODES: &'static [&'static str] = &["K", "A", "B", "N", "R", "C", "P"];
    const ALIASES: &'static [(&'static str, &'static str)] = &[("E", "B"), ("H", "N")];
    const GLYPHS: &'static [[&'static str; 2]] =
        &[["帥", "將"], ["仕", "士"], ["相", "象"], ["傌", "馬"], ["俥", "車"], ["炮", "砲"], ["兵", "卒"]];
    const PRESETS: &'static [&'static str] = &["full", "simple"];

    type Set = u128;
    type Cells = [Cell; 90];
    type KindSets = [u128; 7];
    type Hand = [u8; 0];
    type Extra = ();
    type Preset = Preset;

    const NO_CELLS: Self::Cells = [Cell::EMPTY; 90];
    const NO_KINDS: Self::KindSets = [0; 7];
    const NO_HAND: Self::Hand = [];

    fn presets() -> &'static [(&'static str, Preset)] {
        &[("full", Preset::Full), ("simple", Preset::Simple)]
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
