//! A run of many short games in one process, and its memory use.

use crate::scratch_run::ScratchRun;
use rules::Wangqi;
use search::{Algorithm, HashEvaluator, Reuse};
use selfplay::SelfplayConfig;

/// A run with every feature that keeps data in memory.
pub fn long_run() -> ScratchRun {
    let mut run = ScratchRun::new(2);
    run.search.visits = 8;
    (run.search.algorithm, run.search.reuse) = (Algorithm::Puct, Reuse::Subtree);
    run.selfplay = SelfplayConfig {
        slots: 64,
        plies_per_generation: 100,
        max_plies: 60,
        stagger_plies: 40,
        cache_mb: 8,
        ..run.selfplay
    };
    run
}

/// Plays generations until the run has this number of games.
pub fn play_until(run: &ScratchRun, generation: &mut u32, games: u64) {
    while run.progress.counts().games < games {
        // A new network each time, so that no cache is useful beyond its generation.
        let evaluators = |_| Ok(HashEvaluator::new(32, u64::from(*generation)));
        let report = run.generate::<Wangqi, _>(*generation, evaluators).expect("a generation");
        assert!(report.complete);
        *generation += 1;
    }
}

/// Memory of this process that lies in RAM, MiB.
pub fn resident_mib() -> f64 {
    let text = std::fs::read_to_string("/proc/self/status").expect("Linux's /proc");
    let line = text.lines().find_map(|line| line.strip_prefix("VmRSS:")).expect("a line of it");
    line.trim().trim_end_matches(" kB").parse::<f64>().expect("a number") / 1024.0
}
