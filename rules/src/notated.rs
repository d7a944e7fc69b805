//! How a variant is written and drawn.

use crate::moves::Move;
use crate::notation::{Notation, PositionFormat};
use crate::position::Position;
use crate::rulebook::Rulebook;
use crate::square_set::SquareSet;

/// The texts of a chess variant: titles, codes and characters of its pieces, its notations, what a drawn board shows.
///
/// Every variant has FEN for positions and UCI for moves; a variant adds what its players write.
pub trait Notated: Rulebook {
    /// Name for people, with the native one.
    const TITLE: &'static str;
    /// FEN code of each kind, upper case (`"P"`, `"+P"`).
    const CODES: &'static [&'static str];
    /// Other letters accepted on input, upper case, and the code each stands for.
    const ALIASES: &'static [(&'static str, &'static str)] = &[];
    /// Whether stones of a rank are separated by commas (codes of more than one letter).
    const COMMAS: bool = false;
    /// Native characters of each kind: the first player's, the second player's. A name may have several characters,
    /// and a `+` before it marks a promoted face.
    const GLYPHS: &'static [[&'static str; 2]];
    /// Hand slots in the order in which FEN writes them.
    const HAND_ORDER: &'static [usize] = &[];
    /// Notations of moves, UCI first.
    const NOTATIONS: &'static [Notation<Self>] = &[Notation::UCI];
    /// Formats of positions, FEN first.
    const POSITION_FORMATS: &'static [PositionFormat<Self>] = &[PositionFormat::FEN];
    /// The value of the tag `Game`, with which PGN of other programs begins; `None` where they write no such tag.
    const PGN_GAME: Option<&'static str> = None;
    /// The letters of FEN for the side of the first player; the first of them is written.
    const FIRST_SIDE: &'static [&'static str] = &["w"];
    /// What players call a pass, in English and natively.
    const PASS: &'static str = "pass";
    /// Squares that are drawn as `＋` while they are empty (palaces).
    const MARKED_SQUARES: Self::Set = Self::Set::EMPTY;

    /// UCI text of a legal move.
    fn move_text(position: &Position<Self>, mv: Move) -> String {
        crate::text::ordinary(position, mv)
    }
}
