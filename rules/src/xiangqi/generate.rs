//! Legal moves, exactly, without playing them.

use super::Xiangqi;
use super::moves::{
    CANNON, CHARIOT, ELEPHANT, GENERAL_STEPS, GUARD, GUARD_STEPS, HORSES, SOLDIER, SOLDIER_STEPS, cannon, elephant,
};
use super::safety::Safety;
use crate::nine_by_ten::sink::{Sink, each_piece};
use crate::nine_by_ten::{HORSE, reach};
use crate::position::Position;
use crate::square_set::SquareSet;
use std::ops::ControlFlow;

/// Hands the legal moves of the side to move to `sink`, until it breaks.
#[inline(always)]
pub(super) fn legal(position: &Position<Xiangqi>, sink: &mut impl Sink) -> ControlFlow<()> {
    let us = position.side;
    let side = us.index();
    let own = position.sides[side];
    let occupied = position.occupied();
    let safety = Safety::of(position, us);
    let general = safety.general();
    let mut steps = 0;
    for target in (GENERAL_STEPS[side][general] & !own).squares() {
        if safety.is_safe_step(target.index()) {
            steps |= 1 << target.index();
        }
    }
    sink.moves(general, steps)?;
    let pieces = |kind: usize| position.kinds[kind] & own;
    each_piece(sink, pieces(CHARIOT), |from| reach(from, occupied) & safety.targets(from))?;
    each_piece(sink, pieces(CANNON), |from| cannon(from, occupied) & safety.targets(from))?;
    each_piece(sink, pieces(HORSES), |from| HORSE[from].free(occupied) & safety.targets(from))?;
    each_piece(sink, pieces(SOLDIER), |from| SOLDIER_STEPS[side][from] & safety.targets(from))?;
    each_piece(sink, pieces(ELEPHANT), |from| elephant(from, occupied) & safety.targets(from))?;
    each_piece(sink, pieces(GUARD), |from| GUARD_STEPS[side][from] & safety.targets(from))?;
    ControlFlow::Continue(())
}
