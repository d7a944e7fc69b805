//! After the first call an evaluation allocates nothing. A program of its own, because its allocator counts.

#![allow(unsafe_code)]

mod random;

use network::{Blueprint, Kernel, NativeEvaluator, NetworkConfig, Peaks, PlayNetwork, QuantisedNetwork};
use rules::encode::Features;
use search::Evaluations;
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

thread_local! {
    /// Allocations of this thread.
    static COUNT: Cell<u64> = const { Cell::new(0) };
}

struct Counting;

// SAFETY: every call is passed to the system's allocator unchanged; counting allocates nothing, since the cell is
// initialised at compile time and has no destructor.
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
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

#[test]
fn the_second_call_allocates_nothing() {
    let features = Features::ALL;
    let blueprint = Blueprint::of::<rules::Wangqi>(NetworkConfig { features, ..NetworkConfig::default() });
    let network = random::network(&blueprint, 1);
    let leaves = search::random_leaves::<rules::Wangqi>(8, 1, features);
    let kernel = Kernel::chosen().unwrap();
    let peaks = Peaks::measured(&network, kernel, std::slice::from_ref(&leaves)).unwrap();
    let quantised = QuantisedNetwork::new(&network, &peaks).unwrap();
    for network in [PlayNetwork::int8(&quantised), PlayNetwork::fp32(&network).unwrap()] {
        let mut evaluator = NativeEvaluator::new(&network, kernel, 8).unwrap();
        let mut out = Evaluations::default();
        evaluator.evaluate_leaves(&leaves, &mut out).unwrap();
        let before = COUNT.get();
        evaluator.evaluate_leaves(&leaves, &mut out).unwrap();
        assert_eq!(COUNT.get(), before);
    }
}
