//! Janggi 장기 將棋: 9 × 10 points without a river, palaces with diagonals, passing, facing generals.

mod encoding;
mod ends;
mod generate;
mod moves;
mod notation;
mod safety;
mod setups;
mod win;

use self::moves::{GENERAL, GUARD};
use crate::fen::FenError;
use crate::game::Game;
use crate::moves::{Move, MoveList};
use crate::nine_by_ten;
use crate::nine_by_ten::validate::{Bound, pieces_in_bounds};
use crate::outcome::{Outcome, Termination};
use crate::position::Position;
use crate::rulebook::Rulebook;
use crate::setup::Setup;

/// Janggi. The first player is Cho 楚 (초), the second Han 漢 (한).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Janggi;

/// A rule-set preset: how a game is judged that does not end by mate.
///
/// The presets `fairy`, `fairy-traditional` and `fairy-casual` are for games with Fairy-Stockfish and engines built on
/// it, which play for these ends. They are `kja`, `traditional` and `casual` with two further ends that no source of
/// ours knows: a side that alone checks with every move of a repetition loses, and 100 plies without a capture end the
/// game.
///
/// The preset `kakao` is the game as it is played online in Korea.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Preset {
    /// Whether the points decide where a game ends without mate, so that no game is drawn. Otherwise it is a draw.
    pub points_decide: bool,
    /// Whether generals may face each other without any consequence.
    pub facing_allowed: bool,
    /// Whether Fairy-Stockfish's two further ends count.
    pub fairy_ends: bool,
    /// Whether it is the game of Kakao: the player who brings a position about for the third time loses, and a number
    /// of plies ends the game.
    pub online: bool,
}

/// Whether generals may face each other without any consequence. The rule set says it, so positions do not differ by
/// it.
#[derive(Clone, Copy, Debug, Default)]
pub struct FacingAllowed(bool);

impl PartialEq for FacingAllowed {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for FacingAllowed {}

const KJA: Preset = Preset { points_decide: true, facing_allowed: false, fairy_ends: false, online: false };
const TRADITIONAL: Preset = Preset { points_decide: false, ..KJA };
const CASUAL: Preset = Preset { facing_allowed: true, ..TRADITIONAL };

impl Rulebook for Janggi {
    const ID: &'static str = "janggi";
    const MAX_PLIES: u32 = 300;
    const POINTS_UNIT: f32 = 20.0;
    const START: &'static str = "rnba1abnr/4k4/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/4K4/RNBA1ABNR w - - 0 1";
    const SETUPS: &'static [Setup] = setups::SETUPS;
    const PRESETS: &'static [(&'static str, Preset)] = &[
        ("kja", KJA),
        ("traditional", TRADITIONAL),
        ("casual", CASUAL),
        ("kakao", Preset { facing_allowed: true, online: true, ..KJA }),
        ("fairy", Preset { fairy_ends: true, ..KJA }),
        ("fairy-traditional", Preset { fairy_ends: true, ..TRADITIONAL }),
        ("fairy-casual", Preset { fairy_ends: true, ..CASUAL }),
    ];

    type Extra = FacingAllowed;
    type Preset = Preset;

    nine_by_ten::shared_rules!(Janggi);

    fn start_fen(setups: [usize; 2]) -> String {
        setups::start_fen(setups)
    }

    fn adopt(position: &mut Position<Self>, preset: Preset) {
        position.extra = FacingAllowed(preset.facing_allowed);
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

    fn points(game: &Game<Self>) -> Option<[f32; 2]> {
        ends::points(game)
    }

    fn win_in_one(position: &Position<Self>, legal: &[Move], _scratch: &mut MoveList) -> Option<Move> {
        win::win_in_one(position, legal)
    }
}
