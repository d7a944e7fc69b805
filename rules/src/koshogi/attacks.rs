//! What a stone attacks: the points on which an enemy would die by one turn of it, landed on, passed over, shot or
//! burned.
//!
//! Legs, lines and shots are those of the moves, with two differences: an own stone does not hide the point on which it
//! stands, which is protected, and the side to move does not matter. `rules/tests/koshogi/attacks.rs` compares the
//! attacks with the moves.

use super::Koshogi;
use super::board::{Far, Frame, Landing, Near, Point, around, bits, reach};
use super::kinds::*;
use super::promotion::Promotion;
use super::rule::{CAVALRY_SECOND, RULES, Rule, SWEEP_STEPS};
use super::shoot::left_open;
use super::turn::{NEIGHBOURS, Turn};
use crate::piece::Kind;
use crate::position::Position;
use crate::square::Square;
use crate::square_set::{Set384, SquareSet};

/// Points on which the stone on `from` could kill an enemy that stood there, in one turn. An enemy that stands there
/// now and that this stone cannot kill (a 天壘 before a chariot) leaves its point out. What the clerk's chain kills is no
/// attack: it has no place.
pub(super) fn attacks(position: &Position<Koshogi>, from: Square) -> Set384 {
    let mut attacked = Attacked(Set384::EMPTY);
    if let Some((side, kind)) = position.cell(from).piece() {
        Turn::of_side(position, side).attacked(from, kind, &RULES[side.index()][kind], &mut attacked);
        attacked.0.remove(from);
    }
    attacked.0
}

/// The points found so far.
struct Attacked(Set384);

impl Attacked {
    #[inline(always)]
    fn add(&mut self, frame: impl Frame, points: u32) {
        bits(points).for_each(|bit| self.0.insert(frame.square(bit)));
    }

    #[inline(always)]
    fn add_far(&mut self, from: Square, mut points: u128) {
        while points != 0 {
            self.0.insert(Far(from).square(points.trailing_zeros()));
            points &= points - 1;
        }
    }
}

impl Turn<'_> {
    #[inline(always)]
    fn attacked(&self, from: Square, kind: Kind, rule: &Rule, attacked: &mut Attacked) {
        match rule.mover {
            Mover::Plain => self.by_landing(from, kind, rule, attacked),
            Mover::Double => self.by_two_legs(from, rule, |_| rule.near, attacked),
            Mover::Cavalry => self.by_two_legs(from, rule, |leg| CAVALRY_SECOND[leg as usize], attacked),
            Mover::Thunder => self.walk(from, |square| attacked.0.insert(square)),
            Mover::Sweep => self.by_sweep(from, attacked),
            Mover::Shooter => self.by_shots(from, rule, attacked),
            Mover::Priest => self.by_blessing(from, rule, attacked),
            Mover::Fog => self.by_fog(from, rule, attacked),
        }
    }

    /// Stones of one step, leap or slide, fire among them.
    fn by_landing(&self, from: Square, kind: Kind, rule: &Rule, attacked: &mut Attacked) {
        let point = Point::of(from);
        let (own, enemy) = (self.own.near(point), self.enemy.near(point));
        let mut near = rule.near & on_board(own, enemy);
        if kind == FOOT_SOLDIER {
            near &= self.foot_soldier_steps;
        }
        attacked.add(Near(from), near & !self.spared(Near(from), near & enemy, rule));
        self.by_slide(from, rule, attacked);
        if among(kind, kinds(&[FLAME, ENGINEER])) {
            self.by_fire(from, kind, rule, near & !own, attacked);
        }
    }

    /// Slides along the four lines, as far as the first stone.
    #[inline(always)]
    fn by_slide(&self, from: Square, rule: &Rule, attacked: &mut Attacked) {
        let point = Point::of(from);
        let (own, enemy) = (self.own.through(point), self.enemy.through(point));
        for (at, line) in point.lines().into_iter().enumerate() {
            if rule.slides(at) {
                let seen = reach(own[at] | enemy[at], line.at) & rule.slide(at, line.at) & on_board(own[at], enemy[at]);
                attacked.add(line, seen & !self.spared(line, seen & enemy[at], rule));
            }
        }
    }

    /// 毒火 burns what comes next to it, and what it comes next to. So does a 軍匠 that turns.
    fn by_fire(&self, from: Square, kind: Kind, rule: &Rule, landings: u32, attacked: &mut Attacked) {
        let promotion = Promotion::of(self, kind, rule);
        if kind == FLAME {
            self.neighbours_of(from, attacked);
        }
        for to in bits(landings).map(|bit| Near(from).square(bit)) {
            let lights = kind == FLAME || promotion.allows(self.in_zone(Point::of(to).rank), self.faces_on(to));
            if lights && !self.burns(to, &[]) {
                self.neighbours_of(to, attacked);
            }
        }
    }

    /// The eight points around one.
    fn neighbours_of(&self, square: Square, attacked: &mut Attacked) {
        let point = Point::of(square);
        attacked.add(Near(square), NEIGHBOURS & on_board(self.own.near(point), self.enemy.near(point)));
    }

    /// Stones of two legs; `second` has the second legs after a first one to a bit of the window.
    fn by_two_legs(&self, from: Square, rule: &Rule, second: impl Fn(u32) -> u32, attacked: &mut Attacked) {
        let start = Point::of(from);
        let (own, enemy) = (self.own.near(start), self.enemy.near(start));
        let near = rule.near & on_board(own, enemy);
        let mut window = Far::from_near(near, (0, 0));
        for bit in bits(near & !own) {
            let landing = Landing::of(start, bit);
            let there = on_board(self.own.near(landing.point), self.enemy.near(landing.point));
            window |= Far::from_near(second(bit) & there, landing.offset);
        }
        attacked.add_far(from, window);
        self.by_slide(from, rule, attacked);
    }

    /// 招搖 takes what it passes; an own stone stops it.
    fn by_sweep(&self, from: Square, attacked: &mut Attacked) {
        let point = Point::of(from);
        let (own, enemy) = (self.own.through(point), self.enemy.through(point));
        for (at, line) in point.lines().into_iter().enumerate().take(2) {
            let seen = reach(own[at], line.at) & around(SWEEP_STEPS, line.at);
            attacked.add(line, seen & on_board(own[at], enemy[at]));
        }
    }

    /// Shooters see from every empty point to which they can go.
    fn by_shots(&self, from: Square, rule: &Rule, attacked: &mut Attacked) {
        let point = Point::of(from);
        let empty = !(self.own.near(point) | self.enemy.near(point));
        bits(rule.near & empty).for_each(|bit| self.seen_from(from, Near(from).square(bit), rule, [0; 4], attacked));
        let (own, enemy) = (self.own.through(point), self.enemy.through(point));
        for (at, line) in point.lines().into_iter().enumerate() {
            if rule.slides(at) {
                let occupied = own[at] | enemy[at];
                for bit in bits(reach(occupied, line.at) & rule.slide(at, line.at) & !occupied) {
                    // An enemy on the way would stop it.
                    let mut passed = [0; 4];
                    passed[at] = if bit > line.at { (1 << bit) - (1 << line.at) } else { (1 << line.at) - (1 << bit) };
                    self.seen_from(from, line.square(bit), rule, passed, attacked);
                }
            }
        }
    }

    /// What a shooter that has gone from one point to another can hit, but for points that it passed, bits of the four
    /// lines.
    fn seen_from(&self, from: Square, to: Square, rule: &Rule, passed: [u32; 4], attacked: &mut Attacked) {
        if self.burns(to, &[]) {
            return;
        }
        let (gun, point) = (&rule.gun, Point::of(to));
        let (own, enemy) = (self.own.through(point), self.enemy.through(point));
        let occupied = left_open(Point::of(from), point, std::array::from_fn(|line| own[line] | enemy[line]));
        for (at, line) in point.lines().into_iter().enumerate() {
            let in_range = around(gun.range, line.at) & on_board(own[at], enemy[at]) & !(passed[at] | 1 << line.at);
            let immune = |stones: u32| {
                let hit = |&bit: &u32| self.aim(line, at, bit, gun).is_none();
                bits(stones & enemy[at]).filter(hit).fold(0, |set, bit| set | 1 << bit)
            };
            if gun.over_stones {
                attacked.add(line, in_range & !immune(in_range));
                continue;
            }
            let mut seen = reach(occupied[at], line.at) & in_range;
            let mut targets = seen & !immune(seen);
            if gun.shots > 1 {
                // With the first gone, the one behind it stands in the open.
                let gone = targets & enemy[at];
                seen = reach(occupied[at] & !gone, line.at) & in_range;
                targets |= seen & !immune(seen);
            }
            attacked.add(line, targets);
        }
    }

    /// 高道 and 神僧 take only their own kind by displacement, and shoot neighbours.
    fn by_blessing(&self, from: Square, rule: &Rule, attacked: &mut Attacked) {
        for bit in bits(rule.near & !self.own.near(Point::of(from))) {
            let to = Near(from).square(bit);
            let taken = self.faces_on(to);
            if taken & rule.spares != 0 {
                continue;
            }
            if taken != 0 {
                attacked.0.insert(to);
            }
            if !self.burns(to, &[]) {
                self.neighbours_of(to, attacked);
            }
        }
    }

    /// 五里霧 and 聖燈 shoot neighbours after either leg.
    fn by_fog(&self, from: Square, rule: &Rule, attacked: &mut Attacked) {
        let start = Point::of(from);
        for bit in bits(rule.near & !(self.own.near(start) | self.enemy.near(start))) {
            let landing = Landing::of(start, bit);
            let between = landing.point.square();
            self.neighbours_of(between, attacked);
            for second in bits(self.second_leg(rule, &landing)) {
                // The first shot may kill the 毒火 that would burn it.
                let to = Near(between).square(second);
                let lives = |shot: u32| !self.burns(to, &[Near(between).square(shot)]);
                if !self.burns(to, &[]) || bits(self.neighbours(landing.point)).any(lives) {
                    self.neighbours_of(to, attacked);
                }
            }
        }
    }

    /// Those of some enemy stones that a face cannot take by displacement.
    #[inline(always)]
    fn spared(&self, frame: impl Frame, enemies: u32, rule: &Rule) -> u32 {
        if rule.spares != 0 && self.enemy_has_rampart { self.of_kinds(frame, enemies, rule.spares) } else { 0 }
    }
}

/// The bits that are points of the board: those beyond the edge are set for both sides (`board`).
#[inline(always)]
const fn on_board(own: u32, enemy: u32) -> u32 {
    !(own & enemy)
}
