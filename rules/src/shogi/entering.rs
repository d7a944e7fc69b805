//! Kings in the enemy camp (入玉): the count of points that ends an impasse (持将棋), and the declaration
//! of a win (入玉宣言).

use super::{BISHOP, DRAGON, HORSE, ROOK, Shogi, ZONES, board};
use crate::game::Game;
use crate::outcome::{Outcome, Termination};
use crate::position::Position;
use crate::result::GameResult;
use crate::rulebook::Rulebook;
use crate::shogi_family::KING;
use crate::side::Side;
use crate::square_set::SquareSet;

/// Plies in a row that make an impasse.
const IMPASSE_PLIES: usize = 20;
/// Points needed not to lose an impasse.
const ENOUGH: u32 = 24;
/// Points a declaration needs, by side.
const DECLARED: [u32; 2] = [28, 27];
/// Pieces in the enemy camp, the king left out, that a declaration needs.
const DECLARED_PIECES: usize = 10;
/// What a rook or a bishop is worth beyond the one point of every piece.
const GREAT: u32 = 4;

/// Whether the king of a side stands in the enemy's three ranks.
fn has_entered(position: &Position<Shogi>, side: Side) -> bool {
    !(position.pieces_of(side, KING) & ZONES[side.index()]).is_empty()
}

/// Points of a side in hand and on some squares: rooks and bishops, promoted or not, 5, others 1, the king 0.
fn points(position: &Position<Shogi>, side: Side, squares: u128) -> u32 {
    let own = position.pieces(side) & squares;
    let pieces = own & !position.pieces_of(side, KING);
    let great: usize =
        [BISHOP, ROOK, HORSE, DRAGON].map(|kind| (own & position.pieces_of(side, kind)).len()).iter().sum();
    let held = position.hand(side);
    let in_hand: u32 = held.iter().map(|&count| u32::from(count)).sum();
    let great_in_hand: u32 = [BISHOP, ROOK].map(|kind| u32::from(held[kind - Shogi::HAND_FIRST])).iter().sum();
    pieces.len() as u32 + GREAT * great as u32 + in_hand + GREAT * great_in_hand
}

/// The end by impasse: for [`IMPASSE_PLIES`] plies, and from the start of the game on at most, both kings
/// have stood in the enemy camps, no ply captured and none gave check. The side with too few points loses;
/// otherwise it is a draw (so too where both have too few, which needs a setup without all the pieces).
pub(super) fn impasse(game: &Game<Shogi>) -> Option<Outcome> {
    let moves = game.moves();
    let quiet = |after: &Position<Shogi>| Side::BOTH.iter().all(|&side| has_entered(after, side)) && !after.is_check();
    let captures = |ply: usize| !game.positions()[ply].cell(moves[ply].destination()).is_empty();
    let begin = moves.len().checked_sub(IMPASSE_PLIES)?;
    if !(begin..moves.len()).rev().all(|ply| quiet(&game.positions()[ply + 1]) && !captures(ply)) {
        return None;
    }
    let points = Side::BOTH.map(|side| points(game.position(), side, board::BOARD));
    let result = match points.map(|points| points >= ENOUGH) {
        [true, false] => GameResult::FirstWins,
        [false, true] => GameResult::SecondWins,
        _ => GameResult::Draw,
    };
    Some(Outcome { result, termination: Termination::Impasse, points: Some(points.map(|points| points as f32)) })
}

/// The end by declaration: the side to move declares as soon as it may.
pub(super) fn declaration(position: &Position<Shogi>) -> Option<Outcome> {
    let us = position.side();
    let camp = ZONES[us.index()];
    let there = position.pieces(us) & !position.pieces_of(us, KING) & camp;
    let may = has_entered(position, us)
        && there.len() >= DECLARED_PIECES
        && points(position, us, camp) >= DECLARED[us.index()]
        && !position.is_check();
    may.then(|| Outcome::win(us, Termination::Declaration))
}
