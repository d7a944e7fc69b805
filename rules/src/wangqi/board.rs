//! Geometry of the 8 × 8 board: steps, lines, sliding attacks on `u64`.

use crate::side::Side;
use crate::square::Square;

const SQUARES: usize = 64;

/// Squares reached from each square by offsets (file, rank), turned for the second player.
const fn steps(offsets: &[(i8, i8)], side: Side) -> [u64; SQUARES] {
    let turn = if matches!(side, Side::First) { 1 } else { -1 };
    let mut table = [0; SQUARES];
    let mut square = 0;
    while square < SQUARES {
        let mut i = 0;
        while i < offsets.len() {
            let file = (square % 8) as i8 + turn * offsets[i].0;
            let rank = (square / 8) as i8 + turn * offsets[i].1;
            if file >= 0 && file < 8 && rank >= 0 && rank < 8 {
                table[square] |= 1 << (rank * 8 + file);
            }
            i += 1;
        }
        square += 1;
    }
    table
}

const fn both(offsets: &[(i8, i8)]) -> [[u64; SQUARES]; 2] {
    [steps(offsets, Side::First), steps(offsets, Side::Second)]
}

pub(super) static GOLD: [[u64; SQUARES]; 2] = both(&[(-1, 1), (0, 1), (1, 1), (-1, 0), (1, 0), (0, -1)]);
pub(super) static SILVER: [[u64; SQUARES]; 2] = both(&[(-1, 1), (0, 1), (1, 1), (-1, -1), (1, -1)]);
pub(super) static KNIGHT: [[u64; SQUARES]; 2] = both(&[(-1, 2), (1, 2)]);
pub(super) static KING: [u64; SQUARES] =
    steps(&[(-1, 1), (0, 1), (1, 1), (-1, 0), (1, 0), (-1, -1), (0, -1), (1, -1)], Side::First);
pub(super) static LEAPS: [u64; SQUARES] =
    steps(&[(-1, 2), (1, 2), (-2, 1), (2, 1), (-2, -1), (2, -1), (-1, -2), (1, -2)], Side::First);

/// The squares from `from` (exclusive) in one direction to the edge.
const fn ray(from: usize, (dx, dy): (i8, i8)) -> u64 {
    let mut set = 0;
    let (mut file, mut rank) = ((from % 8) as i8 + dx, (from / 8) as i8 + dy);
    while file >= 0 && file < 8 && rank >= 0 && rank < 8 {
        set |= 1 << (rank * 8 + file);
        file += dx;
        rank += dy;
    }
    set
}

/// The lines through a square, without the square.
#[derive(Clone, Copy)]
struct Lines {
    file: u64,
    diagonal: u64,
    antidiagonal: u64,
    rank: u64,
}

const LINES: [Lines; SQUARES] = {
    let mut table = [Lines { file: 0, diagonal: 0, antidiagonal: 0, rank: 0 }; SQUARES];
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
static LINES_OF: [Lines; SQUARES] = LINES;

/// The diagonals, and the files and ranks, of each square's neighbours.
static NEAR: [[u64; 2]; SQUARES] = {
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

/// `RANK[file][inner]`: attacks along a rank whose six inner squares are occupied as `inner` says.
static RANK: [[u8; 64]; 8] = {
    let mut table = [[0; 64]; 8];
    let mut file = 0;
    while file < 8 {
        let mut inner = 0;
        while inner < 64 {
            let occupied = (inner as u64) << 1;
            let mut attacks = 0_u64;
            let mut direction = -1;
            while direction <= 1 {
                let mut at = file as i8 + direction;
                while at >= 0 && at < 8 {
                    attacks |= 1 << at;
                    if occupied >> at & 1 != 0 {
                        break;
                    }
                    at += direction;
                }
                direction += 2;
            }
            table[file][inner] = attacks as u8;
            inner += 1;
        }
        file += 1;
    }
    table
};

static BETWEEN: [[u64; SQUARES]; SQUARES] = {
    const DIRECTIONS: [(i8, i8); 8] = [(0, 1), (0, -1), (1, 0), (-1, 0), (1, 1), (-1, -1), (-1, 1), (1, -1)];
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
pub(super) fn diagonals(from: Square) -> u64 {
    let lines = &LINES_OF[from.index() & 63];
    lines.diagonal | lines.antidiagonal
}

/// The file and the rank of a square.
#[inline(always)]
pub(super) fn orthogonals(from: Square) -> u64 {
    let lines = &LINES_OF[from.index() & 63];
    lines.file | lines.rank
}

/// The diagonal lines through the neighbours of a square.
#[inline(always)]
pub(super) fn near_diagonals(from: Square) -> u64 {
    NEAR[from.index() & 63][0]
}

/// The files and the ranks of the neighbours of a square.
#[inline(always)]
pub(super) fn near_orthogonals(from: Square) -> u64 {
    NEAR[from.index() & 63][1]
}

/// The left and right neighbours of the squares of a set.
#[inline(always)]
pub(super) fn sideways(set: u64) -> u64 {
    /// File a.
    const LEFT: u64 = 0x0101_0101_0101_0101;
    (set & !(LEFT << 7)) << 1 | (set & !LEFT) >> 1
}

/// Squares strictly between two squares of one line.
#[inline(always)]
pub(super) fn between(a: Square, b: Square) -> u64 {
    BETWEEN[a.index() & 63][b.index() & 63]
}

/// Attacks along a line that has at most one square on each rank: subtracting the slider from the
/// blockers borrows up to the nearest one; on the board turned upside down, downward (hyperbola quintessence).
#[inline(always)]
fn along(line: u64, slider: u64, occupied: u64) -> u64 {
    let blockers = occupied & line;
    let up = blockers.wrapping_sub(slider);
    let down = blockers.swap_bytes().wrapping_sub(slider.swap_bytes()).swap_bytes();
    (up ^ down) & line
}

/// Squares a bishop attacks.
#[inline(always)]
pub(super) fn bishop(from: Square, occupied: u64) -> u64 {
    let from = from.index() & 63;
    let lines = &LINES_OF[from];
    along(lines.diagonal, 1 << from, occupied) | along(lines.antidiagonal, 1 << from, occupied)
}

/// Squares a rook attacks.
#[inline(always)]
pub(super) fn rook(from: Square, occupied: u64) -> u64 {
    let from = from.index() & 63;
    let (file, rank) = (from & 7, from & 56);
    let row = u64::from(RANK[file][(occupied >> rank >> 1 & 63) as usize]) << rank;
    along(LINES_OF[from].file, 1 << from, occupied) | row
}

/// Squares a lance attacks.
#[inline(always)]
pub(super) fn lance(side: Side, from: Square, occupied: u64) -> u64 {
    let from = from.index() & 63;
    let column = along(LINES_OF[from].file, 1 << from, occupied);
    match side {
        Side::First => column & !0 << from,
        Side::Second => column & !(!0 << from),
    }
}
