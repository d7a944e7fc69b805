//! The method of Winograd along one axis: weights, inputs and outputs of a tile, and its points.
//!
//! Points are the values of polynomials at 0, 1, −1, 2, for tiles of four squares −2, and ∞. Each step is linear, and stands
//! beside its transpose, which the backward pass applies.

use crate::trunk::lanes::Lanes;

/// Squares of a kernel along an axis.
pub(super) const KERNEL: usize = 3;
/// From three weights to the points of a tile of 3 squares: 0, 1, −1, 2 and ∞.
const WEIGHTS_5: [[f32; KERNEL]; 5] = [
    [0.5, 0.0, 0.0],
    [-0.5, -0.5, -0.5],
    [-1.0 / 6.0, 1.0 / 6.0, -1.0 / 6.0],
    [1.0 / 6.0, 1.0 / 3.0, 2.0 / 3.0],
    [0.0, 0.0, 1.0],
];

/// From three weights to the points of a tile of 4 squares: 0, 1, −1, 2, −2 and ∞.
const WEIGHTS_6: [[f32; KERNEL]; 6] = [
    [0.25, 0.0, 0.0],
    [-1.0 / 6.0, -1.0 / 6.0, -1.0 / 6.0],
    [-1.0 / 6.0, 1.0 / 6.0, -1.0 / 6.0],
    [1.0 / 24.0, 1.0 / 12.0, 1.0 / 6.0],
    [1.0 / 24.0, -1.0 / 12.0, 1.0 / 6.0],
    [0.0, 0.0, 1.0],
];

pub(super) fn weight_rows(points: usize) -> &'static [[f32; KERNEL]] {
    if points == 5 { &WEIGHTS_5 } else { &WEIGHTS_6 }
}

/// `value · factor` for a factor that is known when the code is compiled.
#[inline(always)]
fn scaled<L: Lanes>(value: L, factor: f32) -> L {
    value.times(L::all(factor))
}

/// `sum + value · factor`.
#[inline(always)]
pub(super) fn plus<L: Lanes>(sum: L, value: L, factor: f32) -> L {
    value.times_plus(L::all(factor), sum)
}

/// From the inputs of a tile to its points, along one axis.
#[inline(always)]
pub(super) fn points_of_inputs<L: Lanes, const N: usize>(x: [L; N]) -> [L; N] {
    let mut t = x;
    if N == 5 {
        let tail = plus(x[3], x[2], -1.0);
        t[0] = plus(plus(tail, x[2], -1.0), x[0], 2.0).minus(x[1]);
        t[1] = plus(tail, x[1], -2.0);
        t[2] = plus(plus(x[3], x[2], -3.0), x[1], 2.0);
        t[3] = x[3].minus(x[1]);
        t[4] = plus(plus(x[4], x[3], -2.0), x[1], 2.0).minus(x[2]);
    } else {
        t[0] = plus(plus(x[4], x[2], -5.0), x[0], 4.0);
        let (even, odd) = (plus(x[4], x[2], -4.0), plus(x[3], x[1], -4.0));
        (t[1], t[2]) = (even.plus(odd), even.minus(odd));
        let (even, odd) = (x[4].minus(x[2]), scaled(x[3].minus(x[1]), 2.0));
        (t[3], t[4]) = (even.plus(odd), even.minus(odd));
        t[5] = plus(plus(x[5], x[3], -5.0), x[1], 4.0);
    }
    t
}

/// The transpose of [`points_of_inputs`].
#[inline(always)]
pub(super) fn inputs_of_points<L: Lanes, const N: usize>(t: [L; N]) -> [L; N] {
    let mut x = t;
    if N == 5 {
        x[0] = scaled(t[0], 2.0);
        let pair = scaled(t[2].minus(t[1]).plus(t[4]), 2.0);
        x[1] = pair.minus(t[0]).minus(t[3]);
        x[2] = plus(plus(t[1].plus(t[4]), t[0], 2.0), t[2], 3.0);
        x[2] = scaled(x[2], -1.0);
        x[3] = plus(t[0].plus(t[1]).plus(t[2].plus(t[3])), t[4], -2.0);
        x[4] = t[4];
    } else {
        let (near, far) = (t[1].plus(t[2]), t[3].plus(t[4]));
        let (near_odd, far_odd) = (t[1].minus(t[2]), t[3].minus(t[4]));
        x[0] = scaled(t[0], 4.0);
        x[1] = plus(plus(scaled(t[5], 4.0), near_odd, -4.0), far_odd, -2.0);
        x[2] = plus(plus(scaled(far, -1.0), near, -4.0), t[0], -5.0);
        x[3] = plus(plus(near_odd, far_odd, 2.0), t[5], -5.0);
        x[4] = t[0].plus(near).plus(far);
        x[5] = t[5];
    }
    x
}

/// From points to the outputs of a tile, along one axis: three or four of them.
#[inline(always)]
pub(super) fn outputs_of_points<L: Lanes, const N: usize>(m: [L; N]) -> [L; 4] {
    let (sum, difference) = (m[1].plus(m[2]), m[1].minus(m[2]));
    if N == 5 {
        let [y0, y1] = [m[0].plus(sum).plus(m[3]), plus(difference, m[3], 2.0)];
        [y0, y1, plus(sum, m[3], 4.0).plus(m[4]), L::all(0.0)]
    } else {
        let (far, far_odd) = (m[3].plus(m[4]), m[3].minus(m[4]));
        let [y0, y1] = [m[0].plus(sum).plus(far), plus(difference, far_odd, 2.0)];
        [y0, y1, plus(sum, far, 4.0), plus(difference, far_odd, 8.0).plus(m[N - 1])]
    }
}

/// The transpose of [`outputs_of_points`].
#[inline(always)]
pub(super) fn points_of_outputs<L: Lanes, const N: usize>(y: [L; 4]) -> [L; N] {
    let mut m = [y[0]; N];
    if N == 5 {
        let even = y[0].plus(y[2]);
        (m[1], m[2]) = (even.plus(y[1]), even.minus(y[1]));
        m[3] = plus(plus(y[0], y[1], 2.0), y[2], 4.0);
        m[4] = y[2];
    } else {
        let (even, odd) = (y[0].plus(y[2]), y[1].plus(y[3]));
        (m[1], m[2]) = (even.plus(odd), even.minus(odd));
        let (even, odd) = (plus(y[0], y[2], 4.0), scaled(plus(y[1], y[3], 4.0), 2.0));
        (m[3], m[4]) = (even.plus(odd), even.minus(odd));
        m[N - 1] = y[3];
    }
    m
}
