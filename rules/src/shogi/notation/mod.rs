//! How Shogi is written, its own texts among them: USI and SFEN, KIF and KI2 (Japanese), CSA.

mod csa;
mod japanese;
mod ki2;
mod kif;
mod sfen;
mod usi;

use super::Shogi;
use crate::moves::Move;
use crate::notated::Notated;
use crate::notation::{Notation, PositionFormat};
use crate::piece::Kind;
use crate::position::Position;
use crate::rulebook::Rulebook;
use crate::square::Square;

impl Notated for Shogi {
    const TITLE: &'static str = "Shogi 将棋";
    const CODES: &'static [&'static str] =
        &["K", "P", "L", "N", "S", "G", "B", "R", "+P", "+L", "+N", "+S", "+B", "+R"];
    const GLYPHS: &'static [[&'static str; 2]] = &[
        ["玉", "王"],
        ["歩", "歩"],
        ["香", "香"],
        ["桂", "桂"],
        ["銀", "銀"],
        ["金", "金"],
        ["角", "角"],
        ["飛", "飛"],
        ["と", "と"],
        ["杏", "杏"],
        ["圭", "圭"],
        ["全", "全"],
        ["馬", "馬"],
        ["龍", "龍"],
    ];
    /// G N L P S R B.
    const HAND_ORDER: &'static [usize] = &[4, 2, 1, 0, 3, 6, 5];
    /// UCI, USI, KIF, KI2, CSA.
    const NOTATIONS: &'static [Notation<Self>] = &[Notation::UCI, usi::USI, kif::KIF, ki2::KI2, csa::CSA];
    /// FEN, SFEN.
    const POSITION_FORMATS: &'static [PositionFormat<Self>] = &[PositionFormat::FEN, sfen::SFEN];
}

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
