//! The layers of a network for play. Batch norms are part of the convolutions, and what only training needs is left out.
//!
//! The same structure exists with different kinds of layers: folded (fp32, in the order of the formulas), quantised
//! (integers, in the same order), and packed for kernels. Each is made of the one before with [`Layers::map`].

/// A convolution of 1 × 1 or 3 × 3 that keeps the size of the board:
/// `output[o] = scale[o] · Σ weight[o][i][tap] · input[i] + bias[o]`.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Conv<W> {
    pub inputs: usize,
    pub outputs: usize,
    /// 1 or 3.
    pub size: usize,
    /// `[outputs][inputs][size × size]`.
    pub weights: Vec<W>,
    /// 1 for each output where weights are in fp32.
    pub scale: Vec<f32>,
    pub bias: Vec<f32>,
    /// For each input channel the integer that stands for 1; 1 where inputs are in fp32.
    pub steps: Vec<f32>,
}

/// A dense layer.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Dense {
    /// Inputs come in parts: channels' means and maxima, for example.
    pub parts: Vec<usize>,
    pub outputs: usize,
    /// `[outputs][inputs]`.
    pub weights: Vec<f32>,
    pub bias: Vec<f32>,
}

/// How a block sees the whole board.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum MixingLayers<D> {
    None,
    Se { squeeze: D, scale: D, shift: D },
    Pool(D),
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Block<C, D> {
    pub first: C,
    pub second: C,
    pub mixing: MixingLayers<D>,
}

/// A whole network of first layers `S`, convolutions `C` and dense layers `D`.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Layers<S, C, D> {
    pub stem: S,
    pub blocks: Vec<Block<C, D>>,
    pub policy_board: C,
    /// Learned inputs of the tokens that are not on the board, `[tokens][channels]`.
    pub policy_beside: Vec<f32>,
    pub policy_pool: D,
    /// From a token's hidden channels to its query, its key and its scalars, each filled up to whole groups of 16 outputs.
    pub policy_tokens: C,
    pub value_board: C,
    pub value_hidden: D,
    /// Win, draw and loss, and then the points in a network that says them.
    pub value_out: D,
}

/// Layers in fp32.
pub(crate) type Folded = Layers<Conv<f32>, Conv<f32>, Dense>;

impl<S, C, D> Layers<S, C, D> {
    /// The same network with other kinds of layers. `conv` is told what each convolution reads.
    pub fn map<T, E, F>(
        &self,
        stem: impl Fn(&S) -> T,
        conv: impl Fn(&C, Input) -> E,
        dense: impl Fn(&D) -> F,
    ) -> Layers<T, E, F> {
        let block = |(index, block): (usize, &Block<C, D>)| Block {
            first: conv(&block.first, Input::Trunk(index)),
            second: conv(&block.second, Input::Inner(index)),
            mixing: match &block.mixing {
                MixingLayers::None => MixingLayers::None,
                MixingLayers::Se { squeeze, scale, shift } => {
                    MixingLayers::Se { squeeze: dense(squeeze), scale: dense(scale), shift: dense(shift) }
                }
                MixingLayers::Pool(pool) => MixingLayers::Pool(dense(pool)),
            },
        };
        let last = Input::Trunk(self.blocks.len());
        Layers {
            stem: stem(&self.stem),
            blocks: self.blocks.iter().enumerate().map(block).collect(),
            policy_board: conv(&self.policy_board, last),
            policy_beside: self.policy_beside.clone(),
            policy_pool: dense(&self.policy_pool),
            policy_tokens: conv(&self.policy_tokens, Input::Tokens),
            value_board: conv(&self.value_board, last),
            value_hidden: dense(&self.value_hidden),
            value_out: dense(&self.value_out),
        }
    }
}

/// The activations that a convolution reads. All are the results of a ReLU, so none is negative.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Input {
    /// The trunk before the block of this number; after the last block if there is no such block.
    Trunk(usize),
    /// Between the convolutions of a block.
    Inner(usize),
    /// The hidden channels of the policy's tokens.
    Tokens,
}
