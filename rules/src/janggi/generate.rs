//! Legal moves, exactly, without playing them.

use super::Janggi;
use super::moves::{
    CANNON, CHARIOT, ELEPHANT, ELEPHANTS, GUARD, HORSES, PALACE_STEPS, SOLDIER, SOLDIER_STEPS, cannon, chariot,
};
use super::safety::{Safety, is_captured};
use crate::nine_by_ten::HORSE;
use crate::nine_by_ten::sink::Sink;
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
    for square in (position.kinds[CANNON] & own).squares() {
        let from = square.index();
        sink.moves(from, cannon(from, occupied, position.kinds[CANNON]) & safety.cannon_targets(from))?;
    }
    macro_rules! each {
        ($kind:ident, $from:ident => $targets:expr) => {
            for square in (position.kinds[$kind] & own).squares() {
                let $from = square.index();
                sink.moves($from, $targets & safety.targets($from))?;
            }
        };
    }
    each!(CHARIOT, from => chariot(from, occupied));
    each!(HORSES, from => HORSE[from].free(occupied));
    each!(ELEPHANT, from => ELEPHANTS[from].free(occupied));
    each!(SOLDIER, from => SOLDIER_STEPS[us.index()][from]);
    each!(GUARD, from => PALACE_STEPS[from]);
    ControlFlow::Continue(())
}
