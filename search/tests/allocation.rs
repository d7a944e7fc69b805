//! Once its memory is warm, a search allocates nothing: both algorithms, with and without noise, in all variants.

#![allow(unsafe_code)]

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rules::encode::Features;
use rules::{Game, MoveList, Rules, Variant, VariantId, Xiangqi};
use search::{
    Algorithm, Analysis, AnalysisConfig, AnalysisRequest, Evaluations, HashEvaluator, LeafBatch, Search, SearchConfig,
    SearchRequest,
};
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::sync::atomic::AtomicBool;

thread_local! {
    /// Allocations of this thread.
    static COUNT: Cell<u64> = const { Cell::new(0) };
}

struct CountingAllocator;

// SAFETY: every call is passed to the system's allocator unchanged; counting allocates nothing, since the cell
// is initialised at compile time and has no destructor.
unsafe impl GlobalAlloc for CountingAllocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        COUNT.set(COUNT.get() + 1);
        // SAFETY: the caller's promises are the system allocator's.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: as above.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        COUNT.set(COUNT.get() + 1);
        // SAFETY: as above.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

/// The part of a search that is new each time.
#[derive(Clone, Copy, Debug)]
struct AllocationSetting {
    algorithm: Algorithm,
    visits: u32,
    noise: bool,
}

/// Searches each position of a game four times (a kept tree moves between two arenas), with a cache, and counts the
/// allocations of the last time, and its simulations.
fn allocations<V: Variant>(setting: AllocationSetting) -> (u64, u32) {
    let AllocationSetting { algorithm, visits, noise } = setting;
    let mut search = Search::<V>::new(SearchConfig { algorithm, ..SearchConfig::default() });
    let (mut network, mut batch, mut answers, mut legal) = (
        HashEvaluator::new(1, 1),
        LeafBatch::with_cache(Features::FIRST, 1 << 18),
        Evaluations::default(),
        MoveList::new(),
    );
    let mut game = Game::<V>::start(Rules::default());
    let (mut allocated, mut simulations) = (0, 0);
    for ply in 0..20 {
        for warm in [false, false, false, true] {
            // An evaluation found in the cache costs no batch; the last search evaluates everything, as the first did.
            batch.forget();
            let before = COUNT.get();
            let order = SearchRequest { visits, algorithm, noise };
            search.begin_as(&game, order, &mut ChaCha8Rng::seed_from_u64(ply));
            search.run_alone(&mut network, &mut batch, &mut answers, || true).expect("answers");
            let made = search.result().visits;
            if warm {
                allocated += COUNT.get() - before;
                simulations += made;
            }
        }
        game.legal_moves(&mut legal);
        game.play(legal[(7 * ply as usize) % legal.len()]);
        game.legal_moves(&mut legal);
        assert_eq!(game.outcome(&legal), None, "the game is long enough");
    }
    (allocated, simulations)
}

#[test]
fn a_warm_search_allocates_nothing() {
    for id in VariantId::ALL {
        for (algorithm, visits) in [(Algorithm::Gumbel, 64), (Algorithm::Puct, 100)] {
            for noise in [true, false] {
                let setting = AllocationSetting { algorithm, visits, noise };
                let (allocated, simulations) = rules::dispatch!(*id, V => allocations::<V>(setting));
                assert!(simulations > 1000, "{id}: {simulations} simulations, {setting:?}");
                assert_eq!(allocated, 0, "{id}: in {simulations} simulations, {setting:?}");
            }
        }
    }
}

/// Positions searched repeatedly with many leaves in flight, through the cache.
#[test]
fn a_warm_analysis_allocates_for_its_report_only() {
    let game = Game::<Xiangqi>::start(Rules::default());
    let mut analysis = Analysis::new(AnalysisConfig { cache_bytes: 1 << 20, ..AnalysisConfig::default() });
    let mut network = HashEvaluator::new(16, 1);
    let mut counts = Vec::new();
    for round in 0..4 {
        analysis.forget();
        let before = COUNT.get();
        let request = AnalysisRequest { simulations: 2000 + 2000 * (round % 2), ..AnalysisRequest::default() };
        analysis.run(&game, &mut network, &request, &AtomicBool::new(false), |_| {}).expect("a report");
        counts.push(COUNT.get() - before);
    }
    // Twice as many simulations and no further allocation (except for the line in the report, which may be longer).
    assert!(counts[3] <= counts[2] + 8 && counts[2] < 60, "{counts:?}");
}
