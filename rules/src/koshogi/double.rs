//! Stones of two legs (力士, 軍師, 騎總 and others) and 招搖, which takes what it passes.
//!
//! The moves that take nothing on the way, however many ways lead there, are one move to each destination: they are
//! collected in a window. A stone taken by the first leg is in the `via` code.

use super::board::{Far, Frame, Landing, Near, Point, around, bits, reach};
use super::generate::Sink;
use super::kinds::Kinds;
use super::promotion::Promotion;
use super::rule::{CAVALRY_SECOND, Rule, SWEEP_STEPS};
use super::turn::Turn;
use super::via;
use crate::moves::Move;
use crate::piece::Kind;
use crate::square::Square;

impl Turn<'_> {
    /// One slide, or one or two legs; the start counts as empty, so the second leg may lead back.
    pub(super) fn double(&self, from: Square, rule: &Rule, sink: &mut impl Sink) {
        let start = Point::of(from);
        let legs = rule.near & !self.own.near(start);
        let enemy = self.enemy.near(start);
        let mut window = Far::from_near(legs, (0, 0)) | self.long_slides(from, rule, sink);
        for bit in bits(legs) {
            let landing = Landing::of(start, bit);
            let second = rule.near & (!self.own.near(landing.point) | landing.start());
            if enemy >> bit & 1 == 0 {
                window |= Far::from_near(second, landing.offset);
            } else {
                let centre = Near(landing.point.square());
                sink.targets_via(from, via::first_leg(bit), centre, second, 0);
            }
        }
        sink.far_targets(from, window, 0);
    }

    /// 騎總: the only stone of two legs that can promote. Any landing in the camp lets it, the first leg's too.
    pub(super) fn cavalry(&self, from: Square, kind: Kind, rule: &Rule, sink: &mut impl Sink) {
        let start = Point::of(from);
        let promotion = Promotion::of(self, kind, rule);
        let legs = rule.near & !self.own.near(start);
        let enemy = self.enemy.near(start);
        let mut window = Far::from_near(legs, (0, 0));
        let mut through_zone = 0;
        for bit in bits(legs) {
            let landing = Landing::of(start, bit);
            let second = CAVALRY_SECOND[bit as usize] & (!self.own.near(landing.point) | landing.start());
            let in_zone = self.in_zone(landing.point.rank);
            if enemy >> bit & 1 == 0 {
                let targets = Far::from_near(second, landing.offset);
                window |= targets;
                through_zone |= if in_zone { targets } else { 0 };
            } else {
                let taken = landing.point.square();
                let frame = Near(taken);
                for second in bits(second) {
                    let to = frame.square(second);
                    let mv = Move::board(from, to).with_via(via::first_leg(bit));
                    sink.one(mv, self.may_turn(&promotion, to, in_zone, &[taken]));
                }
            }
        }
        let mut promoting = 0;
        if promotion.possible {
            let mut left = window;
            while left != 0 {
                let bit = left.trailing_zeros();
                left &= left - 1;
                let to = Far(from).square(bit);
                if self.may_turn(&promotion, to, through_zone >> bit & 1 != 0, &[]) {
                    promoting |= 1 << bit;
                }
            }
        }
        sink.far_targets(from, window, promoting);
    }

    /// Whether a stone that ends on `to` may promote, having landed in the zone or not and taken stones before.
    fn may_turn(&self, promotion: &Promotion, to: Square, was_in_zone: bool, taken: &[Square]) -> bool {
        let in_zone = was_in_zone || self.in_zone(Point::of(to).rank);
        let killed = taken.iter().fold(self.faces_on(to), |killed, &square| killed | self.faces_on(square));
        promotion.possible && promotion.allows(in_zone, killed) && !self.burns(to, taken)
    }

    /// The face of an enemy stone on a square, as a set.
    #[inline(always)]
    pub(super) fn faces_on(&self, square: Square) -> Kinds {
        match self.position.cell(square).piece() {
            Some((side, kind)) if side != self.us => 1 << kind,
            _ => 0,
        }
    }

    /// 招搖: an own stone or the edge stops it, enemy stones do not.
    pub(super) fn sweep(&self, from: Square, sink: &mut impl Sink) {
        let point = Point::of(from);
        let own = self.own.through(point);
        for (at, line) in point.lines().into_iter().enumerate().take(2) {
            let within = around(SWEEP_STEPS, line.at);
            sink.targets(from, line, reach(own[at], line.at) & within & !own[at] & !(1 << line.at), 0);
        }
    }
}
