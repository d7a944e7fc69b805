//! The rules of the authorities by which a cycle is decided, with their numbers.

use super::cycle::Offence;
use crate::judgement::{Authority, Conduct, MoveKind, Rule};
use crate::outcome::Outcome;
use crate::side::Side;

/// Why the ruling is what it is. Texts are ours; the numbers are those of the Asian rules (2003), chapter 4 on
/// repetition, section 3; of the World Xiangqi Rules (2018), article 20; and of the Chinese rules (2020), articles 25
/// and 26.
pub(super) fn rule(
    authority: &Authority,
    offences: &[Option<Offence>; 2],
    conduct: &[Conduct; 2],
    outcome: &Outcome,
) -> Rule {
    let case = Case::of(offences, conduct, outcome);
    let (asian, wxf, chinese) = match case {
        Case::Checks => ("3.1", "20.1", "25.1"),
        Case::BothCheck => ("3.1", "20.1", "25.2"),
        Case::ChecksOutrank => ("3.1", "20.1", "25.1"),
        Case::Offends => ("3.3", "20.3", "25.3"),
        Case::OffendsHarder => ("detail 19", "diagrams 39-41", "26.9.1-26.9.3"),
        Case::BothOffend => ("2.2", "", "26.9.4"),
        Case::SeveralVictims => ("3.4, 3.5", "20.4, 20.5", "25.2"),
        Case::Mixture => ("3.2", "20.2", "25.2"),
        Case::Harmless => ("3.10", "20.10", "25.2"),
    };
    let number = match authority.id {
        "asian" => asian,
        "wxf" => wxf,
        _ => chinese,
    };
    let is_chinese = authority.id == "chinese";
    let text = match case {
        Case::Checks => "a side that alone checks with every move must change or lose",
        Case::BothCheck => "both sides check with every move: a draw",
        Case::ChecksOutrank => {
            "checking with every move is forbidden under all circumstances, whatever the other side does"
        }
        Case::Offends if is_chinese => {
            "a side all of whose moves are forbidden must change if the other side's are not"
        }
        Case::Offends => "a side that chases one piece with every move must change or lose",
        Case::OffendsHarder if is_chinese => {
            "of two sides whose moves are forbidden, the one that chases chariots and unprotected pieces without the \
             help of a second piece must change if the other does not"
        }
        Case::OffendsHarder => {
            "a side that attacks the piece anew must change; taking protection away from a piece attacked already weighs less"
        }
        Case::BothOffend => "both sides offend alike: a draw",
        Case::SeveralVictims => "chasing different pieces in turn is allowed: a draw",
        Case::Mixture if is_chinese => "a side with an allowed move in the cycle does not offend: a draw",
        Case::Mixture => {
            "threats of mate, and checks, chases and threats in turn with other moves, are allowed: a draw"
        }
        Case::Harmless => "exchanges, offers, blocks and idle moves may be repeated: a draw",
    };
    Rule { number, text }
}

/// What decides.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Case {
    /// One side offends, by checks.
    Checks,
    /// Both check with every move.
    BothCheck,
    /// Both offend, one of them by checks.
    ChecksOutrank,
    /// One side offends, not by checks alone.
    Offends,
    /// Both offend, one of them worse.
    OffendsHarder,
    /// Both offend alike.
    BothOffend,
    /// Nothing offends; a side chases different pieces in turn.
    SeveralVictims,
    /// Nothing offends; a side checks, threatens or chases now and then.
    Mixture,
    /// Nothing but harmless moves.
    Harmless,
}

impl Case {
    fn of(offences: &[Option<Offence>; 2], conduct: &[Conduct; 2], outcome: &Outcome) -> Case {
        let loser = outcome.winner().map(Side::other);
        match offences {
            [Some(red), Some(black)] if red.checks_only && black.checks_only => Case::BothCheck,
            [Some(red), Some(black)] => match loser {
                Some(_) if red.checks_only || black.checks_only => Case::ChecksOutrank,
                Some(_) => Case::OffendsHarder,
                None => Case::BothOffend,
            },
            [Some(offence), None] | [None, Some(offence)] if offence.checks_only => Case::Checks,
            [None, None] => {
                let all_chases = |conduct: &Conduct| conduct.kinds == [MoveKind::Chase];
                let forces = |conduct: &Conduct| conduct.kinds.iter().any(|&kind| kind <= MoveKind::Chase);
                if conduct.iter().any(all_chases) {
                    Case::SeveralVictims
                } else if conduct.iter().any(forces) {
                    Case::Mixture
                } else {
                    Case::Harmless
                }
            }
            _ => Case::Offends,
        }
    }
}
