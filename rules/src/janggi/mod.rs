//! Janggi 장기 將棋: 9 × 10 points without a river, palaces with diagonals, passing, facing generals.

mod ends;
mod generate;
mod moves;
mod notation;
mod safety;
mod setups;
mod win;

use self::moves::{GENERAL, GUARD, PALACE_LINES};
use crate::fen::FenError;
use crate::game::Game;
use crate::key;
use crate::moves::{Move, MoveList};
use crate::nine_by_ten::validate::{Bound, pieces_in_bounds};
use crate::nine_by_ten::{PALACE_CENTRES, PALACES, kinds, sink};
use crate::notation::Notation;
use crate::outcome::{Outcome, Termination};
use crate::piece::Cell;
use crate::position::Position;
use crate::setup::Setup;
use crate::variant::Variant;

/// Janggi. The first player is Cho 楚 (초), the second Han 漢 (한).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Janggi;

/// A rule-set preset. The named ones are `kja` and `traditional`; games with a program that has other rules may
/// take one of these, change a field and hand it to [`crate::Rules::with_preset`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Preset {
    /// Whether the points decide where a game ends without mate (`kja`), so that no game is drawn. Otherwise it
    /// is a draw (`traditional`).
    pub points_decide: bool,
    /// Whether a repetition is lost by a side that alone gave check with every move of it, as Fairy-Stockfish
    /// has it. In the named presets it is a repetition like any other.
    pub perpetual_check_loses: bool,
    /// Plies without a capture that end a game; 0 (the named presets) for no such end. Fairy-Stockfish has 100.
    pub no_progress_plies: u32,
}

const KJA: Preset = Preset { points_decide: true, perpetual_check_loses: false, no_progress_plies: 0 };
const TRADITIONAL: Preset = Preset { points_decide: false, ..KJA };

const KEYS: usize = key::table_len(90, 7, 0);
static KEY_TABLE: [u128; KEYS] = key::table(Janggi::ID);

impl Variant for Janggi {
    const ID: &'static str = "janggi";
    const TITLE: &'static str = "Janggi 장기 將棋";
    const FILES: usize = 9;
    const RANKS: usize = 10;
    const KINDS: usize = 7;
    const MAX_PLIES: u32 = 300;
    const START: &'static str = "rnba1abnr/4k4/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/4K4/RNBA1ABNR w - - 0 1";
    const SETUPS: &'static [Setup] = setups::SETUPS;
    const CODES: &'static [&'static str] = kinds::CODES;
    const ALIASES: &'static [(&'static str, &'static str)] = kinds::ALIASES;
    const GLYPHS: &'static [[&'static str; 2]] =
        &[["楚", "漢"], ["士", "士"], ["象", "象"], ["馬", "馬"], ["車", "車"], ["包", "包"], ["卒", "兵"]];
    /// The palaces; the points on their diagonals.
    const MASK_PLANES: usize = 2;
    const DRAWN_MASKS: &'static [usize] = &[0];
    const NOTATIONS: &'static [Notation<Self>] = notation::NOTATIONS;
    const PRESETS: &'static [&'static str] = &["kja", "traditional"];

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
        &[("kja", KJA), ("traditional", TRADITIONAL)]
    }

    fn start_fen(setups: [usize; 2]) -> String {
        setups::start_fen(setups)
    }

    fn keys() -> &'static [u128] {
        &KEY_TABLE
    }

    fn generate(position: &Position<Self>, moves: &mut MoveList) {
        let _ = generate::legal(position, moves);
    }

    fn count(position: &Position<Self>, _scratch: &mut MoveList) -> usize {
        sink::count(|counter| generate::legal(position, counter))
    }

    fn is_check(position: &Position<Self>) -> bool {
        safety::is_attacked(position, position.side)
    }

    /// One general a side, generals and guards in their palace. The side to move may be able to capture the
    /// general: then that is a move, after which the opponent has none.
    fn validate(position: &Position<Self>) -> Result<(), FenError> {
        pieces_in_bounds(position, &[Bound::palace(GENERAL, "general"), Bound::palace(GUARD, "guard")])
    }

    #[inline(always)]
    fn immediate_end(position: &Position<Self>, last: Option<Move>, mv: Move) -> Option<Termination> {
        ends::immediate(position, last, mv)
    }

    fn special_end(game: &Game<Self>) -> Option<Outcome> {
        ends::verdict(game)
    }

    fn at_ply_limit(game: &Game<Self>) -> Outcome {
        ends::at_ply_limit(game)
    }

    fn win_in_one(position: &Position<Self>, legal: &[Move], _scratch: &mut MoveList) -> Option<Move> {
        win::win_in_one(position, legal)
    }

    fn mask(index: usize) -> u128 {
        match index {
            0 => PALACES[0] | PALACES[1],
            _ => PALACE_CENTRES.iter().fold(0, |points, &centre| points | 1 << centre | PALACE_LINES[centre].near),
        }
    }
}
