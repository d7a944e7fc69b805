//! Ends of the game: lost commanders, repetition, no progress; and moves that take the last commander.

use super::commanders::{BANNERS, COMMANDERS, ROYAL, has_lost, loser};
use super::kinds::*;
use super::rule::RULES;
use super::{Koshogi, generate, via};
use crate::game::Game;
use crate::moves::{Move, MoveList};
use crate::outcome::{Outcome, Termination};
use crate::position::Position;
use crate::side::Side;
use crate::square::Square;
use crate::square_set::SquareSet;

/// Plies in a row in which no stone left the board and none turned its face, after which the game is a draw. No source
/// says anything; none of 100 random games had a quiet stretch longer than 264.
const NO_PROGRESS_PLIES: u32 = 400;
/// Earlier occurrences of a position with which the game is a draw: the fourth ends it. No source says anything.
const EARLIER_OCCURRENCES: u32 = 3;

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
    let hunt = Hunt::of(position);
    let won_by = |mv: Move| {
        let mut next = position.clone();
        next.play(mv);
        has_lost(&next, next.side)
    };
    let found = legal.iter().copied().find(|&mv| hunt.may_succeed(position, mv) && won_by(mv));
    if found.is_some() || stays_mobile(position) {
        return found;
    }
    legal.iter().copied().find(|&mv| {
        let mut next = position.clone();
        next.play(mv);
        generate::count(&next, scratch) == 0 && without_moves(&next).winner() == Some(position.side)
    })
}

/// What it takes to kill the opponent's commanders in one move.
struct Hunt {
    /// How many of them must fall.
    least: usize,
    /// Whether we have a stone whose plain moves kill more than what they land on: 毒火, 招搖.
    wide: bool,
}

impl Hunt {
    fn of(position: &Position<Koshogi>) -> Hunt {
        let count =
            |side: Side, kinds: &[usize]| -> usize { kinds.iter().map(|&kind| position.kinds.count(side, kind)).sum() };
        let (us, them) = (position.side, position.side.other());
        let pair = count(them, &[MIDDLE_ARMY]).min(count(them, &BANNERS));
        Hunt { least: count(them, &ROYAL) + pair, wide: count(us, &[FLAME, SWEEPER]) > 0 }
    }

    /// Whether a move may kill enough: all that do, and some that do not.
    #[inline(always)]
    fn may_succeed(&self, position: &Position<Koshogi>, mv: Move) -> bool {
        let kind = || mv.source_square().map_or(0, |from| position.cell(from).kind());
        let burns_or_sweeps =
            self.wide && among(kind(), kinds(&[FLAME, SWEEPER])) || mv.promotes() && kind() == ENGINEER;
        if burns_or_sweeps {
            return true;
        }
        if mv.via() == 0 {
            return self.least == 1 && is_commander(position, mv.destination());
        }
        let mut taken = [Square::new(0); 5];
        let len = via::taken(position, mv, &mut taken);
        let fall = taken[..len].iter().filter(|&&square| is_commander(position, square)).count();
        fall + usize::from(is_commander(position, mv.destination())) >= self.least
    }
}

/// Whether a commander of either side stands on a square.
#[inline(always)]
fn is_commander(position: &Position<Koshogi>, square: Square) -> bool {
    position.cell(square).piece().is_some_and(|(_, kind)| among(kind, COMMANDERS))
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ruleset::Rules;

    #[test]
    fn positions_return_although_a_priest_turned_up_and_back() {
        // The 聖燈 on c17 lights a15 and a17: the 高道 turns up and is turned back with every move.
        let start = "18,g/19/2,+sm,16/19/TP,18/19/19/19/19/19/19/19/19/19/19/19/19/19/G,18 w - - 0 1";
        let mut game = Game::from_position(Rules::default(), Position::<Koshogi>::from_fen(start).unwrap());
        let mut legal = MoveList::new();
        for round in 0..3 {
            for text in ["a15a17+", "s19s18", "a17a15+", "s18s19"] {
                game.legal_moves(&mut legal);
                assert_eq!(game.outcome(&legal), None, "round {round}");
                game.play(game.position().parse_move(text).unwrap());
                assert!(game.position().quiet_plies() < 2);
            }
        }
        game.legal_moves(&mut legal);
        assert_eq!(game.outcome(&legal), Some(Outcome::draw(Termination::Repetition)));
        assert_eq!(game.position().fen().split(' ').next(), start.split(' ').next());
    }
}
