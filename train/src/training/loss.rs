//! What training minimises, and the sums from which metrics are made.

use crate::error::Result;
use crate::heads::{HEADS, Loss, LossConfig, Means, Outputs};
use crate::samples::targets::{PolicyTargets, Targets};
use network::NetworkConfig;
use tch::{Kind, Tensor};

impl Loss {
    /// `[batch]`: how far the outputs of a head are from its targets.
    ///
    /// # Errors
    /// libtorch refuses (memory, wrong sizes).
    fn of(self, output: &Tensor, target: &Tensor) -> Result<Tensor> {
        match self {
            Loss::CrossEntropy => cross_entropy(target, &output.f_log_softmax(1, Kind::Float)?),
            Loss::Huber => {
                let each = output.f_huber_loss(target, tch::Reduction::None, 1.0)?;
                match each.size()[..] {
                    [_] => Ok(each),
                    // The network lacks this head. A mean of nothing would not be a number.
                    [_, 0] => Ok(each.f_sum_dim_intlist([1].as_slice(), false, Kind::Float)?),
                    _ => Ok(each.f_mean_dim([1].as_slice(), false, Kind::Float)?),
                }
            }
        }
    }
}

/// Weights of the samples for a loss, and their sum.
struct Rows<'a> {
    weights: &'a Tensor,
    sum: Tensor,
}

impl<'a> Rows<'a> {
    fn new(weights: &'a Tensor) -> Result<Rows<'a>> {
        Ok(Rows { weights, sum: weights.f_sum(Kind::Float)? })
    }
}

/// The loss to minimise, and a detached vector of [`SUMS`](crate::heads::SUMS) sums from which metrics are made.
///
/// # Errors
/// libtorch refuses (memory, wrong sizes).
pub(crate) fn loss(
    outputs: &Outputs,
    targets: &Targets,
    network: &NetworkConfig,
    config: &LossConfig,
) -> Result<(Tensor, Tensor)> {
    let PolicyTargets { shares, weight: policy_weight, .. } = &targets.policy;
    let log_policy = targets.policy.log_policy(&outputs.tokens, network.policy_dim)?;
    let policy = cross_entropy(shares, &log_policy)?;
    let heads = HEADS.as_ref().zip(outputs.of_heads()).zip(targets.heads.as_ref());
    let heads = heads.try_map(|((head, output), target)| head.loss.of(output, target))?;

    let mut each = policy.f_mul(policy_weight)?.f_mul_scalar(config.policy)?;
    for ((head, loss), weight) in HEADS.as_ref().zip(heads.as_ref()).zip(config.of_heads()) {
        let counted = match head.counts {
            Some(rows) => &loss.f_mul(&targets.weights[rows as usize])?,
            None => loss,
        };
        each = each.f_add(&counted.f_mul_scalar(weight)?)?;
    }
    let total = each.f_mean(Kind::Float)?;

    let _guard = tch::no_grad_guard();
    let log_target = shares.f_clamp_min(1e-12)?.f_log()?;
    let same = |a: &Tensor, b: &Tensor| -> Result<Tensor> {
        Ok(a.f_argmax(1, false)?.f_eq_tensor(&b.f_argmax(1, false)?)?.f_to_kind(Kind::Float)?)
    };
    let ones = policy_weight.f_ones_like()?;
    let (all, policy_rows) = (Rows::new(&ones)?, Rows::new(policy_weight)?);
    let rows = targets.weights.iter().map(Rows::new).collect::<Result<Vec<_>>>()?;
    let means = Means {
        loss: (&each, &all),
        policy: (&policy, &policy_rows),
        policy_target_entropy: (&cross_entropy(shares, &log_target)?, &policy_rows),
        policy_entropy: (&cross_entropy(&log_policy.f_exp()?, &log_policy)?, &policy_rows),
        policy_accuracy: (&same(shares, &log_policy)?, &policy_rows),
        heads: HEADS
            .as_ref()
            .zip(heads.as_ref())
            .map(|(head, loss)| (loss, head.counts.map_or(&all, |of| &rows[of as usize]))),
    };
    let means = means.in_order();
    let values = means.iter().map(|(values, rows)| Ok(values.f_mul(rows.weights)?.f_sum(Kind::Float)?.f_detach()?));
    let weights = means.iter().map(|(_, rows)| Ok(rows.sum.shallow_clone()));
    let sums = Tensor::f_stack(&values.chain(weights).collect::<Result<Vec<_>>>()?, 0)?;
    Ok((total, sums))
}

/// −Σ target · log, over the last dimension.
fn cross_entropy(target: &Tensor, log: &Tensor) -> Result<Tensor> {
    Ok(target.f_mul(log)?.f_sum_dim_intlist([1].as_slice(), false, Kind::Float)?.f_neg()?)
}

#[cfg(test)]
mod tests;
