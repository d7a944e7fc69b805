//! Material that a side would win with its next moves, by captures and by checks. The Chinese rules call a move a chase
//! that threatens this (得子).

use super::Xiangqi;
use super::balance::Balance;
use super::chase::may_capture;
use super::gain_search::{Capture, Line, Search, value, wins_on_point};
use super::moves::{CANNON, CHARIOT, ELEPHANT, GENERAL, GUARD, SOLDIER, attacks};
use super::safety::checkers;
use crate::moves::{Move, MoveList};
use crate::nine_by_ten::BETWEEN;
use crate::position::Position;
use crate::square::Square;
use crate::square_set::SquareSet;
use std::cmp::Reverse;

/// A way to win material.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Win {
    /// The point of the piece that takes.
    pub(super) attacker: u8,
    /// The point of what it takes.
    pub(super) victim: u8,
    /// What is won in all.
    pub(super) gain: i32,
    /// A second piece is needed (聯合捉).
    pub(super) joint: bool,
    /// The victim is no chariot and has protection, though not enough (少根, 假根).
    pub(super) rooted: bool,
}

/// The exchanges (兌) that the side to move offers: pieces of one kind that attack each other, where taking first is
/// even for the opponent.
pub(super) fn exchanges(position: &Position<Xiangqi>) -> Vec<Capture> {
    let (us, them) = (position.side, position.side.other());
    let search = Search { hunter: us, barred: &[], standing: &[] };
    let mut opponent = position.clone();
    opponent.side = them;
    let mut found = Vec::new();
    for ours in (position.pieces(us) & !(position.kinds[GENERAL] | position.kinds[SOLDIER])).squares() {
        let alike = position.pieces_of(them, position.cell(ours).kind());
        for theirs in (attacks(position, ours) & alike).squares() {
            let takes_first = || search.line(&opponent, Move::board(theirs, ours));
            if may_capture(position, theirs, ours) && takes_first().is_some_and(|line| line.gain == 0) {
                found.push((ours, theirs));
            }
        }
    }
    found
}

/// The ways in which the side to move wins material. Captures by generals and soldiers are left out, which may take for
/// ever, and so are exchanges.
///
/// Pieces that hang in any case are no part of a win of another piece: each of them is a win of its own, and what the
/// opponent could take already (soldiers, guards and elephants) does not make up for what it loses.
pub(super) fn wins(position: &Position<Xiangqi>) -> Vec<Win> {
    let (us, them) = (position.side, position.side.other());
    let exchanges = exchanges(position);
    let hanging = captures_that_gain(position, position.pieces(us), position.pieces(them));
    let light = [SOLDIER, GUARD, ELEPHANT].iter().fold(0, |set, &kind| set | position.pieces_of(us, kind));
    let standing = captures_that_gain(position, position.pieces(them), light);
    let mut legal = MoveList::new();
    position.legal_moves(&mut legal);
    let win = |&mv: &Move| {
        let to = mv.destination();
        let takes = value(position, to) > 0;
        let others = hanging.iter().copied().filter(|&(_, victim)| takes && victim != to);
        let barred: Vec<Capture> = exchanges.iter().copied().chain(others).collect();
        let line = Search { hunter: us, barred: &barred, standing: &standing }.line(position, mv)?;
        let wins = line.gain >= 0 && Balance::of(position, &line.moves, &standing).is_win();
        wins.then(|| described(position, &line)).flatten()
    };
    legal.iter().filter_map(win).collect()
}

/// The captures that gain on their point alone.
fn captures_that_gain(position: &Position<Xiangqi>, takers: u128, victims: u128) -> Vec<Capture> {
    let victims = victims & !position.kinds[GENERAL];
    let all = takers.squares().flat_map(|from| (attacks(position, from) & victims).squares().map(move |to| (from, to)));
    all.filter(|&(from, to)| value(position, to) > 0 && wins_on_point(position, from, to)).collect()
}

/// Whether what was taken on a point has a root (根): a piece may take back there, or could if the side that took had
/// only its general and the piece that took. A piece that is pinned by a third piece is a root that needs one more
/// attacker.
fn has_root(after: &Position<Xiangqi>, at: Square) -> bool {
    let (us, them) = (after.side.other(), after.side);
    let mut alone = after.clone();
    for other in (after.pieces(us) & !after.kinds[GENERAL] & !(1 << at.index())).squares() {
        alone.take(other);
    }
    let may_take = |root: Square| may_capture(after, root, at) || may_capture(&alone, root, at);
    after.pieces(them).squares().any(|root| attacks(after, root).has(at) && may_take(root))
}

/// The win of a line of moves: what takes what, and what it needs for it. The victim is what is taken first; where the
/// line begins with a check and wins, the most valuable piece that is taken.
fn described(position: &Position<Xiangqi>, line: &Line) -> Option<Win> {
    let us = position.side;
    let moves = &line.moves;
    let mut positions = vec![position.clone()];
    for &mv in moves {
        let mut next = positions[positions.len() - 1].clone();
        next.play(mv);
        positions.push(next);
    }
    let worth = |ply: usize| value(&positions[ply], moves[ply].destination());
    let begins_with_check = checkers(&positions[1], us.other()) != 0;
    let mut captures = (0..moves.len()).step_by(2).filter(|&ply| worth(ply) > 0);
    let at = if begins_with_check && line.gain > 0 {
        captures.max_by_key(|&ply| (worth(ply), Reverse(ply)))?
    } else {
        captures.next()?
    };
    // The point on which the piece that stands on `point` after `ply` moves stood at first.
    let origin = |point: Square, ply: usize| {
        moves[..ply].iter().rev().fold(point, |point, mv| {
            if mv.destination() == point { mv.source_square().unwrap_or(point) } else { point }
        })
    };
    let (before, after) = (&positions[at], &positions[at + 1]);
    let (from, to) = (moves[at].source_square()?, moves[at].destination());
    let attacker = origin(from, at);
    let kind = before.cell(from).kind();
    let is_rooted = value(before, from) >= worth(at) && has_root(after, to);
    let over_own_piece = kind == CANNON && BETWEEN[from.index()][to.index()] & before.pieces(us) != 0;
    let has_help = (0..=at).step_by(2).any(|ply| {
        let checkers = checkers(&positions[ply + 1], us.other());
        moves[ply].source_square().is_some_and(|from| origin(from, ply) != attacker)
            || checkers.squares().any(|checker| origin(checker, ply + 1) != attacker)
    });
    Some(Win {
        attacker: attacker.index() as u8,
        victim: origin(to, at).index() as u8,
        gain: line.gain,
        joint: is_rooted || over_own_piece || has_help,
        rooted: is_rooted && before.cell(to).kind() != CHARIOT,
    })
}
