//! Material that a side would win with its next moves: by captures and by checks, a few plies deep. The Chinese rules call
//! a move a chase that threatens this (得子).

use super::Xiangqi;
use super::chase::may_capture;
use super::mate::{Checks, has_mating_move};
use super::moves::{GENERAL, HALVES, SOLDIER};
use super::safety::{checkers, general};
use crate::moves::{Move, MoveList};
use crate::position::Position;
use crate::square::Square;
use crate::square_set::SquareSet;

/// Values of the kinds: a chariot is two horses or cannons; guards, elephants and soldiers past the river are weak pieces of
/// one value. A soldier before the river has none.
const VALUES: [i32; 7] = [0, 2, 2, 5, 10, 5, 2];
/// More than all material.
const MATE: i32 = 1_000;
/// Plies that are looked at.
const DEPTH: u32 = 6;
/// Checks in a row that are looked at.
const CHECKS: u32 = 3;
/// Positions that are looked at for each first move.
const MOST_POSITIONS: u32 = 4_000;

/// A first move that wins material.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Win {
    /// The point of the piece that begins.
    pub(super) attacker: u8,
    /// The point of what it takes; the general's where it begins with a check.
    pub(super) victim: u8,
    /// The victim is protected, and is won only because another piece takes back (聯合捉).
    pub(super) joint: bool,
}

/// The value of what stands on a point.
fn value(position: &Position<Xiangqi>, at: Square) -> i32 {
    match position.cell(at).piece() {
        Some((side, SOLDIER)) if HALVES[side.index()].has(at) => 0,
        Some((_, kind)) => VALUES[kind],
        None => 0,
    }
}

/// The first moves of the side to move that win material. Moves of generals and soldiers are left out, which may take for
/// ever.
pub(super) fn wins(position: &Position<Xiangqi>) -> Vec<Win> {
    let target = general(position, position.side.other());
    let mut legal = MoveList::new();
    position.legal_moves(&mut legal);
    let mut found = Vec::new();
    for &mv in legal.iter() {
        let Some(from) = mv.source_square() else { continue };
        let (kind, to) = (position.cell(from).kind(), mv.destination());
        // Two pieces of one kind that attack each other offer an exchange (兌).
        let is_exchange = position.cell(to).piece().is_some_and(|(_, other)| other == kind);
        let is_left_out = matches!(kind, GENERAL | SOLDIER) || is_exchange && may_capture(position, to, from);
        if is_left_out || !wins_by(position, mv) {
            continue;
        }
        let victim = if value(position, to) > 0 { to.index() } else { target };
        let joint = needs_another(position, from, to);
        found.push(Win { attacker: from.index() as u8, victim: victim as u8, joint });
    }
    found
}

/// Whether a legal move wins material.
fn wins_by(position: &Position<Xiangqi>, mv: Move) -> bool {
    let to = mv.destination();
    let taken = value(position, to);
    let mut next = position.clone();
    next.play(mv);
    let is_check = checkers(&next, next.side) != 0;
    // A capture after which the side that captured is mated at once wins nothing.
    if !is_check && (taken == 0 || has_mating_move(&next)) {
        return false;
    }
    let mut left = MOST_POSITIONS;
    let gain = taken - best(&next, DEPTH - 1, false, CHECKS - u32::from(is_check), &mut left);
    // Where both sides take and the attacker loses nothing in all, what it wins on this point counts (26.5).
    gain < MATE / 2 && (gain > 0 || gain == 0 && taken > exchange(&next, to))
}

/// Whether what a capture takes is protected, and taken by a piece that is not worth less: another piece must take back.
fn needs_another(position: &Position<Xiangqi>, from: Square, to: Square) -> bool {
    let taken = value(position, to);
    taken > 0 && VALUES[position.cell(from).kind()] >= taken && {
        let mut next = position.clone();
        next.play(Move::board(from, to));
        let mut legal = MoveList::new();
        next.legal_moves(&mut legal);
        legal.iter().any(|mv| mv.destination() == to)
    }
}

/// What the side to move gains by captures on one point alone; 0 if it gains nothing.
fn exchange(position: &Position<Xiangqi>, to: Square) -> i32 {
    let mut legal = MoveList::new();
    position.legal_moves(&mut legal);
    let taken = value(position, to);
    let captures = legal.iter().filter(|mv| mv.destination() == to);
    let gains = captures.map(|&mv| {
        let mut next = position.clone();
        next.play(mv);
        taken - exchange(&next, to)
    });
    gains.max().unwrap_or(0).max(0)
}

/// The most material that the side to move gains by captures, and by checks if it `attacks`; 0 if it gains none.
fn best(position: &Position<Xiangqi>, depth: u32, attacks: bool, checks: u32, left: &mut u32) -> i32 {
    let Some(less) = left.checked_sub(1) else { return 0 };
    *left = less;
    let in_check = checkers(position, position.side) != 0;
    let mut legal = MoveList::new();
    position.legal_moves(&mut legal);
    if legal.is_empty() {
        return -MATE;
    }
    if depth == 0 {
        return 0;
    }
    let may_check = (attacks && checks > 0).then(|| Checks::of(position));
    let mut most = if in_check { -2 * MATE } else { 0 };
    for &mv in legal.iter() {
        let taken = value(position, mv.destination());
        let looked_at = in_check || taken > 0 || may_check.as_ref().is_some_and(|may| may.may_be(position, mv));
        if !looked_at {
            continue;
        }
        let mut next = position.clone();
        next.play(mv);
        let gives_check = attacks && checkers(&next, next.side) != 0;
        if !in_check && taken == 0 && !gives_check {
            continue;
        }
        let checks = if gives_check { checks.saturating_sub(1) } else { checks };
        most = most.max(taken - best(&next, depth - 1, !attacks, checks, left));
    }
    most
}
