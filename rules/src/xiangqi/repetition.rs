//! What a third occurrence of a position means.

use super::cycle::Cycle;
use super::{Preset, Xiangqi};
use crate::game::Game;
use crate::outcome::{Outcome, Termination};
use crate::side::Side;
use std::cmp::Ordering;

/// Whether a side that only checks loses against an offender that does not, as in the AXF and CXA rules.
/// The Chinese rule text ranks the offences alike.
const CHECK_OUTRANKS: bool = false;

/// The verdict if the present position stands for the third time; `None` otherwise.
pub(super) fn verdict(game: &Game<Xiangqi>) -> Option<Outcome> {
    // No position returns within three plies.
    if game.position().quiet_plies() < 8 {
        return None;
    }
    let first = game.earlier_occurrences().nth(1)?;
    Some(match game.rules().preset() {
        Preset::Full => full(game, first),
        Preset::Simple => simple(game, first),
    })
}

/// Preset `full`: a side that checks, threatens mate or chases with every move of the cycle (長將, 長殺,
/// 長捉) loses; if both do, the one with more offending pieces (一打還一打 and 二打還二打 draw).
fn full(game: &Game<Xiangqi>, first: usize) -> Outcome {
    let cycle = Cycle::new(game, first);
    let loser = match Side::BOTH.map(|side| cycle.offence(side)) {
        [None, None] => None,
        [Some(offence), None] => Some((Side::First, offence)),
        [None, Some(offence)] => Some((Side::Second, offence)),
        [Some(red), Some(black)] => {
            let worse = if CHECK_OUTRANKS && red.checks_only != black.checks_only {
                black.checks_only.cmp(&red.checks_only)
            } else {
                black.pieces.cmp(&red.pieces)
            };
            match worse {
                Ordering::Less => Some((Side::First, red)),
                Ordering::Equal => None,
                Ordering::Greater => Some((Side::Second, black)),
            }
        }
    };
    loser.map_or(Outcome::draw(Termination::Repetition), |(loser, offence)| {
        let termination = if offence.checks_only {
            Termination::PerpetualCheck
        } else if offence.no_chase {
            Termination::PerpetualThreat
        } else {
            Termination::PerpetualChase
        };
        Outcome::win(loser.other(), termination)
    })
}

/// Preset `simple`: the side that alone checked with every move of the cycle loses (長將), else a draw.
fn simple(game: &Game<Xiangqi>, first: usize) -> Outcome {
    match game.sole_checker_since(first) {
        Some(loser) => Outcome::win(loser.other(), Termination::PerpetualCheck),
        None => Outcome::draw(Termination::Repetition),
    }
}
