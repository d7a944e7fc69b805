//! The `via` code of a move: what it takes in addition to what stands on its destination. The stone on the source gives
//! its meaning; 0 is nothing.
//!
//! | mover | code |
//! |---|---|
//! | stones of two legs | 1 + the bit of the first leg's landing in the 5 × 5 window around the source, if it takes |
//! | 霹靂 | a path, if it takes on the way: its length (3 bits), then directions (2 bits each): the first found of the shortest that take these stones |
//! | 招搖 | nothing: it takes everything it passes |
//! | shooters, 高道, 神僧 | up to two shots of 6 bits from the destination, the smaller code first: `8 × distance + direction` |
//! | 五里霧, 聖燈 | up to two shots, `smaller + 50 × larger`: 1 + the bit in the 7 × 7 window around the destination |

use super::Koshogi;
use super::board::{Near, Point};
use super::kinds::Mover;
use super::rule::{RULES, THUNDER_STEPS};
use super::turn::DIRECTIONS;
use crate::moves::Move;
use crate::position::Position;
use crate::square::Square;

/// Shot codes of 五里霧 and 聖燈, 0 for none among them.
const FOG_CODES: u16 = 50;

/// The code of a stone taken by the first leg, which lands on a bit of the window around the source.
#[inline(always)]
pub(super) const fn first_leg(bit: u32) -> u16 {
    bit as u16 + 1
}

/// The code of a shot in a direction ([`DIRECTIONS`]).
#[inline(always)]
pub(super) const fn shot(direction: usize, distance: u32) -> u16 {
    (8 * distance) as u16 + direction as u16
}

/// The code of two shots.
#[inline(always)]
pub(super) fn two_shots(a: u16, b: u16) -> u16 {
    a.min(b) | a.max(b) << 6
}

/// The code of a shot of 五里霧 or 聖燈 at a point at most three files and ranks from the destination.
#[inline(always)]
pub(super) const fn fog_shot(files: i32, ranks: i32) -> u16 {
    (1 + 7 * (ranks + 3) + files + 3) as u16
}

/// The code of two shots of 五里霧 or 聖燈.
#[inline(always)]
pub(super) fn two_fog_shots(a: u16, b: u16) -> u16 {
    a.min(b) + FOG_CODES * a.max(b)
}

/// The code of a path, given as its length and its directions, the first in the lowest bits.
#[inline(always)]
pub(super) const fn path(steps: usize, directions: u16) -> u16 {
    steps as u16 | directions << 3
}

/// Writes the squares of the stones that a move takes, except the one on its destination, and returns how many. For a
/// code that is no legal move the squares mean nothing, but they are on the board.
pub(super) fn taken(position: &Position<Koshogi>, mv: Move, out: &mut [Square; 5]) -> usize {
    let on_board = |square: &Square| square.index() < super::board::POINTS;
    let to = mv.destination();
    let Some(from) = mv.source_square().filter(on_board).filter(|_| on_board(&to)) else { return 0 };
    let Some((side, kind)) = position.cell(from).piece() else { return 0 };
    let (source, destination) = (Point::of(from), Point::of(to));
    let via = mv.via();
    let mut len = 0;
    let mut push = |point: Option<Point>| {
        if let Some(point) = point
            && len < out.len()
            && !out[..len].contains(&point.square())
        {
            out[len] = point.square();
            len += 1;
        }
    };
    let is_enemy = |point: &Point| position.cell(point.square()).piece().is_some_and(|(owner, _)| owner != side);
    let mover = RULES[side.index()][kind].mover;
    if via == 0 && mover != Mover::Sweep {
        return 0;
    }
    match mover {
        Mover::Plain => {}
        Mover::Double | Mover::Cavalry => {
            if (1..=Near::BITS as u16).contains(&via) {
                let (files, ranks) = Near::offset(u32::from(via) - 1);
                push(source.step(files, ranks));
            }
        }
        Mover::Thunder => {
            let mut point = source;
            for step in 0..usize::from(via & 7).min(THUNDER_STEPS) {
                let (files, ranks) = DIRECTIONS[usize::from(via >> (3 + 2 * step) & 3)];
                let Some(next) = point.step(files, ranks) else { break };
                point = next;
                push(Some(point).filter(is_enemy).filter(|point| point.square() != to));
            }
        }
        Mover::Sweep => {
            let (files, ranks) =
                (destination.file as i32 - source.file as i32, destination.rank as i32 - source.rank as i32);
            let mut point = source;
            while let Some(next) = point.step(files.signum(), ranks.signum()) {
                if next.square() == to || next.square() == from {
                    break;
                }
                point = next;
                push(Some(point).filter(is_enemy));
            }
        }
        Mover::Shooter | Mover::Priest => {
            for code in [via & 0x3f, via >> 6 & 0x3f].into_iter().filter(|&code| code != 0) {
                let ((files, ranks), distance) = (DIRECTIONS[usize::from(code & 7)], i32::from(code >> 3));
                push(destination.step(files * distance, ranks * distance));
            }
        }
        Mover::Fog => {
            for code in [via % FOG_CODES, via / FOG_CODES].into_iter().filter(|code| (1..FOG_CODES).contains(code)) {
                let bit = i32::from(code) - 1;
                push(destination.step(bit % 7 - 3, bit / 7 - 3));
            }
        }
    }
    len
}
