//! What a script must know of a variant to draw its board.

use rules::{Coordinates, Notation, SquareSet, Variant};
use serde::Serialize;

/// A variant's board and pieces.
#[derive(Debug, Serialize)]
pub struct Board {
    /// Id of the variant, by which the scripts find names of pieces and the way to draw them.
    variant: &'static str,
    files: usize,
    ranks: usize,
    /// Native characters of each face: of the first player and of the second, `+` before a promoted one.
    faces: Vec<Face>,
    /// Whether players hold pieces in hand.
    hands: bool,
    /// Squares that a drawn board marks (palaces), by index: rank × files + file.
    marked: Vec<usize>,
    /// Labels in UCI.
    coordinates: Labels,
    /// Labels in the native notation.
    native_coordinates: Option<Labels>,
    /// Name of the native notation.
    notation: Option<&'static str>,
}

/// A face: its FEN code in upper case and its native characters.
#[derive(Debug, Serialize)]
struct Face {
    code: &'static str,
    glyphs: [&'static str; 2],
}

/// Labels around the board: files from the left, ranks from the top.
#[derive(Debug, Serialize)]
struct Labels {
    above: &'static [&'static str],
    below: &'static [&'static str],
    left: &'static [&'static str],
    right: &'static [&'static str],
}

impl Labels {
    fn of(coordinates: &Coordinates) -> Labels {
        let Coordinates { above, below, left, right } = *coordinates;
        Labels { above, below, left, right }
    }
}

impl Board {
    /// The board of a variant with this native notation.
    pub fn of<V: Variant>(native: Option<&'static Notation<V>>) -> Board {
        Board {
            variant: V::ID,
            files: V::FILES,
            ranks: V::RANKS,
            faces: V::CODES.iter().zip(V::GLYPHS).map(|(&code, &glyphs)| Face { code, glyphs }).collect(),
            hands: V::HAND_KINDS > 0,
            marked: V::MARKED_SQUARES.squares().map(|square| square.index()).collect(),
            coordinates: Labels::of(&Notation::<V>::UCI.coordinates),
            native_coordinates: native.map(|notation| Labels::of(&notation.coordinates)),
            notation: native.map(|notation| notation.name),
        }
    }
}
