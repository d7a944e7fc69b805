//! The safety of the general: which pieces attack it, and where each piece may go without exposing it.

use super::Janggi;
use super::moves::{CANNON, CHARIOT, ELEPHANT, ELEPHANTS_TO, GENERAL, HORSES, PALACE_LINES, SOLDIER, SOLDIERS_TO};
use crate::nine_by_ten::{BETWEEN, HORSE_TO, file_of, lines, slides};
use crate::position::Position;
use crate::side::Side;
use crate::square_set::SquareSet;

/// The enemy of one general: the pieces that may attack it. Guards and the other general never leave their
/// palace, and facing is no attack.
#[derive(Clone, Copy)]
pub(super) struct Attackers {
    /// The side under attack.
    side: Side,
    chariots: u128,
    cannons: u128,
    horses: u128,
    elephants: u128,
    soldiers: u128,
    /// Cannons of both sides: no screens.
    barred: u128,
}

impl Attackers {
    /// The pieces that may attack the general of `side`.
    #[inline(always)]
    pub(super) fn of(position: &Position<Janggi>, side: Side) -> Attackers {
        let enemy = position.sides[side.other().index()];
        let kind = |kind: usize| position.kinds[kind] & enemy;
        Attackers {
            side,
            chariots: kind(CHARIOT),
            cannons: kind(CANNON),
            horses: kind(HORSES),
            elephants: kind(ELEPHANT),
            soldiers: kind(SOLDIER),
            barred: position.kinds[CANNON],
        }
    }

    /// The pieces that attack `point`.
    #[inline(always)]
    fn on(&self, point: usize, occupied: u128) -> u128 {
        let mut found = SOLDIERS_TO[self.side.index()][point] & self.soldiers;
        let diagonals = &PALACE_LINES[point];
        if (lines(point) | diagonals.near | diagonals.far) & (self.chariots | self.cannons) != 0 {
            let slides = slides(point, occupied, self.barred);
            found |= (slides.reach | diagonals.near) & self.chariots | slides.jump & self.cannons;
            let centre = diagonals.near & occupied;
            if centre == 0 {
                found |= diagonals.far & self.chariots;
            } else if centre & !self.barred != 0 {
                found |= diagonals.far & self.cannons;
            }
        }
        if HORSE_TO[point].all & self.horses != 0 {
            found |= HORSE_TO[point].free(occupied) & self.horses;
        }
        if ELEPHANTS_TO[point].all & self.elephants != 0 {
            found |= ELEPHANTS_TO[point].free(occupied) & self.elephants;
        }
        found
    }

    /// Calls `limit` with each enemy that attacks `general` or would if the points between were free, cannons
    /// apart: those points, and the enemy's own.
    #[inline(always)]
    pub(super) fn each_way(&self, general: usize, mut limit: impl FnMut(u128, u128)) {
        let diagonals = &PALACE_LINES[general];
        for point in ((lines(general) | diagonals.near | diagonals.far) & self.chariots).squares() {
            limit(BETWEEN[general][point.index()], 1 << point.index());
        }
        for (leaps, leapers) in [(&HORSE_TO[general], self.horses), (&ELEPHANTS_TO[general], self.elephants)] {
            if leaps.all & leapers != 0 {
                for (way, from) in leaps.ways {
                    for point in (from & leapers).squares() {
                        limit(way, 1 << point.index());
                    }
                }
            }
        }
        for point in (SOLDIERS_TO[self.side.index()][general] & self.soldiers).squares() {
            limit(0, 1 << point.index());
        }
    }

    /// Calls `limit` with each enemy cannon on a line of `general`: the points between, and the cannon's own.
    #[inline(always)]
    pub(super) fn each_cannon(&self, general: usize, mut limit: impl FnMut(u128, u128)) {
        for point in ((lines(general) | PALACE_LINES[general].far) & self.cannons).squares() {
            limit(BETWEEN[general][point.index()], 1 << point.index());
        }
    }
}

/// The point of a side's general, which is on the board.
#[inline(always)]
pub(super) fn general(position: &Position<Janggi>, side: Side) -> usize {
    (position.kinds[GENERAL] & position.sides[side.index()]).trailing_zeros() as usize
}

/// Whether the general of `side` was captured. This happens only in a composed position, or in play after facing
/// generals were accepted in check.
#[inline(always)]
pub(super) fn is_captured(position: &Position<Janggi>, side: Side) -> bool {
    position.kinds[GENERAL] & position.sides[side.index()] == 0
}

/// Whether the general of `side` is attacked, or captured already.
#[inline(always)]
pub(super) fn is_attacked(position: &Position<Janggi>, side: Side) -> bool {
    is_captured(position, side) || Attackers::of(position, side).on(general(position, side), position.occupied()) != 0
}

/// Whether the generals, both on the board, face each other on an open file (照面), and the rule set minds.
#[inline(always)]
pub(super) fn is_facing(position: &Position<Janggi>) -> bool {
    let [first, second] = Side::BOTH.map(|side| general(position, side));
    !position.extra.0 && file_of(first) >> second & 1 != 0 && BETWEEN[first][second] & position.occupied() == 0
}

/// Where the pieces of one side may go without leaving the general capturable or, if the generals face each
/// other, without leaving them so.
///
/// Every enemy piece that attacks the general, or would after one piece of ours moved, limits our moves by
/// itself, and a move is legal if it keeps all these limits:
///
/// | enemy | pieces between | limit |
/// |---|---|---|
/// | chariot, horse, elephant, soldier | none (check) | capture it or step between |
/// | chariot, horse, elephant | one of ours | that piece stays between or captures |
/// | cannon | none | only a cannon may step between |
/// | cannon | one, a cannon | it is not captured: the capturer would be a screen |
/// | cannon | one, no cannon (check) | capture the cannon; a second piece steps between; the screen, if ours, leaves the line, or if not, a cannon captures it |
/// | cannon | two | a piece of ours among them whose fellow is no cannon stays on empty points between, or captures the cannon; one whose fellow is a cannon does not capture that |
pub(super) struct Safety {
    attackers: Attackers,
    general: usize,
    occupied: u128,
    /// Where anything may go: not onto own pieces; when facing, only between the generals or onto the other one.
    within: u128,
    /// Where pieces that are not bound may go, cannons apart.
    free: u128,
    /// Where cannons that are not bound may go.
    free_cannon: u128,
    /// Pieces with limits of their own: see [`Safety::bound_targets`].
    bound: u128,
    check: bool,
    facing: bool,
}

impl Safety {
    /// The limits on the moves of `side`.
    #[inline(always)]
    pub(super) fn of(position: &Position<Janggi>, side: Side) -> Safety {
        let attackers = Attackers::of(position, side);
        let general = general(position, side);
        let own = position.sides[side.index()];
        let occupied = position.occupied();
        let facing = is_facing(position);
        let mut within = !own;
        if facing {
            let other = self::general(position, side.other());
            within &= BETWEEN[general][other] | 1 << other;
        }
        let (mut free, mut free_cannon, mut bound, mut check) = (within, within, 0, false);
        attackers.each_cannon(general, |between, capture| {
            let inside = between & occupied;
            let screens = inside & !attackers.barred;
            match inside.count_ones() {
                0 => free &= !between,
                1 if screens == 0 => free &= !inside,
                1 => {
                    check = true;
                    free &= between & !occupied | capture;
                    free_cannon &= between | capture;
                    bound |= inside;
                }
                2 if screens != 0 => bound |= inside,
                _ => {}
            }
        });
        attackers.each_way(general, |between, capture| {
            let inside = between & occupied;
            if inside == 0 {
                check = true;
                free &= between | capture;
                free_cannon &= between | capture;
            } else if inside & (inside - 1) == 0 {
                bound |= inside;
            }
        });
        bound &= own;
        Safety { attackers, general, occupied, within, free, free_cannon, bound, check, facing }
    }

    /// Where the piece on `point` may go (neither general nor cannon), whatever it is.
    #[inline(always)]
    pub(super) fn targets(&self, point: usize) -> u128 {
        if self.bound >> point & 1 == 0 { self.free } else { self.bound_targets(point) }
    }

    /// Where the cannon on `point` may go.
    #[inline(always)]
    pub(super) fn cannon_targets(&self, point: usize) -> u128 {
        if self.bound >> point & 1 == 0 { self.free_cannon } else { self.bound_targets(point) }
    }

    /// Where a bound piece may go: every limit anew, for this piece.
    fn bound_targets(&self, point: usize) -> u128 {
        let Safety { attackers, general, occupied, .. } = *self;
        let piece: u128 = 1 << point;
        let is_cannon = attackers.barred & piece != 0;
        let mut targets = self.within;
        attackers.each_cannon(general, |between, capture| {
            // What stays between when this piece leaves decides what it may do: see the table.
            let others = between & occupied & !piece;
            let screens = others & !attackers.barred;
            match others.count_ones() {
                0 if is_cannon => {}
                0 => targets &= !between,
                1 if screens == 0 && is_cannon => {}
                1 if screens == 0 => targets &= !others,
                1 if is_cannon => targets &= between | capture,
                1 => targets &= between & !occupied | capture,
                _ => {}
            }
        });
        attackers.each_way(general, |between, capture| {
            if between & occupied & !piece == 0 {
                targets &= between | capture;
            }
        });
        targets
    }

    /// The general's point.
    #[inline(always)]
    pub(super) fn general(&self) -> usize {
        self.general
    }

    /// Whether the side may pass: when not in check (虛手), and when the generals face each other, where a pass
    /// accepts the draw that the opponent offers.
    #[inline(always)]
    pub(super) fn may_pass(&self) -> bool {
        self.facing || !self.check
    }

    /// Points the general may not step to while facing: those of its file.
    #[inline(always)]
    pub(super) fn still_facing(&self) -> u128 {
        if self.facing { file_of(self.general) } else { 0 }
    }

    /// Whether the general is safe on `point`, one step away.
    #[inline(always)]
    pub(super) fn is_safe_step(&self, point: usize) -> bool {
        self.attackers.on(point, self.occupied & !(1 << self.general)) == 0
    }
}
