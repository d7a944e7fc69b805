//! From a network to its layers for play: batch norms become part of the convolutions.

use crate::blueprint::{Blueprint, Mixing, SCALARS, block_name};
use crate::error::{NetworkError, Result};
use crate::lanes::{LANES, blocks_of};
use crate::layers::{Block, Conv, Dense, Folded, Layers, MixingLayers};
use crate::weights::Weights;

/// Added to a variance before its square root is taken.
pub(crate) const NORM_EPSILON: f64 = 1e-5;

/// The layers of a network in fp32.
///
/// # Errors
/// [`NetworkError::NotFinite`]: a norm has a negative variance, or its result is too large for fp32.
pub(crate) fn folded(network: &Weights) -> Result<Folded> {
    let sizes = network.blueprint();
    let (channels, blocks) = (sizes.config.channels, 0..sizes.config.blocks);
    let value_inputs = vec![sizes.config.value_channels * sizes.shape.squares(), channels, channels];
    Ok(Layers {
        stem: conv(network, "stem", sizes.shape.planes, 3)?,
        blocks: blocks.map(|index| block(network, &block_name(index))).collect::<Result<_>>()?,
        policy_board: conv(network, "policy.board", channels, 1)?,
        policy_beside: network.values("policy", "beside").to_vec(),
        policy_pool: dense(network, "policy.pool", vec![channels; 2], 0..channels),
        policy_tokens: tokens(network, sizes),
        value_board: conv(network, "value.board", channels, 1)?,
        value_hidden: dense(network, "value.hidden", value_inputs, 0..sizes.config.value_hidden),
        value_out: value(network, sizes),
    })
}

/// The value outputs that play needs.
fn value(network: &Weights, sizes: &Blueprint) -> Dense {
    let part = |outputs| dense(network, "value.out", vec![sizes.config.value_hidden], outputs);
    let (mut value, points) = (part(0..3), part(sizes.points_output()..sizes.points_output() + sizes.shape.points));
    value.outputs += points.outputs;
    value.weights.extend(points.weights);
    value.bias.extend(points.bias);
    value
}

fn block(network: &Weights, name: &str) -> Result<Block<Conv<f32>, Dense>> {
    let sizes = network.blueprint();
    let (channels, hidden) = (sizes.config.channels, sizes.config.se_hidden);
    let part = |layer: &str, parts, outputs| dense(network, &format!("{name}.{layer}"), parts, outputs);
    Ok(Block {
        first: conv(network, &format!("{name}.first"), channels, 3)?,
        second: conv(network, &format!("{name}.second"), channels, 3)?,
        mixing: match sizes.config.mixing {
            Mixing::None => MixingLayers::None,
            Mixing::Se => MixingLayers::Se {
                squeeze: part("squeeze", vec![channels], 0..hidden),
                scale: part("excite", vec![hidden], 0..channels),
                shift: part("excite", vec![hidden], channels..2 * channels),
            },
            Mixing::Pool => MixingLayers::Pool(part("pool", vec![channels; 2], 0..channels)),
        },
    })
}

/// gain · (conv(x) − mean) / √(variance + ε) + bias as one convolution, computed in f64 and rounded once.
fn conv(network: &Weights, name: &str, inputs: usize, size: usize) -> Result<Conv<f32>> {
    let [weight, gain, bias, mean, variance] =
        ["weight", "gain", "bias", "mean", "variance"].map(|part| network.values(name, part));
    let outputs = gain.len();
    let mut conv = Conv {
        inputs,
        outputs,
        size,
        weights: Vec::new(),
        scale: vec![1.0; outputs],
        bias: Vec::new(),
        steps: vec![1.0; inputs],
    };
    for (output, weights) in weight.chunks_exact(inputs * size * size).enumerate() {
        let factor = f64::from(gain[output]) / (f64::from(variance[output]) + NORM_EPSILON).sqrt();
        conv.weights.extend(weights.iter().map(|&weight| (f64::from(weight) * factor) as f32));
        conv.bias.push((f64::from(bias[output]) - f64::from(mean[output]) * factor) as f32);
    }
    if conv.weights.iter().chain(&conv.bias).all(|value| value.is_finite()) {
        return Ok(conv);
    }
    Err(NetworkError::NotFinite(name.to_owned()))
}

/// Some outputs of a dense layer.
fn dense(network: &Weights, name: &str, parts: Vec<usize>, outputs: std::ops::Range<usize>) -> Dense {
    let inputs = parts.iter().sum::<usize>();
    Dense {
        parts,
        outputs: outputs.len(),
        weights: network.values(name, "weight")[outputs.start * inputs..outputs.end * inputs].to_vec(),
        bias: network.values(name, "bias")[outputs].to_vec(),
    }
}

/// The layer of tokens as a 1 × 1 convolution.
fn tokens(network: &Weights, sizes: &Blueprint) -> Conv<f32> {
    let (inputs, dim) = (sizes.config.channels, sizes.config.policy_dim);
    let [weight, bias] = ["weight", "bias"].map(|part| network.values("policy.tokens", part));
    let outputs = LANES * (2 * blocks_of(dim) + 1);
    let mut conv = Conv {
        inputs,
        outputs,
        size: 1,
        weights: vec![0.0; outputs * inputs],
        scale: vec![1.0; outputs],
        bias: vec![0.0; outputs],
        steps: vec![1.0; inputs],
    };
    for from in 0..2 * dim + SCALARS {
        let to = TokenLayout::new(dim).output(from);
        conv.weights[to * inputs..][..inputs].copy_from_slice(&weight[from * inputs..][..inputs]);
        conv.bias[to] = bias[from];
    }
    conv
}

/// Where a token's query, key and scalars lie among the outputs of [`Layers::policy_tokens`], in groups of 16.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TokenLayout {
    dim: usize,
    /// Groups of a query, and of a key.
    pub groups: usize,
}

impl TokenLayout {
    /// The layout for queries of `dim` numbers.
    pub fn new(dim: usize) -> TokenLayout {
        TokenLayout { dim, groups: blocks_of(dim) }
    }

    /// The place of output `from` of the network's own layer.
    fn output(self, from: usize) -> usize {
        let part = (from / self.dim).min(2);
        part * self.groups * LANES + from - part * self.dim
    }
}
