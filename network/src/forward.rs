//! The evaluation of one position by packed layers: first layer, blocks, and both heads.

use crate::blueprint::{Blueprint, Mixing};
use crate::board::Board;
use crate::format::Format;
use crate::heads::Heads;
use crate::kernels::convolution::convolve;
use crate::kernels::instruction_set::{InstructionSet, MultiplyAdd};
use crate::lanes::{LANES, Lanes, blocks_of, relu};
use crate::layers::{Block, Input, MixingLayers};
use crate::packing::{Packed, PackedConv, PackedDense};
use crate::stem::Sparse;

/// Sees what an evaluation computes.
pub(crate) trait Observer<F: Format> {
    /// These are the activations that a convolution is about to read.
    fn activations(&mut self, input: Input, values: &[F::Channels]);
}

/// Ignores them.
pub(crate) struct Unobserved;

impl<F: Format> Observer<F> for Unobserved {
    #[inline(always)]
    fn activations(&mut self, _: Input, _: &[F::Channels]) {}
}

/// Memory for the evaluation of one position; every evaluation writes what it reads.
#[derive(Clone)]
pub(crate) struct Memory<F: Format> {
    pub board: Board,
    sparse: Sparse,
    /// The trunk in fp32, `[group of channels][square]`.
    pub trunk: Vec<Lanes>,
    /// Outputs of a convolution, likewise.
    pub outputs: Vec<Lanes>,
    /// The trunk as the input of a convolution.
    pub input: Vec<F::Channels>,
    /// Between the convolutions of a block.
    inner: Vec<F::Channels>,
    /// Means and maxima of channels, and what layers make of them.
    pub pool: Vec<Lanes>,
    hidden: Vec<Lanes>,
    scale: Vec<Lanes>,
    shift: Vec<Lanes>,
    pub heads: Heads<F>,
}

impl<F: Format> Memory<F> {
    pub fn new(sizes: &Blueprint) -> Memory<F> {
        let (board, groups) = (sizes.board(), blocks_of(sizes.config.channels));
        let values = groups * board.squares();
        let lanes = |count: usize| vec![Lanes::ZERO; count];
        Memory {
            board,
            sparse: Sparse::new(sizes.shape.planes, board.squares()),
            trunk: lanes(values),
            outputs: lanes(values),
            input: vec![F::Channels::default(); values],
            inner: vec![F::Channels::default(); values],
            pool: lanes(2 * groups),
            // Elsewhere the number is of no use, and a file may state any.
            hidden: lanes(if sizes.config.mixing == Mixing::Se { blocks_of(sizes.config.se_hidden) } else { 0 }),
            scale: lanes(groups),
            shift: lanes(groups),
            heads: Heads::new(sizes),
        }
    }
}

/// Evaluates the planes of one position up to the features of all tokens and the logits of win, draw and loss, which are
/// left in [`Memory::heads`].
pub(crate) fn forward<F: Format, K: MultiplyAdd<F>>(
    kernel: K,
    network: &Packed<F>,
    planes: &[f32],
    memory: &mut Memory<F>,
    observer: &mut impl Observer<F>,
) {
    let layers = &network.layers;
    kernel.run(
        #[inline(always)]
        || {
            memory.sparse.read(planes);
            layers.stem.forward(kernel, &memory.sparse, &mut memory.outputs, &mut memory.trunk);
            activate(kernel, &memory.trunk, next_steps(network, 0), &mut memory.input);
        },
    );
    observer.activations(Input::Trunk(0), &memory.input);
    for (index, layers) in layers.blocks.iter().enumerate() {
        block(kernel, layers, next_steps(network, index + 1), memory, (index, observer));
        observer.activations(Input::Trunk(index + 1), &memory.input);
    }
    memory.policy(kernel, network);
    observer.activations(Input::Tokens, &memory.heads.tokens);
    memory.value(kernel, network);
}

/// The steps of the trunk before the block of this number, or after the last one.
fn next_steps<F: Format>(network: &Packed<F>, block: usize) -> &[Lanes] {
    network.layers.blocks.get(block).map_or(&network.layers.policy_board.steps, |block| &block.first.steps)
}

fn block<F: Format, K: MultiplyAdd<F>>(
    kernel: K,
    block: &Block<PackedConv<F>, PackedDense>,
    next_steps: &[Lanes],
    memory: &mut Memory<F>,
    (index, observer): (usize, &mut impl Observer<F>),
) {
    let Memory { board, trunk, outputs, input, inner, pool, hidden, scale, shift, .. } = memory;
    let squares = board.squares();
    convolve(kernel, &block.first, *board, input, outputs);
    kernel.run(
        #[inline(always)]
        || {
            if let MixingLayers::Pool(layer) = &block.mixing {
                pooled(kernel, outputs, squares, pool);
                layer.forward(kernel, pool, shift);
                shifted(kernel, outputs, shift, squares);
            }
            activate(kernel, outputs, &block.second.steps, inner);
        },
    );
    observer.activations(Input::Inner(index), inner);
    convolve(kernel, &block.second, *board, inner, outputs);
    kernel.run(
        #[inline(always)]
        || {
            let MixingLayers::Se { squeeze, scale: to_scale, shift: to_shift } = &block.mixing else {
                for (trunk, &output) in trunk.iter_mut().zip(outputs.iter()) {
                    *trunk = kernel.relu(kernel.plus(output, *trunk));
                }
                activate(kernel, trunk, next_steps, input);
                return;
            };
            let pool = &mut pool[..scale.len()];
            means(kernel, outputs, squares, pool);
            squeeze.forward(kernel, pool, hidden);
            rectify(kernel, hidden);
            to_scale.forward(kernel, hidden, scale);
            for scale in scale.iter_mut() {
                *scale = scale.sigmoid();
            }
            to_shift.forward(kernel, hidden, shift);
            for (group, ((&scale, &shift), steps)) in scale.iter().zip(shift.iter()).zip(next_steps).enumerate() {
                let range = group * squares..(group + 1) * squares;
                let squares = trunk[range.clone()].iter_mut().zip(&outputs[range.clone()]).zip(&mut input[range]);
                for ((trunk, &output), input) in squares {
                    let mixed = kernel.plus(kernel.times(output, scale), shift);
                    *trunk = kernel.relu(kernel.plus(mixed, *trunk));
                    *input = kernel.activations(*trunk, steps);
                }
            }
        },
    );
}

impl<F: Format> Memory<F> {
    /// The features of all tokens, and the pool of the trunk.
    fn policy<K: MultiplyAdd<F>>(&mut self, kernel: K, network: &Packed<F>) {
        let layers = &network.layers;
        let Memory { board, trunk, outputs, input, pool, heads, .. } = self;
        let (squares, tokens) = (board.squares(), heads.token_count);
        convolve(kernel, &layers.policy_board, *board, input, outputs);
        kernel.run(
            #[inline(always)]
            || {
                pooled(kernel, trunk, squares, pool);
                layers.policy_pool.forward(kernel, pool, &mut heads.seen);
                let steps = &layers.policy_tokens.steps;
                let groups = heads.tokens.chunks_exact_mut(tokens).zip(outputs.chunks_exact(squares)).zip(steps);
                let beside = network.beside.chunks_exact(tokens - squares).zip(&heads.seen);
                for (((to, on_board), steps), (learned, &seen)) in groups.zip(beside) {
                    let (to_board, to_beside) = to.split_at_mut(squares);
                    for (to, &value) in to_board.iter_mut().zip(on_board) {
                        *to = kernel.activations(value, steps);
                    }
                    for (to, learned) in to_beside.iter_mut().zip(learned) {
                        *to = kernel.activations(kernel.plus(*learned, seen), steps);
                    }
                }
            },
        );
        convolve(kernel, &layers.policy_tokens, Board::row(tokens), &heads.tokens, &mut heads.features);
    }

    /// The logits of win, draw and loss, and the points; after [`Memory::policy`], which leaves the pool of the trunk.
    fn value<K: MultiplyAdd<F>>(&mut self, kernel: K, network: &Packed<F>) {
        let layers = &network.layers;
        let Memory { board, input, pool, heads, .. } = self;
        convolve(kernel, &layers.value_board, *board, input, &mut heads.board_value);
        kernel.run(
            #[inline(always)]
            || {
                let squares = board.squares();
                for square in 0..squares {
                    for channel in 0..heads.value_channels {
                        let value = heads.board_value[channel / LANES * squares + square].0[channel % LANES];
                        let index = square * heads.value_channels + channel;
                        heads.value_inputs[index / LANES].0[index % LANES] = relu(value);
                    }
                }
                let of_pool = heads.value_inputs.len() - pool.len();
                heads.value_inputs[of_pool..].copy_from_slice(pool);
                layers.value_hidden.forward(kernel, &heads.value_inputs, &mut heads.value_hidden);
                rectify(kernel, &mut heads.value_hidden);
                layers.value_out.forward(kernel, &heads.value_hidden, &mut heads.value);
            },
        );
    }
}

/// The ReLU of values as inputs of a convolution with these steps.
#[inline(always)]
fn activate<F: Format, K: MultiplyAdd<F>>(kernel: K, values: &[Lanes], steps: &[Lanes], to: &mut [F::Channels]) {
    let squares = values.len() / steps.len();
    for (group, steps) in steps.iter().enumerate() {
        let range = group * squares..(group + 1) * squares;
        for (to, &value) in to[range.clone()].iter_mut().zip(&values[range]) {
            *to = kernel.activations(value, steps);
        }
    }
}

/// The ReLU of values in their place.
#[inline(always)]
fn rectify<I: InstructionSet>(kernel: I, values: &mut [Lanes]) {
    for value in values {
        *value = kernel.relu(*value);
    }
}

/// Adds one number to each channel.
#[inline(always)]
fn shifted<I: InstructionSet>(kernel: I, values: &mut [Lanes], shifts: &[Lanes], squares: usize) {
    for (values, &shift) in values.chunks_exact_mut(squares).zip(shifts) {
        for value in values {
            *value = kernel.plus(*value, shift);
        }
    }
}

/// The mean of each channel over the board: its sum in the order of the squares, times 1 / squares.
#[inline(always)]
fn means<I: InstructionSet>(kernel: I, values: &[Lanes], squares: usize, to: &mut [Lanes]) {
    let share = Lanes::splat(1.0 / squares as f32);
    for (values, mean) in values.chunks_exact(squares).zip(to) {
        let mut sum = Lanes::ZERO;
        for &value in values {
            sum = kernel.plus(sum, value);
        }
        *mean = kernel.times(sum, share);
    }
}

/// Means of all channels, then maxima.
#[inline(always)]
fn pooled<I: InstructionSet>(kernel: I, values: &[Lanes], squares: usize, to: &mut [Lanes]) {
    let (to_means, maxima) = to.split_at_mut(values.len() / squares);
    means(kernel, values, squares, to_means);
    for (values, maximum) in values.chunks_exact(squares).zip(maxima) {
        *maximum = values[0];
        for &value in values {
            *maximum = kernel.max(value, *maximum);
        }
    }
}

impl PackedDense {
    /// `bias + Σ weight · input`, added in the order of the inputs.
    #[inline(always)]
    pub fn forward<I: InstructionSet>(&self, kernel: I, inputs: &[Lanes], outputs: &mut [Lanes]) {
        let mut group = 0;
        while group + 4 <= outputs.len() {
            self.groups::<I, 4>(kernel, group, inputs, outputs);
            group += 4;
        }
        while group < outputs.len() {
            self.groups::<I, 1>(kernel, group, inputs, outputs);
            group += 1;
        }
    }

    #[inline(always)]
    fn groups<I: InstructionSet, const N: usize>(
        &self,
        kernel: I,
        group: usize,
        inputs: &[Lanes],
        outputs: &mut [Lanes],
    ) {
        let each = self.in_blocks * LANES;
        let mut sums: [Lanes; N] = std::array::from_fn(|n| self.bias[group + n]);
        let weights: [&[Lanes]; N] = std::array::from_fn(|n| &self.weights[(group + n) * each..][..each]);
        for (block, inputs) in inputs[..self.in_blocks].iter().enumerate() {
            for lane in 0..LANES {
                let input = Lanes::splat(inputs.0[lane]);
                for n in 0..N {
                    sums[n] = kernel.plus(sums[n], kernel.times(weights[n][block * LANES + lane], input));
                }
            }
        }
        outputs[group..group + N].copy_from_slice(&sums);
    }
}
