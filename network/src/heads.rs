//! The heads: policy tokens and the logits of moves; win, draw and loss; the points.

use crate::blueprint::Blueprint;
use crate::board::Board;
use crate::folding::TokenLayout;
use crate::format::Format;
use crate::forward::{Memory, pooled, rectify};
use crate::kernels::convolution::convolve;
use crate::kernels::{InstructionSet, MultiplyAdd};
use crate::lanes::{LANES, Lanes, blocks_of, relu};
use crate::packing::Packed;
use rules::encode::MoveTokens;

/// Memory of both heads for one position.
#[derive(Clone)]
pub(crate) struct Heads<F: Format> {
    /// Hidden channels of all tokens: squares, then hand slots and pass; `[group of channels][token]`.
    tokens: Vec<F::Channels>,
    /// Their features, `[group of outputs][token]`; see [`TokenLayout`].
    features: Vec<Lanes>,
    token_count: usize,
    layout: TokenLayout,
    /// What the board as a whole adds to the tokens that are not on it.
    seen: Vec<Lanes>,
    value_channels: usize,
    board_value: Vec<Lanes>,
    value_inputs: Vec<Lanes>,
    value_hidden: Vec<Lanes>,
    value: Vec<Lanes>,
}

impl<F: Format> Heads<F> {
    pub fn new(sizes: &Blueprint) -> Heads<F> {
        let (squares, tokens, groups) = (sizes.shape.squares(), sizes.shape.tokens(), blocks_of(sizes.config.channels));
        let layout = TokenLayout::new(sizes.config.policy_dim);
        let lanes = |count: usize| vec![Lanes::ZERO; count];
        Heads {
            tokens: vec![F::Channels::default(); groups * tokens],
            features: lanes((2 * layout.groups + 1) * tokens),
            token_count: tokens,
            layout,
            seen: lanes(groups),
            value_channels: sizes.config.value_channels,
            board_value: lanes(blocks_of(sizes.config.value_channels) * squares),
            value_inputs: lanes(blocks_of(sizes.config.value_channels * squares) + 2 * groups),
            value_hidden: lanes(blocks_of(sizes.config.value_hidden)),
            value: lanes(1),
        }
    }

    /// The inputs of the layer of tokens.
    pub fn tokens(&self) -> &[F::Channels] {
        &self.tokens
    }

    /// Logits of win, draw and loss.
    pub fn wdl(&self) -> [f32; 3] {
        let [win, draw, loss, ..] = self.value[0].0;
        [win, draw, loss]
    }

    /// The points, in a network that says them.
    pub fn points(&self) -> f32 {
        self.value[0].0[3]
    }

    /// The logit of one move; `scale` is 1 / √dim.
    ///
    /// ```text
    /// logit = query(source) · key(target) · scale + leaves(source) + arrives(target)
    ///       + [promotes] · (promotes_from(source) + promotes_at(target)) + Σ touches(via)
    /// ```
    #[inline(always)]
    pub fn logit<I: InstructionSet>(&self, kernel: I, mv: &MoveTokens, scale: f32) -> f32 {
        let features = |group: usize, token: u16| self.features[group * self.token_count + usize::from(token)];
        let groups = self.layout.groups;
        let mut products = Lanes::ZERO;
        for group in 0..groups {
            products =
                kernel.plus(products, kernel.times(features(group, mv.source), features(groups + group, mv.target)));
        }
        let scalars = |token: u16| {
            let [leaves, arrives, promotes_from, promotes_at, touches, ..] = features(2 * groups, token).0;
            [leaves, arrives, promotes_from, promotes_at, touches]
        };
        let [leaves, _, promotes_from, ..] = scalars(mv.source);
        let [_, arrives, _, promotes_at, _] = scalars(mv.target);
        let mut logit = products.sum() * scale + leaves + arrives;
        if mv.promotes {
            logit += promotes_from + promotes_at;
        }
        for &via in &mv.via[..usize::from(mv.via_len)] {
            let [.., touches] = scalars(via);
            logit += touches;
        }
        logit
    }
}

impl<F: Format> Memory<F> {
    /// The features of all tokens, and the pool of the trunk.
    pub fn policy<K: MultiplyAdd<F>>(&mut self, kernel: K, network: &Packed<F>) {
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
    pub fn value<K: MultiplyAdd<F>>(&mut self, kernel: K, network: &Packed<F>) {
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
