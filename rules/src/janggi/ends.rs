//! Ends other than mate: events after which the points decide, or the game is drawn.

use super::moves::{CANNON, CHARIOT, ELEPHANT, HORSES, SOLDIER};
use super::safety::is_facing;
use super::{Janggi, Preset};
use crate::game::Game;
use crate::moves::Move;
use crate::outcome::{Outcome, Termination};
use crate::position::Position;
use crate::side::Side;

/// Points of a piece of each kind, by the tournament rules of the Korea Janggi Association (대한장기협회):
/// general 0, guard 3, elephant 3, horse 5, chariot 13, cannon 7, soldier 2.
const POINTS: [f32; 7] = [0.0, 3.0, 3.0, 5.0, 13.0, 7.0, 2.0];
/// What Han gets for moving second (덤). The half point excludes ties.
const HAN_BONUS: f32 = 1.5;
/// Earlier occurrences that make the present one the third.
const EARLIER: usize = 2;

/// Plies without a capture that end a game under Fairy-Stockfish's rules.
const FAIRY_NO_PROGRESS_PLIES: u32 = 100;

/// Plies of a game that end it online.
const ONLINE_PLIES: u32 = 200;

/// The points of Cho and of Han, where they decide.
pub(super) fn points(game: &Game<Janggi>) -> Option<[f32; 2]> {
    let position = game.position();
    let pieces = |side: Side| -> f32 {
        (0..POINTS.len()).map(|kind| position.pieces_of(side, kind).count_ones() as f32 * POINTS[kind]).sum()
    };
    game.rules().preset().points_decide.then(|| [pieces(Side::First), pieces(Side::Second) + HAN_BONUS])
}

/// The outcome when something other than mate ends the game.
fn decided(game: &Game<Janggi>, termination: Termination) -> Outcome {
    let Some(points) = points(game) else { return Outcome::draw(termination) };
    let winner = if points[0] > points[1] { Side::First } else { Side::Second };
    Outcome { points: Some(points), ..Outcome::win(winner, termination) }
}

/// The immediate end by a move: a pass ends the game when the generals face each other, because it accepts the facing
/// (照面; every other legal move breaks it), and after a pass by the opponent (虛手).
#[inline(always)]
pub(super) fn immediate(position: &Position<Janggi>, last: Option<Move>, mv: Move) -> Option<Termination> {
    if !mv.is_pass() {
        None
    } else if is_facing(position) {
        Some(Termination::Bikjang)
    } else {
        last.is_some_and(Move::is_pass).then_some(Termination::MutualPass)
    }
}

/// The end that has come with the last ply, if any: facing accepted, two passes, the third occurrence of the
/// position, too long without a capture, no side that could still win.
pub(super) fn verdict(game: &Game<Janggi>) -> Option<Outcome> {
    let Preset { fairy_ends, online, .. } = game.rules().preset();
    let position = game.position();
    if let ([.., before, _], [earlier @ .., last]) = (game.positions(), game.moves())
        && let Some(termination) = immediate(before, earlier.last().copied(), *last)
    {
        return Some(decided(game, termination));
    }
    if let Some(first) = game.earlier_occurrences().nth(EARLIER - 1) {
        let loser = game.sole_checker_since(first).filter(|_| fairy_ends);
        return Some(match loser {
            Some(loser) => Outcome::win(loser.other(), Termination::PerpetualCheck),
            None if online => Outcome::win(position.side(), Termination::Repetition),
            None => decided(game, Termination::Repetition),
        });
    }
    if online && game.ply() >= ONLINE_PLIES {
        return Some(decided(game, Termination::Points));
    }
    if fairy_ends && position.quiet_plies() >= FAIRY_NO_PROGRESS_PLIES {
        return Some(decided(game, Termination::NoProgress));
    }
    let strong = [ELEPHANT, HORSES, CHARIOT, CANNON, SOLDIER].iter().fold(0, |set, &kind| set | position.kinds[kind]);
    (strong == 0).then(|| decided(game, Termination::InsufficientMaterial))
}

/// The outcome at the ply limit.
pub(super) fn at_ply_limit(game: &Game<Janggi>) -> Outcome {
    let by_points = game.rules().preset().points_decide;
    decided(game, if by_points { Termination::Points } else { Termination::MaxPlies })
}
