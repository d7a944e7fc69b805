//! What becomes of the moves that a generator finds: they are listed, counted, or only asked for.

use crate::moves::{Move, MoveList};
use crate::nine_by_ten::POINTS;
use crate::popcnt::with_popcnt;
use crate::square::Square;
use crate::square_set::SquareSet;
use std::ops::ControlFlow;

/// Takes the moves, a piece at a time.
pub(crate) trait Sink {
    /// The piece on `from` may go to each of `targets`, perhaps none. `Break` ends the generation.
    fn moves(&mut self, from: usize, targets: u128) -> ControlFlow<()>;
}

/// Hands the moves of several pieces to `sink`; `targets` are those of one, by its point.
#[inline(always)]
pub(crate) fn each_piece(sink: &mut impl Sink, mut pieces: u128, targets: impl Fn(usize) -> u128) -> ControlFlow<()> {
    while let Some(square) = pieces.pop() {
        sink.moves(square.index(), targets(square.index()))?;
    }
    ControlFlow::Continue(())
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
    with_popcnt(|| {
        let mut counter = Counter(0);
        let _ = generate(&mut counter);
        counter.0 as usize
    })
}

/// Looks for one move, and stops there.
pub(crate) struct Wanted {
    from: usize,
    target: u128,
}

impl Sink for Wanted {
    #[inline(always)]
    fn moves(&mut self, from: usize, targets: u128) -> ControlFlow<()> {
        if from == self.from && targets & self.target != 0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

/// Whether `generate` hands this move to the sink.
#[inline(always)]
pub(crate) fn has(mv: Move, generate: impl FnOnce(&mut Wanted) -> ControlFlow<()>) -> bool {
    let (Some(from), target) = (mv.source_square(), mv.destination()) else { return false };
    if mv != Move::board(from, target) || target.index() >= POINTS {
        return false;
    }
    generate(&mut Wanted { from: from.index(), target: 1 << target.index() }).is_break()
}

/// Stops at the first move.
pub(crate) struct Any;

impl Sink for Any {
    #[inline(always)]
    fn moves(&mut self, _from: usize, targets: u128) -> ControlFlow<()> {
        if targets == 0 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    }
}
