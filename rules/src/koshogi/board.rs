//! The board of 19 × 19 points 路 as rows of bits: what stands near a point, and what lies on the lines through it.
//!
//! A line (rank, file, diagonal) is a `u32`; the bits of points beyond the edge are set for both sides, so
//! whatever asks for points that a side does not hold never leaves the board.

use super::kinds::KINDS;
use crate::piece::{Cell, Kind};
use crate::piece_index::PieceIndex;
use crate::side::Side;
use crate::square::Square;
use crate::square_set::{Set384, SquareSet};

/// Files, and ranks.
pub(super) const SIZE: usize = 19;
/// Points of the board.
pub(super) const POINTS: usize = SIZE * SIZE;
/// Bits of a line below the first point of the board.
pub(super) const MARGIN: usize = 2;
/// Bits of a line that are points of the board.
const ON_BOARD: u32 = ((1 << SIZE) - 1) << MARGIN;
/// Diagonals in one direction.
const DIAGONALS: usize = 2 * SIZE - 1;

/// A point as file and rank, from 0.
#[derive(Clone, Copy, Debug)]
pub(super) struct Point {
    pub(super) file: usize,
    pub(super) rank: usize,
}

impl Point {
    #[inline(always)]
    pub(super) const fn of(square: Square) -> Point {
        Point { file: square.index() % SIZE, rank: square.index() / SIZE }
    }

    /// The point some files and ranks away, if it is on the board.
    #[inline(always)]
    pub(super) fn step(self, files: i32, ranks: i32) -> Option<Point> {
        let (file, rank) = (self.file as i32 + files, self.rank as i32 + ranks);
        let on_board = |at: i32| (0..SIZE as i32).contains(&at);
        (on_board(file) && on_board(rank)).then_some(Point { file: file as usize, rank: rank as usize })
    }

    #[inline(always)]
    pub(super) const fn square(self) -> Square {
        Square::new(self.rank * SIZE + self.file)
    }

    /// The four lines through the point: rank, file, rising diagonal, falling diagonal. Ranks are read by file,
    /// the other lines by rank.
    #[inline(always)]
    pub(super) fn lines(self) -> [Line; 4] {
        let (file, rank) = (self.file as i32, self.rank as i32);
        let margin = MARGIN as i32;
        let by_rank = |stride: i32, at_rank_0: i32| Line {
            at: (rank + margin) as u32,
            base: at_rank_0 - margin * stride,
            stride,
        };
        [
            Line { at: (file + margin) as u32, base: rank * SIZE as i32 - margin, stride: 1 },
            by_rank(SIZE as i32, file),
            by_rank(SIZE as i32 + 1, file - rank),
            by_rank(SIZE as i32 - 1, file + rank),
        ]
    }
}

/// Where a point lies on a line, and how bits of the line are squares.
#[derive(Clone, Copy, Debug)]
pub(super) struct Line {
    /// The point's bit.
    pub(super) at: u32,
    base: i32,
    stride: i32,
}

/// What a set of bits stands for.
pub(super) trait Frame: Copy {
    /// The square of a bit.
    fn square(self, bit: u32) -> Square;
}

impl Frame for Line {
    #[inline(always)]
    fn square(self, bit: u32) -> Square {
        Square((self.base + bit as i32 * self.stride) as u16)
    }
}

/// The 5 × 5 points around a point: bit `5 * (ranks + 2) + files + 2`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Near(pub(super) Square);

impl Near {
    /// Bits of a window.
    pub(super) const BITS: usize = 25;

    /// The files and ranks a bit is away.
    #[inline(always)]
    pub(super) const fn offset(bit: u32) -> (i32, i32) {
        (bit as i32 % 5 - 2, bit as i32 / 5 - 2)
    }

    /// The bit of a point at most two files and ranks away.
    #[inline(always)]
    pub(super) const fn bit(files: i32, ranks: i32) -> u32 {
        (5 * (ranks + 2) + files + 2) as u32
    }
}

/// Distance in squares of each bit of a window of `width` × `width` points around a point.
const fn distances<const N: usize>(width: i32) -> [i16; N] {
    let mut table = [0; N];
    let mut bit = 0;
    while bit < N {
        let (files, ranks) = (bit as i32 % width - width / 2, bit as i32 / width - width / 2);
        table[bit] = (ranks * SIZE as i32 + files) as i16;
        bit += 1;
    }
    table
}

static NEAR: [i16; 32] = distances(5);
static FAR: [i16; 128] = distances(9);

impl Frame for Near {
    #[inline(always)]
    fn square(self, bit: u32) -> Square {
        Square(self.0.0.wrapping_add_signed(NEAR[bit as usize & 31]))
    }
}

/// The 9 × 9 points around a point, as far as two legs go: bit `9 * (ranks + 4) + files + 4`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Far(pub(super) Square);

impl Far {
    /// The bit of a point at most four files and ranks away.
    #[inline(always)]
    pub(super) const fn bit(files: i32, ranks: i32) -> u32 {
        (9 * (ranks + 4) + files + 4) as u32
    }

    /// Bits of a window ([`Near`]) around the point that is some files and ranks away, at most two.
    #[inline(always)]
    pub(super) const fn from_near(window: u32, (files, ranks): (i32, i32)) -> u128 {
        let window = window as u64;
        let spread = window & 0x1f
            | (window & 0x3e0) << 4
            | (window & 0x7c00) << 8
            | (window & 0xf8000) << 12
            | (window & 0x1f0_0000) << 16;
        (spread as u128) << (9 * (ranks + 2) + files + 2)
    }
}

impl Frame for Far {
    #[inline(always)]
    fn square(self, bit: u32) -> Square {
        Square(self.0.0.wrapping_add_signed(FAR[bit as usize & 127]))
    }
}

/// What a piece on bit `at` of a line sees: everything up to and including the nearest piece on either side.
#[inline(always)]
pub(super) fn reach(occupied: u32, at: u32) -> u32 {
    let (upper, lower) = (!1 << at, (1 << at) - 1);
    let above = occupied & upper;
    let below = occupied & lower | 1; // beyond the edge anyway
    upper & (above ^ above.wrapping_sub(1)) | lower & u32::MAX << (31 - below.leading_zeros())
}

/// The bits of a line at most `range` points from the bit `at`.
#[inline(always)]
pub(super) const fn around(range: u32, at: u32) -> u32 {
    (((1_u64 << (2 * range + 1)) - 1) << (32 - range) >> (32 - at)) as u32
}

/// Bits of a set, lowest first.
pub(super) fn bits(mut set: u32) -> impl Iterator<Item = u32> {
    std::iter::from_fn(move || {
        (set != 0).then(|| {
            let bit = set.trailing_zeros();
            set &= set - 1;
            bit
        })
    })
}

/// Where a first leg ends.
pub(super) struct Landing {
    /// Its bit in the window around the start.
    pub(super) bit: u32,
    pub(super) point: Point,
    /// Files and ranks from the start.
    pub(super) offset: (i32, i32),
}

impl Landing {
    #[inline(always)]
    pub(super) fn of(start: Point, bit: u32) -> Landing {
        let offset = Near::offset(bit);
        let point =
            Point { file: (start.file as i32 + offset.0) as usize, rank: (start.rank as i32 + offset.1) as usize };
        Landing { bit, point, offset }
    }

    /// The start's bit in the window around the landing.
    #[inline(always)]
    pub(super) const fn start(&self) -> u32 {
        1 << (Near::BITS as u32 - 1 - self.bit)
    }
}

/// The stones of one side, line by line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SideLines {
    ranks: [u32; SIZE + 2 * MARGIN],
    files: [u32; SIZE],
    rising: [u32; DIAGONALS],
    falling: [u32; DIAGONALS],
}

impl SideLines {
    const EMPTY: SideLines = {
        let mut lines = SideLines {
            ranks: [!ON_BOARD; SIZE + 2 * MARGIN],
            files: [!ON_BOARD; SIZE],
            rising: [!0; DIAGONALS],
            falling: [!0; DIAGONALS],
        };
        let mut margin = 0;
        while margin < MARGIN {
            lines.ranks[margin] = !0;
            lines.ranks[SIZE + 2 * MARGIN - 1 - margin] = !0;
            margin += 1;
        }
        let mut square = 0;
        while square < POINTS {
            let Point { file, rank } = Point::of(Square::new(square));
            lines.rising[file + SIZE - 1 - rank] &= !(1 << (rank + MARGIN));
            lines.falling[file + rank] &= !(1 << (rank + MARGIN));
            square += 1;
        }
        lines
    };

    #[inline(always)]
    fn toggle(&mut self, Point { file, rank }: Point) {
        let bit = 1 << (rank + MARGIN);
        self.ranks[rank + MARGIN] ^= 1 << (file + MARGIN);
        self.files[file] ^= bit;
        self.rising[file + SIZE - 1 - rank] ^= bit;
        self.falling[file + rank] ^= bit;
    }

    /// The side's stones on the four lines through a point ([`Point::lines`]), and the points off the board.
    #[inline(always)]
    pub(super) fn through(&self, Point { file, rank }: Point) -> [u32; 4] {
        [self.ranks[rank + MARGIN], self.files[file], self.rising[file + SIZE - 1 - rank], self.falling[file + rank]]
    }

    /// The side's stones in the window around a point ([`Near`]), and the points off the board.
    #[inline(always)]
    pub(super) fn near(&self, Point { file, rank }: Point) -> u32 {
        let rows = &self.ranks[rank..rank + 5];
        let row = |at: usize| (rows[at] >> file & 0x1f) << (5 * at);
        row(0) | row(1) | row(2) | row(3) | row(4)
    }
}

impl SideLines {
    /// Whether the side has a stone on a point, or at most some files and ranks away from it.
    #[inline]
    pub(super) fn any_within(&self, Point { file, rank }: Point, distance: usize) -> bool {
        let rows = rank.saturating_sub(distance)..(rank + distance + 1).min(SIZE);
        let around = ((1_u64 << (2 * distance + 1)) - 1) << (file + MARGIN) >> distance;
        self.ranks[rows.start + MARGIN..rows.end + MARGIN].iter().any(|row| row & ON_BOARD & around as u32 != 0)
    }
}

/// The stones of both sides line by line, and how many show each face.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Index {
    pub(super) lines: [SideLines; 2],
    counts: [[u16; KINDS]; 2],
}

impl Index {
    pub(super) const EMPTY: Index = Index { lines: [SideLines::EMPTY; 2], counts: [[0; KINDS]; 2] };

    /// How many stones of a side show this face.
    #[inline(always)]
    pub(super) fn count(&self, side: Side, kind: Kind) -> usize {
        usize::from(self.counts[side.index()][kind])
    }
}

impl PieceIndex<Set384> for Index {
    #[inline(always)]
    fn put(&mut self, side: Side, kind: Kind, square: Square) {
        self.lines[side.index()].toggle(Point::of(square));
        self.counts[side.index()][kind] += 1;
    }

    #[inline(always)]
    fn take(&mut self, side: Side, kind: Kind, square: Square) {
        self.lines[side.index()].toggle(Point::of(square));
        self.counts[side.index()][kind] -= 1;
    }

    fn pieces_of(&self, cells: &[Cell], sides: &[Set384; 2], side: Side, kind: Kind) -> Set384 {
        let mut left = self.count(side, kind);
        let mut found = Set384::EMPTY;
        let mut pieces = sides[side.index()].squares();
        while left > 0
            && let Some(square) = pieces.next()
        {
            if cells[square.index()].kind() == kind {
                found |= Set384::of(square);
                left -= 1;
            }
        }
        found
    }
}
