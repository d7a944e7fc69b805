//! A network as an evaluator of the search, with or without libtorch.

use crate::error::Result;
use crate::inference::config::{Backend, EvaluatorConfig, Precision};
use crate::inference::evaluator::TorchEvaluator;
use network::{NativeEvaluator, NetworkFile, Numbers};
use rules::encode::Features;
use search::{EvaluationError, Evaluations, Evaluator, LeafBatch};

/// A network that evaluates leaves with the backend of its settings. Each search thread has its own.
///
/// ```
/// use search::{Evaluations, Evaluator};
/// use train::{EvaluatorConfig, NetworkEvaluator, Workload};
///
/// let network = train::builtin(rules::VariantId::Wangqi)?.expect("there is one");
/// let (config, _) = EvaluatorConfig::default().for_network(&network, Workload::default())?;
/// let mut evaluator = NetworkEvaluator::new(&network, &config)?;
/// let leaves = search::random_leaves::<rules::Wangqi>(8, 1, evaluator.features());
/// let mut out = Evaluations::default();
/// evaluator.evaluate(&leaves, &mut out)?;
/// assert_eq!(out.wdl.len(), 8);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub enum NetworkEvaluator {
    /// Without libtorch.
    Native(Box<NativeEvaluator>),
    /// With libtorch.
    Torch(Box<TorchEvaluator>),
}

impl NetworkEvaluator {
    /// Prepares a network for play. `config` leaves nothing open
    /// ([`EvaluatorConfig::for_network`](crate::EvaluatorConfig::for_network)).
    ///
    /// # Errors
    /// libtorch or a GPU is asked for and cannot be used, or the network has numbers that are not finite.
    pub fn new(file: &NetworkFile, config: &EvaluatorConfig) -> Result<NetworkEvaluator> {
        if config.backend != Backend::Native {
            return Ok(NetworkEvaluator::Torch(Box::new(TorchEvaluator::settled(file, config)?)));
        }
        let numbers = if config.precision == Precision::Fp32 { Numbers::Fp32 } else { Numbers::Int8 };
        Ok(NetworkEvaluator::Native(Box::new(file.evaluator(numbers, config.batch)?)))
    }

    /// Evaluates all leaves of `batch` into `out`, which is emptied first.
    ///
    /// # Errors
    /// The leaves were made for a network that is shown something else, or libtorch fails.
    pub(crate) fn evaluate_leaves(&mut self, batch: &LeafBatch, out: &mut Evaluations) -> Result<()> {
        match self {
            NetworkEvaluator::Native(evaluator) => Ok(evaluator.evaluate_leaves(batch, out)?),
            NetworkEvaluator::Torch(evaluator) => evaluator.evaluate_leaves(batch, out),
        }
    }
}

impl Evaluator for NetworkEvaluator {
    fn batch_size(&self) -> usize {
        match self {
            NetworkEvaluator::Native(evaluator) => evaluator.batch_size(),
            NetworkEvaluator::Torch(evaluator) => evaluator.batch_size(),
        }
    }

    fn features(&self) -> Features {
        match self {
            NetworkEvaluator::Native(evaluator) => evaluator.features(),
            NetworkEvaluator::Torch(evaluator) => evaluator.features(),
        }
    }

    fn evaluate(&mut self, batch: &LeafBatch, out: &mut Evaluations) -> Result<(), EvaluationError> {
        self.evaluate_leaves(batch, out).map_err(EvaluationError::network)
    }
}
