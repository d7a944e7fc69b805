//! The passes of one worker over its samples: activation, convolution and gates, a few samples at a time.

use crate::trunk::lanes::{Lanes, Work};
use crate::trunk::passes;
use crate::trunk::winograd::{self, Scratch, Tiling, Weights};

/// What all workers share of a convolution and its norm.
#[derive(Default)]
pub(super) struct Layer {
    pub weights: Weights,
    /// Channels of the input, without those that fill it up to a multiple of [`LANES`].
    pub given: usize,
    pub gain: Vec<f32>,
    pub mean: Vec<f32>,
    /// 1 / √(variance + ε).
    pub inverse: Vec<f32>,
    /// `[batch][channels]`: sums of the convolution over the board.
    pub sums: Vec<f32>,
    /// `[batch][channels]`: activated = max(0, convolution · scale + shift + input of the block).
    pub scale: Vec<f32>,
    pub shift: Vec<f32>,
}

/// How the gradient of a convolution follows from that of its activated output, `[batch][channels]` each.
#[derive(Default)]
pub(super) struct Before {
    pub by_gradient: Vec<f32>,
    pub by_x: Vec<f32>,
    pub rest: Vec<f32>,
}

/// Some samples of each batch, and the memory for them.
pub(super) struct Worker {
    /// The first of its samples in the batch.
    pub first: usize,
    /// Number of its samples.
    pub samples: usize,
    /// Samples that are computed together, so that they stay in the cache.
    pub at_once: usize,
    /// The input, `[samples][squares][planes]`.
    pub planes: Vec<f32>,
    /// The convolution of each layer, `[samples][squares][channels]`.
    pub convolved: Vec<Vec<f32>>,
    /// The output of the stem and of each block.
    pub outputs: Vec<Vec<f32>>,
    /// Gradient of the output of a block, and between the two layers of a block.
    pub gradients: [Vec<f32>; 2],
    /// The gradient of a layer's weights, at the points.
    pub weight_gradient: Vec<f32>,
    /// `[samples][channels]` each.
    pub sums: [Vec<f32>; 2],
    pub room: [Vec<f32>; 2],
    pub scratch: Scratch,
}

/// A part of a pass between two sums over the batch.
#[derive(Clone, Copy)]
pub(super) enum Phase<'a> {
    /// Activates the layer before this one, and convolves.
    Forward(usize),
    /// Activates the last layer.
    Last,
    /// Takes in the gradient of the trunk's output.
    Begin,
    /// The gradients of this layer's weights and input.
    Backward(usize, &'a Before),
}

/// A phase of one worker.
pub(super) struct Task<'a> {
    pub worker: &'a mut Worker,
    pub tiling: &'a Tiling,
    pub layers: &'a [Layer],
    pub phase: Phase<'a>,
}

impl Work for Task<'_> {
    #[inline(always)]
    fn with<L: Lanes>(self) {
        let Task { worker, tiling, layers, phase } = self;
        match phase {
            Phase::Forward(layer) => worker.forward::<L>(tiling, layers, layer),
            Phase::Last => {
                for group in worker.groups() {
                    worker.activate::<L>(tiling, layers, layers.len() - 1, group);
                }
            }
            Phase::Begin => {
                let last = layers.len() - 1;
                for group in worker.groups() {
                    worker.gate::<L>(tiling, layers, last, group);
                }
            }
            Phase::Backward(layer, before) => worker.backward::<L>(tiling, layers, layer, before),
        }
    }
}

/// Samples from one on.
#[derive(Clone, Copy)]
struct Group {
    from: usize,
    to: usize,
}

impl Group {
    /// The part of `[samples][size]`.
    #[inline(always)]
    fn of(self, values: &[f32], size: usize) -> &[f32] {
        &values[self.from * size..self.to * size]
    }

    #[inline(always)]
    fn of_mut(self, values: &mut [f32], size: usize) -> &mut [f32] {
        &mut values[self.from * size..self.to * size]
    }
}

/// The block whose input a layer with an odd number has, or whose output the activated layer before it is.
fn block_of(layer: usize) -> usize {
    layer / 2
}

impl Worker {
    fn groups(&self) -> impl Iterator<Item = Group> + use<> {
        let &Worker { samples, at_once, .. } = self;
        (0..samples).step_by(at_once).map(move |from| Group { from, to: samples.min(from + at_once) })
    }

    /// Activates a layer: into the output of its block if it is the last of one, and otherwise into the first room.
    #[inline(always)]
    fn activate<L: Lanes>(&mut self, tiling: &Tiling, layers: &[Layer], layer: usize, group: Group) {
        let Layer { scale, shift, gain, .. } = &layers[layer];
        let channels = gain.len();
        let size = tiling.squares * channels;
        let block = block_of(layer);
        let is_output = layer.is_multiple_of(2);
        let (earlier, later) = self.outputs.split_at_mut(block);
        for sample in group.from..group.to {
            let (one, coefficients) = (Group { from: sample, to: sample + 1 }, self.first + sample);
            let scale = &scale[coefficients * channels..][..channels];
            let shift = &shift[coefficients * channels..][..channels];
            let x = one.of(&self.convolved[layer], size);
            if is_output {
                let residual = earlier.last().map(|values| one.of(values, size));
                passes::activate::<L>(x, [scale, shift], residual, one.of_mut(&mut later[0], size));
            } else {
                let room = &mut self.room[0][(sample - group.from) * size..][..size];
                passes::activate::<L>(x, [scale, shift], None, room);
            }
        }
    }

    #[inline(always)]
    fn forward<L: Lanes>(&mut self, tiling: &Tiling, layers: &[Layer], layer: usize) {
        let weights = &layers[layer].weights;
        let (from, size) = (tiling.squares * weights.from, tiling.squares * weights.to);
        for group in self.groups() {
            if layer > 0 {
                self.activate::<L>(tiling, layers, layer - 1, group);
            }
            let x = match layer {
                0 => group.of(&self.planes, from),
                odd if odd % 2 == 1 => group.of(&self.outputs[block_of(odd)], from),
                _ => &self.room[0][..(group.to - group.from) * from],
            };
            let y = group.of_mut(&mut self.convolved[layer], size);
            winograd::forward::<L>(tiling, weights, x, y, &mut self.scratch);
            let [sums, squares] = &mut self.sums;
            let each = sums.chunks_exact_mut(weights.to).zip(squares.chunks_exact_mut(weights.to)).skip(group.from);
            for (y, (sum, squares)) in y.chunks_exact(size).zip(each) {
                passes::moments::<L>(y, sum, squares);
            }
        }
    }

    /// Takes the gradient of a layer's activated output back to before the ReLU, and sums it.
    #[inline(always)]
    fn gate<L: Lanes>(&mut self, tiling: &Tiling, layers: &[Layer], layer: usize, group: Group) {
        let channels = layers[layer].gain.len();
        let size = tiling.squares * channels;
        let is_output = layer.is_multiple_of(2);
        let gradient = group.of_mut(&mut self.gradients[layer % 2], size);
        let gate = if is_output { group.of(&self.outputs[block_of(layer)], size) } else { &self.room[0] };
        let x = group.of(&self.convolved[layer], size);
        let [sums, products] = &mut self.sums;
        let each = sums.chunks_exact_mut(channels).zip(products.chunks_exact_mut(channels)).skip(group.from);
        let samples = gradient.chunks_exact_mut(size).zip(gate.chunks_exact(size).zip(x.chunks_exact(size)));
        for ((gradient, (gate, x)), (sum, products)) in samples.zip(each) {
            passes::gate::<L>(gradient, [gate, x], sum, products);
        }
    }

    #[inline(always)]
    fn backward<L: Lanes>(&mut self, tiling: &Tiling, layers: &[Layer], layer: usize, before: &Before) {
        let weights = &layers[layer].weights;
        let (from, channels) = (tiling.squares * weights.from, weights.to);
        let size = tiling.squares * channels;
        let is_second = layer.is_multiple_of(2) && layer > 0;
        self.weight_gradient[..tiling.points() * weights.from * weights.to].fill(0.0);
        for group in self.groups() {
            let count = group.to - group.from;
            for sample in group.from..group.to {
                let one = Group { from: sample, to: sample + 1 };
                let at = (self.first + sample) * channels;
                let coefficients =
                    [&before.by_gradient, &before.by_x, &before.rest].map(|values| &values[at..at + channels]);
                let both = [one.of(&self.gradients[layer % 2], size), one.of(&self.convolved[layer], size)];
                let room = &mut self.room[1][(sample - group.from) * size..][..size];
                passes::before_norm::<L>(both, coefficients, room);
            }
            if is_second {
                self.activate::<L>(tiling, layers, layer - 1, group);
                group.of_mut(&mut self.gradients[1], size).fill(0.0);
            }
            let Worker { planes, outputs, room, gradients, weight_gradient, scratch, .. } = self;
            let [activated, gradient] = room;
            // The gradient of a block's input adds to that of its output, which went around the block.
            let (x, x_gradient) = match layer {
                0 => (group.of(planes, from), None),
                _ if is_second => (&activated[..count * from], Some(group.of_mut(&mut gradients[1], size))),
                _ => (group.of(&outputs[block_of(layer)], from), Some(group.of_mut(&mut gradients[0], size))),
            };
            let sums = &mut weight_gradient[..tiling.points() * weights.from * weights.to];
            winograd::backward::<L>(tiling, weights, [x, &gradient[..count * size]], x_gradient, sums, scratch);
            if layer > 0 {
                self.gate::<L>(tiling, layers, layer - 1, group);
            }
        }
    }
}
