//! A run's memory use does not grow over time.

mod resident;
mod scratch_run;

use resident::{long_run, play_until, resident_mib};

/// By the five hundredth game all reusable memory has been allocated. A leak of each game's record or of each
/// generation's caches would show in the next 2,000 games. (10,000 games: `examples/memory.rs`.)
#[test]
fn resident_memory_is_flat() {
    let (run, mut generation) = (long_run(), 0);
    play_until(&run, &mut generation, 500);
    let before = resident_mib();
    play_until(&run, &mut generation, 2500);
    let growth = resident_mib() - before;
    let counts = run.progress.counts();
    assert!(counts.cache_hits > 1000, "the features are on: {counts:?}");
    assert!(generation > 10 && growth < 4.0, "{growth:.1} MiB more after {generation} generations");
}
