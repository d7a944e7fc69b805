//! Layers in the memory order of the kernels: channels in groups of 16, filled up with zeros, and every weight where a
//! kernel reads it next.

use crate::board::Board;
use crate::format::Format;
use crate::lanes::{LANES, Lanes, blocks_of, in_groups};
use crate::layers::{Conv, Dense, Layers};
use crate::stem::PackedStem;

/// A convolution for kernels of format `F`.
pub(crate) struct PackedConv<F: Format> {
    pub size: usize,
    /// Groups of 16 inputs.
    pub in_blocks: usize,
    /// Groups of 16 outputs.
    pub out_blocks: usize,
    /// `[group of outputs][tap][group of inputs]`.
    pub weights: Vec<F::Weights>,
    pub scale: Vec<Lanes>,
    pub bias: Vec<Lanes>,
    /// [`Conv::steps`] in groups of 16 inputs.
    pub steps: Vec<Lanes>,
}

impl<F: Format> PackedConv<F> {
    pub fn new(conv: &Conv<F::Weight>) -> PackedConv<F> {
        let (taps, in_blocks, out_blocks) = (conv.size * conv.size, blocks_of(conv.inputs), blocks_of(conv.outputs));
        let mut weights = vec![F::Weights::default(); out_blocks * taps * in_blocks];
        for (index, &weight) in conv.weights.iter().enumerate() {
            let (output, input, tap) = (index / taps / conv.inputs, index / taps % conv.inputs, index % taps);
            let place = ((output / LANES) * taps + tap) * in_blocks + input / LANES;
            F::set(&mut weights[place], input % LANES, output % LANES, weight);
        }
        let [scale, bias, steps] = [&conv.scale, &conv.bias, &conv.steps].map(|values| in_groups(values));
        PackedConv { size: conv.size, in_blocks, out_blocks, weights, scale, bias, steps }
    }
}

/// A dense layer in fp32.
pub(crate) struct PackedDense {
    /// Groups of 16 inputs; each part of the inputs begins a new one.
    pub in_blocks: usize,
    /// `[group of outputs][input]`.
    pub weights: Vec<Lanes>,
    pub bias: Vec<Lanes>,
}

impl PackedDense {
    pub fn new(dense: &Dense) -> PackedDense {
        let in_blocks = dense.parts.iter().map(|&part| blocks_of(part)).sum::<usize>();
        let inputs: usize = dense.parts.iter().sum();
        let mut weights = vec![Lanes::ZERO; blocks_of(dense.outputs) * in_blocks * LANES];
        let (mut from, mut to) = (0, 0);
        for &part in &dense.parts {
            for input in 0..part {
                for output in 0..dense.outputs {
                    let place = (output / LANES) * in_blocks * LANES + to + input;
                    weights[place].0[output % LANES] = dense.weights[output * inputs + from + input];
                }
            }
            from += part;
            to += blocks_of(part) * LANES;
        }
        PackedDense { in_blocks, weights, bias: in_groups(&dense.bias) }
    }
}

/// A network for kernels of format `F`.
pub(crate) struct Packed<F: Format> {
    pub layers: Layers<PackedStem, PackedConv<F>, PackedDense>,
    /// [`Layers::policy_beside`] as `[group of channels][token]`.
    pub beside: Vec<Lanes>,
}

impl<F: Format> Packed<F> {
    pub fn new(layers: &Layers<Conv<f32>, Conv<F::Weight>, Dense>, board: Board) -> Packed<F> {
        let channels = layers.policy_board.inputs;
        let tokens: Vec<Vec<Lanes>> = layers.policy_beside.chunks_exact(channels).map(in_groups).collect();
        let groups = 0..blocks_of(channels);
        let beside = groups.flat_map(|group| tokens.iter().map(move |token| token[group])).collect();
        let stem = |conv: &Conv<f32>| PackedStem::new(conv, board);
        Packed { layers: layers.map(stem, |conv, _| PackedConv::new(conv), PackedDense::new), beside }
    }
}
