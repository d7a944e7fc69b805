//! Evaluators without a network: for tests, for measuring the search alone, and for generation 0.

use crate::evaluator::{EvaluationError, Evaluations, Evaluator, LeafBatch};
use rules::encode::Features;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// Knows nothing: equal logits and a certain draw.
#[derive(Clone, Debug)]
pub struct UniformEvaluator {
    batch_size: usize,
}

impl UniformEvaluator {
    /// An evaluator with batches of up to `batch_size` leaves.
    pub fn new(batch_size: usize) -> Self {
        UniformEvaluator { batch_size }
    }
}

impl Evaluator for UniformEvaluator {
    fn batch_size(&self) -> usize {
        self.batch_size
    }

    fn evaluate(&mut self, batch: &LeafBatch, out: &mut Evaluations) -> Result<(), EvaluationError> {
        out.clear();
        out.logits.resize(batch.tokens.len(), 0.0);
        out.wdl.resize(batch.len(), [0.0, 1.0, 0.0]);
        Ok(())
    }
}

/// Pseudo-random but repeatable answers: a hash of the planes and of the move's tokens. Equal positions get equal
/// answers in any batch.
#[derive(Clone, Debug)]
pub struct HashEvaluator {
    batch_size: usize,
    seed: u64,
    features: Features,
}

impl HashEvaluator {
    /// `seed` picks one of 2⁶⁴ "networks". Logits lie in −2 to 2.
    pub fn new(batch_size: usize, seed: u64) -> Self {
        HashEvaluator { batch_size, seed, features: Features::FIRST }
    }

    /// This "network" with other input features, which give other answers.
    pub fn shown(self, features: Features) -> Self {
        HashEvaluator { features, ..self }
    }
}

impl Evaluator for HashEvaluator {
    fn batch_size(&self) -> usize {
        self.batch_size
    }

    fn features(&self) -> Features {
        self.features
    }

    /// # Panics
    /// If the leaves were made for other input features.
    fn evaluate(&mut self, batch: &LeafBatch, out: &mut Evaluations) -> Result<(), EvaluationError> {
        assert_eq!(batch.features(), self.features, "the leaves are made for this network");
        out.clear();
        for leaf in 0..batch.len() {
            let position = batch.planes_of(leaf).iter().fold(mix(self.seed), |h, x| mix(h ^ u64::from(x.to_bits())));
            let [a, b, c] = [1, 2, 3].map(|i| 0.1 + unit(mix(position ^ i)));
            out.wdl.push([a, b, c].map(|x| x / (a + b + c)));
            out.logits.extend(batch.moves_of(leaf).iter().map(|mv| {
                let code = u64::from(mv.source) << 32 | u64::from(mv.target) << 8 | u64::from(mv.promotes);
                let via = mv.via[..usize::from(mv.via_len)].iter().fold(code, |h, &v| mix(h ^ u64::from(v)));
                4.0 * unit(mix(position ^ mix(via))) - 2.0
            }));
        }
        Ok(())
    }
}

/// SplitMix64's finaliser.
fn mix(x: u64) -> u64 {
    let x = x.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

/// The top 24 bits as a number from 0 to 1.
fn unit(x: u64) -> f32 {
    (x >> 40) as f32 / (1u64 << 24) as f32
}

/// A device next to the processor, shared by its clones: it computes one batch at a time, each in the same time, while
/// the waiting threads sleep. It simulates a GPU for the generator.
#[derive(Clone, Debug)]
pub struct DeviceEvaluator<E> {
    inner: E,
    device: Arc<Mutex<()>>,
    takes: Duration,
}

impl<E: Evaluator> DeviceEvaluator<E> {
    /// A device that answers like `inner`, a time of `takes` after it has begun a batch.
    pub fn new(inner: E, takes: Duration) -> Self {
        DeviceEvaluator { inner, device: Arc::default(), takes }
    }
}

impl<E: Evaluator> Evaluator for DeviceEvaluator<E> {
    fn batch_size(&self) -> usize {
        self.inner.batch_size()
    }

    fn features(&self) -> Features {
        self.inner.features()
    }

    fn evaluate(&mut self, batch: &LeafBatch, out: &mut Evaluations) -> Result<(), EvaluationError> {
        // After a caller panics, the device still works.
        let working = self.device.lock().unwrap_or_else(PoisonError::into_inner);
        std::thread::sleep(self.takes);
        drop(working);
        self.inner.evaluate(batch, out)
    }
}

/// Forwards to another evaluator, and from some call on breaks its answers, as a diverged network does.
#[derive(Clone, Debug)]
pub struct NotFiniteEvaluator<E> {
    inner: E,
    healthy_calls: usize,
}

impl<E: Evaluator> NotFiniteEvaluator<E> {
    /// The first `healthy_calls` batches are answered by `inner`, later ones contain a NaN.
    pub fn new(inner: E, healthy_calls: usize) -> Self {
        NotFiniteEvaluator { inner, healthy_calls }
    }
}

impl<E: Evaluator> Evaluator for NotFiniteEvaluator<E> {
    fn batch_size(&self) -> usize {
        self.inner.batch_size()
    }

    fn features(&self) -> Features {
        self.inner.features()
    }

    fn evaluate(&mut self, batch: &LeafBatch, out: &mut Evaluations) -> Result<(), EvaluationError> {
        self.inner.evaluate(batch, out)?;
        if self.healthy_calls > 0 {
            self.healthy_calls -= 1;
        } else if let Some(wdl) = out.wdl.last_mut() {
            wdl[0] = f32::NAN;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rules::{Game, MoveList, Rules, Wangqi};

    /// Each fake gives the leaves of a game the same answers alone and together.
    #[test]
    fn an_evaluation_does_not_depend_on_its_batch() {
        let (mut together, mut legal) = (LeafBatch::default(), MoveList::new());
        let mut game = Game::<Wangqi>::start(Rules::default());
        let mut alone = Vec::new();
        let mut network = HashEvaluator::new(64, 5);
        for ply in 0..40 {
            game.legal_moves(&mut legal);
            let (mut one, mut answer) = (LeafBatch::default(), Evaluations::default());
            one.push(&game, &legal);
            together.push(&game, &legal);
            network.evaluate(&one, &mut answer).expect("an answer");
            alone.push(answer);
            game.play(legal[ply % legal.len()]);
        }
        let mut answers = Evaluations::default();
        network.evaluate(&together, &mut answers).expect("answers");
        answers.check(&together).expect("one for each");
        for (leaf, alone) in alone.iter().enumerate() {
            assert_eq!(answers.wdl[leaf], alone.wdl[0]);
            assert_eq!(answers.logits[together.range_of(leaf)], alone.logits);
        }
        answers.wdl.pop();
        let error = answers.check(&together).expect_err("one is missing").to_string();
        assert!(error.starts_with("39 values and"), "{error}");
    }
}
