//! Formats of a whole position: FEN, which every variant has, and native ones.

use super::UnknownNotation;
use crate::fen::{self, FenError};
use crate::notated::Notated;
use crate::position::Position;

/// A way to write the positions of a variant.
#[derive(Clone, Copy, Debug)]
pub struct PositionFormat<V: Notated> {
    /// The name, lower case.
    pub name: &'static str,
    /// What it is, in a few words.
    pub about: &'static str,
    /// Whether a text looks like this format rather than like FEN.
    pub(crate) recognises: fn(&str) -> bool,
    pub(crate) write: fn(&Position<V>) -> String,
    pub(crate) read: fn(&str) -> Result<Position<V>, FenError>,
}

impl<V: Notated> PositionFormat<V> {
    /// FEN, which every variant has.
    pub const FEN: PositionFormat<V> = PositionFormat {
        name: "fen",
        about: "board[hands] side - - quiet fullmove",
        recognises: |_| true,
        write: fen::write,
        read: fen::read,
    };

    /// The format of this name.
    ///
    /// # Errors
    /// The variant has no format of this name; the error lists those it has.
    pub fn named(name: &str) -> Result<&'static PositionFormat<V>, UnknownNotation> {
        super::named::<V, _>(V::POSITION_FORMATS, |format| format.name, name)
    }

    /// The format a text is written in. Native formats are recognised by what a FEN cannot have.
    pub(crate) fn of(text: &str) -> &'static PositionFormat<V> {
        let native = V::POSITION_FORMATS.iter().filter(|format| format.name != Self::FEN.name);
        native.into_iter().find(|format| (format.recognises)(text)).unwrap_or(const { &Self::FEN })
    }

    /// Text of a position.
    pub fn write(&self, position: &Position<V>) -> String {
        (self.write)(position)
    }

    /// Reads a position.
    ///
    /// # Errors
    /// The field that is wrong and why.
    pub fn read(&self, text: &str) -> Result<Position<V>, FenError> {
        (self.read)(text)
    }
}
