//! Shooters: they go to an empty point and may shoot from there 射殺. None shoots without moving, and but for 高道 and
//! 神僧 none takes by displacement: so the Chinese text's table, though QBoard lets 砲車 and 神機車, and the
//! implementations let 五里霧 and 聖燈 take their own kind.

use super::board::{Far, Frame, Landing, Line, MARGIN, Near, Point, around, bits, reach};
use super::generate::Sink;
use super::kinds::{FOG, among};
use super::promotion::Promotion;
use super::rule::{Gun, Rule};
use super::turn::{DIRECTIONS, NEIGHBOURS, Turn};
use super::via;
use crate::moves::{Move, MoveList};
use crate::piece::Kind;
use crate::square::Square;

/// An enemy stone that can be shot.
#[derive(Clone, Copy, Default)]
pub(super) struct Aim {
    code: u16,
    kind: Kind,
}

/// What a shooter sees from where it lands, its old point empty.
struct View {
    /// Stones of either side on the four lines, and the points off the board.
    occupied: [u32; 4],
    /// Enemy stones within range, behind others or not.
    in_range: [u32; 4],
    lines: [Line; 4],
}

/// Direction ([`DIRECTIONS`]) of each neighbour's bit in a window.
static DIRECTION: [u8; Near::BITS] = {
    let mut table = [0; Near::BITS];
    let mut direction = 0;
    while direction < 8 {
        let (files, ranks) = DIRECTIONS[direction];
        table[Near::bit(files, ranks) as usize] = direction as u8;
        direction += 1;
    }
    table
};

impl View {
    /// The view from `to`; `None` if no enemy is within range.
    #[inline(always)]
    fn of(turn: &Turn, from: Point, to: Point, range: u32) -> Option<View> {
        let (own, enemy, lines) = (turn.own.through(to), turn.enemy.through(to), to.lines());
        let in_range = std::array::from_fn(|line| enemy[line] & !own[line] & around(range, lines[line].at));
        if in_range == [0; 4] {
            return None;
        }
        let occupied = left_open(from, to, std::array::from_fn(|line| own[line] | enemy[line]));
        Some(View { occupied, in_range, lines })
    }
}

/// The stones on the four lines through a point, after the stone on `from` has left for that point.
#[inline(always)]
pub(super) fn left_open(from: Point, to: Point, mut occupied: [u32; 4]) -> [u32; 4] {
    let on_line = [
        (from.rank == to.rank, from.file),
        (from.file == to.file, from.rank),
        (from.file + to.rank == to.file + from.rank, from.rank),
        (from.file + from.rank == to.file + to.rank, from.rank),
    ];
    for (line, (through, at)) in occupied.iter_mut().zip(on_line) {
        if through {
            *line ^= 1 << (at + MARGIN);
        }
    }
    occupied
}

impl Turn<'_> {
    /// 弓, 弩, 砲, 佛狼機 and their promoted faces.
    pub(super) fn shooter(&self, from: Square, kind: Kind, rule: &Rule, sink: &mut impl Sink) {
        let point = Point::of(from);
        let promotion = Promotion::of(self, kind, rule);
        let empty = !(self.own.near(point) | self.enemy.near(point));
        for bit in bits(rule.near & empty) {
            self.shots(from, Near(from).square(bit), &promotion, &rule.gun, sink);
        }
        let (own, enemy) = (self.own.through(point), self.enemy.through(point));
        for (at, line) in point.lines().into_iter().enumerate() {
            if rule.slides(at) {
                let occupied = own[at] | enemy[at];
                for bit in bits(reach(occupied, line.at) & rule.slide(at, line.at) & !occupied) {
                    self.shots(from, line.square(bit), &promotion, &rule.gun, sink);
                }
            }
        }
    }

    /// The move to an empty point, and the shots from there.
    fn shots(&self, from: Square, to: Square, promotion: &Promotion, gun: &Gun, sink: &mut impl Sink) {
        let plain = Move::board(from, to);
        if self.burns(to, &[]) {
            return sink.one(plain, false);
        }
        let point = Point::of(to);
        let in_zone = self.in_zone(point.rank);
        sink.one(plain, promotion.allows(in_zone, 0));
        let Some(view) = View::of(self, Point::of(from), point, gun.range) else { return };
        let mut shoot = |code: u16, killed: u128| sink.one(plain.with_via(code), promotion.allows(in_zone, killed));
        if gun.shots == 1 {
            for line in 0..4 {
                let mut targets = view.in_range[line];
                if !gun.over_stones {
                    targets &= reach(view.occupied[line], view.lines[line].at);
                }
                for aim in bits(targets).filter_map(|bit| self.aim(view.lines[line], line, bit, gun)) {
                    shoot(aim.code, 1 << aim.kind);
                }
            }
            return;
        }
        let mut aims = [Aim::default(); 8];
        let mut seen = 0;
        for line in 0..4 {
            let at = view.lines[line].at;
            let (occupied, in_range) = (view.occupied[line], view.in_range[line]);
            for bit in bits(reach(occupied, at) & in_range) {
                let Some(first) = self.aim(view.lines[line], line, bit, gun) else { continue };
                shoot(first.code, 1 << first.kind);
                // With the first gone, the one behind it stands in the open.
                let beyond = if bit > at { !1 << bit } else { (1 << bit) - 1 };
                for behind in bits(reach(occupied ^ 1 << bit, at) & in_range & beyond) {
                    if let Some(second) = self.aim(view.lines[line], line, behind, gun) {
                        shoot(via::two_shots(first.code, second.code), 1 << first.kind | 1 << second.kind);
                    }
                }
                for other in &aims[..seen] {
                    shoot(via::two_shots(first.code, other.code), 1 << first.kind | 1 << other.kind);
                }
                aims[seen] = first;
                seen += 1;
            }
        }
    }

    /// The shot at an enemy stone on a bit of a line, which is the `number`-th of the four, if the gun can kill it.
    #[inline(always)]
    pub(super) fn aim(&self, line: Line, number: usize, bit: u32, gun: &Gun) -> Option<Aim> {
        let kind = self.position.cell(line.square(bit)).kind();
        let distance = bit.abs_diff(line.at);
        let immune = among(kind, gun.spares) || kind == FOG && distance < gun.fog_from;
        (!immune).then(|| Aim { code: via::shot(2 * number + usize::from(bit > line.at), distance), kind })
    }

    /// Enemy stones on the eight neighbours of a point, as bits of the window around it.
    #[inline(always)]
    pub(super) fn neighbours(&self, point: Point) -> u32 {
        self.enemy.near(point) & !self.own.near(point) & NEIGHBOURS
    }

    /// 高道 and 神僧.
    pub(super) fn priest(&self, from: Square, kind: Kind, rule: &Rule, sink: &mut impl Sink) {
        let point = Point::of(from);
        let promotion = Promotion::of(self, kind, rule);
        for bit in bits(rule.near & !self.own.near(point)) {
            let to = Near(from).square(bit);
            let taken = self.faces_on(to);
            if taken & rule.spares != 0 {
                continue;
            }
            let plain = Move::board(from, to);
            if self.burns(to, &[]) {
                sink.one(plain, false);
                continue;
            }
            let landing = Point::of(to);
            let in_zone = self.in_zone(landing.rank);
            sink.one(plain, promotion.allows(in_zone, taken));
            for neighbour in bits(self.neighbours(landing)) {
                let killed = taken | self.faces_on(Near(to).square(neighbour));
                let code = via::shot(usize::from(DIRECTION[neighbour as usize]), 1);
                sink.one(plain.with_via(code), promotion.allows(in_zone, killed));
            }
        }
    }

    /// 五里霧 and 聖燈.
    pub(super) fn fog(&self, from: Square, rule: &Rule, sink: &mut impl Sink) {
        let start = Point::of(from);
        let legs = rule.near & !(self.own.near(start) | self.enemy.near(start));
        let mut window = Far::from_near(legs, (0, 0));
        for bit in bits(legs) {
            let landing = Landing::of(start, bit);
            window |= Far::from_near(self.second_leg(rule, &landing), landing.offset);
        }
        sink.far_targets(from, window, 0);
        if self.enemy.any_within(start, FOG_SIGHT) {
            sink.distinct(|list| self.fog_shots(from, rule, legs, list));
        }
    }

    /// Empty points that a second leg reaches; the start is one.
    #[inline(always)]
    pub(super) fn second_leg(&self, rule: &Rule, landing: &Landing) -> u32 {
        let occupied = self.own.near(landing.point) | self.enemy.near(landing.point);
        rule.near & (!occupied | landing.start())
    }

    /// All moves of 五里霧 and 聖燈 with one or two shots, some several times.
    fn fog_shots(&self, from: Square, rule: &Rule, legs: u32, list: &mut MoveList) {
        let start = Point::of(from);
        for bit in bits(legs) {
            let landing = Landing::of(start, bit);
            let between = landing.point.square();
            let first_shots = self.neighbours(landing.point);
            if !self.burns(between, &[]) {
                for shot in bits(first_shots) {
                    let (files, ranks) = Near::offset(shot);
                    list.push(Move::board(from, between).with_via(via::fog_shot(files, ranks)));
                }
            }
            for second in bits(self.second_leg(rule, &landing)) {
                let to = Near(between).square(second);
                let plain = Move::board(from, to);
                let (files, ranks) = Near::offset(second);
                let last_shots = self.neighbours(Point::of(to));
                let last = |list: &mut MoveList, first: Option<(Square, u16)>| {
                    let taken = first.map(|(square, _)| square);
                    if self.burns(to, taken.as_slice()) {
                        return;
                    }
                    for shot in bits(last_shots).filter(|&shot| taken != Some(Near(to).square(shot))) {
                        let (files, ranks) = Near::offset(shot);
                        let code = via::fog_shot(files, ranks);
                        list.push(plain.with_via(first.map_or(code, |(_, first)| via::two_fog_shots(first, code))));
                    }
                };
                last(list, None);
                for shot in bits(first_shots) {
                    let (f, r) = Near::offset(shot);
                    let code = via::fog_shot(f - files, r - ranks);
                    list.push(plain.with_via(code));
                    last(list, Some((Near(between).square(shot), code)));
                }
            }
        }
    }
}

/// Two legs of two points and a shot at a neighbour.
const FOG_SIGHT: usize = 5;
