//! What training minimises, and the metrics that are printed with it.

use crate::error::Result;
use crate::network::Outputs;
use crate::network::blueprint::NetworkConfig;
use crate::network::policy::{self, MoveTable};
use serde::{Deserialize, Serialize};
use settings::Complaints;
use tch::{Kind, Tensor};

/// Weights of the losses in their sum. The policy and value losses are cross-entropies in nats.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct LossConfig {
    /// Weight of the policy against the stored target, over all legal moves; 0 to 10 (KataGo 0.93).
    pub policy: f64,
    /// Weight of win/draw/loss against the result (and the search, see `training.data`); 0 to 10 (KataGo 0.6).
    pub value: f64,
    /// Weight of win/draw/loss as the search sees it in the next plies. The value is our own. Only tests change it: it is no key
    /// of a configuration.
    #[serde(skip)]
    pub short_value: f64,
    /// Weight of the Huber loss of ln(1 + plies left); 0 to 10.
    pub plies_left: f64,
    /// Weight of the Huber loss of the piece counts some plies ahead, averaged over the kinds. It is a signal even where no
    /// game is decided. The value is our own. Only tests change it: it is no key of a configuration.
    #[serde(skip)]
    pub material: f64,
}

impl Default for LossConfig {
    fn default() -> Self {
        LossConfig { policy: 1.0, value: 1.0, short_value: 0.25, plies_left: 0.1, material: 0.25 }
    }
}

impl LossConfig {
    /// Complains about each value that is out of range.
    pub fn check(&self, complaints: &mut Complaints) {
        let named = [("policy", self.policy), ("value", self.value), ("plies_left", self.plies_left)];
        for (key, weight) in named {
            complaints.within(key, weight, 0.0, 10.0);
        }
        if self.policy == 0.0 && self.value == 0.0 {
            complaints.say("", "policy and value are both 0, so nothing that plays is trained");
        }
    }
}

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

    /// The logarithm of the network's policy, and its cross-entropy against the targets.
    fn cross_entropy(&self, tokens: &Tensor, dim: usize) -> Result<(Tensor, Tensor)> {
        let log_policy = self.log_policy(tokens, dim)?;
        let entropy = cross_entropy(&self.shares, &log_policy)?;
        Ok((log_policy, entropy))
    }
}

/// What the network should have answered, with one row for each sample.
#[derive(Debug)]
pub(crate) struct Targets {
    pub policy: PolicyTargets,
    /// `[batch, 3]`, each row sums to 1.
    pub wdl: Tensor,
    pub value_weight: Tensor,
    pub short_wdl: Tensor,
    /// `[batch]`: ln(1 + plies left).
    pub plies_left: Tensor,
    pub plies_weight: Tensor,
    pub material: Tensor,
}

/// Number of sums over samples from which metrics are made, in the order of [`Metrics::from_sums`].
pub(crate) const SUMS: usize = 13;

/// The loss to minimise, and a detached vector of [`SUMS`] sums from which metrics are made.
pub(crate) fn loss(
    outputs: &Outputs,
    targets: &Targets,
    network: &NetworkConfig,
    config: &LossConfig,
) -> Result<(Tensor, Tensor)> {
    let (log_policy, policy) = targets.policy.cross_entropy(&outputs.tokens, network.policy_dim)?;
    let value = cross_entropy(&targets.wdl, &outputs.wdl.f_log_softmax(1, Kind::Float)?)?;
    let short = cross_entropy(&targets.short_wdl, &outputs.short_wdl.f_log_softmax(1, Kind::Float)?)?;
    let huber = |output: &Tensor, target: &Tensor| output.f_huber_loss(target, tch::Reduction::None, 1.0);
    let plies = huber(&outputs.plies_left, &targets.plies_left)?;
    let material = huber(&outputs.material, &targets.material)?.f_mean_dim([1].as_slice(), false, Kind::Float)?;

    let weighted = |loss: &Tensor, rows: &Tensor, weight: f64| loss.f_mul(rows)?.f_mul_scalar(weight);
    let each = weighted(&policy, &targets.policy.weight, config.policy)?
        .f_add(&weighted(&value, &targets.value_weight, config.value)?)?
        .f_add(&weighted(&short, &targets.value_weight, config.short_value)?)?
        .f_add(&weighted(&plies, &targets.plies_weight, config.plies_left)?)?
        .f_add(&material.f_mul_scalar(config.material)?)?;
    let total = each.f_mean(Kind::Float)?;

    let _guard = tch::no_grad_guard();
    let PolicyTargets { shares, weight: rows, .. } = &targets.policy;
    let log_target = shares.f_clamp_min(1e-12)?.f_log()?;
    let same = |a: &Tensor, b: &Tensor| -> Result<Tensor> {
        Ok(a.f_argmax(1, false)?.f_eq_tensor(&b.f_argmax(1, false)?)?.f_to_kind(Kind::Float)?)
    };
    let ones = rows.f_ones_like()?;
    let sums = [
        (&each, &ones),
        (&policy, rows),
        (&cross_entropy(shares, &log_target)?, rows),
        (&cross_entropy(&log_policy.f_exp()?, &log_policy)?, rows),
        (&same(shares, &log_policy)?, rows),
        (rows, &ones),
        (&value, &targets.value_weight),
        (&short, &targets.value_weight),
        (&targets.value_weight, &ones),
        (&plies, &targets.plies_weight),
        (&targets.plies_weight, &ones),
        (&material, &ones),
        (&ones, &ones),
    ];
    let sums = sums.into_iter().map(|(loss, rows)| Ok(loss.f_mul(rows)?.f_sum(Kind::Float)?.f_detach()?));
    let sums = Tensor::f_stack(&sums.collect::<Result<Vec<_>>>()?, 0)?;
    Ok((total, sums))
}

/// −Σ target · log, over the last dimension.
fn cross_entropy(target: &Tensor, log: &Tensor) -> Result<Tensor> {
    Ok(target.f_mul(log)?.f_sum_dim_intlist([1].as_slice(), false, Kind::Float)?.f_neg()?)
}

/// Means over the samples of some steps; each mean is over the samples that have weight for it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Metrics {
    /// The weighted sum of all losses.
    pub loss: f64,
    /// Cross-entropy of the policy in nats; never below `policy_target_entropy`.
    pub policy: f64,
    /// Entropy of the policy targets in nats.
    pub policy_target_entropy: f64,
    /// Entropy of the network's policy in nats.
    pub policy_entropy: f64,
    /// Share of positions in which the network and the target prefer the same move.
    pub policy_accuracy: f64,
    /// Cross-entropy of win/draw/loss in nats.
    pub value: f64,
    /// Cross-entropy of win/draw/loss in the short term, in nats.
    pub short_value: f64,
    /// Huber loss of ln(1 + plies left).
    pub plies_left: f64,
    /// Huber loss of the piece counts, averaged over the kinds.
    pub material: f64,
    /// Number of samples.
    pub samples: f64,
}

impl Metrics {
    /// The means, from sums over any number of batches.
    pub(crate) fn from_sums(sums: &[f64; SUMS]) -> Metrics {
        let &[loss, policy, target_entropy, entropy, same, policy_rows, value, short, value_rows, ..] = sums;
        let &[.., plies, plies_rows, material, samples] = sums;
        let mean = |sum: f64, rows: f64| if rows > 0.0 { sum / rows } else { 0.0 };
        Metrics {
            loss: mean(loss, samples),
            policy: mean(policy, policy_rows),
            policy_target_entropy: mean(target_entropy, policy_rows),
            policy_entropy: mean(entropy, policy_rows),
            policy_accuracy: mean(same, policy_rows),
            value: mean(value, value_rows),
            short_value: mean(short, value_rows),
            plies_left: mean(plies, plies_rows),
            material: mean(material, samples),
            samples,
        }
    }
}

#[cfg(test)]
mod tests;
