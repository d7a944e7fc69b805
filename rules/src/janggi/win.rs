//! Moves that mate immediately. Stalemate does not exist: a side not in check may pass.

use super::Janggi;
use super::generate;
use super::moves::{CANNON, CHARIOT, ELEPHANT, ELEPHANTS_TO, HORSES, SOLDIER, SOLDIERS_TO, cannon, chariot};
use super::safety::{Attackers, general, is_attacked};
use crate::moves::Move;
use crate::nine_by_ten::sink::Any;
use crate::nine_by_ten::{BOARD, HORSE_TO};
use crate::position::Position;
use crate::square_set::SquareSet;

/// The moves that may give check.
struct Checks {
    /// Pieces that may open a line or a leaper's way, take a screen away, or jump over the next one.
    sources: u128,
    /// Destinations from which each kind attacks the general, or on which it is a cannon's screen.
    destinations: [u128; 7],
}

impl Checks {
    /// The moves of the side to move that may give check: all that do, and some that do not.
    fn of(position: &Position<Janggi>) -> Checks {
        let us = position.side;
        let target = general(position, us.other());
        let occupied = position.occupied();
        let cannons = position.kinds[CANNON];
        let attackers = Attackers::of(position, us.other());
        let (mut sources, mut screens) = (0, 0);
        attackers.each_way(target, |between, _| {
            let inside = between & occupied;
            if inside & inside.wrapping_sub(1) == 0 {
                sources |= inside;
            }
        });
        attackers.each_cannon(target, |between, cannon| {
            let inside = between & occupied;
            match inside.count_ones() {
                0 => screens |= between,
                1 => screens |= inside & cannons, // a piece that takes an enemy cannon is a screen in its place
                2 => sources |= inside,
                _ => {}
            }
            sources |= cannon;
        });
        if is_attacked(position, us.other()) {
            sources = BOARD; // it can be captured, or is in check after any move: only in composed positions
        }
        let mut destinations = [screens; 7];
        destinations[CHARIOT] |= chariot(target, occupied);
        destinations[CANNON] = cannon(target, occupied, cannons);
        destinations[HORSES] |= HORSE_TO[target].free(occupied);
        destinations[ELEPHANT] |= ELEPHANTS_TO[target].free(occupied);
        destinations[SOLDIER] |= SOLDIERS_TO[us.other().index()][target];
        Checks { sources, destinations }
    }

    #[inline(always)]
    fn may_be(&self, position: &Position<Janggi>, mv: Move) -> bool {
        let from = mv.source_square().unwrap_or(mv.destination());
        self.sources.has(from) || self.destinations[position.cell(from).kind()].has(mv.destination())
    }
}

/// The first of the legal moves that mates.
pub(super) fn win_in_one(position: &Position<Janggi>, legal: &[Move]) -> Option<Move> {
    let checks = Checks::of(position);
    legal.iter().copied().filter(|&mv| checks.may_be(position, mv)).find(|&mv| {
        let mut next = position.clone();
        next.play(mv);
        generate::legal(&next, &mut Any).is_continue()
    })
}
