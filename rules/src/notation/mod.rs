//! Notations of moves and of positions in addition to UCI and FEN: what a variant offers, found by name.
//!
//! A variant lists its notations in [`Notated::NOTATIONS`]; everything else is the
//! same for all of them: the bound on the length, the search for a legal move, and the errors.
//!
//! ```
//! use rules::{Notation, Position, Xiangqi};
//!
//! let start = Position::<Xiangqi>::start();
//! let chinese = Notation::named("chinese")?;
//! let cannon = chinese.read(&start, "炮二平五")?;
//! assert_eq!(start.format_move(cannon), "h3e3");
//! assert_eq!(Notation::named("wxf")?.write(&start, cannon), "C2=5");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub(crate) mod coordinates;
mod position_format;
mod reader;
pub(crate) mod ucci;

pub use coordinates::Coordinates;
pub use position_format::PositionFormat;
pub use reader::MoveReader;

use crate::draw;
use crate::moves::{Move, MoveList};
use crate::notated::Notated;
use crate::position::Position;
use crate::text::{self, MoveError};

/// Longest move text read, in bytes: a KIF move of eight characters with its source, and room to spare.
const MAX_LEN: usize = 64;
/// Characters of a refused text that an error repeats.
const SHOWN: usize = 32;

/// The legal moves a text can mean; `None` if it is not in the form of a move. The text is trimmed and bounded.
pub(crate) type Reader<V> = fn(&Position<V>, &[Move], &str) -> Option<Vec<Move>>;

/// A way to write the moves of a variant.
#[derive(Clone, Copy, Debug)]
pub struct Notation<V: Notated> {
    /// The name, lower case.
    pub name: &'static str,
    /// A move in this notation.
    pub example: &'static str,
    /// What it is, in a few words.
    pub about: &'static str,
    /// How it counts files and ranks, for drawing.
    pub coordinates: Coordinates,
    pub(crate) write: fn(&Position<V>, Move) -> String,
    pub(crate) read: Reader<V>,
}

impl<V: Notated> Notation<V> {
    /// UCI, which every variant has.
    pub const UCI: Notation<V> = Notation {
        name: "uci",
        example: "a1a2",
        about: "files a, b, … from the first player's left, ranks 1, 2, … from the first player's side",
        coordinates: Coordinates::letters_and_numbers::<V>(),
        write: V::move_text,
        read: text::candidates,
    };

    /// The notation that players of the variant write, recognised by its native characters; `None` where the variant
    /// has none.
    pub fn native() -> Option<&'static Notation<V>> {
        V::NOTATIONS.iter().find(|notation| !notation.example.is_ascii())
    }

    /// The notation of this name.
    ///
    /// # Errors
    /// The variant has no notation of this name; the error lists those it has.
    pub fn named(name: &str) -> Result<&'static Notation<V>, UnknownNotation> {
        named::<V, _>(V::NOTATIONS, |notation| notation.name, name)
    }

    /// The board drawn with native characters and this notation's coordinates.
    ///
    /// ```
    /// # use rules::{Notation, Position, Shogi};
    /// let drawn = Notation::named("kif")?.draw(&Position::<Shogi>::start());
    /// assert!(drawn.contains("９ ８ ７ ６ ５ ４ ３ ２ １"));
    /// # Ok::<(), rules::UnknownNotation>(())
    /// ```
    pub fn draw(&self, position: &Position<V>) -> String {
        draw::board(position, &self.coordinates)
    }

    /// Text of a legal move.
    pub fn write(&self, position: &Position<V>, mv: Move) -> String {
        (self.write)(position, mv)
    }

    /// Text of a legal move for people: a pass is called one, since its text looks like a move.
    ///
    /// ```
    /// # use rules::{Janggi, Notation, Position};
    /// let start = Position::<Janggi>::start();
    /// let pass = start.parse_move("e2e2")?;
    /// assert_eq!(Notation::UCI.words(&start, pass), "e2e2 (pass 한수쉼)");
    /// # Ok::<(), rules::MoveError>(())
    /// ```
    pub fn words(&self, position: &Position<V>, mv: Move) -> String {
        let text = self.write(position, mv);
        if mv.is_pass() { format!("{text} ({})", V::PASS) } else { text }
    }

    /// Reads a legal move; white space around it is left out.
    ///
    /// # Errors
    /// The text is not in the form of a move in this notation, or the move is not legal here, or several are meant.
    pub fn read(&self, position: &Position<V>, text: &str) -> Result<Move, MoveError> {
        let text = text.trim();
        let mut legal = MoveList::new();
        position.legal_moves(&mut legal);
        let found = if text.len() <= MAX_LEN { (self.read)(position, &legal, text) } else { None };
        let shown = || text.chars().take(SHOWN).collect();
        match found.as_deref() {
            None => {
                let example = legal.first().map_or_else(|| self.example.to_owned(), |&mv| self.write(position, mv));
                Err(MoveError::Malformed(shown(), example))
            }
            Some([]) => Err(MoveError::Illegal { text: shown(), fen: position.fen() }),
            Some(&[mv]) => Ok(mv),
            Some(several) => {
                let candidates: Vec<String> = several.iter().map(|&mv| self.write(position, mv)).collect();
                Err(MoveError::Ambiguous { text: shown(), candidates: candidates.join(", ") })
            }
        }
    }
}

/// The entry of this name in one of the variant's lists.
fn named<V: Notated, T>(
    list: &'static [T],
    name_of: impl Fn(&T) -> &'static str,
    name: &str,
) -> Result<&'static T, UnknownNotation> {
    list.iter().find(|&entry| name_of(entry) == name).ok_or_else(|| UnknownNotation {
        variant: V::ID,
        name: name.chars().take(SHOWN).collect(),
        known: list.iter().map(name_of).collect::<Vec<_>>().join(", "),
    })
}

/// A name that no notation of the variant has.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{variant} has no notation {name:?}; there are: {known}")]
pub struct UnknownNotation {
    /// The variant.
    pub variant: &'static str,
    /// The name.
    pub name: String,
    /// The names there are.
    pub known: String,
}
