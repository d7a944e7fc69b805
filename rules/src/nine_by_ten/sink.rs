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
pub(crate) struct Counter(pub(crate) u32);

impl Sink for Counter {
    #[inline(always)]
    fn moves(&mut self, _from: usize, targets: u128) -> ControlFlow<()> {
        self.0 += targets.count_ones();
        ControlFlow::Continue(())
    }
}

/// Stops at the first move.
pub(crate) struct Any;

impl Sink for Any {
    #[inline(always)]
    fn moves(&mut self, _from: usize, targets: u128) -> ControlFlow<()> {
        if targets == 0 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    }
}
