//! The safety of the general: which pieces attack it, and where each piece may go without exposing it.

use super::Xiangqi;
use super::moves::{CANNON, CHARIOT, GENERAL, HORSES, SOLDIER, SOLDIERS_TO};
use crate::nine_by_ten::{BETWEEN, HORSE_TO, file_of, lines, slides};
use crate::position::Position;
use crate::side::Side;
use crate::square_set::SquareSet;

/// The enemy of one general: the pieces that may attack it.
#[derive(Clone, Copy)]
pub(super) struct Attackers {
    /// The side under attack.
    side: Side,
    chariots: u128,
    cannons: u128,
    horses: u128,
    soldiers: u128,
    general: u128,
}

impl Attackers {
    /// The pieces that may attack the general of `side`.
    #[inline(always)]
    pub(super) fn of(position: &Position<Xiangqi>, side: Side) -> Attackers {
        let enemy = position.sides[side.other().index()];
        let kind = |kind: usize| position.kinds[kind] & enemy;
        Attackers {
            side,
            chariots: kind(CHARIOT),
            cannons: kind(CANNON),
            horses: kind(HORSES),
            soldiers: kind(SOLDIER),
            general: kind(GENERAL),
        }
    }

    /// The pieces that attack `point`, the other general along an open file among them (王不見王).
    #[inline(always)]
    pub(super) fn on(&self, point: usize, occupied: u128) -> u128 {
        let mut found = SOLDIERS_TO[self.side.index()][point] & self.soldiers;
        if lines(point) & (self.chariots | self.cannons | self.general) != 0 {
            let slides = slides(point, occupied, 0);
            found |= slides.reach & (self.chariots | self.general & file_of(point)) | slides.jump & self.cannons;
        }
        if HORSE_TO[point].all & self.horses != 0 {
            found |= HORSE_TO[point].free(occupied) & self.horses;
        }
        found
    }
}

/// The point of a side's general.
#[inline(always)]
pub(super) fn general(position: &Position<Xiangqi>, side: Side) -> usize {
    (position.kinds[GENERAL] & position.sides[side.index()]).trailing_zeros() as usize
}

/// The pieces that attack the general of `side`.
#[inline(always)]
pub(super) fn checkers(position: &Position<Xiangqi>, side: Side) -> u128 {
    Attackers::of(position, side).on(general(position, side), position.occupied())
}

/// Where the pieces of one side, the general apart, may go without leaving the general capturable.
///
/// Every enemy piece that attacks the general, or would after one piece of ours moved, limits our moves by
/// itself, and a move is legal if it keeps all these limits:
///
/// | enemy | pieces between | limit |
/// |---|---|---|
/// | chariot, general | none (check) | capture it or step between |
/// | chariot, general | one of ours | that piece stays on the line or captures |
/// | cannon | none (空頭炮) | no piece may step between |
/// | cannon | one (check) | capture it; a second piece steps between; the screen, if ours, leaves the line |
/// | cannon | two | a piece of ours among them stays on empty points of the line, or captures the cannon |
/// | horse | leg free (check) | capture it or step on the leg |
/// | horse | our piece on the leg | that piece stays, or captures the horse |
/// | soldier | check | capture it |
pub(super) struct Safety {
    attackers: Attackers,
    general: usize,
    own: u128,
    occupied: u128,
    /// Where pieces that are not bound may go.
    free: u128,
    /// Pieces with limits of their own: see [`Safety::bound_targets`].
    bound: u128,
}

impl Safety {
    /// The limits on the moves of `side`.
    #[inline(always)]
    pub(super) fn of(position: &Position<Xiangqi>, side: Side) -> Safety {
        let attackers = Attackers::of(position, side);
        let own = position.sides[side.index()];
        let general = general(position, side);
        let occupied = position.occupied();
        let mut safety = Safety { attackers, general, own, occupied, free: !own, bound: 0 };
        let line = lines(general);
        for point in (line & attackers.cannons).squares() {
            let between = BETWEEN[general][point.index()];
            let inside = between & occupied;
            match inside.count_ones() {
                0 => safety.free &= !between,
                1 => {
                    safety.free &= between & !occupied | 1 << point.index();
                    safety.bound |= inside;
                }
                2 => safety.bound |= inside,
                _ => {}
            }
        }
        for point in (line & attackers.chariots | file_of(general) & attackers.general).squares() {
            let between = BETWEEN[general][point.index()];
            let inside = between & occupied;
            if inside == 0 {
                safety.free &= between | 1 << point.index();
            } else if inside & (inside - 1) == 0 {
                safety.bound |= inside;
            }
        }
        let horse = &HORSE_TO[general];
        if horse.all & attackers.horses != 0 {
            for (leg, behind) in horse.ways {
                for point in (behind & attackers.horses).squares() {
                    if leg & occupied == 0 {
                        safety.free &= leg | 1 << point.index();
                    } else {
                        safety.bound |= leg;
                    }
                }
            }
        }
        for point in (SOLDIERS_TO[side.index()][general] & attackers.soldiers).squares() {
            safety.free &= 1 << point.index();
        }
        safety.bound &= own;
        safety
    }

    /// Where the piece on `point` may go (not the general), whatever it is.
    #[inline(always)]
    pub(super) fn targets(&self, point: usize) -> u128 {
        if self.bound >> point & 1 == 0 { self.free } else { self.bound_targets(point) }
    }

    /// Where a bound piece may go: every limit anew, for this piece.
    fn bound_targets(&self, point: usize) -> u128 {
        let Safety { attackers, general, own, occupied, .. } = *self;
        let piece = 1 << point;
        let mut targets = !own;
        for enemy in (lines(general) & attackers.cannons).squares() {
            let between = BETWEEN[general][enemy.index()];
            let capture = 1 << enemy.index();
            let inside = between & occupied;
            match inside.count_ones() {
                0 => targets &= !between,
                1 if inside == piece => targets &= !between,
                1 => targets &= between & !occupied | capture,
                2 if inside & piece != 0 => targets &= between & !occupied | capture,
                _ => {}
            }
        }
        for enemy in (lines(general) & attackers.chariots | file_of(general) & attackers.general).squares() {
            let between = BETWEEN[general][enemy.index()];
            if between & occupied & !piece == 0 {
                targets &= between | 1 << enemy.index();
            }
        }
        for (leg, behind) in HORSE_TO[general].ways {
            for enemy in (behind & attackers.horses).squares() {
                if leg & occupied == 0 {
                    targets &= leg | 1 << enemy.index();
                } else if leg == piece {
                    targets &= 1 << enemy.index();
                }
            }
        }
        for enemy in (SOLDIERS_TO[attackers.side.index()][general] & attackers.soldiers).squares() {
            targets &= 1 << enemy.index();
        }
        targets
    }

    /// The general's point.
    #[inline(always)]
    pub(super) fn general(&self) -> usize {
        self.general
    }

    /// Whether the general is safe on `point`, one step away.
    #[inline(always)]
    pub(super) fn is_safe_step(&self, point: usize) -> bool {
        self.attackers.on(point, self.occupied & !(1 << self.general)) == 0
    }
}
