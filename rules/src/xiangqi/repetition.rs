//! What a third occurrence of a position means.

use super::cycle::{Cycle, Offence};
use super::law::{Both, KIRIN, Law};
use super::{Preset, Xiangqi};
use crate::game::Game;
use crate::outcome::{Outcome, Termination};
use crate::side::Side;
use std::cmp::Ordering;

/// The verdict if the present position stands for the third time; `None` otherwise.
pub(super) fn verdict(game: &Game<Xiangqi>) -> Option<Outcome> {
    // No position returns within three plies.
    if game.position().quiet_plies() < 8 {
        return None;
    }
    let first = game.earlier_occurrences().nth(1)?;
    Some(match game.rules().preset() {
        Preset::Full => {
            let cycle = Cycle::new(game, first);
            outcome(Side::BOTH.map(|side| cycle.offence(side, &KIRIN)), &KIRIN)
        }
        Preset::Simple => simple(game, first),
    })
}

/// Who loses by this law, the offences of both sides known.
pub(super) fn outcome(offences: [Option<Offence>; 2], law: &Law) -> Outcome {
    let loser = match offences {
        [None, None] => None,
        [Some(offence), None] => Some((Side::First, offence)),
        [None, Some(offence)] => Some((Side::Second, offence)),
        [Some(red), Some(black)] => match worse(&red, &black, law) {
            Ordering::Greater => Some((Side::First, red)),
            Ordering::Equal => None,
            Ordering::Less => Some((Side::Second, black)),
        },
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

/// Which of two offences is worse.
fn worse(red: &Offence, black: &Offence, law: &Law) -> Ordering {
    if law.check_outranks && red.checks_only != black.checks_only {
        return red.checks_only.cmp(&black.checks_only);
    }
    match law.both {
        Both::MorePieces => red.pieces().cmp(&black.pieces()),
        Both::NewAttacks => red.new_attacks.cmp(&black.new_attacks),
        Both::Joint if law.check_outranks && red.checks_only => Ordering::Equal,
        Both::Joint => {
            let both_chase = red.chases_only && black.chases_only;
            let help = if both_chase { black.joint.cmp(&red.joint) } else { Ordering::Equal };
            black.rooted.cmp(&red.rooted).then(help)
        }
    }
}

/// Preset `simple`: the side that alone checked with every move of the cycle loses (長將), else a draw.
fn simple(game: &Game<Xiangqi>, first: usize) -> Outcome {
    match game.sole_checker_since(first) {
        Some(loser) => Outcome::win(loser.other(), Termination::PerpetualCheck),
        None => Outcome::draw(Termination::Repetition),
    }
}
