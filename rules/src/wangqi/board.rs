//! Geometry of the 8 × 8 board on `u64`. Indices are masked, so that no table access needs a check.

use super::Wangqi;
use crate::shogi_family::Board;
use crate::shogi_family::geometry::{self, narrow};
use crate::side::Side;
use crate::square::Square;

const SIZE: usize = 8;
const SQUARES: usize = 64;

/// The squares of file a.
const FILE: u64 = 0x0101_0101_0101_0101;

static GOLD: [[u64; SQUARES]; 2] = narrow(geometry::steps::<SIZE, SQUARES>(geometry::GOLD));
static SILVER: [[u64; SQUARES]; 2] = narrow(geometry::steps::<SIZE, SQUARES>(geometry::SILVER));
static KNIGHT: [[u64; SQUARES]; 2] = narrow(geometry::steps::<SIZE, SQUARES>(geometry::KNIGHT));
static KING: [[u64; SQUARES]; 2] = narrow(geometry::steps::<SIZE, SQUARES>(geometry::KING));
static LEAPS: [[u64; SQUARES]; 2] = narrow(geometry::steps::<SIZE, SQUARES>(geometry::LEAPS));
static LINES: [[u64; 4]; SQUARES] = narrow(geometry::lines::<SIZE, SQUARES>());
static NEAR: [[u64; 2]; SQUARES] = narrow(geometry::near::<SIZE, SQUARES>());
/// A rank has six inner squares.
static RANK: [[u16; 64]; SIZE] = geometry::rank_attacks::<SIZE, 64>();
static BETWEEN: [[u64; SQUARES]; SQUARES] = narrow(geometry::between::<SIZE, SQUARES>());

/// Attacks along a line that has at most one square on each rank: subtracting the slider from the
/// blockers borrows up to the nearest one; on the board turned upside down, downward (hyperbola quintessence).
#[inline(always)]
fn along(line: u64, slider: u64, occupied: u64) -> u64 {
    let blockers = occupied & line;
    let up = blockers.wrapping_sub(slider);
    let down = blockers.swap_bytes().wrapping_sub(slider.swap_bytes()).swap_bytes();
    (up ^ down) & line
}

impl Board for Wangqi {
    const BOARD: u64 = !0;

    #[inline(always)]
    fn forward(side: Side, set: u64) -> u64 {
        match side {
            Side::First => set << 8,
            Side::Second => set >> 8,
        }
    }

    #[inline(always)]
    fn sideways(set: u64) -> u64 {
        (set & !(FILE << 7)) << 1 | (set & !FILE) >> 1
    }

    #[inline(always)]
    fn files(set: u64) -> u64 {
        let set = set | set >> 32;
        let set = set | set >> 16;
        ((set | set >> 8) & 0xff) * FILE
    }

    #[inline(always)]
    fn gold(side: Side, from: Square) -> u64 {
        GOLD[side.index()][from.index() & 63]
    }

    #[inline(always)]
    fn silver(side: Side, from: Square) -> u64 {
        SILVER[side.index()][from.index() & 63]
    }

    #[inline(always)]
    fn knight(side: Side, from: Square) -> u64 {
        KNIGHT[side.index()][from.index() & 63]
    }

    #[inline(always)]
    fn king(from: Square) -> u64 {
        KING[0][from.index() & 63]
    }

    #[inline(always)]
    fn leaps(from: Square) -> u64 {
        LEAPS[0][from.index() & 63]
    }

    #[inline(always)]
    fn lance(side: Side, from: Square, occupied: u64) -> u64 {
        let from = from.index() & 63;
        let column = along(LINES[from][0], 1 << from, occupied);
        match side {
            Side::First => column & !0 << from,
            Side::Second => column & !(!0 << from),
        }
    }

    #[inline(always)]
    fn bishop(from: Square, occupied: u64) -> u64 {
        let from = from.index() & 63;
        let [_, _, diagonal, antidiagonal] = LINES[from];
        along(diagonal, 1 << from, occupied) | along(antidiagonal, 1 << from, occupied)
    }

    #[inline(always)]
    fn rook(from: Square, occupied: u64) -> u64 {
        let from = from.index() & 63;
        let (file, rank) = (from & 7, from & 56);
        let row = u64::from(RANK[file][(occupied >> rank >> 1 & 63) as usize]) << rank;
        along(LINES[from][0], 1 << from, occupied) | row
    }

    #[inline(always)]
    fn diagonals(from: Square) -> u64 {
        let [_, _, diagonal, antidiagonal] = LINES[from.index() & 63];
        diagonal | antidiagonal
    }

    #[inline(always)]
    fn orthogonals(from: Square) -> u64 {
        let [file, rank, ..] = LINES[from.index() & 63];
        file | rank
    }

    #[inline(always)]
    fn near_diagonals(from: Square) -> u64 {
        NEAR[from.index() & 63][0]
    }

    #[inline(always)]
    fn near_orthogonals(from: Square) -> u64 {
        NEAR[from.index() & 63][1]
    }

    #[inline(always)]
    fn between(a: Square, b: Square) -> u64 {
        BETWEEN[a.index() & 63][b.index() & 63]
    }
}
