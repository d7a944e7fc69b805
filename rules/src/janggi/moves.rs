//! How the pieces move 행마, as sets of points.

use super::Janggi;
pub(super) use crate::nine_by_ten::kinds::{CANNON, CHARIOT, ELEPHANT, GENERAL, GUARD, HORSES, SOLDIER};
use crate::nine_by_ten::{
    BOARD, DIAGONAL, HORSE, Leaps, ORTHOGONAL, PALACE_CENTRES, PALACES, POINTS, PerPoint, reach, reversed, slides,
    step, step_table, steps,
};
use crate::position::Position;
use crate::side::Side;
use crate::square::Square;

/// The diagonal lines of a palace, seen from a point: they join the centre with the corners. Both are empty on
/// the other points of the board.
#[derive(Clone, Copy)]
pub(super) struct PalaceLines {
    /// One step: the corners from the centre, the centre from a corner.
    pub(super) near: u128,
    /// Two steps: the opposite corner from a corner.
    pub(super) far: u128,
}

/// From each point: the diagonals of the palaces.
pub(super) static PALACE_LINES: [PalaceLines; POINTS] = PALACE_LINE_TABLE;

const PALACE_LINE_TABLE: [PalaceLines; POINTS] = {
    let mut table = [PalaceLines { near: 0, far: 0 }; POINTS];
    let mut side = 0;
    while side < PALACE_CENTRES.len() {
        let centre = PALACE_CENTRES[side];
        table[centre].near = steps(centre, &DIAGONAL);
        let mut d = 0;
        while d < DIAGONAL.len() {
            let (f, r) = DIAGONAL[d];
            if let Some(corner) = step(centre, (f, r)) {
                table[corner] = PalaceLines { near: 1 << centre, far: steps(centre, &[(-f, -r)]) };
            }
            d += 1;
        }
        side += 1;
    }
    table
};

/// General and guard: one step along any line of the palace.
pub(super) static PALACE_STEPS: PerPoint = {
    let mut table = [0; POINTS];
    let mut side = 0;
    while side < PALACES.len() {
        let orthogonal = step_table(&ORTHOGONAL, PALACES[side], PALACES[side]);
        let mut point = 0;
        while point < POINTS {
            if PALACES[side] >> point & 1 != 0 {
                table[point] = orthogonal[point] | PALACE_LINE_TABLE[point].near;
            }
            point += 1;
        }
        side += 1;
    }
    table
};

/// 卒 / 兵: one step forward or sideways, and forward along the diagonals of the enemy palace.
pub(super) static SOLDIER_STEPS: [PerPoint; 2] = [soldier_steps(Side::First), soldier_steps(Side::Second)];

/// Where an enemy soldier stands that attacks a point of `side`: the steps of a soldier backwards.
pub(super) static SOLDIERS_TO: [PerPoint; 2] =
    [reversed(&soldier_steps(Side::Second)), reversed(&soldier_steps(Side::First))];

const fn soldier_steps(side: Side) -> PerPoint {
    let forward = match side {
        Side::First => 1,
        Side::Second => -1,
    };
    let mut table = step_table(&[(0, forward), (1, 0), (-1, 0)], BOARD, BOARD);
    let enemy_palace = PALACES[side.other().index()];
    let mut point = 0;
    while point < POINTS {
        let diagonal = steps(point, &[(1, forward), (-1, forward)]);
        table[point] |= diagonal & PALACE_LINE_TABLE[point].near & enemy_palace;
        point += 1;
    }
    table
}

/// 象, from a point: one orthogonal step, then two diagonal steps outward; both points on the way must be free.
pub(super) static ELEPHANTS: [Leaps<8>; POINTS] = {
    let mut table = [Leaps::NONE; POINTS];
    let mut point = 0;
    while point < POINTS {
        let mut way = 0;
        while way < 8 {
            // Two ways begin with each orthogonal step; they turn to either side of it.
            let (f, r) = ORTHOGONAL[way / 2];
            let turn = if way % 2 == 0 { 1 } else { -1 };
            let (df, dr) = if f == 0 { (turn, r) } else { (f, turn) };
            let target = steps(point, &[(f + 2 * df, r + 2 * dr)]);
            if target != 0 {
                table[point].ways[way] = (steps(point, &[(f, r), (f + df, r + dr)]), target);
                table[point].all |= target;
            }
            way += 1;
        }
        point += 1;
    }
    table
};

/// 象, to a point: where an elephant that attacks it may stand. Seen from there it passes the diagonal neighbour
/// and the point behind that, and stands one orthogonal step further.
pub(super) static ELEPHANTS_TO: [Leaps<4>; POINTS] = {
    let mut table = [Leaps::NONE; POINTS];
    let mut point = 0;
    while point < POINTS {
        let mut d = 0;
        while d < DIAGONAL.len() {
            let (f, r) = DIAGONAL[d];
            let from = steps(point, &[(3 * f, 2 * r), (2 * f, 3 * r)]);
            if from != 0 {
                table[point].ways[d] = (steps(point, &[(f, r), (2 * f, 2 * r)]), from);
                table[point].all |= from;
            }
            d += 1;
        }
        point += 1;
    }
    table
};

/// 車: slides along ranks, files and the diagonals of a palace.
#[inline(always)]
pub(super) fn chariot(point: usize, occupied: u128) -> u128 {
    let lines = &PALACE_LINES[point];
    reach(point, occupied) | lines.near | if lines.near & occupied == 0 { lines.far } else { 0 }
}

/// 包: slides behind exactly one piece, along the diagonals of a palace too. It neither jumps nor captures one
/// of the `cannons` of either side.
#[inline(always)]
pub(super) fn cannon(point: usize, occupied: u128, cannons: u128) -> u128 {
    let lines = &PALACE_LINES[point];
    let diagonal = if lines.near & occupied & !cannons == 0 { 0 } else { lines.far };
    (slides(point, occupied, cannons).jump | diagonal) & !cannons
}

/// Points on which the piece on a point could capture.
#[inline]
pub(super) fn attacks(position: &Position<Janggi>, from: Square) -> u128 {
    let (cell, occupied, point) = (position.cell(from), position.occupied(), from.index());
    match cell.kind() {
        GENERAL | GUARD => PALACE_STEPS[point],
        ELEPHANT => ELEPHANTS[point].free(occupied),
        HORSES => HORSE[point].free(occupied),
        CHARIOT => chariot(point, occupied),
        CANNON => cannon(point, occupied, position.kinds[CANNON]),
        _ => SOLDIER_STEPS[cell.side().index()][point],
    }
}
