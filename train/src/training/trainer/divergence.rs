//! How far a network has moved from another one.

use super::Trainer;
use crate::error::Result;
use crate::network::Network;
use crate::samples::dataset::{Dataset, Split};
use network::NetworkFile;
use rules::Variant;
use tch::Kind;

impl Trainer {
    /// The Kullback–Leibler divergence of the policy of the network that plays from that of another one of its kind, Σ
    /// new · ln(new / old) in nats: the mean over the positions that a validation looks at, when `progress` of the run (0
    /// to 1) is over. `None` if no game is kept for validation, or the other network has another size or is shown other
    /// features.
    ///
    /// # Errors
    /// libtorch fails.
    pub fn divergence_from<V: Variant>(
        &self,
        other: &NetworkFile,
        dataset: &Dataset<V>,
        progress: f64,
    ) -> Result<Option<f64>> {
        let blueprint = self.playing.blueprint();
        if other.blueprint() != blueprint {
            return Ok(None);
        }
        let _guard = tch::no_grad_guard();
        tch::set_num_threads(self.config.threads as i32);
        let other = Network::of_file(other, self.device)?;
        let reading = dataset.reading(progress, blueprint);
        let dim = blueprint.config.policy_dim;
        let (mut sum, mut rows) = (0.0, 0);
        for batch in dataset.validation(Split::Validation, self.config.batch, reading) {
            let (planes, targets) = batch.tensors(blueprint.shape, self.device)?;
            let new = targets.policy.log_policy(&self.playing.evaluate(&planes)?.tokens, dim)?;
            let old = targets.policy.log_policy(&other.evaluate(&planes)?.tokens, dim)?;
            sum += new.f_exp()?.f_mul(&new.f_sub(&old)?)?.f_sum(Kind::Double)?.f_double_value(&[])?;
            rows += batch.len();
        }
        Ok((rows > 0).then(|| sum / rows as f64))
    }
}
