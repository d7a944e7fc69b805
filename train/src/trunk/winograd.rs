//! Convolutions of 3×3 by the method of Winograd (Lavin and Gray 2015), forward and backward.
//!
//! A board is cut into tiles of 3 or 4 squares along each axis. A tile's inputs, two squares more along each axis, become
//! as many *points* by additions and a few multiplications; weights become points, too. At each point a convolution is a
//! product of matrices, and outputs come from points in the same way. A tile of 4×3 squares has 6·5 = 30 points, so that 30
//! multiplications take the place of 4·3·9 = 108. Every step is linear; the backward pass applies the transposed steps in
//! reverse.

use crate::trunk::axis::{
    KERNEL, inputs_of_points, outputs_of_points, plus, points_of_inputs, points_of_outputs, weight_rows,
};
use crate::trunk::lanes::{LANES, Lanes, Matrix, product};

/// The largest number of points of a tile along an axis.
const MOST: usize = 6;
/// Numbers of activations at points that are kept at once: they stay in the cache of a core.
const AT_ONCE: usize = 96 << 10;
/// No square: beyond the edge of the board.
const OUTSIDE: usize = usize::MAX;

/// How a board is cut into tiles.
#[derive(Clone, Debug)]
pub(super) struct Tiling {
    pub squares: usize,
    /// Points of a tile along ranks and files: 5 or 6 each.
    size: [usize; 2],
    /// The square of each input of each tile, or [`OUTSIDE`].
    inputs: Vec<[usize; MOST * MOST]>,
}

/// Points of a tile along an axis of so many squares, so that there are few in all.
fn best(length: usize) -> usize {
    let all = |points: usize| length.div_ceil(points - 2) * points;
    if all(5) < all(6) { 5 } else { 6 }
}

impl Tiling {
    pub fn new(ranks: usize, files: usize) -> Tiling {
        let size = [best(ranks), best(files)];
        let [height, width] = size.map(|points| points - 2);
        let mut inputs = Vec::new();
        for rank in (0..ranks).step_by(height) {
            for file in (0..files).step_by(width) {
                let mut squares = [OUTSIDE; MOST * MOST];
                for (i, j) in (0..size[0]).flat_map(|i| (0..size[1]).map(move |j| (i, j))) {
                    // The first input lies one square before the first output.
                    let (rank, file) = (rank + i, file + j);
                    if (1..=ranks).contains(&rank) && (1..=files).contains(&file) {
                        squares[i * MOST + j] = (rank - 1) * files + file - 1;
                    }
                }
                inputs.push(squares);
            }
        }
        Tiling { squares: ranks * files, size, inputs }
    }

    /// Points of a tile.
    pub fn points(&self) -> usize {
        self.size[0] * self.size[1]
    }

    fn tiles(&self) -> usize {
        self.inputs.len()
    }

    /// Samples that are computed together in layers with at most so many channels.
    pub fn samples_at_once(&self, channels: usize) -> usize {
        (AT_ONCE / (self.points() * self.tiles() * channels)).max(1)
    }
}

/// The place of each number of a matrix of points: the numbers of one point for all tiles are together.
#[derive(Clone, Copy)]
struct Points {
    channels: usize,
    /// From one point to the next. It is no power of two, which would fill a small part of the cache.
    stride: usize,
}

impl Points {
    fn new(tiles: usize, channels: usize) -> Points {
        Points { channels, stride: tiles * channels + LANES }
    }

    fn of(self, point: usize) -> usize {
        point * self.stride
    }
}

/// Memory for the points of some samples.
#[derive(Default)]
pub(super) struct Scratch {
    inputs: Vec<f32>,
    outputs: Vec<f32>,
}

impl Scratch {
    fn reserve(&mut self, points: usize, inputs: Points, outputs: Points) {
        let grow = |values: &mut Vec<f32>, length| {
            if values.len() < length {
                values.resize(length, 0.0);
            }
        };
        grow(&mut self.inputs, points * inputs.stride);
        grow(&mut self.outputs, points * outputs.stride);
    }
}

/// Weights at the points.
#[derive(Default)]
pub(super) struct Weights {
    pub from: usize,
    pub to: usize,
    /// `[points][from][to]`.
    forward: Vec<f32>,
    /// `[points][to][from]`; empty where no gradient of the inputs is needed.
    backward: Vec<f32>,
}

/// Both products of two axes: `rows[i][k] · columns[j][l]`.
fn coefficients(size: [usize; 2]) -> impl Iterator<Item = [f32; KERNEL * KERNEL]> {
    let [rows, columns] = size.map(weight_rows);
    rows.iter().flat_map(move |row| {
        columns.iter().map(move |column| std::array::from_fn(|kl| row[kl / KERNEL] * column[kl % KERNEL]))
    })
}

impl Weights {
    /// Puts the weights `[to][given][3][3]` at the points. `from` is `given` or more; further inputs have weights of 0.
    #[inline(always)]
    pub fn set<L: Lanes>(&mut self, tiling: &Tiling, values: &[f32], [from, to, given]: [usize; 3], backward: bool) {
        (self.from, self.to) = (from, to);
        let length = tiling.points() * from * to;
        self.forward.resize(length, 0.0);
        self.backward.resize(if backward { length } else { 0 }, 0.0);
        let mut plain = vec![0f32; KERNEL * KERNEL * from * to];
        lay(&mut plain, values, [from, to, given], |i, o| i * to + o);
        at_points::<L>(tiling, &plain, &mut self.forward);
        if backward {
            lay(&mut plain, values, [from, to, given], |i, o| o * from + i);
            at_points::<L>(tiling, &plain, &mut self.backward);
        }
    }
}

/// Writes the weights `[to][given][3][3]` to `[9][numbers]`; `place` says where that of an input and an output lies.
fn lay(plain: &mut [f32], values: &[f32], [from, to, given]: [usize; 3], place: impl Fn(usize, usize) -> usize) {
    for (kl, plain) in plain.chunks_exact_mut(from * to).enumerate() {
        for (o, kernels) in values.chunks_exact(given * KERNEL * KERNEL).enumerate() {
            for (i, kernel) in kernels.chunks_exact(KERNEL * KERNEL).enumerate() {
                plain[place(i, o)] = kernel[kl];
            }
        }
    }
}

/// From `[9][numbers]` to `[points][numbers]`.
#[inline(always)]
fn at_points<L: Lanes>(tiling: &Tiling, plain: &[f32], out: &mut [f32]) {
    let numbers = plain.len() / (KERNEL * KERNEL);
    for (coefficients, out) in coefficients(tiling.size).zip(out.chunks_exact_mut(numbers)) {
        for at in (0..numbers).step_by(LANES) {
            let mut sum = L::all(0.0);
            for (kl, &coefficient) in coefficients.iter().enumerate() {
                sum = plus(sum, L::load(&plain[kl * numbers + at..]), coefficient);
            }
            sum.store(&mut out[at..]);
        }
    }
}

/// The gradient of the weights, `[to][given][3][3]`, from its points `[points][from][to]`. It is added to `out`.
#[inline(always)]
pub(super) fn weight_gradient<L: Lanes>(
    tiling: &Tiling,
    points: &[f32],
    [from, to, given]: [usize; 3],
    out: &mut [f32],
) {
    let numbers = from * to;
    let mut plain = vec![0f32; KERNEL * KERNEL * numbers];
    for (coefficients, points) in coefficients(tiling.size).zip(points.chunks_exact(numbers)) {
        for at in (0..numbers).step_by(LANES) {
            let value = L::load(&points[at..]);
            for (kl, &coefficient) in coefficients.iter().enumerate() {
                let sum = &mut plain[kl * numbers + at..];
                plus(L::load(sum), value, coefficient).store(sum);
            }
        }
    }
    for (kl, plain) in plain.chunks_exact(numbers).enumerate() {
        for (o, kernels) in out.chunks_exact_mut(given * KERNEL * KERNEL).enumerate() {
            for (i, kernel) in kernels.chunks_exact_mut(KERNEL * KERNEL).enumerate() {
                kernel[kl] += plain[i * to + o];
            }
        }
    }
}

/// Runs code with both sizes of a tile as constants.
macro_rules! with_sizes {
    ($tiling:expr, $function:ident::<$lanes:ident>($($argument:expr),*)) => {
        match $tiling.size {
            [5, 5] => $function::<$lanes, 5, 5>($($argument),*),
            [5, _] => $function::<$lanes, 5, 6>($($argument),*),
            [_, 5] => $function::<$lanes, 6, 5>($($argument),*),
            _ => $function::<$lanes, 6, 6>($($argument),*),
        }
    };
}

/// Applies a step along one axis and then the other. (As a parameter of a function the step would not be inlined, and then
/// it would not be compiled for the instructions.)
macro_rules! both_axes {
    ($patch:ident, $lanes:ident, $step:ident, $rows:ident, $columns:ident) => {
        for j in 0..$columns {
            let mut column = [$lanes::all(0.0); $rows];
            for i in 0..$rows {
                column[i] = $patch[i][j];
            }
            let column = $step(column);
            for i in 0..$rows {
                $patch[i][j] = column[i];
            }
        }
        for row in &mut $patch {
            *row = $step(*row);
        }
    };
}

/// From the squares of some samples to points.
#[inline(always)]
fn squares_to_points<L: Lanes, const R: usize, const C: usize>(
    tiling: &Tiling,
    x: &[f32],
    points: &mut [f32],
    at: Points,
) {
    let channels = at.channels;
    for (sample, x) in x.chunks_exact(tiling.squares * channels).enumerate() {
        for (tile, squares) in tiling.inputs.iter().enumerate() {
            let to = (sample * tiling.tiles() + tile) * channels;
            for channel in (0..channels).step_by(LANES) {
                let mut patch = [[L::all(0.0); C]; R];
                for (i, row) in patch.iter_mut().enumerate() {
                    for (j, value) in row.iter_mut().enumerate() {
                        let square = squares[i * MOST + j];
                        if square != OUTSIDE {
                            *value = L::load(&x[square * channels + channel..]);
                        }
                    }
                }
                both_axes!(patch, L, points_of_inputs, R, C);
                for (point, value) in patch.iter().flatten().enumerate() {
                    value.store(&mut points[at.of(point) + to + channel..]);
                }
            }
        }
    }
}

/// The transpose of [`squares_to_points`]; adds to the squares.
#[inline(always)]
fn points_to_squares<L: Lanes, const R: usize, const C: usize>(
    tiling: &Tiling,
    points: &[f32],
    at: Points,
    x: &mut [f32],
) {
    let channels = at.channels;
    for (sample, x) in x.chunks_exact_mut(tiling.squares * channels).enumerate() {
        for (tile, squares) in tiling.inputs.iter().enumerate() {
            let from = (sample * tiling.tiles() + tile) * channels;
            for channel in (0..channels).step_by(LANES) {
                let mut patch = [[L::all(0.0); C]; R];
                for (point, value) in patch.iter_mut().flatten().enumerate() {
                    *value = L::load(&points[at.of(point) + from + channel..]);
                }
                both_axes!(patch, L, inputs_of_points, R, C);
                for (i, row) in patch.iter().enumerate() {
                    for (j, value) in row.iter().enumerate() {
                        let square = squares[i * MOST + j];
                        if square != OUTSIDE {
                            let sum = &mut x[square * channels + channel..];
                            L::load(sum).plus(*value).store(sum);
                        }
                    }
                }
            }
        }
    }
}

/// From points to the outputs of some samples.
#[inline(always)]
fn points_to_outputs<L: Lanes, const R: usize, const C: usize>(
    tiling: &Tiling,
    points: &[f32],
    at: Points,
    y: &mut [f32],
) {
    let channels = at.channels;
    for (sample, y) in y.chunks_exact_mut(tiling.squares * channels).enumerate() {
        for (tile, squares) in tiling.inputs.iter().enumerate() {
            let from = (sample * tiling.tiles() + tile) * channels;
            for channel in (0..channels).step_by(LANES) {
                let mut half = [[L::all(0.0); C]; 4];
                for j in 0..C {
                    let mut column = [L::all(0.0); R];
                    for (i, value) in column.iter_mut().enumerate() {
                        *value = L::load(&points[at.of(i * C + j) + from + channel..]);
                    }
                    for (row, value) in half.iter_mut().zip(outputs_of_points(column)) {
                        row[j] = value;
                    }
                }
                for (i, row) in half.iter().enumerate().take(R - 2) {
                    for (j, value) in outputs_of_points(*row).iter().enumerate().take(C - 2) {
                        let square = squares[(i + 1) * MOST + j + 1];
                        if square != OUTSIDE {
                            value.store(&mut y[square * channels + channel..]);
                        }
                    }
                }
            }
        }
    }
}

/// The transpose of [`points_to_outputs`].
#[inline(always)]
fn outputs_to_points<L: Lanes, const R: usize, const C: usize>(
    tiling: &Tiling,
    y: &[f32],
    points: &mut [f32],
    at: Points,
) {
    let channels = at.channels;
    for (sample, y) in y.chunks_exact(tiling.squares * channels).enumerate() {
        for (tile, squares) in tiling.inputs.iter().enumerate() {
            let to = (sample * tiling.tiles() + tile) * channels;
            for channel in (0..channels).step_by(LANES) {
                let mut half = [[L::all(0.0); C]; 4];
                for (i, half) in half.iter_mut().enumerate().take(R - 2) {
                    let mut row = [L::all(0.0); 4];
                    for (j, value) in row.iter_mut().enumerate().take(C - 2) {
                        let square = squares[(i + 1) * MOST + j + 1];
                        if square != OUTSIDE {
                            *value = L::load(&y[square * channels + channel..]);
                        }
                    }
                    *half = points_of_outputs(row);
                }
                for j in 0..C {
                    let column: [L; R] = points_of_outputs([half[0][j], half[1][j], half[2][j], half[3][j]]);
                    for (i, value) in column.into_iter().enumerate() {
                        value.store(&mut points[at.of(i * C + j) + to + channel..]);
                    }
                }
            }
        }
    }
}

/// The convolution of some samples, `[samples][squares][from]` to `[samples][squares][to]`.
#[inline(always)]
pub(super) fn forward<L: Lanes>(tiling: &Tiling, weights: &Weights, x: &[f32], y: &mut [f32], scratch: &mut Scratch) {
    let &Weights { from, to, .. } = weights;
    let tiles = x.len() / (tiling.squares * from) * tiling.tiles();
    let (inputs, outputs) = (Points::new(tiles, from), Points::new(tiles, to));
    scratch.reserve(tiling.points(), inputs, outputs);
    with_sizes!(tiling, squares_to_points::<L>(tiling, x, &mut scratch.inputs, inputs));
    for (point, weights) in weights.forward.chunks_exact(from * to).enumerate() {
        let x = Matrix { values: &scratch.inputs[inputs.of(point)..], row: from, column: 1 };
        let weights = Matrix { values: weights, row: to, column: 1 };
        product::<L, false>([tiles, from, to], x, weights, &mut scratch.outputs[outputs.of(point)..], to);
    }
    with_sizes!(tiling, points_to_outputs::<L>(tiling, &scratch.outputs, outputs, y));
}

/// The gradients of a convolution of some samples. That of the weights, at the points, is added to `weight_gradient`, and
/// that of the inputs to `x_gradient`, if it is wanted.
#[inline(always)]
pub(super) fn backward<L: Lanes>(
    tiling: &Tiling,
    weights: &Weights,
    [x, y_gradient]: [&[f32]; 2],
    x_gradient: Option<&mut [f32]>,
    weight_gradient: &mut [f32],
    scratch: &mut Scratch,
) {
    let &Weights { from, to, .. } = weights;
    let tiles = x.len() / (tiling.squares * from) * tiling.tiles();
    let (inputs, outputs) = (Points::new(tiles, from), Points::new(tiles, to));
    scratch.reserve(tiling.points(), inputs, outputs);
    with_sizes!(tiling, squares_to_points::<L>(tiling, x, &mut scratch.inputs, inputs));
    with_sizes!(tiling, outputs_to_points::<L>(tiling, y_gradient, &mut scratch.outputs, outputs));
    for (point, sums) in weight_gradient.chunks_exact_mut(from * to).enumerate() {
        let x = Matrix { values: &scratch.inputs[inputs.of(point)..], row: 1, column: from };
        let y = Matrix { values: &scratch.outputs[outputs.of(point)..], row: to, column: 1 };
        product::<L, true>([from, tiles, to], x, y, sums, to);
    }
    if let Some(x_gradient) = x_gradient {
        for (point, weights) in weights.backward.chunks_exact(from * to).enumerate() {
            let y = Matrix { values: &scratch.outputs[outputs.of(point)..], row: to, column: 1 };
            let weights = Matrix { values: weights, row: from, column: 1 };
            product::<L, false>([tiles, to, from], y, weights, &mut scratch.inputs[inputs.of(point)..], from);
        }
        with_sizes!(tiling, points_to_squares::<L>(tiling, &scratch.inputs, inputs, x_gradient));
    }
}
