//! Convolution of 1 × 1 and 3 × 3 in tiles: the sums of some squares in a row and of one or two groups of 16 outputs stay
//! in registers while all weights of these outputs go by.
//!
//! Activations are `[group of 16 channels][square]`, so the inputs of a tile are side by side for any number of channels.
//! There is no border: products with squares outside of the board are left out.

use crate::board::Board;
use crate::format::Format;
use crate::kernels::instruction_set::MultiplyAdd;
use crate::lanes::Lanes;
use crate::packing::PackedConv;

/// The largest tile of all kernels.
const MOST_SQUARES: usize = 10;
const MOST_GROUPS: usize = 2;

/// A convolution and what it reads.
struct Task<'a, F: Format> {
    conv: &'a PackedConv<F>,
    board: Board,
    x: &'a [F::Channels],
}

/// Where a tile begins.
#[derive(Clone, Copy)]
struct TileCorner {
    rank: usize,
    file: usize,
    group: usize,
}

/// Convolves `x`, `[group][square]` on a board, into `y`.
///
/// # Panics
/// If `x` or `y` has another length.
pub(crate) fn convolve<F: Format, K: MultiplyAdd<F>>(
    kernel: K,
    conv: &PackedConv<F>,
    board: Board,
    x: &[F::Channels],
    y: &mut [Lanes],
) {
    // Without a neighbourhood the squares are one long row.
    let board = if conv.size == 1 { Board::row(board.squares()) } else { board };
    assert_eq!(x.len(), conv.in_blocks * board.squares(), "inputs for each square");
    assert_eq!(y.len(), conv.out_blocks * board.squares(), "outputs for each square");
    let task = Task { conv, board, x };
    let tiles = board.files.div_ceil(K::SQUARES);
    for group in (0..conv.out_blocks).step_by(K::GROUPS) {
        let groups = K::GROUPS.min(conv.out_blocks - group);
        for rank in 0..board.ranks {
            for tile in 0..tiles {
                let [file, next] = [tile, tile + 1].map(|tile| tile * board.files / tiles);
                dispatch(kernel, &task, TileCorner { rank, file, group }, next - file, groups, y);
            }
        }
    }
}

/// Calls the function for a tile of so many squares and groups of outputs.
fn dispatch<F: Format, K: MultiplyAdd<F>>(
    kernel: K,
    task: &Task<F>,
    corner: TileCorner,
    squares: usize,
    groups: usize,
    y: &mut [Lanes],
) {
    macro_rules! call {
        ($squares:literal) => {
            match groups {
                1 => kernel.run(
                    #[inline(always)]
                    || tile::<F, K, $squares, 1>(kernel, task, corner, y),
                ),
                _ => kernel.run(
                    #[inline(always)]
                    || tile::<F, K, $squares, MOST_GROUPS>(kernel, task, corner, y),
                ),
            }
        };
    }
    match squares {
        1 => call!(1),
        2 => call!(2),
        3 => call!(3),
        4 => call!(4),
        5 => call!(5),
        6 => call!(6),
        7 => call!(7),
        8 => call!(8),
        9 => call!(9),
        _ => call!(10),
    }
}

/// The outputs of `SQUARES` squares in a rank and of `GROUPS` groups of 16 outputs.
#[inline(always)]
fn tile<F: Format, K: MultiplyAdd<F>, const SQUARES: usize, const GROUPS: usize>(
    kernel: K,
    task: &Task<F>,
    corner: TileCorner,
    y: &mut [Lanes],
) {
    const { assert!(K::SQUARES <= MOST_SQUARES && K::GROUPS <= MOST_GROUPS) };
    // Larger tiles than a kernel has are never asked for, so nothing is compiled for them.
    assert!(SQUARES <= K::SQUARES && GROUPS <= K::GROUPS);
    let Task { conv, board, x } = *task;
    let (squares, half, taps) = (board.squares(), conv.size / 2, conv.size * conv.size);
    let mut sums = [[kernel.zero(); GROUPS]; SQUARES];
    for tap in 0..taps {
        let Some(rank) = (corner.rank + tap / conv.size).checked_sub(half).filter(|&rank| rank < board.ranks) else {
            continue;
        };
        let shift = tap % conv.size;
        let skips_first = corner.file + shift < half;
        let skips_last = corner.file + SQUARES + shift > board.files + half;
        // The square that the first output reads; one before the rank if the first output is skipped.
        let start = (rank * board.files + corner.file + shift).wrapping_sub(half);
        for block in 0..conv.in_blocks {
            let weights: [&F::Weights; GROUPS] = std::array::from_fn(|group| {
                &conv.weights[((corner.group + group) * taps + tap) * conv.in_blocks + block]
            });
            let start = start.wrapping_add(block * squares);
            match (skips_first, skips_last) {
                (false, false) => add::<F, K, SQUARES, GROUPS, 0, 0>(kernel, &mut sums, x, start, weights),
                (true, _) => add::<F, K, SQUARES, GROUPS, 1, 0>(kernel, &mut sums, x, start, weights),
                (_, true) => add::<F, K, SQUARES, GROUPS, 0, 1>(kernel, &mut sums, x, start, weights),
            }
        }
    }
    // The sums are copied to memory only here: an index that is not constant would keep them there from the beginning.
    let sums = std::hint::black_box(sums);
    for group in 0..GROUPS {
        let block = corner.group + group;
        let start = block * squares + corner.rank * board.files + corner.file;
        for (output, sums) in y[start..start + SQUARES].iter_mut().zip(&sums) {
            *output = kernel.values(sums[group], &conv.scale[block], &conv.bias[block]);
        }
    }
}

/// Adds the products of one tap and 16 inputs, without the first or the last square of the tile.
#[inline(always)]
fn add<F, K, const SQUARES: usize, const GROUPS: usize, const FIRST: usize, const LAST: usize>(
    kernel: K,
    sums: &mut [[K::Sums; GROUPS]; SQUARES],
    x: &[F::Channels],
    start: usize,
    weights: [&F::Weights; GROUPS],
) where
    F: Format,
    K: MultiplyAdd<F>,
{
    let start = start.wrapping_add(FIRST);
    let x = &x[start..start + (SQUARES - FIRST - LAST)];
    for step in 0..F::STEPS {
        let weights: [K::Weights; GROUPS] = std::array::from_fn(|group| kernel.weights(weights[group], step));
        for square in FIRST..SQUARES - LAST {
            let inputs = kernel.inputs(&x[square - FIRST], step);
            for group in 0..GROUPS {
                sums[square][group] = kernel.multiply_add(sums[square][group], inputs, weights[group]);
            }
        }
    }
}
