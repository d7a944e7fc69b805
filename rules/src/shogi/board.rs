//! Geometry of the 9 × 9 board: steps, lines, sliding attacks on `u128`. Square `9 * rank + file` is bit
//! `9 * rank + file`; the bits from 81 on stay empty.

use crate::side::Side;
use crate::square::Square;

const SIZE: i32 = 9;
const SQUARES: usize = 81;

/// Every square.
pub(super) const BOARD: u128 = (1 << SQUARES) - 1;

const fn bit(file: i32, rank: i32) -> u128 {
    if file >= 0 && file < SIZE && rank >= 0 && rank < SIZE { 1 << (rank * SIZE + file) } else { 0 }
}

/// The ranks from `first` on, `count` of them, seen by a side.
pub(super) const fn ranks(side: Side, first: u32, count: u32) -> u128 {
    let first = match side {
        Side::First => first,
        Side::Second => 9 - first - count,
    };
    ((1 << (9 * count)) - 1) << (9 * first)
}

/// Squares reached from each square by offsets (file, rank), turned for the second player.
const fn steps(offsets: &[(i32, i32)], side: Side) -> [u128; SQUARES] {
    let turn = if matches!(side, Side::First) { 1 } else { -1 };
    let mut table = [0; SQUARES];
    let mut square = 0;
    while square < SQUARES {
        let (file, rank) = (square as i32 % SIZE, square as i32 / SIZE);
        let mut i = 0;
        while i < offsets.len() {
            table[square] |= bit(file + turn * offsets[i].0, rank + turn * offsets[i].1);
            i += 1;
        }
        square += 1;
    }
    table
}

const fn both(offsets: &[(i32, i32)]) -> [[u128; SQUARES]; 2] {
    [steps(offsets, Side::First), steps(offsets, Side::Second)]
}

pub(super) static GOLD: [[u128; SQUARES]; 2] = both(&[(-1, 1), (0, 1), (1, 1), (-1, 0), (1, 0), (0, -1)]);
pub(super) static SILVER: [[u128; SQUARES]; 2] = both(&[(-1, 1), (0, 1), (1, 1), (-1, -1), (1, -1)]);
pub(super) static KNIGHT: [[u128; SQUARES]; 2] = both(&[(-1, 2), (1, 2)]);
pub(super) static KING: [u128; SQUARES] =
    steps(&[(-1, 1), (0, 1), (1, 1), (-1, 0), (1, 0), (-1, -1), (0, -1), (1, -1)], Side::First);

/// The squares from `from` (exclusive) in one direction to the edge.
const fn ray(from: usize, (dx, dy): (i32, i32)) -> u128 {
    let mut set = 0;
    let (mut file, mut rank) = (from as i32 % SIZE + dx, from as i32 / SIZE + dy);
    while bit(file, rank) != 0 {
        set |= bit(file, rank);
        file += dx;
        rank += dy;
    }
    set
}

/// The lines through a square, without the square.
struct Lines {
    file: u128,
    diagonal: u128,
    antidiagonal: u128,
    rank: u128,
}

static LINES: [Lines; SQUARES] = {
    let mut table = [const { Lines { file: 0, diagonal: 0, antidiagonal: 0, rank: 0 } }; SQUARES];
    let mut from = 0;
    while from < SQUARES {
        table[from] = Lines {
            file: ray(from, (0, 1)) | ray(from, (0, -1)),
            diagonal: ray(from, (1, 1)) | ray(from, (-1, -1)),
            antidiagonal: ray(from, (-1, 1)) | ray(from, (1, -1)),
            rank: ray(from, (-1, 0)) | ray(from, (1, 0)),
        };
        from += 1;
    }
    table
};

/// The diagonals, and the files and ranks, of each square's neighbours.
static NEAR: [[u128; 2]; SQUARES] = {
    let mut table = [[0; 2]; SQUARES];
    let mut from = 0;
    while from < SQUARES {
        let mut neighbours = KING[from];
        while neighbours != 0 {
            let lines = &LINES[neighbours.trailing_zeros() as usize];
            neighbours &= neighbours - 1;
            table[from][0] |= lines.diagonal | lines.antidiagonal;
            table[from][1] |= lines.file | lines.rank;
        }
        from += 1;
    }
    table
};

/// `RANK[file][inner]`: attacks along a rank whose seven inner squares are occupied as `inner` says.
static RANK: [[u16; 128]; 9] = {
    let mut table = [[0; 128]; 9];
    let mut file = 0;
    while file < 9 {
        let mut inner = 0;
        while inner < 128 {
            let occupied = (inner as u16) << 1;
            let mut attacks = 0;
            let mut direction = -1;
            while direction <= 1 {
                let mut at = file as i32 + direction;
                while at >= 0 && at < SIZE {
                    attacks |= 1 << at;
                    if occupied >> at & 1 != 0 {
                        break;
                    }
                    at += direction;
                }
                direction += 2;
            }
            table[file][inner] = attacks;
            inner += 1;
        }
        file += 1;
    }
    table
};

static BETWEEN: [[u128; SQUARES]; SQUARES] = {
    const DIRECTIONS: [(i32, i32); 8] = [(0, 1), (0, -1), (1, 0), (-1, 0), (1, 1), (-1, -1), (-1, 1), (1, -1)];
    let mut table = [[0; SQUARES]; SQUARES];
    let mut from = 0;
    while from < SQUARES {
        let mut d = 0;
        while d < 8 {
            let whole = ray(from, DIRECTIONS[d]);
            let mut rest = whole;
            while rest != 0 {
                let to = rest.trailing_zeros() as usize;
                rest &= rest - 1;
                table[from][to] = whole & !ray(to, DIRECTIONS[d]) & !(1 << to);
            }
            d += 1;
        }
        from += 1;
    }
    table
};

/// The diagonal lines through a square.
#[inline(always)]
pub(super) fn diagonals(from: Square) -> u128 {
    let lines = &LINES[from.index()];
    lines.diagonal | lines.antidiagonal
}

/// The file and the rank of a square.
#[inline(always)]
pub(super) fn orthogonals(from: Square) -> u128 {
    let lines = &LINES[from.index()];
    lines.file | lines.rank
}

/// The diagonal lines through the neighbours of a square.
#[inline(always)]
pub(super) fn near_diagonals(from: Square) -> u128 {
    NEAR[from.index()][0]
}

/// The files and the ranks of the neighbours of a square.
#[inline(always)]
pub(super) fn near_orthogonals(from: Square) -> u128 {
    NEAR[from.index()][1]
}

/// The left and right neighbours of the squares of a set.
#[inline(always)]
pub(super) fn sideways(set: u128) -> u128 {
    /// File a.
    const LEFT: u128 = BOARD / 0x1ff;
    (set & !(LEFT << 8)) << 1 | (set & !LEFT) >> 1
}

/// Squares strictly between two squares of one line.
#[inline(always)]
pub(super) fn between(a: Square, b: Square) -> u128 {
    BETWEEN[a.index()][b.index()]
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

/// Squares a bishop attacks.
#[inline(always)]
pub(super) fn bishop(from: Square, occupied: u128) -> u128 {
    let lines = &LINES[from.index()];
    let slider = 1 << from.index();
    along(lines.diagonal, slider, occupied) | along(lines.antidiagonal, slider, occupied)
}

/// Squares a rook attacks.
#[inline(always)]
pub(super) fn rook(from: Square, occupied: u128) -> u128 {
    let (rank, file) = (from.index() / 9, from.index() % 9);
    let row = RANK[file][(occupied >> (9 * rank) >> 1) as usize & 127];
    along(LINES[from.index()].file, 1 << from.index(), occupied) | u128::from(row) << (9 * rank)
}

/// Squares a lance attacks.
#[inline(always)]
pub(super) fn lance(side: Side, from: Square, occupied: u128) -> u128 {
    let column = along(LINES[from.index()].file, 1 << from.index(), occupied);
    match side {
        Side::First => column & !0 << from.index(),
        Side::Second => column & !(!0 << from.index()),
    }
}
