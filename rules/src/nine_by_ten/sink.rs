//! What becomes of the moves that a generator finds: they are listed, counted, or only asked for.

use crate::moves::{Move, MoveList};
use crate::square::Square;
use crate::square_set::SquareSet;
use std::ops::ControlFlow;

/// Takes the moves, a piece at a time.
pub(crate) trait Sink {
    /// The piece on `from` may go to each of `targets`, perhaps none. `Break` ends the generation.
    fn moves(&mut self, from: usize, targets: u128) -> ControlFlow<()>;
}

impl Sink for MoveList {
    #[inline(always)]
    fn moves(&mut self, from: usize, targets: u128) -> ControlFlow<()> {
        for target in targets.squares() {
            self.push(Move::board(Square::new(from), target));
        }
        ControlFlow::Continue(())
    }
}

/// Counts the moves.
pub(crate) struct Counter(u32);

impl Sink for Counter {
    #[inline(always)]
    fn moves(&mut self, _from: usize, targets: u128) -> ControlFlow<()> {
        self.0 += targets.count_ones();
        ControlFlow::Continue(())
    }
}

/// Number of moves that `generate` hands to a counter.
#[inline(always)]
pub(crate) fn count(generate: impl FnOnce(&mut Counter) -> ControlFlow<()>) -> usize {
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("popcnt") {
        // SAFETY: the processor has the instruction, as nearly all have since 2008; the compiler may not rely on
        // it unasked. With it a set is counted in two instructions instead of two dozen, and counting took 0.87 of the
        // time in Janggi, 0.82 in Xiangqi.
        return unsafe { count_with_popcnt(generate) };
    }
    count_anywhere(generate)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "popcnt")]
fn count_with_popcnt(generate: impl FnOnce(&mut Counter) -> ControlFlow<()>) -> usize {
    count_anywhere(generate)
}

#[inline(always)]
fn count_anywhere(generate: impl FnOnce(&mut Counter) -> ControlFlow<()>) -> usize {
    let mut counter = Counter(0);
    let _ = generate(&mut counter);
    counter.0 as usize
}

/// Stops at the first move.
pub(crate) struct Any;

impl Sink for Any {
    #[inline(always)]
    fn moves(&mut self, _from: usize, targets: u128) -> ControlFlow<()> {
        if targets == 0 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    }
}
