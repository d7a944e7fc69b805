//! Chases 捉: which pieces attack which, to their owner's profit.

use super::Xiangqi;
use super::moves::{CANNON, CHARIOT, ELEPHANT, GENERAL, GUARD, HALVES, HORSES, SOLDIER, targets};
use super::safety::checkers;
use crate::position::Position;
use crate::side::Side;
use crate::square::Square;
use crate::square_set::SquareSet;

/// An attacker and its victim.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Pair {
    pub(super) attacker: u8,
    pub(super) victim: u8,
}

/// The pairs of points `(attacker, victim)` by which `side` attacks an enemy piece profitably, whichever side is
/// to move. `strict` leaves out captures that would leave the own general capturable.
///
/// Generals and soldiers may attack for ever, and a soldier that has not crossed the river is no victim.
pub(super) fn pairs(position: &Position<Xiangqi>, side: Side, strict: bool) -> Vec<Pair> {
    let mut found = Vec::new();
    let enemy = side.other();
    let harmless = position.kinds[GENERAL] | position.kinds[SOLDIER];
    let at_home = position.kinds[SOLDIER] & HALVES[enemy.index()];
    let victims = position.sides[enemy.index()] & !position.kinds[GENERAL] & !at_home;
    for attacker in (position.sides[side.index()] & !harmless).squares() {
        let kind = position.cell(attacker).kind();
        let attacked = targets(side, kind, attacker.index(), position.occupied()) & victims;
        for victim in attacked.squares() {
            if is_chase(position, side, attacker, victim, strict) {
                found.push(Pair { attacker: attacker.index() as u8, victim: victim.index() as u8 });
            }
        }
    }
    found
}

/// Whether an attack is a chase: legal if `strict`, no offer of an exchange (兌), and profitable.
fn is_chase(position: &Position<Xiangqi>, side: Side, attacker: Square, victim: Square, strict: bool) -> bool {
    let kind = position.cell(attacker).kind();
    let prey = position.cell(victim).kind();
    let after = captured(position, attacker, victim);
    if strict && checkers(&after, side) != 0 {
        return false;
    }
    if kind == prey && may_capture(position, victim, attacker) {
        return false;
    }
    let profitable = match kind {
        HORSES | CANNON => prey == CHARIOT,
        GUARD | ELEPHANT => matches!(prey, CHARIOT | HORSES | CANNON),
        _ => false,
    };
    profitable || !is_protected(&after, side.other(), victim)
}

/// Whether `side` has a legal capture on `point`: the piece that stood there had a root (根). A protector
/// that is pinned is none (假根).
fn is_protected(position: &Position<Xiangqi>, side: Side, point: Square) -> bool {
    position.pieces(side).squares().any(|protector| may_capture(position, protector, point))
}

/// Whether the piece on `from` can capture on `to` without leaving its own general capturable.
pub(super) fn may_capture(position: &Position<Xiangqi>, from: Square, to: Square) -> bool {
    let side = position.cell(from).side();
    targets(side, position.cell(from).kind(), from.index(), position.occupied()).has(to)
        && checkers(&captured(position, from, to), side) == 0
}

/// The board after the piece on `from` has captured on `to`.
fn captured(position: &Position<Xiangqi>, from: Square, to: Square) -> Position<Xiangqi> {
    let mut after = position.clone();
    after.take(to);
    let (side, kind) = after.take(from);
    after.put(side, kind, to);
    after
}
