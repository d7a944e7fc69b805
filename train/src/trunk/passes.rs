//! What a trunk computes on each number by itself: norm, gates, residual sum and ReLU in one pass, and sums for gradients.
//!
//! Activations of a sample are `[squares][channels]`. Coefficients are `[channels]` for each sample.

use crate::trunk::lanes::{LANES, Lanes};

/// `out = max(0, x · scale + shift + residual)`.
#[inline(always)]
pub(super) fn activate<L: Lanes>(x: &[f32], [scale, shift]: [&[f32]; 2], residual: Option<&[f32]>, out: &mut [f32]) {
    let length = x.len().min(out.len());
    for channel in (0..scale.len()).step_by(LANES) {
        let (scale_here, shift_here) = (L::load(&scale[channel..]), L::load(&shift[channel..]));
        for at in (channel..length).step_by(scale.len()) {
            let mut value = L::load(&x[at..]).times_plus(scale_here, shift_here);
            if let Some(residual) = residual {
                value = value.plus(L::load(&residual[at..]));
            }
            value.relu().store(&mut out[at..]);
        }
    }
}

/// Sums of `x` and of its squares over the board.
#[inline(always)]
pub(super) fn moments<L: Lanes>(x: &[f32], sum: &mut [f32], squares: &mut [f32]) {
    let channels = sum.len();
    for channel in (0..channels).step_by(LANES) {
        let mut sums = [L::all(0.0); 2];
        for at in (channel..x.len()).step_by(channels) {
            let value = L::load(&x[at..]);
            sums = [sums[0].plus(value), value.times_plus(value, sums[1])];
        }
        sums[0].store(&mut sum[channel..]);
        sums[1].store(&mut squares[channel..]);
    }
}

/// Sets the gradient to 0 where `gate` is not above 0. Returns the sums of the gradient, and of the gradient times `x`, over
/// the board.
#[inline(always)]
pub(super) fn gate<L: Lanes>(gradient: &mut [f32], [gate, x]: [&[f32]; 2], sum: &mut [f32], products: &mut [f32]) {
    let channels = sum.len();
    for channel in (0..channels).step_by(LANES) {
        let mut sums = [L::all(0.0); 2];
        for at in (channel..gradient.len()).step_by(channels) {
            let open = L::load(&gradient[at..]).where_positive(L::load(&gate[at..]));
            open.store(&mut gradient[at..]);
            sums = [sums[0].plus(open), open.times_plus(L::load(&x[at..]), sums[1])];
        }
        sums[0].store(&mut sum[channel..]);
        sums[1].store(&mut products[channel..]);
    }
}

/// `out = gradient · by_gradient + x · by_x + rest`: the gradient before a norm.
#[inline(always)]
pub(super) fn before_norm<L: Lanes>(
    [gradient, x]: [&[f32]; 2],
    [by_gradient, by_x, rest]: [&[f32]; 3],
    out: &mut [f32],
) {
    let length = gradient.len().min(out.len());
    for channel in (0..rest.len()).step_by(LANES) {
        let [a, b, c] = [by_gradient, by_x, rest].map(|of| L::load(&of[channel..]));
        for at in (channel..length).step_by(rest.len()) {
            let value = L::load(&x[at..]).times_plus(b, c);
            L::load(&gradient[at..]).times_plus(a, value).store(&mut out[at..]);
        }
    }
}
