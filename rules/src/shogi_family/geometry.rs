//! Tables of a square board of up to 11 × 11, made at compile time. Square `SIZE * rank + file` is that bit.

/// Steps of a gold, (file, rank), for the first player.
pub(crate) const GOLD: &[(i32, i32)] = &[(-1, 1), (0, 1), (1, 1), (-1, 0), (1, 0), (0, -1)];
/// Steps of a silver.
pub(crate) const SILVER: &[(i32, i32)] = &[(-1, 1), (0, 1), (1, 1), (-1, -1), (1, -1)];
/// Leaps of a (forward) knight.
pub(crate) const KNIGHT: &[(i32, i32)] = &[(-1, 2), (1, 2)];
/// Leaps of a chess knight.
pub(crate) const LEAPS: &[(i32, i32)] = &[(-1, 2), (1, 2), (-2, 1), (2, 1), (-2, -1), (2, -1), (-1, -2), (1, -2)];
/// Steps of a king; the directions of all lines.
pub(crate) const KING: &[(i32, i32)] = &[(0, 1), (0, -1), (1, 0), (-1, 0), (1, 1), (-1, -1), (-1, 1), (1, -1)];

const fn bit<const SIZE: usize>(file: i32, rank: i32) -> u128 {
    let size = SIZE as i32;
    if file >= 0 && file < size && rank >= 0 && rank < size { 1 << (rank * size + file) } else { 0 }
}

/// Squares reached from each square by offsets, for each side: turned for the second player.
pub(crate) const fn steps<const SIZE: usize, const SQUARES: usize>(offsets: &[(i32, i32)]) -> [[u128; SQUARES]; 2] {
    let mut table = [[0; SQUARES]; 2];
    let mut from = 0;
    while from < SQUARES {
        let (file, rank) = ((from % SIZE) as i32, (from / SIZE) as i32);
        let mut i = 0;
        while i < offsets.len() {
            let (dx, dy) = offsets[i];
            table[0][from] |= bit::<SIZE>(file + dx, rank + dy);
            table[1][from] |= bit::<SIZE>(file - dx, rank - dy);
            i += 1;
        }
        from += 1;
    }
    table
}

/// The squares from `from` (exclusive) in one direction to the edge.
const fn ray<const SIZE: usize>(from: usize, (dx, dy): (i32, i32)) -> u128 {
    let (mut file, mut rank) = ((from % SIZE) as i32 + dx, (from / SIZE) as i32 + dy);
    let mut set = 0;
    while bit::<SIZE>(file, rank) != 0 {
        set |= bit::<SIZE>(file, rank);
        file += dx;
        rank += dy;
    }
    set
}

/// The lines through a square, without the square: file, rank, diagonal (to the upper right), antidiagonal.
const fn lines_of<const SIZE: usize>(from: usize) -> [u128; 4] {
    [
        ray::<SIZE>(from, (0, 1)) | ray::<SIZE>(from, (0, -1)),
        ray::<SIZE>(from, (1, 0)) | ray::<SIZE>(from, (-1, 0)),
        ray::<SIZE>(from, (1, 1)) | ray::<SIZE>(from, (-1, -1)),
        ray::<SIZE>(from, (-1, 1)) | ray::<SIZE>(from, (1, -1)),
    ]
}

/// The lines through each square, without the square: file, rank, diagonal (to the upper right), antidiagonal.
pub(crate) const fn lines<const SIZE: usize, const SQUARES: usize>() -> [[u128; 4]; SQUARES] {
    let mut table = [[0; 4]; SQUARES];
    let mut from = 0;
    while from < SQUARES {
        table[from] = lines_of::<SIZE>(from);
        from += 1;
    }
    table
}

/// The diagonals, and the files and ranks, of each square's neighbours.
pub(crate) const fn near<const SIZE: usize, const SQUARES: usize>() -> [[u128; 2]; SQUARES] {
    let [king, _] = steps::<SIZE, SQUARES>(KING);
    let mut table = [[0; 2]; SQUARES];
    let mut from = 0;
    while from < SQUARES {
        let mut neighbours = king[from];
        while neighbours != 0 {
            let [file, rank, diagonal, antidiagonal] = lines_of::<SIZE>(neighbours.trailing_zeros() as usize);
            neighbours &= neighbours - 1;
            table[from][0] |= diagonal | antidiagonal;
            table[from][1] |= file | rank;
        }
        from += 1;
    }
    table
}

/// `[file][inner]`: attacks along a rank whose inner squares are occupied as the bits of `inner` say; the first file
/// of the rank is bit 0 of the attacks. `INNER` is 2 to the number of inner squares.
pub(crate) const fn rank_attacks<const SIZE: usize, const INNER: usize>() -> [[u16; INNER]; SIZE] {
    let mut table = [[0; INNER]; SIZE];
    let mut file = 0;
    while file < SIZE {
        let mut inner = 0;
        while inner < INNER {
            let occupied = inner << 1;
            let mut direction = -1;
            while direction <= 1 {
                let mut at = file as i32 + direction;
                while at >= 0 && at < SIZE as i32 {
                    table[file][inner] |= 1 << at;
                    if occupied >> at & 1 != 0 {
                        break;
                    }
                    at += direction;
                }
                direction += 2;
            }
            inner += 1;
        }
        file += 1;
    }
    table
}

/// Squares strictly between two squares of one line; empty if they are on none.
pub(crate) const fn between<const SIZE: usize, const SQUARES: usize>() -> [[u128; SQUARES]; SQUARES] {
    let mut table = [[0; SQUARES]; SQUARES];
    let mut from = 0;
    while from < SQUARES {
        let mut d = 0;
        while d < KING.len() {
            let whole = ray::<SIZE>(from, KING[d]);
            let mut rest = whole;
            while rest != 0 {
                let to = rest.trailing_zeros() as usize;
                rest &= rest - 1;
                table[from][to] = whole & !ray::<SIZE>(to, KING[d]) & !(1 << to);
            }
            d += 1;
        }
        from += 1;
    }
    table
}

/// A table for a board of at most 64 squares.
pub(crate) const fn narrow<const N: usize, const M: usize>(wide: [[u128; N]; M]) -> [[u64; N]; M] {
    let mut table = [[0; N]; M];
    let mut row = 0;
    while row < M {
        let mut i = 0;
        while i < N {
            table[row][i] = wide[row][i] as u64;
            i += 1;
        }
        row += 1;
    }
    table
}
