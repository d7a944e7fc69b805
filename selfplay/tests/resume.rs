//! After any number of interruptions of any kind, a resumed run gives the games of an uninterrupted one.

use crate::scratch_run::ScratchRun;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rules::{Variant, Wangqi, Xiangqi};
use search::{Algorithm, EvaluationError, Evaluations, Evaluator, HashEvaluator, LeafBatch, Reuse, SearchConfig};
use selfplay::GenerateError;
use selfplay::generator::GenerationTally;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use testkit::fault;

const GENERATIONS: u32 = 3;

/// How a run is interrupted.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Interruption {
    /// By the flag: the workers stop at the next batch and the slots are written.
    Stop,
    /// By a failure between two batches, after which nothing is written: the state after a kill.
    Kill,
}

/// Answers like a [`HashEvaluator`] until a number of batches, over all threads, is used up.
struct Interrupted<'a> {
    inner: HashEvaluator,
    left: &'a AtomicI64,
    end: Interruption,
    stop: &'a AtomicBool,
}

impl Evaluator for Interrupted<'_> {
    fn batch_size(&self) -> usize {
        self.inner.batch_size()
    }

    fn evaluate(&mut self, batch: &LeafBatch, out: &mut Evaluations) -> Result<(), EvaluationError> {
        if self.left.fetch_sub(1, Ordering::Relaxed) <= 0 {
            match self.end {
                Interruption::Stop => self.stop.store(true, Ordering::Relaxed),
                Interruption::Kill => return Err(EvaluationError::network("killed")),
            }
        }
        self.inner.evaluate(batch, out)
    }
}

/// The finished files and the last slots' file.
fn outcome<V: Variant>(run: &ScratchRun) -> (Vec<[String; 2]>, String) {
    (run.digests::<V>(), std::fs::read_to_string(run.slots_file()).expect("the slots' file"))
}

/// A run with these searches.
fn run_with(search: &SearchConfig, threads: usize) -> ScratchRun {
    let mut run = ScratchRun::new(threads);
    run.search = search.clone();
    run
}

/// The outcome of an uninterrupted run, and its tally for each generation.
fn uninterrupted<V: Variant>(search: &SearchConfig) -> ((Vec<[String; 2]>, String), Vec<GenerationTally>) {
    let run = run_with(search, 2);
    let mut tallies = Vec::new();
    for generation in 0..GENERATIONS {
        let evaluators = |_| Ok(HashEvaluator::new(6, u64::from(generation)));
        let report = run.generate::<V, _>(generation, evaluators).expect("a generation");
        assert_eq!(report.tally.searched, report.counts.positions);
        tallies.push(report.tally);
    }
    (outcome::<V>(&run), tallies)
}

/// Plays the run in pieces, each ended after some batches; returns the number of pieces and the tally of each generation.
fn in_pieces<V: Variant>(
    run: &ScratchRun,
    mut next: impl FnMut() -> (i64, Interruption),
) -> (u32, Vec<GenerationTally>) {
    let (mut pieces, mut tallies) = (0, Vec::new());
    for generation in 0..GENERATIONS {
        loop {
            pieces += 1;
            let (batches, end) = next();
            let left = AtomicI64::new(batches);
            run.stop.store(false, Ordering::Relaxed);
            let evaluators = |_| {
                let inner = HashEvaluator::new(6, u64::from(generation));
                Ok(Interrupted { inner, left: &left, end, stop: &run.stop })
            };
            match run.generate::<V, _>(generation, evaluators) {
                Ok(report) if report.complete => {
                    tallies.push(report.tally);
                    break;
                }
                Ok(_) => assert_eq!(end, Interruption::Stop),
                Err(GenerateError::Network(_)) => assert_eq!(end, Interruption::Kill),
                Err(error) => panic!("{error}"),
            }
        }
    }
    (pieces, tallies)
}

/// Returns what the generations counted.
fn resumes<V: Variant>(search: &SearchConfig) -> Vec<GenerationTally> {
    let (reference, found) = uninterrupted::<V>(search);
    let mut rng = ChaCha8Rng::seed_from_u64(11);
    let mut pieces = 0;
    while pieces < 25 {
        let run = run_with(search, rng.random_range(1..=3));
        // A kill loses the plies since the generation began, so pieces must be long enough to finish one.
        let (played, tallies) = in_pieces::<V>(&run, || {
            let end = if rng.random() { Interruption::Stop } else { Interruption::Kill };
            (rng.random_range(1..1500), end)
        });
        pieces += played;
        assert_eq!(outcome::<V>(&run), reference);
        assert_eq!(tallies, found, "figures of whole generations");
    }
    found
}

fn gumbel() -> SearchConfig {
    SearchConfig { visits: 12, ..SearchConfig::default() }
}

#[test]
fn xiangqi_goes_on_as_if_nothing_had_happened() {
    resumes::<Xiangqi>(&gumbel());
}

#[test]
fn wangqi_goes_on_as_if_nothing_had_happened() {
    let found = resumes::<Wangqi>(&gumbel());
    assert!(found.iter().all(|tally| tally.proven > 0), "{found:?}");
}

/// Trees are kept from move to move, so the parts that an interruption loses must be searched again.
#[test]
fn so_do_games_whose_trees_are_kept() {
    resumes::<Wangqi>(&SearchConfig { algorithm: Algorithm::Puct, reuse: Reuse::Subtree, ..gumbel() });
}

/// Every step of every write fails once, as in a kill and as on a full disk, until the run is finished.
#[test]
fn every_write_may_fail() {
    let (reference, found) = uninterrupted::<Wangqi>(&gumbel());
    for kind in [fault::FaultKind::Kill, fault::FaultKind::DiskFull] {
        let run = ScratchRun::new(1);
        let mut failures = 0;
        for generation in 0..GENERATIONS {
            for n in 1.. {
                let fault = fault::install(kind, n);
                let evaluators = |_| Ok(HashEvaluator::new(6, u64::from(generation)));
                let played = run.generate::<Wangqi, _>(generation, evaluators);
                let happened = fault.happened();
                drop(fault);
                match played {
                    Ok(report) if !happened => {
                        assert!(report.complete);
                        assert_eq!(report.tally, found[generation as usize], "{kind:?}, generation {generation}");
                        break;
                    }
                    Ok(_) => {}
                    Err(GenerateError::Data(_)) => failures += 1,
                    Err(error) => panic!("{error}"),
                }
            }
        }
        assert!(failures > 20, "{failures} failures are too few to tell anything");
        assert_eq!(outcome::<Wangqi>(&run), reference, "{kind:?}");
    }
}
