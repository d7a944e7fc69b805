//! The heads: policy tokens and the logits of moves; win, draw and loss; the points.

use crate::blueprint::Blueprint;
use crate::folding::TokenLayout;
use crate::format::Format;
use crate::kernels::instruction_set::InstructionSet;
use crate::lanes::{Lanes, blocks_of};
use rules::encode::MoveTokens;

/// Memory of both heads for one position.
#[derive(Clone)]
pub(crate) struct Heads<F: Format> {
    /// Hidden channels of all tokens: squares, then hand slots and pass; `[group of channels][token]`.
    pub tokens: Vec<F::Channels>,
    /// Their features, `[group of outputs][token]`; see [`TokenLayout`].
    pub features: Vec<Lanes>,
    pub token_count: usize,
    layout: TokenLayout,
    /// What the board as a whole adds to the tokens that are not on it.
    pub seen: Vec<Lanes>,
    pub value_channels: usize,
    pub board_value: Vec<Lanes>,
    pub value_inputs: Vec<Lanes>,
    pub value_hidden: Vec<Lanes>,
    pub value: Vec<Lanes>,
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
