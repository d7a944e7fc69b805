//! Wins in one move, exact and cheap.

use super::attacks::{attacks, sliders};
use super::generate::can_move;
use super::{Family, KING, PAWN};
use crate::moves::Move;
use crate::position::Position;
use crate::square::Square;
use crate::square_set::SquareSet;

/// The first move of `legal` after which the opponent has no legal move: mate or stalemate.
///
/// Only moves that can win are played: those that may give check (onto a square from which the piece
/// attacks the king, or away from a line between the king and an own slider), and, where the opponent is
/// nearly immobile, all others because of stalemate.
pub(crate) fn win_in_one<V: Family>(position: &Position<V>, legal: &[Move]) -> Option<Move> {
    let us = position.side();
    let them = us.other();
    let king = position.pieces_of(them, KING).first()?;
    let occupied = position.occupied();
    let mut checking = [V::Set::EMPTY; 128];
    for (kind, squares) in checking[..V::KINDS].iter_mut().enumerate() {
        // A slider that comes from between this square and the king would have given check before.
        *squares = attacks::<V>(them, kind, king, occupied);
    }
    let mut screens = V::Set::EMPTY;
    for sniper in sliders(position, us, king, position.pieces(them)).squares() {
        screens |= V::between(king, sniper);
    }
    let stalemates = may_stalemate(position);
    legal.iter().copied().find(|&mv| {
        let (kind, opens) = match mv.source_square() {
            Some(source) => (position.cell(source).kind(), screens.has(source)),
            None => (V::HAND_FIRST + mv.hand_slot().unwrap_or_default(), false),
        };
        // A pawn drop that checks is no mate, or it would not be legal.
        let harmless = !V::PAWN_DROP_MAY_MATE && kind == PAWN && mv.hand_slot().is_some();
        let face = if mv.promotes() { V::promoted(kind) } else { kind };
        if !(stalemates || opens || !harmless && checking[face].has(mv.destination())) {
            return false;
        }
        let mut next = position.clone();
        next.play(mv);
        !can_move(&next)
    })
}

/// Mobile pieces that no single move without check can all bring to a stop: one more than the three below.
const PROOF: usize = 4;

/// Whether some move that does not give check could leave the opponent without a move. `false` is certain.
///
/// A move that gives no check can take a legal move from at most three of the opponent's pieces that are
/// not pinned now: it captures one, pins one by the piece that moves and one on the line it opens. It
/// blocks none, for a piece that can slide somewhere can make the first step, be it a capture. So four
/// mobile pieces are proof; and so are drops on more empty squares than the one the move may fill.
fn may_stalemate<V: Family>(position: &Position<V>) -> bool {
    let us = position.side();
    let them = us.other();
    let Some(king) = position.pieces_of(them, KING).first() else { return false };
    let occupied = position.occupied();
    let empty = V::BOARD & !occupied;
    let theirs = position.pieces(them);
    let kinds = position.kinds.as_ref();
    for (slot, &held) in position.hand(them).iter().enumerate() {
        let kind = V::HAND_FIRST + slot;
        // Pawns are left out: a file may be closed to them, and other proofs suffice.
        if held > 0 && kind != PAWN && (empty & !V::dead(them, kind)).len() > 1 {
            return false;
        }
    }
    let mut pinned = V::Set::EMPTY;
    for sniper in sliders(position, us, king, position.pieces(us)).squares() {
        pinned |= V::between(king, sniper);
    }
    let free = theirs & !pinned & !kinds[KING];
    let pawns = (V::forward(them, kinds[PAWN] & free) & !theirs).len();
    let can_go = |square: &Square| {
        let kind = position.cell(*square).kind();
        !(attacks::<V>(them, kind, *square, occupied) & !theirs).is_empty()
    };
    pawns < PROOF && pawns + (free & !kinds[PAWN]).squares().filter(can_go).take(PROOF).count() < PROOF
}
