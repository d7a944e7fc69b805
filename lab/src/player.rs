//! A network file as a player of matches: what joins `train` and `eval`, which do not know each other.

use eval::Contender;
use selfplay::{EvaluationError, Evaluator, SearchConfig};
use train::{DeviceChoice, EvaluatorConfig, NetworkFile, TorchEvaluator};

/// A network as a player of a match of `pairs` pairs, with evaluators of the given settings.
pub fn network_player(
    name: String,
    file: NetworkFile,
    search: &SearchConfig,
    evaluator: &EvaluatorConfig,
    pairs: u32,
) -> Contender {
    let evaluator = EvaluatorConfig { batch: batch_for(pairs, evaluator), ..evaluator.clone() };
    let identity = file.id().to_owned();
    Contender::network(name, identity, search, move || {
        TorchEvaluator::new(&file, &evaluator)
            .map(|evaluator| Box::new(evaluator) as Box<dyn Evaluator>)
            .map_err(EvaluationError::network)
    })
}

/// Pairs from which a match has games enough for batches of 16 on two threads (computed, not measured).
const ENOUGH_FOR_16: u32 = 20;

/// Batches of a match. They are padded to their full size, and a match has few games to fill them with, fewer towards
/// its end; a CPU is near its best from 16 (measured). The size decides the last bits of an evaluation, so it does not
/// depend on the number of threads.
fn batch_for(pairs: u32, evaluator: &EvaluatorConfig) -> usize {
    if evaluator.device == DeviceChoice::Cuda {
        return evaluator.batch;
    }
    evaluator.batch.min(if pairs < ENOUGH_FOR_16 { 8 } else { 16 })
}
