//! Chases by the material that they would win: which of them a move of a cycle brings about.

use super::Xiangqi;
use super::chase::Pair;
use super::cycle::{Cycle, Deed};
use super::gain::{Win, exchanges, wins};
use super::gain_search::wins_on_point;
use super::mate::{has_mating_move, mates_by_checks, threatens_mate};
use super::moves::{CANNON, CHARIOT, ELEPHANT, GUARD, HORSES, SOLDIER};
use super::safety::checkers;
use crate::position::Position;
use crate::side::Side;
use crate::square::Square;

impl Cycle<'_> {
    /// The new attacks of a move that would win material, or more of it than before.
    pub(super) fn chase_by_gain(&self, ply: usize) -> Option<Deed> {
        let before = &self.positions[ply];
        let us = before.side;
        let mut new = self.wins(ply + 1, us);
        if new.is_empty() {
            return None;
        }
        let earlier = ply.checked_sub(1).unwrap_or(self.len() - 1);
        let mut old = self.wins(ply, us);
        if before.is_check() {
            // What was attacked before the check is no new victim of the move that answers it (26.1).
            let stands = |pair: &Pair| pair.attacker != self.moved(ply) && pair.victim != self.moved(earlier);
            old.extend(self.wins(earlier, us).into_iter().filter(|(pair, _)| stands(pair)));
        }
        new.retain(|(pair, win)| !old.iter().any(|(other, had)| other == pair && had.gain >= win.gain));
        new.retain(|(pair, _)| !self.lost_its_root(ply, earlier, pair));
        if new.is_empty() || self.saves_a_draw(ply, &new) {
            return None;
        }
        let joint = new.iter().all(|(_, win)| win.joint);
        let rooted = new.iter().all(|(_, win)| win.rooted);
        let mut pairs = Vec::new();
        for (pair, _) in new {
            if !pairs.contains(&pair) {
                pairs.push(pair);
            }
        }
        Some(Deed::Chase { pairs, joint, rooted })
    }

    /// Whether a move that gives no check threatens mate, by the exchange of no piece, and its side did not before.
    pub(super) fn threatens_by_gain(&self, ply: usize) -> bool {
        let (before, after) = (&self.positions[ply], &self.positions[ply + 1]);
        let again = with_turn(after, before.side);
        threatens_mate(&again, &exchanges(&again)) && !threatens_mate(before, &[])
    }

    /// What `side` would win if it were to move before move number `ply`; nothing if it gives check there.
    fn wins(&self, ply: usize, side: Side) -> Vec<(Pair, Win)> {
        let position = &self.positions[ply];
        if checkers(position, side.other()) != 0 {
            return Vec::new();
        }
        let won = wins(&with_turn(position, side));
        let pairs = won.iter().map(|win| Pair { attacker: win.attacker, victim: win.victim }).collect();
        self.named(ply, pairs).into_iter().zip(won).collect()
    }

    /// Whether the victim lost its protection by a move of its own side, number `earlier`, and not by move number
    /// `ply`.
    fn lost_its_root(&self, ply: usize, earlier: usize, pair: &Pair) -> bool {
        let wins_at = |ply: usize| {
            let at = |name: u8| Square::new(self.point_of(ply, name));
            wins_on_point(&self.positions[ply], at(pair.attacker), at(pair.victim))
        };
        pair.attacker != self.moved(ply)
            && self.attacked(earlier, pair.attacker, pair.victim)
            && wins_at(ply)
            && !wins_at(earlier)
    }

    /// Whether a move parries a mate with the only piece that can attack: guards and elephants that it attacks by the
    /// way are no victims (26.2).
    fn saves_a_draw(&self, ply: usize, new: &[(Pair, Win)]) -> bool {
        let before = &self.positions[ply];
        let us = before.side;
        let attackers =
            [CHARIOT, HORSES, CANNON, SOLDIER].iter().fold(0, |set, &kind| set | before.pieces_of(us, kind));
        let is_weak = |pair: &Pair| {
            let kind = before.cell(Square::new(self.point_of(ply, pair.victim))).kind();
            kind == GUARD || kind == ELEPHANT
        };
        attackers.count_ones() == 1 && new.iter().all(|(pair, _)| is_weak(pair)) && !before.is_check() && {
            let theirs = with_turn(before, us.other());
            has_mating_move(&theirs) || mates_by_checks(&theirs)
        }
    }
}

/// The position with `side` to move.
fn with_turn(position: &Position<Xiangqi>, side: Side) -> Position<Xiangqi> {
    let mut position = position.clone();
    position.side = side;
    position
}
