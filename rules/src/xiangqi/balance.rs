//! What a line of captures wins and loses, in pieces, and whether that is a win of material (得子).

use super::Xiangqi;
use super::gain_search::{Capture, value};
use super::moves::{CANNON, CHARIOT, HORSES, SOLDIER};
use crate::moves::Move;
use crate::position::Position;
use crate::square_set::SquareSet;

/// What the side that begins a line of moves wins by it less what it loses.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Balance {
    /// Horses and cannons, a chariot counting as two.
    strong: i32,
    /// Soldiers past the river.
    soldiers: i32,
    /// Guards and elephants.
    weak: i32,
    /// It wins a chariot.
    wins_chariot: bool,
    /// After it has won a piece it loses one that has taken nothing (各吃各子).
    takes_elsewhere: bool,
}

impl Balance {
    /// The balance of a line; captures by the other side that are `standing` are left out.
    pub(super) fn of(position: &Position<Xiangqi>, line: &[Move], standing: &[Capture]) -> Balance {
        let mut balance = Balance::default();
        let mut now = position.clone();
        let mut takers = 0u128;
        for &mv in line {
            let to = mv.destination();
            let Some(from) = mv.source_square() else { continue };
            let is_ours = now.side == position.side;
            if is_ours && takers.has(from) {
                takers ^= 1 << from.index() | 1 << to.index();
            }
            if value(&now, to) > 0 && (is_ours || !standing.contains(&(from, to))) {
                let one = if is_ours { 1 } else { -1 };
                match now.cell(to).kind() {
                    CHARIOT => balance.strong += 2 * one,
                    HORSES | CANNON => balance.strong += one,
                    SOLDIER => balance.soldiers += one,
                    _ => balance.weak += one,
                }
                balance.wins_chariot |= is_ours && now.cell(to).kind() == CHARIOT;
                balance.takes_elsewhere |= !is_ours && takers != 0 && !takers.has(to);
                takers |= if is_ours { 1 << to.index() } else { 0 };
            }
            now.play(mv);
        }
        balance
    }

    /// Whether more is won than lost, or as much where both sides take different pieces (26.5). The value of a soldier
    /// floats: one soldier for several pieces, one piece for several soldiers, and a soldier for a guard or an elephant
    /// are no win.
    pub(super) fn is_win(&self) -> bool {
        let Balance { strong, soldiers, weak, wins_chariot, takes_elsewhere } = *self;
        match strong + soldiers {
            0 => weak > 0 || weak == 0 && takes_elsewhere,
            1.. => {
                let soldier_for_weak = strong == 0 && weak < 0;
                let piece_for_soldiers = strong < 0;
                let soldier_for_pieces = soldiers < 0 && !wins_chariot;
                !(soldier_for_weak || piece_for_soldiers || soldier_for_pieces)
            }
            _ => false,
        }
    }
}
