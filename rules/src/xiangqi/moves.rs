//! How the pieces move 走法, as sets of points.

use super::Xiangqi;
pub(super) use crate::nine_by_ten::kinds::{CANNON, CHARIOT, ELEPHANT, GENERAL, GUARD, HORSES, SOLDIER};
use crate::nine_by_ten::{
    BOARD, DIAGONAL, FILES, HORSE, ORTHOGONAL, PALACES, POINTS, PerPoint, reach, reversed, slides, step, step_table,
};
use crate::piece::Kind;
use crate::position::Position;
use crate::side::Side;
use crate::square::Square;

/// A side's half of the board, up to the river 楚河漢界.
pub(super) const HALVES: [u128; 2] = [(1 << (5 * FILES)) - 1, BOARD & !((1 << (5 * FILES)) - 1)];

/// 帥: one step along a line inside the palace.
pub(super) static GENERAL_STEPS: [PerPoint; 2] =
    [step_table(&ORTHOGONAL, PALACES[0], PALACES[0]), step_table(&ORTHOGONAL, PALACES[1], PALACES[1])];

/// 仕: one diagonal step inside the palace.
pub(super) static GUARD_STEPS: [PerPoint; 2] =
    [step_table(&DIAGONAL, PALACES[0], PALACES[0]), step_table(&DIAGONAL, PALACES[1], PALACES[1])];

/// 兵: one step forward; past the river one step sideways too.
pub(super) static SOLDIER_STEPS: [PerPoint; 2] = [soldier_steps(Side::First), soldier_steps(Side::Second)];

/// Where an enemy soldier stands that attacks a point of `side`: the steps of a soldier backwards.
pub(super) static SOLDIERS_TO: [PerPoint; 2] =
    [reversed(&soldier_steps(Side::Second)), reversed(&soldier_steps(Side::First))];

const fn soldier_steps(side: Side) -> PerPoint {
    let forward = match side {
        Side::First => (0, 1),
        Side::Second => (0, -1),
    };
    let mut sets = step_table(&[forward], HALVES[side.index()], BOARD);
    let past = step_table(&[forward, (1, 0), (-1, 0)], HALVES[side.other().index()], BOARD);
    let mut point = 0;
    while point < POINTS {
        sets[point] |= past[point];
        point += 1;
    }
    sets
}

/// 相: each eye it needs free and the point behind it, on its own half; empty where there is none.
pub(super) static ELEPHANT_LEGS: [[(u128, u128); 4]; POINTS] = {
    let mut table = [[(0, 0); 4]; POINTS];
    let mut point = 0;
    while point < POINTS {
        let half = if HALVES[0] >> point & 1 != 0 { HALVES[0] } else { HALVES[1] };
        let mut d = 0;
        while d < 4 {
            let (f, r) = DIAGONAL[d];
            if let (Some(eye), Some(target)) = (step(point, (f, r)), step(point, (2 * f, 2 * r)))
                && half >> target & 1 != 0
            {
                table[point][d] = (1 << eye, 1 << target);
            }
            d += 1;
        }
        point += 1;
    }
    table
};

/// 相: exactly two diagonal steps, blocked by a piece on the eye (塞象眼), never over the river.
#[inline(always)]
pub(super) fn elephant(point: usize, occupied: u128) -> u128 {
    let mut targets = 0;
    for (eye, target) in ELEPHANT_LEGS[point] {
        targets |= if eye & occupied == 0 { target } else { 0 };
    }
    targets
}

/// 炮: slides over empty points; captures behind exactly one piece of either side.
#[inline(always)]
pub(super) fn cannon(point: usize, occupied: u128) -> u128 {
    let slides = slides(point, occupied, 0);
    slides.reach & !occupied | slides.jump & occupied
}

/// Points a piece attacks or may move to by its move rule alone; own pieces are not taken out.
pub(super) fn targets(side: Side, kind: Kind, point: usize, occupied: u128) -> u128 {
    match kind {
        GENERAL => GENERAL_STEPS[side.index()][point],
        GUARD => GUARD_STEPS[side.index()][point],
        ELEPHANT => elephant(point, occupied),
        HORSES => HORSE[point].free(occupied),
        CHARIOT => reach(point, occupied),
        CANNON => cannon(point, occupied),
        _ => SOLDIER_STEPS[side.index()][point],
    }
}

/// Points on which the piece on a point could capture: its targets, but of a cannon what lies behind a screen.
#[inline]
pub(super) fn attacks(position: &Position<Xiangqi>, from: Square) -> u128 {
    let (cell, occupied) = (position.cell(from), position.occupied());
    match cell.kind() {
        CANNON => slides(from.index(), occupied, 0).jump,
        kind => targets(cell.side(), kind, from.index(), occupied),
    }
}
