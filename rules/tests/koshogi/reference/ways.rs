//! What a stone can do in its turn: displacement, one leg or more, and shots. Each step is made on a copy of the
//! board, so that what comes later sees what came before.

use super::pieces::{EIGHT, KNIGHT, legs, may_shoot, may_take, plain_move};
use super::{Board, Point, Stone, on_board};
use std::collections::BTreeMap;

/// What a stone has done so far in its turn.
#[derive(Clone)]
pub struct Way {
    pub board: Board,
    /// Where the stone stands now.
    pub at: Point,
    /// Every point it has landed on.
    pub landings: Vec<Point>,
    /// What it has taken, by displacement or shot, and the face that showed.
    pub taken: BTreeMap<Point, &'static str>,
}

/// A shooter's power.
struct Gun {
    range: i32,
    /// Pieces in between do not matter.
    over: bool,
    /// Most shots after one move.
    shots: usize,
}

/// The eight adjacent points, once.
const ADJACENT: Gun = Gun { range: 1, over: false, shots: 1 };

impl Way {
    pub fn stone(&self) -> Stone {
        self.board.stones[&self.at]
    }

    fn point(&self, (dx, dy): (i32, i32), times: i32) -> Point {
        (self.at.0 + times * dx, self.at.1 + times * dy)
    }

    /// (1) The stone goes to a point and takes what stands there, if it may: never a friend.
    fn land(&self, to: Point) -> Option<Way> {
        if !on_board(to) {
            return None;
        }
        let mover = self.stone();
        let mut next = self.clone();
        if let Some(other) = self.board.stones.get(&to) {
            if other.black == mover.black || !may_take(mover.face(), other.face()) {
                return None;
            }
            next.taken.insert(to, other.face());
        }
        next.board.stones.remove(&self.at);
        next.board.stones.insert(to, mover);
        next.at = to;
        next.landings.push(to);
        Some(next)
    }

    /// One leg of a move in the notation of [`legs`]. Slides pass nothing; leaps do not look at what lies between.
    fn leg(&self, notation: &str) -> Vec<Way> {
        let forward = if self.stone().black { 1 } else { -1 };
        let mut ways = Vec::new();
        for ((dx, dy), most) in legs(notation) {
            for times in 1..=most {
                let to = self.point((dx, dy * forward), times);
                ways.extend(self.land(to));
                if !on_board(to) || self.board.stones.contains_key(&to) {
                    break;
                }
            }
        }
        ways
    }

    /// The general double move: one leg, then perhaps one more from there. The start is empty by then.
    fn double(&self, notation: &str) -> Vec<Way> {
        let first = self.leg(notation);
        let second: Vec<Way> = first.iter().flat_map(|way| way.leg(notation)).collect();
        [first, second].concat()
    }

    /// The cavalry: one knight's leap; or two in one orthogonal sense; or one there and one straight back.
    fn cavalry(&self) -> Vec<Way> {
        let sense = |(dx, dy): (i32, i32)| if dy.abs() == 2 { (0, dy / 2) } else { (dx / 2, 0) };
        let mut ways = Vec::new();
        for first in KNIGHT {
            let Some(once) = self.land(self.point(first, 1)) else { continue };
            for second in KNIGHT {
                let back = second == (-first.0, -first.1);
                if back || sense(first) == sense(second) {
                    ways.extend(once.land(once.point(second, 1)));
                }
            }
            ways.push(once);
        }
        ways
    }

    /// The hekireki: up to `steps` orthogonal steps, each in any direction, taking every enemy stepped on.
    fn thunder(&self, steps: u32) -> Vec<Way> {
        if steps == 0 {
            return Vec::new();
        }
        let first = self.leg("W");
        let further: Vec<Way> = first.iter().flat_map(|way| way.thunder(steps - 1)).collect();
        [first, further].concat()
    }

    /// The shōyō: up to five points in one orthogonal direction, taking every enemy on them.
    fn sweep(&self) -> Vec<Way> {
        let mut ways = Vec::new();
        for direction in [(0, 1), (0, -1), (-1, 0), (1, 0)] {
            let mut way = self.clone();
            for _ in 0..5 {
                let Some(next) = way.land(way.point(direction, 1)) else { break };
                ways.push(next.clone());
                way = next;
            }
        }
        ways
    }

    /// The ways to shoot once from here.
    fn shot(&self, gun: &Gun) -> Vec<Way> {
        let shooter = self.stone();
        let mut ways = Vec::new();
        for direction in EIGHT {
            for distance in 1..=gun.range {
                let point = self.point(direction, distance);
                let Some(target) = self.board.stones.get(&point) else { continue };
                if target.black != shooter.black && may_shoot(shooter.face(), target.face(), distance) {
                    let mut next = self.clone();
                    next.board.stones.remove(&point);
                    next.taken.insert(point, target.face());
                    ways.push(next);
                }
                if !gun.over {
                    break;
                }
            }
        }
        ways
    }

    /// (2) and (3): after the last landing, no shot or as many as the gun has, one after the other; none next to an
    /// enemy flame, where the shooter dies first.
    fn then_shoot(self, gun: &Gun) -> Vec<Way> {
        let mut ways = vec![self];
        if ways[0].beside_enemy_flame() {
            return ways;
        }
        let mut latest = ways.clone();
        for _ in 0..gun.shots {
            latest = latest.iter().flat_map(|way| way.shot(gun)).collect();
            ways.extend(latest.clone());
        }
        ways
    }

    /// (2) Whether the stone stands next to an enemy poison flame.
    pub fn beside_enemy_flame(&self) -> bool {
        EIGHT.iter().any(|&direction| {
            let neighbour = self.board.stones.get(&self.point(direction, 1));
            neighbour.is_some_and(|stone| stone.black != self.stone().black && stone.face() == "毒火")
        })
    }

    /// A shooter: a move to an empty point (it takes nothing by displacement), then shots.
    fn move_and_shoot(&self, notation: &str, gun: &Gun) -> Vec<Way> {
        self.leg(notation).into_iter().flat_map(|way| way.then_shoot(gun)).collect()
    }

    /// Fog and lamp: a leap, perhaps a shot; then perhaps a second leap and a second shot. The flame test is at the
    /// final point, so a shot between the leaps is free of it.
    fn leap_shoot_leap_shoot(&self) -> Vec<Way> {
        let mut ways = self.move_and_shoot("D A", &ADJACENT);
        for first in self.leg("D A") {
            let shots = first.shot(&ADJACENT);
            for between in [vec![first], shots].concat() {
                ways.extend(between.move_and_shoot("D A", &ADJACENT));
            }
        }
        ways
    }
}

impl Board {
    /// Every way in which the stone on `from` can move and shoot.
    pub(super) fn ways(&self, from: Point) -> Vec<Way> {
        let start = Way { board: self.clone(), at: from, landings: Vec::new(), taken: BTreeMap::new() };
        let stone = start.stone();
        match stone.face() {
            "力士" => start.double("K"),
            "軍師" => start.double("F D"),
            "旗鼓" => start.double("W A"),
            "天馬" => start.double("N"),
            "龍驤" => [start.leg("Q"), start.double("K")].concat(),
            "虎翼" => [start.leg("R"), start.double("F")].concat(),
            "鷹揚" => [start.leg("B"), start.double("W")].concat(),
            "騎總" => start.cavalry(),
            "霹靂" => start.thunder(5),
            "招搖" => start.sweep(),
            "高道" | "神僧" => start.move_and_shoot("D A", &ADJACENT),
            "五里霧" | "聖燈" => start.leap_shoot_leap_shoot(),
            "弓" => start.move_and_shoot("F", &Gun { range: 3, over: false, shots: 1 }),
            "廣弓騎" => start.move_and_shoot("N", &Gun { range: 3, over: false, shots: 1 }),
            "弩" => start.move_and_shoot("F", &Gun { range: 5, over: false, shots: 1 }),
            "弩騎" => start.move_and_shoot("N", &Gun { range: 5, over: false, shots: 1 }),
            "砲" => start.move_and_shoot("F", &Gun { range: 5, over: true, shots: 1 }),
            "砲車" => start.move_and_shoot("R5", &Gun { range: 5, over: true, shots: 1 }),
            "佛狼機" => start.move_and_shoot("F", &Gun { range: 7, over: false, shots: 2 }),
            "神機車" => start.move_and_shoot("R5", &Gun { range: 7, over: false, shots: 2 }),
            // A foot soldier whose drum is dead does not go forward.
            "步兵" if !self.alive(stone.black, "D") => start.leg("sW bW"),
            face => start.leg(plain_move(face)),
        }
    }
}
