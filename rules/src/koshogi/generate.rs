//! Legal moves: all stones of the side to move, and those that make one step, leap or slide.

use super::Koshogi;
use super::board::{Far, Frame, Line, Near, Point, reach};
use super::commanders::loser;
use super::kinds::*;
use super::promotion::Promotion;
use super::rule::{RULES, Rule};
use super::turn::Turn;
use crate::moves::{Move, MoveList};
use crate::popcnt::with_popcnt;
use crate::position::Position;
use crate::square::Square;
use crate::square_set::SquareSet;

/// What becomes of the moves found: they are listed or counted.
pub(super) trait Sink {
    /// A stone goes from `from` to each of the `targets`, bits of a frame, and may promote on those in `promoting`.
    fn targets(&mut self, from: Square, frame: impl Frame, targets: u32, promoting: u32) {
        self.targets_via(from, 0, frame, targets, promoting);
    }
    /// Like `targets`, with a `via` code.
    fn targets_via(&mut self, from: Square, via: u16, frame: impl Frame, targets: u32, promoting: u32);
    /// Like `targets`, for the wider window of two legs.
    fn far_targets(&mut self, from: Square, targets: u128, promoting: u128);
    /// One move, and the same move promoting.
    fn one(&mut self, mv: Move, promoting: bool);
    /// Moves of which `fill` may list some several times.
    fn distinct(&mut self, fill: impl FnOnce(&mut MoveList));
}

impl Sink for MoveList {
    #[inline(always)]
    fn targets_via(&mut self, from: Square, via: u16, frame: impl Frame, mut targets: u32, promoting: u32) {
        while targets != 0 {
            let bit = targets.trailing_zeros();
            targets &= targets - 1;
            self.one(Move::board(from, frame.square(bit)).with_via(via), promoting >> bit & 1 != 0);
        }
    }

    #[inline(always)]
    fn far_targets(&mut self, from: Square, mut targets: u128, promoting: u128) {
        while targets != 0 {
            let bit = targets.trailing_zeros();
            targets &= targets - 1;
            self.one(Move::board(from, Far(from).square(bit)), promoting >> bit & 1 != 0);
        }
    }

    #[inline(always)]
    fn one(&mut self, mv: Move, promoting: bool) {
        self.push(mv);
        if promoting {
            self.push(mv.promoting());
        }
    }

    fn distinct(&mut self, fill: impl FnOnce(&mut MoveList)) {
        let start = self.len();
        fill(self);
        self.sort_and_dedup_from(start);
    }
}

/// Counts the moves.
struct Counter<'a> {
    moves: usize,
    scratch: &'a mut MoveList,
}

impl Sink for Counter<'_> {
    #[inline(always)]
    fn targets_via(&mut self, _from: Square, _via: u16, _frame: impl Frame, targets: u32, promoting: u32) {
        self.moves += (u64::from(targets) << 32 | u64::from(promoting)).count_ones() as usize;
    }

    #[inline(always)]
    fn far_targets(&mut self, _from: Square, targets: u128, promoting: u128) {
        self.moves += (targets.count_ones() + promoting.count_ones()) as usize;
    }

    #[inline(always)]
    fn one(&mut self, _mv: Move, promoting: bool) {
        self.moves += 1 + usize::from(promoting);
    }

    fn distinct(&mut self, fill: impl FnOnce(&mut MoveList)) {
        self.scratch.clear();
        fill(self.scratch);
        self.scratch.sort_and_dedup_from(0);
        self.moves += self.scratch.len();
    }
}

/// Number of legal moves.
pub(super) fn count(position: &Position<Koshogi>, scratch: &mut MoveList) -> usize {
    with_popcnt(|| {
        let mut counter = Counter { moves: 0, scratch };
        generate(position, &mut counter);
        counter.moves
    })
}

/// Hands the legal moves of the side to move to `sink`. A finished position has none.
#[inline(always)]
pub(super) fn generate(position: &Position<Koshogi>, sink: &mut impl Sink) {
    if loser(position).is_some() {
        return;
    }
    let turn = Turn::of(position);
    for from in position.pieces(position.side).squares() {
        let kind = position.cell(from).kind();
        let rule = &RULES[position.side.index()][kind];
        match rule.mover {
            Mover::Plain => turn.plain(from, kind, rule, sink),
            Mover::Double => turn.double(from, rule, sink),
            Mover::Cavalry => turn.cavalry(from, kind, rule, sink),
            Mover::Thunder => turn.thunder(from, sink),
            Mover::Sweep => turn.sweep(from, sink),
            Mover::Shooter => turn.shooter(from, kind, rule, sink),
            Mover::Priest => turn.priest(from, kind, rule, sink),
            Mover::Fog => turn.fog(from, rule, sink),
        }
    }
}

impl Turn<'_> {
    #[inline(always)]
    fn plain(&self, from: Square, kind: usize, rule: &Rule, sink: &mut impl Sink) {
        let point = Point::of(from);
        let promotion = Promotion::of(self, kind, rule);
        if rule.near != 0 {
            let mut targets = rule.near & !self.own.near(point);
            if kind == FOOT_SOLDIER {
                targets &= self.foot_soldier_steps;
            }
            let zone = self.zone_near(point.rank);
            self.plain_targets(from, Near(from), targets, self.enemy.near(point), zone, &promotion, rule, sink);
        }
        if !rule.is_slider() {
            return;
        }
        let (own, enemy) = (self.own.through(point), self.enemy.through(point));
        for (at, line) in point.lines().into_iter().enumerate() {
            if rule.slides(at) {
                let targets = reach(own[at] | enemy[at], line.at) & rule.slide(at, line.at) & !own[at];
                let zone = self.zone_line(at, point.rank);
                self.plain_targets(from, line, targets, enemy[at], zone, &promotion, rule, sink);
            }
        }
    }

    /// Targets in one frame; `enemy` and `zone` are the enemy's stones and camp in it.
    #[inline(always)]
    #[allow(clippy::too_many_arguments)] // a closure's captures, spelled out
    fn plain_targets(
        &self,
        from: Square,
        frame: impl Frame,
        mut targets: u32,
        enemy: u32,
        zone: u32,
        promotion: &Promotion,
        rule: &Rule,
        sink: &mut impl Sink,
    ) {
        if rule.spares != 0 && self.enemy_has_rampart {
            targets &= !self.of_kinds(frame, targets & enemy, rule.spares);
        }
        let mut promoting = 0;
        if promotion.possible {
            let in_zone = if promotion.by_zone { targets & zone } else { 0 };
            promoting = in_zone | self.of_kinds(frame, targets & enemy & !in_zone, promotion.by_kill);
            if self.enemy_has_flame {
                promoting &= !self.burning(frame, promoting);
            }
        }
        sink.targets(from, frame, targets, promoting);
    }

    /// Those of some bits on which one of some faces stands.
    #[inline(always)]
    pub(super) fn of_kinds(&self, frame: impl Frame, mut bits: u32, set: Kinds) -> u32 {
        let mut found = 0;
        while bits != 0 {
            let bit = bits & bits.wrapping_neg();
            bits ^= bit;
            if among(self.position.cell(frame.square(bit.trailing_zeros())).kind(), set) {
                found |= bit;
            }
        }
        found
    }

    /// Those of some bits on which a stone that ends there would burn.
    fn burning(&self, frame: impl Frame, mut bits: u32) -> u32 {
        let mut found = 0;
        while bits != 0 {
            let bit = bits & bits.wrapping_neg();
            bits ^= bit;
            if self.burns(frame.square(bit.trailing_zeros()), &[]) {
                found |= bit;
            }
        }
        found
    }

    /// The slides of a double mover: near points are added to the window, far ones are moves of their own.
    pub(super) fn long_slides(&self, from: Square, rule: &Rule, sink: &mut impl Sink) -> u128 {
        const STRIDES: [i32; 4] = [1, 9, 10, 8];
        let point = Point::of(from);
        let (own, enemy) = (self.own.through(point), self.enemy.through(point));
        let mut window = 0;
        for (at, line) in point.lines().into_iter().enumerate() {
            if rule.slides(at) {
                let targets = reach(own[at] | enemy[at], line.at) & rule.slide(at, line.at) & !own[at];
                let mut near = targets & near_on_line(line);
                sink.targets(from, line, targets ^ near, 0);
                while near != 0 {
                    let bit = near.trailing_zeros();
                    near &= near - 1;
                    window |= 1 << (Far::bit(0, 0) as i32 + (bit as i32 - line.at as i32) * STRIDES[at]);
                }
            }
        }
        window
    }
}

/// The bits at most two points away on a line.
const fn near_on_line(line: Line) -> u32 {
    0b11111 << (line.at - 2)
}
