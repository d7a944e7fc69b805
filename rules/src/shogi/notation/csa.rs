//! CSA, the format of computer shogi servers: `+7776FU`, `-0055KA` (a drop), the face after the move.
//!
//! The sign may be missing in a text that is read.

use super::{face, numbers, square};
use crate::moves::Move;
use crate::notation::coordinates::{DIGITS, DIGITS_DOWN};
use crate::notation::{Coordinates, Notation};
use crate::position::Position;
use crate::rulebook::Rulebook;
use crate::shogi::Shogi;
use crate::side::Side;
use crate::square::Square;

pub(super) const CSA: Notation<Shogi> = Notation {
    name: "csa",
    example: "+7776FU",
    about: "sign of the side, from (00: hand), to, the piece's face after the move",
    coordinates: Coordinates { above: DIGITS_DOWN, right: DIGITS, ..Coordinates::NONE },
    write,
    read,
};

/// Code of each kind.
pub(super) const CODES: [&str; 14] =
    ["OU", "FU", "KY", "KE", "GI", "KI", "KA", "HI", "TO", "NY", "NK", "NG", "UM", "RY"];

fn sign(side: Side) -> char {
    if side == Side::First { '+' } else { '-' }
}

fn text(square: Square) -> String {
    let (file, rank) = numbers(square);
    format!("{file}{rank}")
}

fn write(position: &Position<Shogi>, mv: Move) -> String {
    let before = face(position, mv).unwrap_or_default();
    let after = if mv.promotes() { Shogi::promoted(before) } else { before };
    let from = mv.source_square().map_or_else(|| "00".to_owned(), text);
    format!("{}{from}{}{}", sign(position.side()), text(mv.destination()), CODES[after])
}

fn read(position: &Position<Shogi>, legal: &[Move], whole: &str) -> Option<Vec<Move>> {
    let unsigned = whole.strip_prefix(['+', '-']).unwrap_or(whole);
    let &[from_file, from_rank, to_file, to_rank, ref code @ ..] = unsigned.as_bytes() else { return None };
    let digit = |byte: u8| byte.checked_sub(b'0').filter(|&digit| digit <= 9);
    let from = (digit(from_file)?, digit(from_rank)?);
    let to = square((digit(to_file)?, digit(to_rank)?));
    let well_formed = (from == (0, 0) || square(from).is_some())
        && to.is_some()
        && CODES.iter().any(|known| known.as_bytes() == code);
    let signed = format!("{}{unsigned}", sign(position.side()));
    // With the other side's sign it is a move, but not one of the side to move.
    let mine = unsigned == whole || signed == whole;
    // Most moves are told apart by where they go, without writing them.
    let fits = |&mv: &Move| mine && Some(mv.destination()) == to && write(position, mv) == signed;
    well_formed.then(|| legal.iter().copied().filter(fits).collect())
}
