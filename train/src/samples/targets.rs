//! What the network should have answered, as tensors on the device of the network.

use crate::error::Result;
use crate::heads::PerHead;
use crate::network::policy::{self, MoveTable};
use tch::{Kind, Tensor};

/// What a policy should have been, with one row for each sample.
#[derive(Debug)]
pub(crate) struct PolicyTargets {
    pub moves: MoveTable,
    /// `[batch, width]`, each row sums to 1 unless it has no moves.
    pub shares: Tensor,
    pub weight: Tensor,
}

impl PolicyTargets {
    /// The logarithm of the network's policy. `dim` is the length of a query.
    ///
    /// # Errors
    /// libtorch refuses (memory, wrong sizes).
    pub fn log_policy(&self, tokens: &Tensor, dim: usize) -> Result<Tensor> {
        let logits = policy::logits(tokens, dim, &self.moves)?;
        let off_board = self.moves.legal.f_logical_not()?;
        // Padding gets no probability. −1e9 stands for −∞, whose gradient would not be a number.
        Ok(logits.f_masked_fill(&off_board, -1e9)?.f_log_softmax(1, Kind::Float)?)
    }
}

/// What the network should have answered, with one row for each sample.
#[derive(Debug)]
pub(crate) struct Targets {
    pub policy: PolicyTargets,
    /// `[batch]` or `[batch, width]` for each head of the value branch.
    pub heads: PerHead<Tensor>,
    /// `[batch]` for each of [`SampleWeight::ALL`].
    pub weights: Vec<Tensor>,
}
