//! USI, the protocol of shogi engines: `7g7f`, `8h2b+`, `P*5e`.

use super::{numbers, square};
use crate::moves::Move;
use crate::notated::Notated;
use crate::notation::coordinates::{DIGITS_DOWN, NINE_LETTERS};
use crate::notation::{Coordinates, Notation};
use crate::position::Position;
use crate::rulebook::Rulebook;
use crate::shogi::Shogi;
use crate::square::Square;

pub(super) const USI: Notation<Shogi> = Notation {
    name: "usi",
    example: "7g7f",
    about: "files 9 to 1, ranks a to i from the top, as shogi engines speak",
    coordinates: Coordinates { above: DIGITS_DOWN, right: NINE_LETTERS, ..Coordinates::NONE },
    write,
    read,
};

fn write(_: &Position<Shogi>, mv: Move) -> String {
    let text = |square: Square| {
        let (file, rank) = numbers(square);
        format!("{file}{}", char::from(b'a' + rank - 1))
    };
    let from = match mv.source_square() {
        Some(source) => text(source),
        None => format!("{}*", Shogi::CODES[Shogi::HAND_FIRST + mv.hand_slot().unwrap_or_default()]),
    };
    format!("{from}{}{}", text(mv.destination()), if mv.promotes() { "+" } else { "" })
}

fn read(_: &Position<Shogi>, legal: &[Move], text: &str) -> Option<Vec<Move>> {
    let at = |file: u8, rank: u8| square((file.checked_sub(b'0')?, rank.checked_sub(b'a' - 1)?));
    let mv = match *text.as_bytes() {
        [letter, b'*', file, rank] => {
            let code = char::from(letter).to_string();
            let kind = Shogi::CODES.iter().position(|&known| known == code)?;
            let slot = kind.checked_sub(Shogi::HAND_FIRST).filter(|&slot| slot < Shogi::HAND_KINDS)?;
            Move::drop(slot, at(file, rank)?)
        }
        [from_file, from_rank, file, rank] => Move::board(at(from_file, from_rank)?, at(file, rank)?),
        [from_file, from_rank, file, rank, b'+'] => Move::board(at(from_file, from_rank)?, at(file, rank)?).promoting(),
        _ => return None,
    };
    Some(legal.iter().copied().filter(|&other| other == mv).collect())
}
