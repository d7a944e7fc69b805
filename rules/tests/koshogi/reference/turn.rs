//! What follows from a stone's move: promotion, fire, the clerk's chain, priest and lamp.

use super::pieces::{EIGHT, promotes_by_killing};
use super::ways::Way;
use super::{Board, Point, in_enemy_camp};

impl Board {
    /// Whether the stone may turn after moving in this way. `self` is the position before.
    pub(super) fn may_promote(&self, way: &Way) -> bool {
        let stone = way.stone();
        let black = stone.black;
        // Once only; and some never.
        if stone.promoted || stone.piece.back.is_none() {
            return false;
        }
        // What dies by fire dies before it promotes.
        if way.beside_enemy_flame() {
            return false;
        }
        // Drum and banner need their priest.
        if matches!(stone.face(), "鼓" | "旗") && !self.alive(black, "TP") {
            return false;
        }
        if way.taken.values().any(|victim| promotes_by_killing(stone.face(), victim)) {
            return true;
        }
        let lands_in_camp = way.landings.iter().any(|&point| in_enemy_camp(black, point));
        lands_in_camp
            && (stone.face() != "記室" || (self.guard_in_camp(black, "AG") && self.guard_in_camp(black, "RG")))
    }

    fn guard_in_camp(&self, black: bool, code: &str) -> bool {
        let in_camp = |point: Point| in_enemy_camp(black, point);
        self.stones.iter().any(|(&point, stone)| stone.black == black && stone.code() == code && in_camp(point))
    }

    /// The position after the whole turn. `self` is the position before.
    pub(super) fn after(&self, way: &Way, promotes: bool) -> Board {
        let black = way.stone().black;
        let mut next = way.board.clone();
        // Whether a stone has turned its face, up or back.
        let mut turned = promotes;
        if way.beside_enemy_flame() {
            // (2) The mover dies; nothing more comes from it.
            next.stones.remove(&way.at);
        } else {
            if promotes {
                // (4)
                next.turn(way.at, true);
                if way.stone().face() == "記室" {
                    next.clerk_chain(black);
                }
            }
            if next.stones[&way.at].face() == "毒火" {
                // (5)
                next.burn_around(way.at, black);
            }
        }
        for side in [true, false] {
            turned |= next.priest_rule(side);
        }
        for side in [true, false] {
            turned |= next.lamp_rule(side);
        }
        let left = next.stones.len() < self.stones.len();
        next.quiet = if left || turned { 0 } else { self.quiet + 1 };
        next.number = self.number + u32::from(!self.black_to_move);
        next.black_to_move = !self.black_to_move;
        next
    }

    fn turn(&mut self, point: Point, promoted: bool) {
        self.stones.get_mut(&point).expect("a stone").promoted = promoted;
    }

    /// (4) With the clerk all its guards turn, wherever they are, and all enemy flames die.
    fn clerk_chain(&mut self, black: bool) {
        for stone in self.stones.values_mut() {
            if stone.black == black && matches!(stone.face(), "前衛" | "後衛") {
                stone.promoted = true;
            }
        }
        self.stones.retain(|_, stone| stone.black == black || stone.face() != "毒火");
    }

    /// (5) Every enemy next to a flame that has moved dies.
    fn burn_around(&mut self, (file, rank): Point, black: bool) {
        for (dx, dy) in EIGHT {
            let point = (file + dx, rank + dy);
            if self.stones.get(&point).is_some_and(|stone| stone.black != black) {
                self.stones.remove(&point);
            }
        }
    }

    /// (6) A side without 高道 and 五里霧: its 招搖 becomes 旗 and its 霹靂 becomes 鼓. Whether one did.
    fn priest_rule(&mut self, black: bool) -> bool {
        let mut turned = false;
        if !self.alive(black, "TP") {
            for stone in self.stones.values_mut() {
                if stone.black == black && matches!(stone.face(), "招搖" | "霹靂") {
                    stone.promoted = false;
                    turned = true;
                }
            }
        }
        turned
    }

    /// (7) A 五里霧 of this side on a line with an enemy 聖燈 and at most five points away becomes 高道; pieces between
    /// do not matter. Whether one did.
    fn lamp_rule(&mut self, black: bool) -> bool {
        let showing = |face: &str, side: bool| -> Vec<Point> {
            let is_it = |stone: &super::Stone| stone.black == side && stone.face() == face;
            self.stones.iter().filter(|(_, stone)| is_it(stone)).map(|(&point, _)| point).collect()
        };
        let lamps = showing("聖燈", !black);
        let lit: Vec<Point> = showing("五里霧", black)
            .into_iter()
            .filter(|fog| {
                lamps.iter().any(|lamp| {
                    let (dx, dy) = ((fog.0 - lamp.0).abs(), (fog.1 - lamp.1).abs());
                    (dx == 0 || dy == 0 || dx == dy) && dx.max(dy) <= 5
                })
            })
            .collect();
        for &point in &lit {
            self.turn(point, false);
        }
        !lit.is_empty()
    }
}
