//! What threads and batches may change: the speed alone.

use super::{games, network, play, timeless};
use eval::{MatchConfig, PlayerConfig};
use rules::VariantId;
use rules::encode::Features;
use search::fakes::HashEvaluator;
use search::{EvaluationError, Evaluations, Evaluator, LeafBatch, SearchConfig};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

#[test]
fn threads_and_concurrency_do_not_change_a_game() {
    let folder = tempfile::tempdir().unwrap();
    for &variant in VariantId::ALL {
        let (a, b) = (network("a", 1, 12), network("b", 2, 8));
        let mut logs = Vec::new();
        for (threads, concurrency) in [(1, 1), (1, 0), (2, 5), (8, 3)] {
            let log = folder.path().join(format!("{variant} {threads} {concurrency}.jsonl"));
            let config = MatchConfig { pairs: 10, threads, concurrency, max_plies: 60, ..MatchConfig::default() };
            let report = play(variant, &config, &a, &b, &log);
            logs.push((timeless(&report), games(&log)));
        }
        assert!(logs.iter().all(|log| *log == logs[0]));
        assert_eq!(logs[0].1.len(), 20);
        let config = MatchConfig { pairs: 10, max_plies: 60, seed: 2, ..MatchConfig::default() };
        let log = folder.path().join(format!("{variant} other seed.jsonl"));
        play(variant, &config, &a, &b, &log);
        assert_ne!(games(&log), logs[0].1);
    }
}

/// Counts how full its batches are.
struct FillCounter {
    inner: HashEvaluator,
    calls: Arc<AtomicUsize>,
    leaves: Arc<AtomicUsize>,
}

impl Evaluator for FillCounter {
    fn batch_size(&self) -> usize {
        self.inner.batch_size()
    }

    fn evaluate(&mut self, batch: &LeafBatch, out: &mut Evaluations) -> Result<(), EvaluationError> {
        self.calls.fetch_add(1, Ordering::Relaxed);
        self.leaves.fetch_add(batch.len(), Ordering::Relaxed);
        self.inner.evaluate(batch, out)
    }
}

#[test]
fn batches_fill() {
    const BATCH: usize = 16;
    let folder = tempfile::tempdir().unwrap();
    let counters: [Arc<AtomicUsize>; 2] = Default::default();
    let counting = |name: &str, seed| {
        let [calls, leaves] = counters.clone();
        let search = SearchConfig { visits: 16, ..SearchConfig::default() };
        PlayerConfig::network(name, format!("hash {seed}"), &search, move || {
            let (calls, leaves) = (Arc::clone(&calls), Arc::clone(&leaves));
            Ok(Box::new(FillCounter { inner: HashEvaluator::new(BATCH, seed), calls, leaves }) as Box<dyn Evaluator>)
        })
    };
    // Enough games for every slot of both threads to be filled six times; at the end batches run dry.
    let config = MatchConfig { pairs: 200, max_plies: 40, threads: 2, ..MatchConfig::default() };
    let log = folder.path().join("match.jsonl");
    let report = play(VariantId::Wangqi, &config, &counting("a", 1), &counting("b", 2), &log);
    let [calls, leaves] = counters.map(|counter| counter.load(Ordering::Relaxed));
    let fill = leaves as f64 / (calls * BATCH) as f64;
    println!("{leaves} evaluations, {:.1} % of the room, {:.0} a second", 100.0 * fill, leaves as f64 / report.seconds);
    assert!(fill > 0.8, "batches are {:.1} % full", 100.0 * fill);
}

/// Networks of different ages play each other: each is given positions as it is to be shown them, which the fake checks.
#[test]
fn players_may_be_shown_different_things() {
    let folder = tempfile::tempdir().unwrap();
    let shown = |name: &str, features: Features| {
        let search = SearchConfig { visits: 8, ..SearchConfig::default() };
        PlayerConfig::network(name, format!("{features:?}"), &search, move || {
            Ok(Box::new(HashEvaluator::new(4, 1).shown(features)) as Box<dyn Evaluator>)
        })
    };
    let (old, new) = (shown("old", Features::FIRST), shown("new", Features::ALL));
    for &variant in VariantId::ALL {
        let config = MatchConfig { pairs: 2, max_plies: 30, ..MatchConfig::default() };
        let log = folder.path().join(format!("{variant}.jsonl"));
        play(variant, &config, &old, &new, &log);
        assert_eq!(games(&log).len(), 4);
    }
}
