//! 霹靂: up to five steps along lines, free to turn, taking every enemy stone it steps on.
//!
//! A breadth-first walk over (point, stones taken): the first way found to such a pair is a shortest one, and the pair
//! is one move. Points are those at most five steps away, so that the stones taken fit into 64 bits.

use super::board::Point;
use super::generate::Sink;
use super::rule::THUNDER_STEPS;
use super::turn::{DIRECTIONS, Turn};
use super::via;
use crate::moves::Move;
use crate::square::Square;

/// Side of the square around the start that holds the points within reach.
const WIDTH: usize = 2 * THUNDER_STEPS + 1;
/// Points within reach on an empty board, the start among them.
const PLACES: usize = 2 * THUNDER_STEPS * (THUNDER_STEPS + 1) + 1;
/// The start.
const START: usize = PLACES / 2;
/// Ways of up to five steps: 1 + 4 + … + 4⁵. There are no more pairs than ways.
const WAYS: usize = 1365;
/// The four steps: the first four of the eight directions.
const STEPS: usize = 4;
/// No place, no earlier pair.
const NONE: u16 = u16::MAX;

/// The place one step away in each direction, [`NONE`] beyond reach; places are numbered by rank, then by file.
static NEIGHBOUR: [[u16; STEPS]; PLACES] = {
    let mut number = [[NONE; WIDTH]; WIDTH];
    let mut next = 0;
    let mut at = 0;
    while at < WIDTH * WIDTH {
        if (at / WIDTH).abs_diff(THUNDER_STEPS) + (at % WIDTH).abs_diff(THUNDER_STEPS) <= THUNDER_STEPS {
            number[at / WIDTH][at % WIDTH] = next;
            next += 1;
        }
        at += 1;
    }
    let mut table = [[NONE; STEPS]; PLACES];
    at = 0;
    while at < WIDTH * WIDTH {
        let place = number[at / WIDTH][at % WIDTH];
        let mut step = 0;
        while place != NONE && step < STEPS {
            let (files, ranks) = DIRECTIONS[step];
            let (file, rank) = ((at % WIDTH) as i32 + files, (at / WIDTH) as i32 + ranks);
            if file >= 0 && file < WIDTH as i32 && rank >= 0 && rank < WIDTH as i32 {
                table[place as usize][step] = number[rank as usize][file as usize];
            }
            step += 1;
        }
        at += 1;
    }
    table
};

/// A point reached and the stones taken on the way.
#[derive(Clone, Copy)]
struct Reached {
    /// Places of the stones taken.
    taken: u64,
    square: Square,
    place: u16,
    /// Directions of the steps, two bits each.
    path: u16,
    /// The pair found before this one at the same place.
    before: u16,
}

impl Turn<'_> {
    pub(super) fn thunder(&self, from: Square, sink: &mut impl Sink) {
        let start = Reached { taken: 0, square: from, place: START as u16, path: 0, before: NONE };
        let mut reached = [start; WAYS];
        let mut latest = [NONE; PLACES];
        latest[START] = 0;
        let (mut done, mut len) = (0, 1);
        let mut can_step_out = false;
        for steps in 0..THUNDER_STEPS {
            let layer = len;
            while done < layer {
                let here = reached[done];
                done += 1;
                for (direction, place) in NEIGHBOUR[usize::from(here.place)].into_iter().enumerate() {
                    let Some(square) = neighbour(here.square, direction) else { continue };
                    let mut taken = here.taken;
                    match self.position.cell(square).piece() {
                        Some((side, _)) if side == self.us && square != from => continue,
                        Some((side, _)) if side != self.us => taken |= 1 << place,
                        _ => {}
                    }
                    can_step_out |= taken == 0;
                    let mut known = latest[usize::from(place)];
                    while known != NONE && reached[usize::from(known)].taken != taken {
                        known = reached[usize::from(known)].before;
                    }
                    if known != NONE {
                        continue;
                    }
                    let path = here.path | (direction as u16) << (2 * steps);
                    let before = std::mem::replace(&mut latest[usize::from(place)], len as u16);
                    reached[len] = Reached { taken, square, place, path, before };
                    len += 1;
                    let on_the_way = taken & !(1 << place) != 0;
                    let code = if on_the_way { via::path(steps + 1, path) } else { 0 };
                    sink.one(Move::board(from, square).with_via(code), false);
                }
            }
        }
        if can_step_out {
            sink.one(Move::board(from, from), false);
        }
    }
}

impl Turn<'_> {
    /// The points that 霹靂 can step on, and own stones that stand in its way, in no order; some several times.
    pub(super) fn walk(&self, from: Square, mut found: impl FnMut(Square)) {
        let mut reached = [(from, START as u16); PLACES];
        let mut known = 1_u64 << START;
        let (mut done, mut len) = (0, 1);
        for _ in 0..THUNDER_STEPS {
            let layer = len;
            while done < layer {
                let (here, place) = reached[done];
                done += 1;
                for (direction, place) in NEIGHBOUR[usize::from(place)].into_iter().enumerate() {
                    let Some(square) = neighbour(here, direction) else { continue };
                    if place == NONE || known >> place & 1 != 0 {
                        continue;
                    }
                    found(square);
                    if self.position.cell(square).piece().is_some_and(|(side, _)| side == self.us) {
                        continue;
                    }
                    known |= 1 << place;
                    reached[len] = (square, place);
                    len += 1;
                }
            }
        }
    }
}

/// The square one step away, if it is on the board.
#[inline(always)]
fn neighbour(square: Square, direction: usize) -> Option<Square> {
    let (files, ranks) = DIRECTIONS[direction];
    Point::of(square).step(files, ranks).map(Point::square)
}
