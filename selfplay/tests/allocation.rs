//! Once its memory is warm, a search allocates nothing.

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rules::{Game, MoveList, Rules, Variant, Wangqi, Xiangqi};
use selfplay::{Algorithm, Evaluations, Evaluator, LeafBatch, Search, SearchConfig, Step, UniformEvaluator};
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

thread_local! {
    /// Allocations of this thread.
    static COUNT: Cell<u64> = const { Cell::new(0) };
}

struct Counting;

// SAFETY: every call is passed to the system's allocator unchanged; counting allocates nothing, since the cell
// is initialised at compile time and has no destructor.
unsafe impl GlobalAlloc for Counting {
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
static ALLOCATOR: Counting = Counting;

/// Searches each position of a game four times (a kept tree moves between two arenas) and counts the allocations
/// of the last time, and its simulations.
fn allocations<V: Variant>(algorithm: Algorithm, visits: u32) -> (u64, u32) {
    let config = SearchConfig { algorithm, noise_fraction: 0.0, ..SearchConfig::default() };
    let mut search = Search::<V>::new(config);
    let (mut network, mut batch, mut answers, mut legal) =
        (UniformEvaluator::new(1), LeafBatch::default(), Evaluations::default(), MoveList::new());
    let mut game = Game::<V>::start(Rules::default());
    let (mut allocated, mut simulations) = (0, 0);
    for ply in 0..30 {
        for warm in [false, false, false, true] {
            let before = COUNT.get();
            search.begin(&game, visits, &mut ChaCha8Rng::seed_from_u64(ply));
            while search.next_leaf(&mut batch) == Step::Pending {
                network.evaluate(&batch, &mut answers).expect("an answer");
                search.supply(&answers.logits, answers.wdl[0]).expect("a finite one");
                batch.clear();
            }
            let visits = search.result().visits;
            if warm {
                allocated += COUNT.get() - before;
                simulations += visits;
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
    for (algorithm, visits) in [(Algorithm::Gumbel, 64), (Algorithm::Puct, 200)] {
        let (allocated, simulations) = allocations::<Xiangqi>(algorithm, visits);
        assert!(allocated == 0 && simulations > 1000, "xiangqi: {allocated} in {simulations} simulations");
        let (allocated, simulations) = allocations::<Wangqi>(algorithm, visits);
        assert!(allocated == 0 && simulations > 1000, "wangqi: {allocated} in {simulations} simulations");
    }
}
