//! Moves that end the game immediately: mate 將死 and stalemate 困斃.

use super::Xiangqi;
use super::gain_search::Capture;
use super::generate;
use super::moves::{CANNON, CHARIOT, ELEPHANT, ELEPHANT_LEGS, HORSES, SOLDIER, SOLDIER_STEPS, SOLDIERS_TO};
use super::safety::{checkers, general};
use crate::moves::{Move, MoveList};
use crate::nine_by_ten::sink::Any;
use crate::nine_by_ten::{BETWEEN, BOARD, DIAGONAL, HORSE, HORSE_TO, ORTHOGONAL, PerPoint, lines, slides, step_table};
use crate::position::Position;
use crate::square_set::SquareSet;

/// The four diagonal neighbours of each point: the legs of the horses that may attack it.
static LEGS: PerPoint = step_table(&DIAGONAL, BOARD, BOARD);
/// The four orthogonal neighbours of each point.
static NEIGHBOURS: PerPoint = step_table(&ORTHOGONAL, BOARD, BOARD);

/// The moves that may give check.
pub(super) struct Checks {
    /// A piece that leaves one of these points may open a line or a leg, or take a screen away.
    sources: u128,
    /// Destinations from which each kind attacks the general, or on which any piece is a cannon's screen.
    destinations: [u128; 7],
}

impl Checks {
    /// The moves of the side to move that may give check: all that do, and some that do not.
    pub(super) fn of(position: &Position<Xiangqi>) -> Checks {
        let us = position.side;
        let own = position.sides[us.index()];
        let target = general(position, us.other());
        let occupied = position.occupied();
        let line = lines(target);
        let slides = slides(target, occupied, 0);
        let mut screens = 0;
        for hollow in (slides.reach & position.kinds[CANNON] & own).squares() {
            screens |= BETWEEN[target][hollow.index()];
        }
        let mut destinations = [screens; 7];
        destinations[CHARIOT] |= slides.reach;
        destinations[CANNON] |= slides.jump;
        destinations[HORSES] |= HORSE_TO[target].free(occupied);
        destinations[SOLDIER] |= SOLDIERS_TO[us.other().index()][target];
        Checks { sources: line | LEGS[target], destinations }
    }

    #[inline(always)]
    pub(super) fn may_be(&self, position: &Position<Xiangqi>, mv: Move) -> bool {
        let from = mv.source_square().unwrap_or(mv.destination());
        self.sources.has(from) || self.destinations[position.cell(from).kind()].has(mv.destination())
    }
}

/// The position after `mv` if the opponent has no legal move in it.
fn leaves_nothing(position: &Position<Xiangqi>, mv: Move) -> Option<Position<Xiangqi>> {
    let mut next = position.clone();
    next.play(mv);
    generate::legal(&next, &mut Any).is_continue().then_some(next)
}

/// Whether the side to move has a legal move that checkmates.
pub(super) fn has_mating_move(position: &Position<Xiangqi>) -> bool {
    let checks = Checks::of(position);
    let mut legal = MoveList::new();
    position.legal_moves(&mut legal);
    legal
        .iter()
        .filter(|&&mv| checks.may_be(position, mv))
        .any(|&mv| leaves_nothing(position, mv).is_some_and(|next| checkers(&next, next.side) != 0))
}

/// Whether the side to move mates with one check or a series of checks, without these captures.
pub(super) fn threatens_mate(position: &Position<Xiangqi>, barred: &[Capture]) -> bool {
    let mut left = MOST_POSITIONS;
    (1..=MOST_CHECKS).any(|checks| forces_mate(position, checks, barred, &mut left))
}

/// Most checks of a series that is looked for.
const MOST_CHECKS: usize = 4;
/// Positions that are looked at for a series of checks.
const MOST_POSITIONS: u32 = 50_000;

/// Whether the side to move mates with a series of two to four checks (連將殺), whatever the opponent replies. `false`
/// also where looking for it takes too many positions. Slow: for judgements, not for search.
pub(super) fn mates_by_checks(position: &Position<Xiangqi>) -> bool {
    let mut left = MOST_POSITIONS;
    (2..=MOST_CHECKS).any(|checks| forces_mate(position, checks, &[], &mut left))
}

/// Whether a series of at most `checks` checks mates, without the captures that are `barred`.
fn forces_mate(position: &Position<Xiangqi>, checks: usize, barred: &[Capture], left: &mut u32) -> bool {
    if checks == 1 && barred.is_empty() {
        return has_mating_move(position);
    }
    let may_check = Checks::of(position);
    let mut legal = MoveList::new();
    position.legal_moves(&mut legal);
    let is_barred = |mv: Move| mv.source_square().is_some_and(|from| barred.contains(&(from, mv.destination())));
    for &mv in legal.iter().filter(|&&mv| may_check.may_be(position, mv) && !is_barred(mv)) {
        let Some(less) = left.checked_sub(1) else { return false };
        *left = less;
        let mut checked = position.clone();
        checked.play(mv);
        if checkers(&checked, checked.side) == 0 {
            continue;
        }
        let mut replies = MoveList::new();
        checked.legal_moves(&mut replies);
        let mates = replies.iter().all(|&reply| {
            checks > 1 && {
                let mut next = checked.clone();
                next.play(reply);
                forces_mate(&next, checks - 1, barred, left)
            }
        });
        if mates {
            return true;
        }
    }
    false
}

/// The first of the legal moves that mates or stalemates.
pub(super) fn win_in_one(position: &Position<Xiangqi>, legal: &[Move]) -> Option<Move> {
    let checks = Checks::of(position);
    let only_checks = stays_mobile(position);
    legal
        .iter()
        .copied()
        .filter(|&mv| !only_checks || checks.may_be(position, mv))
        .find(|&mv| leaves_nothing(position, mv).is_some())
}

/// Whether the opponent surely has a legal move after any move that does not check it.
///
/// A step of a piece that neither begins nor ends on a line of its general, nor begins on the leg of a
/// horse that looks at the general, cannot expose it. One move can hinder such a step only by landing on
/// the piece, on the leg or eye it needs free, or on the empty point a cannon steps to. So two such steps
/// that share no point are enough.
fn stays_mobile(position: &Position<Xiangqi>) -> bool {
    let them = position.side.other();
    let own = position.sides[them.index()];
    let occupied = position.occupied();
    let general = general(position, them);
    let line = lines(general);
    let pieces = own & !(line | LEGS[general]);
    let ends = !(own | line);
    let mut needed = 0;
    for kind in [SOLDIER, CHARIOT, HORSES, CANNON, ELEPHANT] {
        for from in (position.kinds[kind] & pieces).squares() {
            let piece = 1 << from.index();
            let steps = match kind {
                SOLDIER => (SOLDIER_STEPS[them.index()][from.index()] & ends != 0).then_some(piece),
                CHARIOT => (NEIGHBOURS[from.index()] & ends != 0).then_some(piece),
                CANNON => (NEIGHBOURS[from.index()] & ends & !occupied).first().map(|to| piece | 1 << to.index()),
                HORSES => leg_needed(&HORSE[from.index()].ways, occupied, ends).map(|leg| piece | leg),
                _ => leg_needed(&ELEPHANT_LEGS[from.index()], occupied, ends).map(|eye| piece | eye),
            };
            if let Some(points) = steps.filter(|points| points & needed == 0) {
                if needed != 0 {
                    return true;
                }
                needed = points;
            }
        }
    }
    false
}

/// A free leg or eye with one of `ends` behind it.
fn leg_needed(legs: &[(u128, u128); 4], occupied: u128, ends: u128) -> Option<u128> {
    legs.iter().find(|(leg, behind)| leg & occupied == 0 && behind & ends != 0).map(|&(leg, _)| leg)
}
