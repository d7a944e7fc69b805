//! Xiangqi 象棋: 9 × 10 points, river, palaces, flying general.

mod balance;
mod chase;
mod chase_by_gain;
mod cycle;
mod encoding;
mod gain;
mod gain_search;
mod generate;
mod judge;
mod law;
mod mate;
mod moves;
mod notation;
mod repetition;
mod rule;
mod safety;

use self::moves::{CANNON, CHARIOT, ELEPHANT, GENERAL, GUARD, HALVES, HORSES, SOLDIER};
use crate::fen::FenError;
use crate::game::Game;
use crate::judgement::{Authority, Judgement};
use crate::moves::{Move, MoveList};
use crate::nine_by_ten;
use crate::nine_by_ten::validate::{Bound, pieces_in_bounds};
use crate::outcome::{Outcome, Termination};
use crate::position::Position;
use crate::rulebook::Rulebook;

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

/// 60 rounds without a capture (六十回合自然限著) are a draw.
const NO_PROGRESS_PLIES: u32 = 120;

impl Rulebook for Xiangqi {
    const ID: &'static str = "xiangqi";
    const MAX_PLIES: u32 = 400;
    const START: &'static str = "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w - - 0 1";
    const PRESETS: &'static [(&'static str, Preset)] = &[("full", Preset::Full), ("simple", Preset::Simple)];

    const AUTHORITIES: &'static [Authority] = law::AUTHORITIES;

    type Extra = ();
    type Preset = Preset;

    nine_by_ten::shared_rules!(Xiangqi);

    fn is_check(position: &Position<Self>) -> bool {
        safety::checkers(position, position.side) != 0
    }

    /// One general a side, generals and guards in their palace, elephants on their half, and the side that
    /// has moved not in check.
    fn validate(position: &Position<Self>) -> Result<(), FenError> {
        const BOUNDS: [Bound; 3] = [
            Bound::palace(GENERAL, "general"),
            Bound::palace(GUARD, "guard"),
            Bound { kind: ELEPHANT, name: "elephant", within: HALVES, otherwise: "over the river" },
        ];
        pieces_in_bounds(position, &BOUNDS)?;
        let mover = position.side.other();
        if safety::checkers(position, mover) == 0 {
            Ok(())
        } else {
            Err(FenError::new("board", format!("the {mover} player's general can be captured at once")))
        }
    }

    fn win_in_one(position: &Position<Self>, legal: &[Move], _scratch: &mut MoveList) -> Option<Move> {
        mate::win_in_one(position, legal)
    }

    fn judge(game: &Game<Self>, first: usize, authority: &'static Authority) -> Judgement {
        judge::judge(game, first, authority)
    }

    fn special_end(game: &Game<Self>) -> Option<Outcome> {
        repetition::verdict(game).or_else(|| {
            let position = game.position();
            if position.quiet_plies() >= NO_PROGRESS_PLIES {
                return Some(Outcome::draw(Termination::NoProgress));
            }
            let strong = [HORSES, CHARIOT, CANNON, SOLDIER].iter().fold(0, |set, &kind| set | position.kinds[kind]);
            (strong == 0).then(|| Outcome::draw(Termination::InsufficientMaterial))
        })
    }
}
