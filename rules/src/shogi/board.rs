//! Geometry of the 9 × 9 board on `u128`; the bits from 81 on stay empty.

use super::Shogi;
use crate::shogi_family::{Board, geometry};
use crate::side::Side;
use crate::square::Square;

const SIZE: usize = 9;
const SQUARES: usize = 81;

/// Every square.
pub(super) const BOARD: u128 = (1 << SQUARES) - 1;
/// The squares of file a.
const FILE: u128 = BOARD / 0x1ff;

static GOLD: [[u128; SQUARES]; 2] = geometry::steps::<SIZE, SQUARES>(geometry::GOLD);
static SILVER: [[u128; SQUARES]; 2] = geometry::steps::<SIZE, SQUARES>(geometry::SILVER);
static KNIGHT: [[u128; SQUARES]; 2] = geometry::steps::<SIZE, SQUARES>(geometry::KNIGHT);
static KING: [[u128; SQUARES]; 2] = geometry::steps::<SIZE, SQUARES>(geometry::KING);
static LINES: [[u128; 4]; SQUARES] = geometry::lines::<SIZE, SQUARES>();
static NEAR: [[u128; 2]; SQUARES] = geometry::near::<SIZE, SQUARES>();
/// A rank has seven inner squares.
static RANK: [[u16; 128]; SIZE] = geometry::rank_attacks::<SIZE, 128>();
static BETWEEN: [[u128; SQUARES]; SQUARES] = geometry::between::<SIZE, SQUARES>();

/// The ranks from `first` on, `count` of them, seen by a side.
pub(super) const fn ranks(side: Side, first: u32, count: u32) -> u128 {
    let first = match side {
        Side::First => first,
        Side::Second => 9 - first - count,
    };
    ((1 << (9 * count)) - 1) << (9 * first)
}

/// Attacks along a line that has at most one square in each byte (files and diagonals: their squares are 8,
/// 9 or 10 bits apart): subtracting the slider from the blockers borrows up to the nearest one; with the
/// bytes in reverse order, downward (hyperbola quintessence).
#[inline(always)]
fn along(line: u128, slider: u128, occupied: u128) -> u128 {
    let blockers = occupied & line;
    let up = blockers.wrapping_sub(slider);
    let down = blockers.swap_bytes().wrapping_sub(slider.swap_bytes()).swap_bytes();
    (up ^ down) & line
}

impl Board for Shogi {
    const BOARD: u128 = BOARD;

    #[inline(always)]
    fn forward(side: Side, set: u128) -> u128 {
        match side {
            Side::First => set << 9 & BOARD,
            Side::Second => set >> 9,
        }
    }

    #[inline(always)]
    fn sideways(set: u128) -> u128 {
        (set & !(FILE << 8)) << 1 | (set & !FILE) >> 1
    }

    #[inline(always)]
    fn files(set: u128) -> u128 {
        let set = set | set >> 9 | set >> 18;
        let set = set | set >> 27 | set >> 54;
        (set & 0x1ff) * FILE
    }

    #[inline(always)]
    fn gold(side: Side, from: Square) -> u128 {
        GOLD[side.index()][from.index()]
    }

    #[inline(always)]
    fn silver(side: Side, from: Square) -> u128 {
        SILVER[side.index()][from.index()]
    }

    #[inline(always)]
    fn knight(side: Side, from: Square) -> u128 {
        KNIGHT[side.index()][from.index()]
    }

    #[inline(always)]
    fn king(from: Square) -> u128 {
        KING[0][from.index()]
    }

    /// No piece leaps as a chess knight.
    #[inline(always)]
    fn leaps(_: Square) -> u128 {
        0
    }

    #[inline(always)]
    fn lance(side: Side, from: Square, occupied: u128) -> u128 {
        let column = along(LINES[from.index()][0], 1 << from.index(), occupied);
        match side {
            Side::First => column & !0 << from.index(),
            Side::Second => column & !(!0 << from.index()),
        }
    }

    #[inline(always)]
    fn bishop(from: Square, occupied: u128) -> u128 {
        let [_, _, diagonal, antidiagonal] = LINES[from.index()];
        let slider = 1 << from.index();
        along(diagonal, slider, occupied) | along(antidiagonal, slider, occupied)
    }

    #[inline(always)]
    fn rook(from: Square, occupied: u128) -> u128 {
        let (rank, file) = (from.index() / 9, from.index() % 9);
        let row = RANK[file][(occupied >> (9 * rank) >> 1) as usize & 127];
        along(LINES[from.index()][0], 1 << from.index(), occupied) | u128::from(row) << (9 * rank)
    }

    #[inline(always)]
    fn diagonals(from: Square) -> u128 {
        let [_, _, diagonal, antidiagonal] = LINES[from.index()];
        diagonal | antidiagonal
    }

    #[inline(always)]
    fn orthogonals(from: Square) -> u128 {
        let [file, rank, ..] = LINES[from.index()];
        file | rank
    }

    #[inline(always)]
    fn near_diagonals(from: Square) -> u128 {
        NEAR[from.index()][0]
    }

    #[inline(always)]
    fn near_orthogonals(from: Square) -> u128 {
        NEAR[from.index()][1]
    }

    #[inline(always)]
    fn between(a: Square, b: Square) -> u128 {
        BETWEEN[a.index()][b.index()]
    }
}
