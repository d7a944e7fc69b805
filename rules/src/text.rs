//! Move text: UCI as Fairy-Stockfish writes it (`h3e3`, `a5a6+`, `P@e5`; a pass is `e2e2`).

use crate::moves::Move;
use crate::position::Position;
use crate::variant::Variant;

/// Why a text is not a legal move here.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MoveError {
    /// The text has not the form of a move.
    #[error("{0:?} is not a move; expected something like {1}")]
    Malformed(String, String),
    /// The move is not legal in this position.
    #[error("{text:?} is not legal in {fen}")]
    Illegal {
        /// The move.
        text: String,
        /// The position.
        fen: String,
    },
    /// The text fits several legal moves.
    #[error("{text:?} may be any of {candidates}")]
    Ambiguous {
        /// The move.
        text: String,
        /// The legal moves it fits, written in full.
        candidates: String,
    },
}

pub(crate) fn ordinary<V: Variant>(position: &Position<V>, mv: Move) -> String {
    let _ = position;
    let destination = mv.destination().text(V::FILES);
    let promotes = if mv.promotes() { "+" } else { "" };
    match (mv.source_square(), mv.hand_slot()) {
        (Some(source), _) => format!("{}{destination}{promotes}", source.text(V::FILES)),
        (None, slot) => {
            let code = V::CODES.get(V::HAND_FIRST + slot.unwrap_or_default()).copied().unwrap_or("?");
            format!("{code}@{destination}")
        }
    }
}

/// The legal move with this text; `None` if the text has not the form of a move.
pub(crate) fn candidates<V: Variant>(position: &Position<V>, legal: &[Move], text: &str) -> Option<Vec<Move>> {
    let found = legal.iter().copied().find(|&mv| V::move_text(position, mv) == text);
    (found.is_some() || looks_like_a_move::<V>(text)).then(|| found.into_iter().collect())
}

/// Whether the text has the form `SQUARE SQUARE [x SQUARE]… [+]` or `PIECE@SQUARE`.
fn looks_like_a_move<V: Variant>(text: &str) -> bool {
    let rest = match text.split_once('@') {
        Some((code, rest)) if V::CODES.contains(&code) => return square::<V>(rest) == Some(""),
        Some(_) => return false,
        None => text.strip_suffix('+').unwrap_or(text),
    };
    let Some(mut rest) = square::<V>(rest).and_then(square::<V>) else { return false };
    while let Some(next) = rest.strip_prefix('x').and_then(square::<V>) {
        rest = next;
    }
    rest.is_empty()
}

/// Reads a square greedily (`a10` before `a1`) and returns what follows it.
fn square<V: Variant>(text: &str) -> Option<&str> {
    if !text.bytes().next().is_some_and(|byte| (b'a'..b'a' + V::FILES as u8).contains(&byte)) {
        return None;
    }
    let digits = text[1..].bytes().take(2).take_while(u8::is_ascii_digit).count();
    let rank: usize = text[1..1 + digits].parse().ok()?;
    (1..=V::RANKS).contains(&rank).then(|| &text[1 + digits..])
}
