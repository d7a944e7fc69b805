//! When a stone may turn: in the enemy camp, or by what it kills. Always by choice, which is how the Chinese text and
//! English Wikipedia word it; Japanese Wikipedia makes it a duty.

use super::kinds::*;
use super::rule::Rule;
use super::turn::Turn;
use crate::piece::Kind;
use crate::square_set::SquareSet;

/// What lets a stone promote on this move.
#[derive(Clone, Copy, Debug)]
pub(super) struct Promotion {
    /// Whether anything does.
    pub(super) possible: bool,
    /// A move that lands in the enemy camp, from wherever: the Chinese and Japanese texts speak of entering it
    /// only, English Wikipedia also of leaving it.
    pub(super) by_zone: bool,
    /// Faces whose death does, anywhere.
    pub(super) by_kill: Kinds,
}

impl Promotion {
    const NONE: Promotion = Promotion { possible: false, by_zone: false, by_kill: 0 };

    /// What lets a stone of this face promote.
    #[inline(always)]
    pub(super) fn of(turn: &Turn, kind: Kind, rule: &Rule) -> Promotion {
        if rule.promoted == kind || (!turn.priest_alive && among(kind, kinds(&[DRUM, BANNER]))) {
            return Promotion::NONE;
        }
        let by_zone = kind != CLERK || guards_are_in(turn);
        Promotion { possible: true, by_zone, by_kill: rule.promoted_by }
    }

    /// Whether a move promotes that lands in the camp or not, and kills stones of these faces.
    #[inline(always)]
    pub(super) fn allows(&self, in_zone: bool, killed: Kinds) -> bool {
        self.by_zone && in_zone || self.by_kill & killed != 0
    }
}

/// Whether 記室 may promote in the camp: at least one own 前衛 and one own 後衛, whichever faces they show, stand there
/// now. What "have entered" means is open; Dagaz asks for any one promoted guard, a stricter reading for all that live.
fn guards_are_in(turn: &Turn) -> bool {
    let position = turn.position;
    let (mut advance, mut rear) = (false, false);
    for square in (position.pieces(turn.us) & super::CAMPS[turn.us.other().index()]).squares() {
        let kind = position.cell(square).kind();
        advance |= among(kind, kinds(&[ADVANCE_GUARD, SKY_NET]));
        rear |= among(kind, kinds(&[REAR_GUARD, EARTH_NET]));
    }
    advance && rear
}
