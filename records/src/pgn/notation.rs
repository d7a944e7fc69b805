//! Moves of PGN in other notations than UCI. The tag `Format` names the notation, as in PGN of programs for Xiangqi,
//! and the reader tries it first.

use rules::{Game, MoveList, Notation, UnknownNotation, Variant};

use super::movetext::{Token, tokens};
use crate::encoding::plain;
use crate::san::MoveReading;
use crate::written::is_word;

/// The tag.
pub(super) const FORMAT: &str = "Format";

/// Names of notations and the values of the tag for them in other programs, which write UCCI under the name of ICCS.
/// Any other notation has its own name as the value.
const VALUES: [(&str, &str); 3] = [("chinese", "Chinese"), ("ucci", "ICCS"), ("wxf", "WXF")];

fn value(name: &'static str) -> &'static str {
    VALUES.iter().find(|(known, _)| *known == name).map_or(name, |&(_, value)| value)
}

/// Why the moves of PGN cannot be in a notation.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PgnNotationError {
    /// The variant has no notation of this name.
    #[error(transparent)]
    Unknown(UnknownNotation),
    /// A move in it is not one word of PGN.
    #[error("PGN cannot have moves in {name}, because brackets as in {example} begin a variation; there are: {known}")]
    Brackets {
        /// The notation.
        name: &'static str,
        /// A move in it.
        example: &'static str,
        /// The names of those that PGN can have.
        known: String,
    },
}

/// The notation of this name, for moves in PGN.
///
/// # Errors
/// The variant has no such notation, or its moves have brackets.
pub fn notation_named<V: Variant>(name: &str) -> Result<&'static Notation<V>, PgnNotationError> {
    let known: Vec<&str> = V::NOTATIONS.iter().filter(|known| is_move(known.example)).map(|known| known.name).collect();
    let known = known.join(", ");
    match Notation::<V>::named(name) {
        Ok(notation) if is_move(notation.example) => Ok(notation),
        Ok(&Notation { name, example, .. }) => Err(PgnNotationError::Brackets { name, example, known }),
        Err(unknown) => Err(PgnNotationError::Unknown(UnknownNotation { known, ..unknown })),
    }
}

/// Whether movetext with this text has one move and nothing else.
fn is_move(text: &str) -> bool {
    tokens(text, 1) == [(1, Token::Move(text))] && !is_word(text)
}

/// The moves of a game for PGN, and the tag that names their notation, which UCI does not have. All moves are in UCI if
/// one of them could not be read again in this notation.
pub fn moves_in<V: Variant>(
    game: &Game<V>,
    notation: &'static Notation<V>,
) -> (Vec<String>, Option<(&'static str, &'static str)>) {
    let in_uci = || (game.moves_text().split_ascii_whitespace().map(str::to_owned).collect(), None);
    if notation.name == Notation::<V>::UCI.name {
        return in_uci();
    }
    let (reading, mut legal) = (MoveReading::Notation(notation), MoveList::new());
    let text = |(position, &mv)| {
        let text = notation.write(position, mv);
        let is_exact = is_move(&text) && reading.read(position, &plain(&text), &mut legal) == Ok(mv);
        is_exact.then_some(text)
    };
    let texts: Option<Vec<String>> = game.positions().iter().zip(game.moves()).map(text).collect();
    texts.map_or_else(in_uci, |texts| (texts, Some((FORMAT, value(notation.name)))))
}

/// The notation that a value of the tag names.
pub(crate) fn named_by_tag<V: Variant>(text: &str) -> Option<&'static Notation<V>> {
    let is_named = |name: &'static str| [name, value(name)].iter().any(|known| known.eq_ignore_ascii_case(text));
    V::NOTATIONS.iter().find(|notation| is_named(notation.name))
}
