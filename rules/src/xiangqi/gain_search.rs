//! A search of captures and checks for material, some plies deep.

use super::Xiangqi;
use super::chase::may_capture;
use super::mate::Checks;
use super::moves::{GENERAL, HALVES, SOLDIER};
use super::safety::checkers;
use crate::moves::{Move, MoveList};
use crate::nine_by_ten::{FILES, RANKS};
use crate::position::Position;
use crate::side::Side;
use crate::square::Square;
use crate::square_set::SquareSet;
use std::cmp::Reverse;

/// Values of the kinds: a chariot is two horses or cannons, guards and elephants are alike. The value of a soldier past
/// the river floats ([`super::balance`]); it is counted as a horse. A soldier before the river has none.
const VALUES: [i32; 7] = [0, 2, 2, 5, 10, 5, 5];
/// What the search counts for one unit of value.
const UNIT: i32 = 10;
/// What it adds for each capture by the hunter, so that of lines that win alike it finds one with captures.
const CAPTURE: i32 = 1;
/// More than all material.
const MATE: i32 = 10_000;
/// Plies that are looked at.
const DEPTH: u32 = 10;
/// Checks by the hunter and by the other side that are looked at.
const CHECKS: [u32; 2] = [4, 3];
/// Positions that are looked at.
const MOST_POSITIONS: u32 = 20_000;

/// A capture: the points of what takes and of what is taken.
pub(super) type Capture = (Square, Square);

/// The value of what stands on a point.
pub(super) fn value(position: &Position<Xiangqi>, at: Square) -> i32 {
    match position.cell(at).piece() {
        Some((side, SOLDIER)) if HALVES[side.index()].has(at) => 0,
        Some((_, kind)) => VALUES[kind],
        None => 0,
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

/// Whether the piece on `from` gains by taking on `to`, by captures on that point alone and whichever side is to move.
pub(super) fn wins_on_point(position: &Position<Xiangqi>, from: Square, to: Square) -> bool {
    may_capture(position, from, to) && {
        let mut next = position.clone();
        next.side = position.cell(from).side();
        next.play(Move::board(from, to));
        value(position, to) > exchange(&next, to)
    }
}

/// A move and the moves that follow it.
pub(super) struct Line {
    /// What the side that begins wins less what it loses.
    pub(super) gain: i32,
    pub(super) moves: Vec<Move>,
}

/// What a search for material leaves out.
#[derive(Clone, Copy)]
pub(super) struct Search<'a> {
    /// The side that is to win material.
    pub(super) hunter: Side,
    /// Captures that it may not make.
    pub(super) barred: &'a [Capture],
    /// Captures by the other side that count nothing.
    pub(super) standing: &'a [Capture],
}

impl Search<'_> {
    /// What the hunter gains with a legal move of a side, if both continue with captures and checks. `None` for a move
    /// that is no capture that counts and no check, and if the hunter mates.
    pub(super) fn line(&self, position: &Position<Xiangqi>, mv: Move) -> Option<Line> {
        let (hunts, to) = (position.side == self.hunter, mv.destination());
        let mut next = position.clone();
        next.play(mv);
        let is_check = checkers(&next, next.side) != 0;
        let taken = value(position, to);
        if hunts && (taken == 0 && !is_check || !self.counts(position, &next, mv, None)) {
            return None;
        }
        let mut descent = Descent { search: *self, left: MOST_POSITIONS };
        let checks = [CHECKS[0] - u32::from(is_check && hunts), CHECKS[1] - u32::from(is_check && !hunts)];
        let (reply, mut moves) = descent.best(&next, DEPTH - 1, [-2 * MATE, 2 * MATE], checks, Some(to));
        moves.insert(0, mv);
        let gain = taken * UNIT - reply;
        let rounded = if hunts { gain.div_euclid(UNIT) } else { -(-gain).div_euclid(UNIT) };
        (!hunts || gain < MATE / 2).then_some(Line { gain: rounded, moves })
    }

    /// Whether a move by the hunter counts: one that takes nothing does, a capture if it is not barred. Generals and
    /// soldiers may take for ever, so theirs count only if they take back, or if another piece gives check by it
    /// (26.8).
    fn counts(&self, position: &Position<Xiangqi>, next: &Position<Xiangqi>, mv: Move, last: Option<Square>) -> bool {
        let Some(from) = mv.source_square() else { return false };
        let to = mv.destination();
        let may_take_for_ever = matches!(position.cell(from).kind(), GENERAL | SOLDIER);
        let opens_check = checkers(next, next.side) & !(1 << to.index()) != 0;
        value(position, to) == 0
            || !self.barred.contains(&(from, to)) && (!may_take_for_ever || last == Some(to) || opens_check)
    }
}

/// The order of moves that take pieces of equal value: by kinds, ranks and distances from the middle file. Mirroring a
/// position does not change it.
fn place_in_order(position: &Position<Xiangqi>, mv: Move) -> [usize; 6] {
    let (from, to) = (mv.source_square().unwrap_or(mv.destination()), mv.destination());
    let rank = |at: Square| match position.side {
        Side::First => at.index() / FILES,
        Side::Second => RANKS - 1 - at.index() / FILES,
    };
    let aside = |at: Square| (at.index() % FILES).abs_diff(FILES / 2);
    let kind = |at: Square| position.cell(at).piece().map_or(0, |(_, kind)| kind);
    [kind(from), kind(to), rank(to), rank(from), aside(to), aside(from)]
}

/// A search that has begun.
struct Descent<'a> {
    search: Search<'a>,
    /// Positions that may still be looked at.
    left: u32,
}

/// A move that is looked at.
struct Candidate {
    mv: Move,
    next: Position<Xiangqi>,
    taken: i32,
    gives_check: bool,
}

impl Descent<'_> {
    /// The most that the side to move gains by captures and checks, and the moves that gain it; 0 if it gains nothing.
    /// `window` bounds what is of interest, `checks` has what checks are left to the hunter and the other side, and
    /// `last` is where a piece was just taken.
    fn best(
        &mut self,
        position: &Position<Xiangqi>,
        depth: u32,
        [mut alpha, beta]: [i32; 2],
        checks: [u32; 2],
        last: Option<Square>,
    ) -> (i32, Vec<Move>) {
        let mut legal = MoveList::new();
        position.legal_moves(&mut legal);
        if legal.is_empty() {
            return (-MATE, Vec::new());
        }
        let Some(left) = self.left.checked_sub(1).filter(|_| depth > 0) else { return (0, Vec::new()) };
        self.left = left;
        let in_check = checkers(position, position.side) != 0;
        let mut most = if in_check { -2 * MATE } else { 0 };
        let mut line = Vec::new();
        if most >= beta {
            return (most, line);
        }
        alpha = alpha.max(most);
        for Candidate { mv, next, taken, gives_check } in self.candidates(position, &legal, in_check, checks, last) {
            let mut checks = checks;
            if gives_check {
                let own = &mut checks[usize::from(position.side != self.search.hunter)];
                *own = own.saturating_sub(1);
            }
            let last = (taken > 0).then_some(mv.destination());
            let (reply, mut rest) = self.best(&next, depth - 1, [taken - beta, taken - alpha], checks, last);
            if taken - reply > most {
                most = taken - reply;
                alpha = alpha.max(most);
                rest.insert(0, mv);
                line = rest;
                if most >= beta {
                    break;
                }
            }
        }
        (most, line)
    }

    /// The moves that are looked at, the best captures first: all that answer a check; else captures and checks.
    fn candidates(
        &self,
        position: &Position<Xiangqi>,
        legal: &[Move],
        in_check: bool,
        checks: [u32; 2],
        last: Option<Square>,
    ) -> Vec<Candidate> {
        let hunts = position.side == self.search.hunter;
        let may_check = (checks[usize::from(!hunts)] > 0).then(|| Checks::of(position));
        let mut found = Vec::new();
        for &mv in legal {
            let taken = self.taken(position, mv, hunts);
            if !in_check && taken == 0 && !may_check.as_ref().is_some_and(|may| may.may_be(position, mv)) {
                continue;
            }
            let mut next = position.clone();
            next.play(mv);
            let gives_check = checkers(&next, next.side) != 0;
            let is_looked_at = taken > 0 || gives_check;
            if in_check || is_looked_at && (!hunts || self.search.counts(position, &next, mv, last)) {
                found.push(Candidate { mv, next, taken, gives_check });
            }
        }
        found.sort_by_cached_key(|candidate| {
            Reverse((candidate.taken, candidate.gives_check, place_in_order(position, candidate.mv)))
        });
        found
    }

    /// What the search counts for the piece that a move takes.
    fn taken(&self, position: &Position<Xiangqi>, mv: Move, hunts: bool) -> i32 {
        let to = mv.destination();
        let counts_nothing =
            !hunts && mv.source_square().is_some_and(|from| self.search.standing.contains(&(from, to)));
        match value(position, to) {
            _ if counts_nothing => 0,
            0 => 0,
            value => value * UNIT + if hunts { CAPTURE } else { 0 },
        }
    }
}
