//! Evaluators that are reused from match to match: a network is loaded once for each thread, however many matches there
//! are.

use rules::encode::Features;
use search::{EvaluationError, Evaluations, Evaluator, LeafBatch};
use std::sync::{Arc, Mutex, PoisonError};

/// Gives one evaluator to each thread that asks.
pub type EvaluatorFactory = dyn Fn() -> Result<Box<dyn Evaluator>, EvaluationError> + Send + Sync;

/// A player config's evaluators that are not in use.
#[derive(Default)]
pub(super) struct EvaluatorPool(Mutex<Vec<Box<dyn Evaluator>>>);

impl EvaluatorPool {
    /// A factory that reuses idle evaluators and makes a new one only if there is none.
    pub(super) fn sharing(
        make: impl Fn() -> Result<Box<dyn Evaluator>, EvaluationError> + Send + Sync + 'static,
    ) -> Arc<EvaluatorFactory> {
        let pool = Arc::new(EvaluatorPool::default());
        Arc::new(move || Ok(Box::new(EvaluatorPool::take(&pool, &make)?) as Box<dyn Evaluator>))
    }

    /// An idle evaluator, or a new one. It returns here when it is dropped.
    fn take(pool: &Arc<EvaluatorPool>, make: &EvaluatorFactory) -> Result<PooledEvaluator, EvaluationError> {
        let waiting = pool.evaluators().pop();
        let evaluator = match waiting {
            Some(evaluator) => evaluator,
            None => make()?,
        };
        let (batch_size, features) = (evaluator.batch_size(), evaluator.features());
        Ok(PooledEvaluator { batch_size, features, evaluator: Some(evaluator), pool: Arc::clone(pool) })
    }

    fn evaluators(&self) -> std::sync::MutexGuard<'_, Vec<Box<dyn Evaluator>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// An evaluator in use.
struct PooledEvaluator {
    batch_size: usize,
    features: Features,
    /// `None` after a failure, after which it is not used again.
    evaluator: Option<Box<dyn Evaluator>>,
    pool: Arc<EvaluatorPool>,
}

impl Evaluator for PooledEvaluator {
    fn batch_size(&self) -> usize {
        self.batch_size
    }

    fn features(&self) -> Features {
        self.features
    }

    fn evaluate(&mut self, batch: &LeafBatch, out: &mut Evaluations) -> Result<(), EvaluationError> {
        let Some(mut evaluator) = self.evaluator.take() else {
            return Err(EvaluationError::network("it has failed before"));
        };
        // Stays empty if this fails or panics.
        evaluator.evaluate(batch, out)?;
        self.evaluator = Some(evaluator);
        Ok(())
    }
}

impl Drop for PooledEvaluator {
    fn drop(&mut self) {
        if let Some(evaluator) = self.evaluator.take() {
            self.pool.evaluators().push(evaluator);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use search::fakes::UniformEvaluator;
    use std::sync::atomic::{AtomicUsize, Ordering};

    #[test]
    fn evaluators_come_back_and_failed_ones_do_not() {
        let made = Arc::new(AtomicUsize::new(0));
        let counter = Arc::clone(&made);
        let make = move || {
            counter.fetch_add(1, Ordering::Relaxed);
            Ok(Box::new(UniformEvaluator::new(4)) as Box<dyn Evaluator>)
        };
        let pool = Arc::new(EvaluatorPool::default());
        let two = [EvaluatorPool::take(&pool, &make).unwrap(), EvaluatorPool::take(&pool, &make).unwrap()];
        assert_eq!(two[0].batch_size(), 4);
        drop(two);
        let mut again = EvaluatorPool::take(&pool, &make).unwrap();
        again.evaluate(&LeafBatch::default(), &mut Evaluations::default()).unwrap();
        drop((again, EvaluatorPool::take(&pool, &make).unwrap()));
        assert_eq!((made.load(Ordering::Relaxed), pool.evaluators().len()), (2, 2));

        let broken = || Err(EvaluationError::network("no such file"));
        assert!(EvaluatorPool::take(&Arc::default(), &broken).is_err());
        let failing = || Ok(Box::new(Failing) as Box<dyn Evaluator>);
        let pool = Arc::new(EvaluatorPool::default());
        let mut taken = EvaluatorPool::take(&pool, &failing).unwrap();
        assert!(taken.evaluate(&LeafBatch::default(), &mut Evaluations::default()).is_err());
        assert!(taken.evaluate(&LeafBatch::default(), &mut Evaluations::default()).is_err());
        drop(taken);
        assert!(pool.evaluators().is_empty());
    }

    struct Failing;

    impl Evaluator for Failing {
        fn batch_size(&self) -> usize {
            1
        }

        fn evaluate(&mut self, _: &LeafBatch, _: &mut Evaluations) -> Result<(), EvaluationError> {
            Err(EvaluationError::network("out of memory"))
        }
    }
}
