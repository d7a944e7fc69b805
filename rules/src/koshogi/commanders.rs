//! The stones that a side must not lose.

use super::Koshogi;
use super::kinds::*;
use crate::position::Position;
use crate::side::Side;

/// With 中軍 one of these saves a side without 將軍 and 帥. That 招搖 does is a guess: one implementation says yes,
/// another no.
pub(super) const BANNERS: [usize; 2] = [BANNER, SWEEPER];
/// Each of these alone keeps a side in the game.
pub(super) const ROYAL: [usize; 2] = [GENERAL, MARSHAL];
/// Faces whose loss may lose the game.
pub(super) const COMMANDERS: Kinds = kinds(&[GENERAL, MARSHAL, MIDDLE_ARMY, BANNER, SWEEPER]);

/// Whether a side has lost: no 將軍, no 帥, and not both 中軍 and 旗. (One cell of the Chinese text is content with 中軍;
/// three other places want both.)
#[inline(always)]
pub(super) fn has_lost(position: &Position<Koshogi>, side: Side) -> bool {
    let has = |kinds: &[usize]| kinds.iter().any(|&kind| position.kinds.count(side, kind) > 0);
    !(has(&ROYAL) || has(&[MIDDLE_ARMY]) && has(&BANNERS))
}

/// The side that has lost its commanders. If both have, the side that moved last wins: what acts first does the
/// killing.
#[inline(always)]
pub(super) fn loser(position: &Position<Koshogi>) -> Option<Side> {
    [position.side, position.side.other()].into_iter().find(|&side| has_lost(position, side))
}
