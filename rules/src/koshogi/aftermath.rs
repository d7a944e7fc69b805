//! A turn on the board, in the order of events: legs and shots, fire, promotion and the clerk's chain, burning, then
//! the rules of the priest and the lamp for both sides.
//!
//! A shot never removes a 毒火 that would have burned the shooter: next to one it dies before it shoots, and such a
//! shot is no legal move. So fire may be looked at after all stones of the move are taken.

use super::board::{POINTS, Point};
use super::kinds::*;
use super::rule::RULES;
use super::turn::{DIRECTIONS, next_to_flame, priest_alive};
use super::{Koshogi, via};
use crate::moves::Move;
use crate::piece::{Cell, Kind};
use crate::position::Position;
use crate::side::Side;
use crate::square::Square;

/// Whether a 毒火 burns its own side's stones too: the code of one implementation does, its help text and the others
/// do not.
const FLAME_BURNS_FRIENDS: bool = false;
/// How far the 聖燈 shines along the eight lines.
const LAMP_REACH: usize = 5;
/// Whether stones in between stop the light. The Chinese text's lines are imaginary ones, and it says each time when
/// something may not pass stones; English Wikipedia's list of pieces wants the line open.
const LAMP_NEEDS_OPEN_LINE: bool = false;

/// What happened in a turn.
struct Events {
    /// A stone left the board.
    removed: bool,
    /// A stone turned its face, up or back.
    turned: bool,
    /// One of these cannot be undone: all but a 高道 that turns up or back.
    lasting: bool,
}

/// Plays a legal move. Returns whether a stone left the board or turned its face.
pub(super) fn apply(position: &mut Position<Koshogi>, mv: Move) -> bool {
    let mut events = Events { removed: false, turned: false, lasting: false };
    let (us, to) = (position.side, mv.destination());
    let them = us.other();
    let from = mv.source_square().unwrap_or(to);
    let mut taken = [Square::new(0); 5];
    let len = via::taken(position, mv, &mut taken);
    let (_, mut kind) = position.take(from);
    for &square in &taken[..len] {
        remove(position, square, &mut events);
    }
    if !position.cell(to).is_empty() {
        remove(position, to, &mut events);
    }
    if position.kinds.count(them, FLAME) > 0 && next_to_flame(position, them, to, &[]) {
        events.removed = true;
    } else {
        if mv.promotes() {
            let front = kind;
            kind = RULES[us.index()][front].promoted;
            events.turned = true;
            events.lasting |= front != PRIEST;
        }
        position.put(us, kind, to);
        if mv.promotes() && kind == STRATEGIST {
            chain(position, us);
        }
        if kind == FLAME {
            burn(position, us, to, &mut events);
        }
    }
    for side in Side::BOTH {
        priest_rule(position, side, &mut events);
    }
    for side in Side::BOTH {
        lamp_rule(position, side, &mut events);
    }
    let lasting = events.removed || events.lasting;
    position.extra = if lasting { 0 } else { position.extra.saturating_add(1) };
    events.removed || events.turned
}

fn remove(position: &mut Position<Koshogi>, square: Square, events: &mut Events) {
    position.take(square);
    events.removed = true;
}

/// Turns the stones of a side that show one face to another.
fn turn_all(position: &mut Position<Koshogi>, side: Side, from: Kind, to: Kind) {
    for square in squares_of(position, side, from) {
        position.take(square);
        position.put(side, to, square);
    }
}

/// The squares of the stones of a side that show a face, of which there may be many in a composed position.
fn squares_of(position: &Position<Koshogi>, side: Side, kind: Kind) -> impl Iterator<Item = Square> + use<> {
    let (cells, mut left) = (position.cells, position.kinds.count(side, kind));
    let wanted = Cell::new(side, kind);
    (0..POINTS).map(Square::new).filter(move |square| cells[square.index()] == wanted).take_while(move |_| {
        let more = left > 0;
        left = left.saturating_sub(1);
        more
    })
}

/// 記室 has turned: all own 前衛 and 後衛 turn with it, and all enemy 毒火 die. It is no choice: the rows of the guards
/// say "may", the list of rules does not. (One implementation reads the second half as a condition.)
fn chain(position: &mut Position<Koshogi>, us: Side) {
    turn_all(position, us, ADVANCE_GUARD, SKY_NET);
    turn_all(position, us, REAR_GUARD, EARTH_NET);
    for square in squares_of(position, us.other(), FLAME) {
        position.take(square);
    }
}

/// A 毒火 of ours has landed: the enemies around it die.
fn burn(position: &mut Position<Koshogi>, us: Side, at: Square, events: &mut Events) {
    for (files, ranks) in DIRECTIONS {
        let Some(square) = Point::of(at).step(files, ranks).map(Point::square) else { continue };
        if position.cell(square).piece().is_some_and(|(side, _)| FLAME_BURNS_FRIENDS || side != us) {
            remove(position, square, events);
        }
    }
}

/// A side without 高道 and 五里霧: its 招搖 and 霹靂 turn back for good.
fn priest_rule(position: &mut Position<Koshogi>, side: Side, events: &mut Events) {
    for (face, front) in [(SWEEPER, BANNER), (THUNDER, DRUM)] {
        if position.kinds.count(side, face) > 0 && !priest_alive(position, side) {
            turn_all(position, side, face, front);
            events.turned = true;
            events.lasting = true;
        }
    }
}

/// A 五里霧 in the light of an enemy 聖燈 turns back into 高道.
fn lamp_rule(position: &mut Position<Koshogi>, side: Side, events: &mut Events) {
    if position.kinds.count(side, FOG) == 0 || position.kinds.count(side.other(), LAMP) == 0 {
        return;
    }
    for fog in squares_of(position, side, FOG) {
        if squares_of(position, side.other(), LAMP).any(|lamp| shines(position, lamp, fog)) {
            position.take(fog);
            position.put(side, PRIEST, fog);
            events.turned = true;
        }
    }
}

/// Whether a 聖燈 on one square lights another: a distance of at most five on a file, rank or diagonal.
fn shines(position: &Position<Koshogi>, lamp: Square, fog: Square) -> bool {
    let (from, to) = (Point::of(lamp), Point::of(fog));
    let (files, ranks) = (from.file.abs_diff(to.file), from.rank.abs_diff(to.rank));
    let on_a_line = files == 0 || ranks == 0 || files == ranks;
    let between = || {
        let step = |a: usize, b: usize| (b as i32 - a as i32).signum();
        let (f, r) = (step(from.file, to.file), step(from.rank, to.rank));
        (1..files.max(ranks) as i32).filter_map(move |at| from.step(at * f, at * r))
    };
    on_a_line
        && files.max(ranks) <= LAMP_REACH
        && (!LAMP_NEEDS_OPEN_LINE || between().all(|point| position.cell(point.square()).is_empty()))
}
