//! Moves in whichever notation they are written.

use super::{Notation, SHOWN};
use crate::moves::{Move, MoveList};
use crate::notated::Notated;
use crate::position::Position;
use crate::text::MoveError;

/// Reads the moves of a game one after the other, each in whichever of the variant's notations it is written: what
/// commands do with moves that people type.
///
/// A text may be a move in several notations, and not the same one: UCI and UCCI count ranks from 1 and from 0. So the
/// notations that have read every move so far come first, and a move that has their form but is not legal is an error,
/// even if another notation could read it. Among those that can read a move the preferred notation decides; without it
/// they must agree.
///
/// ```
/// use rules::{MoveReader, Notation, Position, Shogi};
///
/// let mut position = Position::<Shogi>::start();
/// let mut reader = MoveReader::new(&Notation::UCI);
/// for (text, uci) in [("7g7f", "c3c4"), ("３四歩(33)", "g7g6"), ("b2h8+", "b2h8+")] {
///     let mv = reader.read(&position, text)?;
///     assert_eq!(position.format_move(mv), uci);
///     position.play(mv);
/// }
/// # Ok::<(), rules::MoveError>(())
/// ```
#[derive(Clone, Debug)]
pub struct MoveReader<V: Notated> {
    /// All notations, the preferred one first.
    all: Vec<&'static Notation<V>>,
    /// Those in which every move so far can be read, in the same order.
    fitting: Vec<&'static Notation<V>>,
}

/// What some notations say of a text.
struct Readings<V: Notated> {
    /// Those in which it is a legal move.
    moves: Vec<(&'static Notation<V>, Move)>,
    /// Why the first one did not read it that knows its form.
    refused: Option<MoveError>,
}

impl<V: Notated> MoveReader<V> {
    /// A reader of the moves of a game that prefers this notation.
    pub fn new(preferred: &'static Notation<V>) -> MoveReader<V> {
        let others = V::NOTATIONS.iter().filter(|notation| notation.name != preferred.name);
        let all: Vec<_> = std::iter::once(preferred).chain(others).collect();
        MoveReader { fitting: all.clone(), all }
    }

    /// Reads the next move; white space around it is left out.
    ///
    /// # Errors
    /// The text is not in the form of a move in any notation, or the move is not legal here, or several are meant.
    pub fn read(&mut self, position: &Position<V>, text: &str) -> Result<Move, MoveError> {
        let mut found = readings(&self.fitting, position, text);
        if found.moves.is_empty() && found.refused.is_none() {
            let known: Vec<&str> = self.fitting.iter().map(|notation| notation.name).collect();
            let others: Vec<_> = self.all.iter().copied().filter(|notation| !known.contains(&notation.name)).collect();
            found = readings(&others, position, text);
        }
        let shown = || text.trim().chars().take(SHOWN).collect::<String>();
        let Some(&(first, mv)) = found.moves.first() else {
            return Err(found.refused.unwrap_or_else(|| MoveError::Malformed(shown(), self.examples(position))));
        };
        if first.name != self.all[0].name && found.moves.iter().any(|&(_, other)| other != mv) {
            let candidates = found
                .moves
                .iter()
                .map(|(notation, mv)| format!("{} by {}", Notation::<V>::UCI.write(position, *mv), notation.name));
            return Err(MoveError::Ambiguous { text: shown(), candidates: candidates.collect::<Vec<_>>().join(", ") });
        }
        self.fitting = found.moves.iter().filter(|&&(_, other)| other == mv).map(|&(notation, _)| notation).collect();
        Ok(mv)
    }

    /// A legal move in each notation: `a1a2 (uci), a0a1 (ucci) or 俥九進一 (chinese)`.
    fn examples(&self, position: &Position<V>) -> String {
        let mut legal = MoveList::new();
        position.legal_moves(&mut legal);
        let example = |notation: &&'static Notation<V>| {
            legal.first().map_or_else(|| notation.example.to_owned(), |&mv| notation.write(position, mv))
        };
        match &self.all[..] {
            [only] => example(only),
            [several @ .., last] => {
                let named = |notation: &&'static Notation<V>| format!("{} ({})", example(notation), notation.name);
                format!("{} or {}", several.iter().map(named).collect::<Vec<_>>().join(", "), named(last))
            }
            [] => String::new(),
        }
    }
}

/// Reads a text in these notations.
fn readings<V: Notated>(notations: &[&'static Notation<V>], position: &Position<V>, text: &str) -> Readings<V> {
    let mut found = Readings { moves: Vec::new(), refused: None };
    for &notation in notations {
        match notation.read(position, text) {
            Ok(mv) => found.moves.push((notation, mv)),
            Err(MoveError::Malformed(..)) => {}
            Err(error) => found.refused = found.refused.or(Some(error)),
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Janggi, Shogi, Wangqi, Xiangqi};

    /// The moves in UCI.
    fn line<V: Notated>(texts: &str) -> Result<String, MoveError> {
        let (mut position, mut reader) = (Position::<V>::start(), MoveReader::new(&Notation::UCI));
        let mut line = Vec::new();
        for text in texts.split_whitespace() {
            let mv = reader.read(&position, text)?;
            line.push(position.format_move(mv));
            position.play(mv);
        }
        Ok(line.join(" "))
    }

    #[test]
    fn every_notation_is_read_without_being_named() {
        for text in ["h3e3 h10g8", "h2e2 h9g7", "炮二平五 馬8進7", "C2=5 H8+7", "炮二平五 h10g8", "C2=5 h9g7"]
        {
            assert_eq!(line::<Xiangqi>(text).as_deref(), Ok("h3e3 h10g8"), "{text}");
        }
        for text in ["c3c4 g7g6", "7g7f 3c3d", "７六歩 ３四歩", "▲７六歩 △３四歩", "+7776FU -3334FU", "7g7f ３四歩(33)"]
        {
            assert_eq!(line::<Shogi>(text).as_deref(), Ok("c3c4 g7g6"), "{text}");
        }
        for text in ["a4b4 e9e9", "a3b3 e8e8", "71卒72 pass", "七1卒七2 한수쉼", "a4b4 25漢25"] {
            assert_eq!(line::<Janggi>(text).as_deref(), Ok("a4b4 e9e9"), "{text}");
        }
    }

    #[test]
    fn moves_before_tell_how_ranks_are_counted() {
        // c4c5 is a soldier's move by UCI, and by UCCI one of the same soldier a step later.
        assert_eq!(line::<Xiangqi>("c4c5 a7a6 c5c6").as_deref(), Ok("c4c5 a7a6 c5c6"));
        assert_eq!(line::<Xiangqi>("c3c4 a6a5 c4c5").as_deref(), Ok("c4c5 a7a6 c5c6"));
        let error = line::<Xiangqi>("h3e3 h9g7").unwrap_err();
        assert!(matches!(&error, MoveError::Illegal { text, .. } if text == "h9g7"), "UCI with a mistake: {error}");
    }

    #[test]
    fn an_error_shows_a_move_in_every_notation() {
        let error = line::<Xiangqi>("smoke").unwrap_err().to_string();
        for name in ["uci", "ucci", "chinese", "wxf"] {
            assert!(error.contains(&format!("({name})")), "{error}");
        }
        let error = line::<Wangqi>("smoke").unwrap_err().to_string();
        assert!(error.len() < 300 && error.starts_with("\"smoke\" is not a move; expected something like "), "{error}");
        let error = line::<Xiangqi>("俥一進九").unwrap_err();
        assert!(matches!(error, MoveError::Illegal { .. }), "{error}");
    }
}
