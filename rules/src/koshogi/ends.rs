//! Ends of the game: lost commanders, repetition, no progress; and moves that take the last commander.

use super::Koshogi;
use super::generate;
use super::kinds::*;
use super::rule::RULES;
use crate::game::Game;
use crate::moves::{Move, MoveList};
use crate::outcome::{Outcome, Termination};
use crate::position::Position;
use crate::side::Side;
use crate::square_set::SquareSet;

/// Plies in a row in which no stone left the board and none turned its face, after which the game is a draw. No source
/// says anything; of 100 games of chance none had a quiet stretch longer than 264.
const NO_PROGRESS_PLIES: u32 = 400;
/// Earlier occurrences of a position with which the game is a draw: the fourth ends it. No source says anything.
const EARLIER_OCCURRENCES: u32 = 3;
/// With 中軍 one of these saves a side without 將軍 and 帥. That 招搖 does is a guess: one implementation says yes,
/// another no.
const BANNERS: [usize; 2] = [BANNER, SWEEPER];
/// Each of these alone keeps a side in the game.
const ROYAL: [usize; 2] = [GENERAL, MARSHAL];
/// Faces whose loss may lose the game.
const COMMANDERS: Kinds = kinds(&[GENERAL, MARSHAL, MIDDLE_ARMY, BANNER, SWEEPER]);

/// Whether a side has lost: no 將軍, no 帥, and not both 中軍 and 旗.
#[inline(always)]
fn has_lost(position: &Position<Koshogi>, side: Side) -> bool {
    let has = |kinds: &[usize]| kinds.iter().any(|&kind| position.kinds.count(side, kind) > 0);
    !(has(&ROYAL) || has(&[MIDDLE_ARMY]) && has(&BANNERS))
}

/// The side that has lost its commanders. If both have, the side that moved last wins: what acts first does the
/// killing.
#[inline(always)]
pub(super) fn loser(position: &Position<Koshogi>) -> Option<Side> {
    [position.side, position.side.other()].into_iter().find(|&side| has_lost(position, side))
}

/// The outcome where there is no legal move. No source knows a side that cannot move; here it loses.
pub(super) fn without_moves(position: &Position<Koshogi>) -> Outcome {
    match loser(position) {
        Some(loser) => Outcome::win(loser.other(), Termination::KingCapture),
        None => Outcome::win(position.side.other(), Termination::Stalemate),
    }
}

/// Repetition, then no progress.
pub(super) fn special_end(game: &Game<Koshogi>) -> Option<Outcome> {
    if game.repetitions() >= EARLIER_OCCURRENCES {
        return Some(Outcome::draw(Termination::Repetition));
    }
    (game.position().quiet_plies() >= NO_PROGRESS_PLIES).then(|| Outcome::draw(Termination::NoProgress))
}

/// A move after which the opponent has lost its commanders, or cannot move.
pub(super) fn win_in_one(position: &Position<Koshogi>, legal: &[Move], scratch: &mut MoveList) -> Option<Move> {
    let won_by = |mv: Move| {
        let mut next = position.clone();
        next.play(mv);
        has_lost(&next, next.side)
    };
    let least = least_to_kill(position, position.side.other());
    let found = legal.iter().copied().find(|&mv| may_kill(position, mv, least) && won_by(mv));
    if found.is_some() || stays_mobile(position) {
        return found;
    }
    legal.iter().copied().find(|&mv| {
        let mut next = position.clone();
        next.play(mv);
        generate::count(&next, scratch) == 0 && without_moves(&next).winner == Some(position.side)
    })
}

/// How many stones a side must lose to have lost the game.
fn least_to_kill(position: &Position<Koshogi>, side: Side) -> usize {
    let count = |kinds: &[usize]| kinds.iter().map(|&kind| position.kinds.count(side, kind)).sum::<usize>();
    count(&ROYAL) + count(&[MIDDLE_ARMY]).min(count(&BANNERS))
}

/// Whether a move may kill that many commanders: all that do, and some that do not.
#[inline(always)]
fn may_kill(position: &Position<Koshogi>, mv: Move, least: usize) -> bool {
    let kind = mv.source_square().map_or(0, |from| position.cell(from).kind());
    // What burns neighbours or takes what it passes; everything else beside the destination is in `via`.
    let sweeps = kind == FLAME || kind == SWEEPER || kind == ENGINEER && mv.promotes();
    let victim = position.cell(mv.destination());
    let takes = !victim.is_empty() && among(victim.kind(), COMMANDERS);
    sweeps || mv.via() != 0 || least == 1 && takes
}

/// Most stones that one move removes: one taken and eight burned. (The clerk's chain may remove more, all of them 毒火.)
const MOST_REMOVED: usize = 9;

/// Whether the opponent surely has a move after any move of ours: more stones than one move can remove have two empty
/// points each to step to, of which our move can occupy one. Stones that may turn or lose a step are not counted.
fn stays_mobile(position: &Position<Koshogi>) -> bool {
    let them = position.side.other();
    let lines = &position.kinds.lines;
    let mut mobile = 0;
    for square in position.pieces(them).squares() {
        let kind = position.cell(square).kind();
        let rule = &RULES[them.index()][kind];
        if among(kind, kinds(&[FLAME, FOG, THUNDER, SWEEPER, FOOT_SOLDIER])) {
            continue;
        }
        let point = super::board::Point::of(square);
        let occupied = lines[0].near(point) | lines[1].near(point);
        if (rule.first_points & !occupied).count_ones() > 1 {
            mobile += 1;
            if mobile > MOST_REMOVED {
                return true;
            }
        }
    }
    false
}
