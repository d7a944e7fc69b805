//! KIF, the format of most Japanese programs: `７六歩(77)`, `２二角成(88)`, `５五角打`.
//!
//! Also accepted: 同 for the square of the move before, as far as the position tells which is meant; any
//! digits; 竜, 王, 不成; a sign ▲ △ before the move.

use super::japanese::{self, JAPANESE, NAMES, square_text};
use super::{face, numbers};
use crate::moves::Move;
use crate::notation::Notation;
use crate::position::Position;
use crate::shogi::Shogi;

pub(super) const KIF: Notation<Shogi> = Notation {
    name: "kif",
    example: "７六歩(77)",
    about: "to, piece, promotion or drop, (from), as Japanese programs write",
    coordinates: JAPANESE,
    write,
    read,
};

fn write(position: &Position<Shogi>, mv: Move) -> String {
    let piece = NAMES[face(position, mv).unwrap_or_default()];
    let to = square_text(mv.destination());
    match mv.source_square().map(numbers) {
        None => format!("{to}{piece}打"),
        Some((file, rank)) => format!("{to}{piece}{}({file}{rank})", if mv.promotes() { "成" } else { "" }),
    }
}

fn read(position: &Position<Shogi>, legal: &[Move], text: &str) -> Option<Vec<Move>> {
    let pattern = japanese::parse(text).filter(|pattern| pattern.how.is_empty())?;
    let mut moves = pattern.candidates(position, legal);
    if pattern.drop {
        moves.retain(|mv| mv.hand_slot().is_some());
    } else if moves.iter().any(|mv| mv.source_square().is_some()) {
        moves.retain(|mv| mv.source_square().is_some());
    }
    Some(moves)
}
