//! The network in integers in the slow, obvious way. Kernels must give the same bits, so this is also the definition of
//! the order in which the parts in fp32 are added; products and sums are rounded one by one.

use crate::blueprint::Blueprint;
use crate::board::Board;
use crate::error::Result;
use crate::folding::{TokenLayout, folded};
use crate::lanes::{LANES, Lanes, relu, sigmoid, softmax};
use crate::layers::{Block, Conv, Dense, MixingLayers};
use crate::peaks::Peaks;
use crate::quantise::{Quantised, activation, quantised};
use crate::weights::Weights;
use rules::encode::MoveTokens;
use search::{Evaluations, LeafBatch};

/// Values `[channel][square]`, or `[channel][token]`.
type Planes = Vec<Vec<f32>>;

/// A network in 8-bit integers, and its slow evaluation.
#[derive(Clone, Debug, PartialEq)]
pub struct QuantisedNetwork {
    blueprint: Blueprint,
    layers: Quantised,
}

impl QuantisedNetwork {
    /// Rounds a network whose activations have these largest values.
    ///
    /// # Errors
    /// The largest values are those of another network, or the network has numbers that are not finite.
    pub fn new(network: &Weights, peaks: &Peaks) -> Result<QuantisedNetwork> {
        peaks.check(network.blueprint())?;
        let layers = quantised(&folded(network)?, peaks);
        Ok(QuantisedNetwork { blueprint: network.blueprint().clone(), layers })
    }

    /// The sizes.
    pub fn blueprint(&self) -> &Blueprint {
        &self.blueprint
    }

    pub(crate) fn layers(&self) -> &Quantised {
        &self.layers
    }

    /// Evaluates leaves in the slow, obvious way. Every kernel in integers gives these very bits.
    ///
    /// # Errors
    /// The leaves were not made for this network.
    pub fn reference(&self, leaves: &LeafBatch) -> Result<Evaluations> {
        self.blueprint.check_leaves(leaves)?;
        let squares = self.blueprint.shape.squares();
        let mut out = Evaluations::default();
        for leaf in 0..leaves.len() {
            let planes: Planes = leaves.planes_of(leaf).chunks_exact(squares).map(<[f32]>::to_vec).collect();
            let mut trunk = rectified(self.first_layer(&planes));
            for block in &self.layers.blocks {
                trunk = self.block(block, trunk);
            }
            let features = self.features(&trunk);
            out.logits.extend(leaves.moves_of(leaf).iter().map(|mv| self.logit(&features, mv)));
            let value = self.value(&trunk);
            out.wdl.push(softmax([value[0], value[1], value[2]]));
            out.points.extend(&value[3..]);
        }
        Ok(out)
    }

    /// In fp32. The planes of one value come first; where a plane is 0 nothing is added.
    fn first_layer(&self, planes: &Planes) -> Planes {
        let (conv, board) = (&self.layers.stem, self.blueprint.board());
        let is_uniform = |plane: &Vec<f32>| plane.iter().all(|value| value.to_bits() == plane[0].to_bits());
        let (uniform, others): (Vec<_>, Vec<_>) = planes.iter().enumerate().partition(|(_, plane)| is_uniform(plane));
        let value = |output: usize, square: usize| {
            let mut sum = conv.bias[output];
            for planes in [&uniform, &others] {
                for (tap, from) in board.taps(square, 3) {
                    for (input, plane) in planes.iter().filter(|(_, plane)| plane[from] != 0.0) {
                        sum += conv.weights[(output * conv.inputs + input) * 9 + tap] * plane[from];
                    }
                }
            }
            sum
        };
        each(conv.outputs, board.squares(), value)
    }

    fn block(&self, block: &Block<Conv<i8>, Dense>, x: Planes) -> Planes {
        let board = self.blueprint.board();
        let mut y = convolved(&block.first, board, &x);
        if let MixingLayers::Pool(pool) = &block.mixing {
            let shifts = dense(pool, &pooled(&y));
            y = each(y.len(), board.squares(), |channel, square| y[channel][square] + shifts[channel]);
        }
        // The ReLU is part of the rounding to integers.
        y = convolved(&block.second, board, &y);
        if let MixingLayers::Se { squeeze, scale, shift } = &block.mixing {
            let hidden: Vec<f32> = dense(squeeze, &means(&y)).into_iter().map(relu).collect();
            let scales: Vec<f32> = dense(scale, &hidden).into_iter().map(sigmoid).collect();
            let shifts = dense(shift, &hidden);
            y = each(y.len(), board.squares(), |channel, square| {
                y[channel][square] * scales[channel] + shifts[channel]
            });
        }
        each(y.len(), board.squares(), |channel, square| relu(y[channel][square] + x[channel][square]))
    }

    /// The value outputs that play needs.
    fn value(&self, trunk: &Planes) -> Vec<f32> {
        let board = rectified(convolved(&self.layers.value_board, self.blueprint.board(), trunk));
        let squares = 0..self.blueprint.shape.squares();
        let mut inputs: Vec<f32> = squares.flat_map(|square| board.iter().map(move |plane| plane[square])).collect();
        inputs.extend(pooled(trunk));
        let hidden: Vec<f32> = dense(&self.layers.value_hidden, &inputs).into_iter().map(relu).collect();
        dense(&self.layers.value_out, &hidden)
    }

    /// The features of all tokens: squares, then hand slots and pass.
    fn features(&self, trunk: &Planes) -> Planes {
        let mut hidden = convolved(&self.layers.policy_board, self.blueprint.board(), trunk);
        let seen = dense(&self.layers.policy_pool, &pooled(trunk));
        for learned in self.layers.policy_beside.chunks_exact(hidden.len()) {
            for ((channel, &learned), &seen) in hidden.iter_mut().zip(learned).zip(&seen) {
                channel.push(learned + seen);
            }
        }
        convolved(&self.layers.policy_tokens, Board::row(self.blueprint.shape.tokens()), &hidden)
    }

    /// The formula is that of [`Heads::logit`](crate::heads::Heads::logit).
    fn logit(&self, features: &Planes, mv: &MoveTokens) -> f32 {
        let dim = self.blueprint.config.policy_dim;
        let length = TokenLayout::new(dim).groups * LANES;
        let of = |feature: usize, token: u16| features[feature][usize::from(token)];
        let scalar = |number: usize, token: u16| of(2 * length + number, token);
        // Sixteen sums side by side.
        let mut products = Lanes::ZERO;
        for feature in 0..length {
            products.0[feature % LANES] += of(feature, mv.source) * of(length + feature, mv.target);
        }
        let mut logit = products.sum() * (1.0 / (dim as f32).sqrt()) + scalar(0, mv.source) + scalar(1, mv.target);
        if mv.promotes {
            logit += scalar(2, mv.source) + scalar(3, mv.target);
        }
        for &via in &mv.via[..usize::from(mv.via_len)] {
            logit += scalar(4, via);
        }
        logit
    }
}

fn each(channels: usize, squares: usize, value: impl Fn(usize, usize) -> f32) -> Planes {
    (0..channels).map(|channel| (0..squares).map(|square| value(channel, square)).collect()).collect()
}

/// The integers of the ReLU of `x`, and the layer's outputs for them.
fn convolved(conv: &Conv<i8>, board: Board, x: &Planes) -> Planes {
    let (kernel, taps) = (conv.size * conv.size, board.all_taps(conv.size));
    let integers = |(plane, &steps): (&Vec<f32>, &f32)| -> Vec<i32> {
        plane.iter().map(|&value| i32::from(activation(value, steps))).collect()
    };
    let integers: Vec<Vec<i32>> = x.iter().zip(&conv.steps).map(integers).collect();
    each(conv.outputs, board.squares(), |output, square| {
        let mut sum = 0;
        for (input, plane) in integers.iter().enumerate() {
            for &(tap, from) in &taps[square] {
                sum += i32::from(conv.weights[(output * conv.inputs + input) * kernel + tap]) * plane[from];
            }
        }
        sum as f32 * conv.scale[output] + conv.bias[output]
    })
}

fn dense(dense: &Dense, x: &[f32]) -> Vec<f32> {
    let row = |(weights, &bias): (&[f32], &f32)| weights.iter().zip(x).fold(bias, |sum, (weight, x)| sum + weight * x);
    dense.weights.chunks_exact(x.len()).zip(&dense.bias).map(row).collect()
}

fn rectified(x: Planes) -> Planes {
    x.into_iter().map(|plane| plane.into_iter().map(relu).collect()).collect()
}

fn means(x: &Planes) -> Vec<f32> {
    x.iter().map(|plane| plane.iter().fold(0.0, |sum, value| sum + value) * (1.0 / plane.len() as f32)).collect()
}

/// Means of all channels, then maxima.
fn pooled(x: &Planes) -> Vec<f32> {
    let maxima = x.iter().map(|plane| plane.iter().copied().fold(f32::NEG_INFINITY, f32::max));
    means(x).into_iter().chain(maxima).collect()
}
