//! The same seed and settings give the same files, for any number of threads and any batch size.

use crate::scratch_run::ScratchRun;
use rules::{Variant, Wangqi, Xiangqi};
use search::HashEvaluator;
use std::sync::atomic::{AtomicUsize, Ordering};

fn same_files<V: Variant>() {
    let mut reference = None;
    for (threads, batch) in [(1, 12), (2, 4), (8, 1)] {
        let run = ScratchRun::new(threads);
        for generation in 0..3 {
            let at_work = AtomicUsize::new(0);
            let evaluators = |_| {
                at_work.fetch_add(1, Ordering::Relaxed);
                Ok(HashEvaluator::new(batch, u64::from(generation)))
            };
            let report = run.generate::<V, _>(generation, evaluators).expect("a generation");
            assert_eq!(at_work.into_inner(), threads, "every thread has slots");
            assert!(report.complete);
            assert_eq!(report.counts.positions, 12 * 40);
        }
        let slots = std::fs::read_to_string(run.slots_file()).expect("the slots' file");
        let found = (run.digests::<V>(), slots);
        assert!(run.games::<V>().len() > 12, "too few games to tell anything");
        assert_eq!(*reference.get_or_insert(found.clone()), found, "{threads} threads");
    }
}

#[test]
fn xiangqi_games_do_not_depend_on_threads() {
    same_files::<Xiangqi>();
}

#[test]
fn wangqi_games_do_not_depend_on_threads() {
    same_files::<Wangqi>();
}
