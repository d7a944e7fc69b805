//! What the generator works out once for a position.

use super::Koshogi;
use super::board::{MARGIN, Near, Point, SIZE, SideLines};
use super::kinds::*;
use crate::position::Position;
use crate::side::Side;
use crate::square::Square;

/// Ranks of a side's camp 陣.
pub(super) const CAMP_RANKS: usize = 6;

/// The side to move, its stones and the opponent's, and which conditional rules are at work.
pub(super) struct Turn<'a> {
    pub(super) position: &'a Position<Koshogi>,
    pub(super) us: Side,
    pub(super) own: &'a SideLines,
    pub(super) enemy: &'a SideLines,
    /// Whether the enemy has a 毒火, which burns what lands next to it.
    pub(super) enemy_has_flame: bool,
    /// Whether the enemy has a 天壘, which chariots cannot take.
    pub(super) enemy_has_rampart: bool,
    /// Whether a 高道 or 五里霧 of ours lives: else 鼓 and 旗 do not promote.
    pub(super) priest_alive: bool,
    /// Steps a 步兵 may make; all in the window but the forward one once the 鼓 is dead.
    pub(super) foot_soldier_steps: u32,
}

impl<'a> Turn<'a> {
    #[inline(always)]
    pub(super) fn of(position: &'a Position<Koshogi>) -> Self {
        Self::of_side(position, position.side)
    }

    /// Like `of`, as if it were the turn of `us`.
    #[inline(always)]
    pub(super) fn of_side(position: &'a Position<Koshogi>, us: Side) -> Self {
        let index = &position.kinds;
        let them = us.other();
        let forward = match us {
            Side::First => Near::bit(0, 1),
            Side::Second => Near::bit(0, -1),
        };
        Turn {
            position,
            us,
            own: &index.lines[us.index()],
            enemy: &index.lines[them.index()],
            enemy_has_flame: index.count(them, FLAME) > 0,
            enemy_has_rampart: index.count(them, RAMPART) > 0,
            priest_alive: priest_alive(position, us),
            foot_soldier_steps: if drum_alive(position, us) { !0 } else { !(1 << forward) },
        }
    }

    /// Whether a rank lies in the enemy camp.
    #[inline(always)]
    pub(super) const fn in_zone(&self, rank: usize) -> bool {
        match self.us {
            Side::First => rank >= SIZE - CAMP_RANKS,
            Side::Second => rank < CAMP_RANKS,
        }
    }

    /// The enemy camp in the window around a point of a rank.
    #[inline(always)]
    pub(super) const fn zone_near(&self, rank: usize) -> u32 {
        // Rows of the window in the camp: from some row upward, or up to some row.
        match self.us {
            Side::First => {
                let outside = (SIZE - CAMP_RANKS + 2).saturating_sub(rank);
                if outside >= 5 { 0 } else { !0 << (5 * outside) }
            }
            Side::Second => {
                let inside = (CAMP_RANKS + 2).saturating_sub(rank);
                if inside >= 5 { !0 } else { (1 << (5 * inside)) - 1 }
            }
        }
    }

    /// The enemy camp on one of the four lines through a point of a rank.
    #[inline(always)]
    pub(super) const fn zone_line(&self, line: usize, rank: usize) -> u32 {
        if line == 0 {
            return if self.in_zone(rank) { !0 } else { 0 };
        }
        match self.us {
            Side::First => !0 << (SIZE - CAMP_RANKS + MARGIN),
            Side::Second => (1 << (CAMP_RANKS + MARGIN)) - 1,
        }
    }

    /// Whether a stone of ours that ends its move on `to` burns there: next to an enemy 毒火 that is not among the
    /// stones taken until then.
    #[inline]
    pub(super) fn burns(&self, to: Square, taken: &[Square]) -> bool {
        self.enemy_has_flame && next_to_flame(self.position, self.us.other(), to, taken)
    }
}

/// The eight neighbours in a window ([`Near`]).
pub(super) const NEIGHBOURS: u32 = 0b01110_01010_01110 << 5;

/// Whether a 毒火 of a side, other than those on the squares of `without`, stands next to a square.
pub(super) fn next_to_flame(position: &Position<Koshogi>, side: Side, square: Square, without: &[Square]) -> bool {
    let point = Point::of(square);
    (0..8).any(|direction| {
        let (files, ranks) = DIRECTIONS[direction];
        point.step(files, ranks).map(Point::square).is_some_and(|neighbour| {
            position.cell(neighbour).piece() == Some((side, FLAME)) && !without.contains(&neighbour)
        })
    })
}

/// The eight directions 八方 as files and ranks: the two senses of rank, file, rising and falling diagonal.
pub(super) const DIRECTIONS: [(i32, i32); 8] = [(-1, 0), (1, 0), (0, -1), (0, 1), (-1, -1), (1, 1), (1, -1), (-1, 1)];

/// Whether a side's 高道 lives: the stone, whichever face it shows.
pub(super) fn priest_alive(position: &Position<Koshogi>, side: Side) -> bool {
    position.kinds.count(side, PRIEST) + position.kinds.count(side, FOG) > 0
}

/// Whether a side's 鼓 lives. A 霹靂 is the same stone; that it still leads the 步兵 is QBoard's reading.
fn drum_alive(position: &Position<Koshogi>, side: Side) -> bool {
    position.kinds.count(side, DRUM) + position.kinds.count(side, THUNDER) > 0
}
