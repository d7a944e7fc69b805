//! Legal moves, exactly, without playing them.

use super::Janggi;
use super::moves::{
    CANNON, CHARIOT, ELEPHANT, ELEPHANTS, GUARD, HORSES, PALACE_STEPS, SOLDIER, SOLDIER_STEPS, cannon, chariot,
};
use super::safety::{Safety, is_captured};
use crate::nine_by_ten::HORSE;
use crate::nine_by_ten::sink::{Sink, each_piece};
use crate::position::Position;
use crate::square_set::SquareSet;
use std::ops::ControlFlow;

/// Hands the legal moves of the side to move to `sink`, until it breaks. The pass is a move of the general to
/// its own point.
#[inline(always)]
pub(super) fn legal(position: &Position<Janggi>, sink: &mut impl Sink) -> ControlFlow<()> {
    let us = position.side;
    if is_captured(position, us) {
        return ControlFlow::Continue(());
    }
    let own = position.sides[us.index()];
    let occupied = position.occupied();
    let safety = Safety::of(position, us);
    let general = safety.general();
    let mut steps = if safety.may_pass() { 1 << general } else { 0 };
    for target in (PALACE_STEPS[general] & !own & !safety.still_facing()).squares() {
        if safety.is_safe_step(target.index()) {
            steps |= 1 << target.index();
        }
    }
    sink.moves(general, steps)?;
    let pieces = |kind: usize| position.kinds[kind] & own;
    let cannons = position.kinds[CANNON];
    each_piece(sink, pieces(CANNON), |from| cannon(from, occupied, cannons) & safety.cannon_targets(from))?;
    each_piece(sink, pieces(CHARIOT), |from| chariot(from, occupied) & safety.targets(from))?;
    each_piece(sink, pieces(HORSES), |from| HORSE[from].free(occupied) & safety.targets(from))?;
    each_piece(sink, pieces(ELEPHANT), |from| ELEPHANTS[from].free(occupied) & safety.targets(from))?;
    each_piece(sink, pieces(SOLDIER), |from| SOLDIER_STEPS[us.index()][from] & safety.targets(from))?;
    each_piece(sink, pieces(GUARD), |from| PALACE_STEPS[from] & safety.targets(from))?;
    ControlFlow::Continue(())
}
