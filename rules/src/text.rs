//! Move text: UCI as Fairy-Stockfish writes it (`h3e3`, `a5a6+`, `P@e5`; a pass is `e2e2`).

use crate::moves::Move;
use crate::notated::Notated;
use crate::position::Position;
use crate::square::Square;

/// Why a text is not a legal move here.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MoveError {
    /// The text is not in the form of a move.
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

pub(crate) fn ordinary<V: Notated>(position: &Position<V>, mv: Move) -> String {
    let _ = position;
    let mut text = String::with_capacity(8);
    match (mv.source_square(), mv.hand_slot()) {
        (Some(source), _) => source.push_to(&mut text, V::FILES),
        (None, slot) => {
            text += V::CODES.get(V::HAND_FIRST + slot.unwrap_or_default()).copied().unwrap_or("?");
            text.push('@');
        }
    }
    mv.destination().push_to(&mut text, V::FILES);
    if mv.promotes() && mv.source_square().is_some() {
        text.push('+');
    }
    text
}

/// The legal move with this text; `None` if the text is not in the form of a move. Further points (`x`) may come in any
/// order, though they are written sorted.
pub(crate) fn candidates<V: Notated>(position: &Position<V>, legal: &[Move], text: &str) -> Option<Vec<Move>> {
    let Some(written) = BoardMove::read::<V>(text) else {
        let found = legal.iter().copied().find(|&mv| V::move_text(position, mv) == text);
        return (found.is_some() || is_drop::<V>(text)).then(|| found.into_iter().collect());
    };
    let sorted = written.text(V::FILES);
    let mut alike = legal
        .iter()
        .copied()
        .filter(|&mv| (mv.source_square(), mv.destination()) == (Some(written.source), written.destination));
    Some(alike.find(|&mv| V::move_text(position, mv) == sorted).into_iter().collect())
}

/// What a text of the form `SQUARE SQUARE [x SQUARE]… [+]` says.
struct BoardMove {
    source: Square,
    destination: Square,
    /// Further points, sorted by file and then by rank.
    points: Vec<Square>,
    promotes: bool,
}

impl BoardMove {
    fn read<V: Notated>(text: &str) -> Option<BoardMove> {
        let promotes = text.ends_with('+');
        let (source, rest) = square::<V>(text.strip_suffix('+').unwrap_or(text))?;
        let (destination, mut rest) = square::<V>(rest)?;
        let mut points = Vec::new();
        while let Some((point, after)) = rest.strip_prefix('x').and_then(square::<V>) {
            points.push(point);
            rest = after;
        }
        points.sort_unstable_by_key(|point| (point.file(V::FILES), point.rank(V::FILES)));
        rest.is_empty().then_some(BoardMove { source, destination, points, promotes })
    }

    fn text(&self, files: usize) -> String {
        let mut text = self.source.text(files) + &self.destination.text(files);
        for point in &self.points {
            text.push('x');
            text += &point.text(files);
        }
        text + if self.promotes { "+" } else { "" }
    }
}

/// Whether the text has the form `PIECE@SQUARE`.
fn is_drop<V: Notated>(text: &str) -> bool {
    text.split_once('@').is_some_and(|(code, rest)| {
        V::CODES.contains(&code) && square::<V>(rest).is_some_and(|(_, rest)| rest.is_empty())
    })
}

fn square<V: Notated>(text: &str) -> Option<(Square, &str)> {
    Square::read(text, V::FILES, V::RANKS)
}
