//! Squeeze and excite: gates of the channels from their means over the board.

use crate::error::Result;
use crate::host;
use crate::network::blocks::Dense;
use crate::trunk::instructions::Instructions;
use crate::trunk::lanes::{LANES, Lanes, Matrix, Work, product};

/// The gates of one block for a batch, as the backward pass needs them.
#[derive(Default)]
pub(super) struct Se {
    channels: usize,
    /// Numbers between the two layers, filled up to a multiple of [`LANES`].
    hidden: usize,
    /// `[batch][channels]`: means over the board after the norm.
    means: Vec<f32>,
    /// `[batch][hidden]`, after the ReLU.
    between: Vec<f32>,
    /// `[batch][channels]`: factors 0 to 1, and what is added.
    gate: Vec<f32>,
    offset: Vec<f32>,
    /// `[hidden][channels]` and `[2 × channels][hidden]`.
    squeeze: Vec<f32>,
    excite: Vec<f32>,
}

/// `out += a · b` for matrices in slices.
struct Product<'a> {
    sizes: [usize; 3],
    a: Matrix<'a>,
    b: Matrix<'a>,
    out: &'a mut [f32],
}

impl Work for Product<'_> {
    #[inline(always)]
    fn with<L: Lanes>(self) {
        let row = self.sizes[2];
        product::<L, true>(self.sizes, self.a, self.b, self.out, row);
    }
}

/// A matrix whose rows have this length.
fn rows(values: &[f32], row: usize) -> Matrix<'_> {
    Matrix { values, row, column: 1 }
}

/// A matrix whose columns have this length: the transpose of one with such rows.
fn columns(values: &[f32], column: usize) -> Matrix<'_> {
    Matrix { values, row: 1, column }
}

/// The transpose of a matrix with rows of this length.
fn transposed(values: &[f32], row: usize) -> Vec<f32> {
    (0..row).flat_map(|column| values[column..].iter().step_by(row).copied()).collect()
}

impl Se {
    /// Computes the gates. `sums` are those of the convolution over the board, and `norm` are scale and shift of its norm.
    ///
    /// # Errors
    /// libtorch refuses (memory).
    pub fn forward(
        &mut self,
        instructions: Instructions,
        [squeeze, excite]: [&Dense; 2],
        squares: usize,
        sums: &[f32],
        [scale, shift]: [&[f32]; 2],
    ) -> Result<()> {
        let channels = scale.len();
        let batch = sums.len() / channels;
        let given = squeeze.bias.size()[0] as usize;
        let hidden = given.next_multiple_of(LANES);
        (self.channels, self.hidden) = (channels, hidden);
        self.means = sums.to_vec();
        for means in self.means.chunks_exact_mut(channels) {
            for (mean, (scale, shift)) in means.iter_mut().zip(scale.iter().zip(shift)) {
                *mean = *mean / squares as f32 * scale + shift;
            }
        }
        self.squeeze = host::copied(&squeeze.weight)?.values;
        self.squeeze.resize(hidden * channels, 0.0);
        let narrow = host::copied(&excite.weight)?.values;
        self.excite = vec![0.0; 2 * channels * hidden];
        for (to, from) in self.excite.chunks_exact_mut(hidden).zip(narrow.chunks_exact(given)) {
            to[..given].copy_from_slice(from);
        }
        let mut bias = host::copied(&squeeze.bias)?.values;
        bias.resize(hidden, 0.0);
        self.between = bias.repeat(batch);
        let weights = transposed(&self.squeeze, channels);
        let sizes = [batch, channels, hidden];
        let (a, b) = (rows(&self.means, channels), rows(&weights, hidden));
        instructions.run(Product { sizes, a, b, out: &mut self.between });
        self.between.iter_mut().for_each(|value| *value = value.max(0.0));
        let mut both = host::copied(&excite.bias)?.values.repeat(batch);
        let weights = transposed(&self.excite, hidden);
        let sizes = [batch, hidden, 2 * channels];
        let (a, b) = (rows(&self.between, hidden), rows(&weights, 2 * channels));
        instructions.run(Product { sizes, a, b, out: &mut both });
        let halves = both.chunks_exact(2 * channels).map(|both| both.split_at(channels));
        self.gate = halves.clone().flat_map(|(gate, _)| gate.iter().map(|&x| 1.0 / (1.0 + (-x).exp()))).collect();
        self.offset = halves.flat_map(|(_, offset)| offset.iter().copied()).collect();
        Ok(())
    }

    /// The factors of the channels.
    pub fn gate(&self) -> &[f32] {
        &self.gate
    }

    /// Scale and shift of a norm with the gates behind it.
    pub fn coefficients(&self, [scale, shift]: [&[f32]; 2]) -> (Vec<f32>, Vec<f32>) {
        let channels = self.channels;
        let each = self.gate.iter().zip(&self.offset).enumerate();
        each.map(|(at, (gate, offset))| (gate * scale[at % channels], gate * shift[at % channels] + offset)).unzip()
    }

    /// Adds the gradients of both layers to theirs. Returns the gradient of the means, `[batch][channels]`. `sums` are those
    /// over the board of the gradient behind the gates, and of that gradient times the convolution.
    ///
    /// # Errors
    /// libtorch refuses (memory).
    pub fn backward(
        &self,
        instructions: Instructions,
        [squeeze, excite]: [&Dense; 2],
        [sums, products]: [&[f32]; 2],
        [gain, mean, inverse]: [&[f32]; 3],
        bias: &[f32],
    ) -> Result<Vec<f32>> {
        let &Se { channels, hidden, .. } = self;
        let batch = sums.len() / channels;
        let mut both = vec![0f32; batch * 2 * channels];
        for (sample, both) in both.chunks_exact_mut(2 * channels).enumerate() {
            for channel in 0..channels {
                let at = sample * channels + channel;
                let (gate, slope) = (self.gate[at], gain[channel] * inverse[channel]);
                // The gradient of a gate is the sum of the gradient behind it times what was before it.
                let sum = slope * (products[at] - mean[channel] * sums[at]) + bias[channel] * sums[at];
                both[channel] = sum * gate * (1.0 - gate);
                both[channels + channel] = sums[at];
            }
        }
        let mut weights = vec![0f32; 2 * channels * hidden];
        let sizes = [2 * channels, batch, hidden];
        let (a, b) = (columns(&both, 2 * channels), rows(&self.between, hidden));
        instructions.run(Product { sizes, a, b, out: &mut weights });
        let given = squeeze.bias.size()[0] as usize;
        let narrow: Vec<f32> = weights.chunks_exact(hidden).flat_map(|row| row[..given].iter().copied()).collect();
        host::add_gradient(&excite.weight, &narrow)?;
        host::add_gradient(&excite.bias, &totals(&both, 2 * channels))?;

        let mut between = vec![0f32; batch * hidden];
        let sizes = [batch, 2 * channels, hidden];
        let (a, b) = (rows(&both, 2 * channels), rows(&self.excite, hidden));
        instructions.run(Product { sizes, a, b, out: &mut between });
        for (gradient, &value) in between.iter_mut().zip(&self.between) {
            *gradient = if value > 0.0 { *gradient } else { 0.0 };
        }
        let mut weights = vec![0f32; hidden * channels];
        let sizes = [hidden, batch, channels];
        let (a, b) = (columns(&between, hidden), rows(&self.means, channels));
        instructions.run(Product { sizes, a, b, out: &mut weights });
        host::add_gradient(&squeeze.weight, &weights[..given * channels])?;
        host::add_gradient(&squeeze.bias, &totals(&between, hidden)[..given])?;

        let mut means = vec![0f32; batch * channels];
        let sizes = [batch, hidden, channels];
        let (a, b) = (rows(&between, hidden), rows(&self.squeeze, channels));
        instructions.run(Product { sizes, a, b, out: &mut means });
        Ok(means)
    }
}

/// The sums of columns.
fn totals(values: &[f32], row: usize) -> Vec<f32> {
    let mut sums = vec![0f32; row];
    for values in values.chunks_exact(row) {
        sums.iter_mut().zip(values).for_each(|(sum, value)| *sum += value);
    }
    sums
}
