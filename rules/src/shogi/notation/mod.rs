//! Shogi's own texts: USI and SFEN, KIF and KI2 (Japanese), CSA.

mod csa;
mod japanese;
mod ki2;
mod kif;
mod sfen;
mod usi;

use super::Shogi;
use crate::moves::Move;
use crate::notation::{Notation, PositionFormat};
use crate::piece::Kind;
use crate::position::Position;
use crate::square::Square;
use crate::variant::Variant;

/// UCI, USI, KIF, KI2, CSA.
pub(super) const NOTATIONS: &[Notation<Shogi>] = &[Notation::UCI, usi::USI, kif::KIF, ki2::KI2, csa::CSA];
/// FEN, SFEN.
pub(super) const POSITION_FORMATS: &[PositionFormat<Shogi>] = &[PositionFormat::FEN, sfen::SFEN];

/// File and rank as Japanese books count them: files 1–9 from sente's right, ranks 1–9 from the top.
fn numbers(square: Square) -> (u8, u8) {
    (9 - square.file(Shogi::FILES) as u8, 9 - square.rank(Shogi::FILES) as u8)
}

/// The square of file and rank, both 1–9.
fn square((file, rank): (u8, u8)) -> Option<Square> {
    let on_board = |number| (1..=9).contains(&number);
    (on_board(file) && on_board(rank))
        .then(|| Square::new(usize::from(9 - rank) * Shogi::FILES + usize::from(9 - file)))
}

/// The face a move's piece shows before it.
fn face(position: &Position<Shogi>, mv: Move) -> Option<Kind> {
    match mv.source_square() {
        Some(source) => position.cell(source).piece().map(|(_, kind)| kind),
        None => mv.hand_slot().map(|slot| Shogi::HAND_FIRST + slot),
    }
}
