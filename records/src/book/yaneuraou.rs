//! DB2016, the text format of books of the Shogi engine YaneuraOu.
//!
//! ```text
//! #YANEURAOU-DB2016 1.00
//! sfen lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1
//! 7g7f 3c3d 0 32 2
//! ```
//!
//! Below a position stand its moves, the best first: move, best reply or `none`, value in hundredths of a pawn for the
//! side to move (on the scale of PSV), depth of the search, and how often it was played. Source: the page 定跡の作成 of
//! YaneuraOu's wiki.
//!
//! The reader takes positions and moves; the other fields may be missing. Lines that begin with `#` or `//` are
//! comments. The writer sorts positions by their SFEN, as engines need that read a book from the disk. It writes depth
//! 32, which the wiki has for books of played games, because engines leave out moves of a lower depth than their option
//! `BookDepthLimit`. The value is 0 where moves are ordered by games.

use super::{BookError, BookLine, BookPosition};
use crate::training::PSV;
use crate::written::shown;
use rules::{Key, Move, Notation, Position, PositionFormat, Rules, UnknownNotation, Variant};
use std::collections::{HashMap, HashSet};

/// The first line.
pub const HEADER: &str = "#YANEURAOU-DB2016 1.00";

/// What every version of the first line begins with.
const MARK: &str = "#YANEURAOU-DB";

/// Words in place of a move.
const NO_MOVES: [&str; 3] = ["none", "resign", "win"];

/// The depth that is written.
const DEPTH: u32 = 32;

/// Whether a file is such a book.
pub fn recognises(text: &str) -> bool {
    text.trim_start_matches('\u{feff}').starts_with(MARK)
}

/// The book as text.
///
/// # Errors
/// The variant has no USI or SFEN.
pub fn write<V: Variant>(book: &[BookPosition<V>]) -> Result<String, UnknownNotation> {
    let (usi, sfen) = (Notation::<V>::named("usi")?, PositionFormat::<V>::named("sfen")?);
    let mut positions: Vec<(String, &BookPosition<V>)> = book.iter().map(|of| (sfen.write(&of.position), of)).collect();
    positions.sort_by(|a, b| a.0.cmp(&b.0));
    let mut text = format!("{HEADER}\n");
    for (written, BookPosition { position, moves }) in positions {
        text += &format!("sfen {written}\n");
        for of in moves {
            let mut next = position.clone();
            next.play(of.mv);
            let reply = of.reply.map_or_else(|| "none".to_owned(), |reply| usi.write(&next, reply));
            let value = of.score.map_or(0, |score| PSV.value_of(score));
            text += &format!("{} {reply} {value} {DEPTH} {}\n", usi.write(position, of.mv), of.games());
        }
    }
    Ok(text)
}

/// The lines of a book. It begins at the variant's own start position, if it has that, and at the positions to which
/// none of its moves leads.
///
/// ```
/// use records::book::yaneuraou;
/// use rules::{Rules, Shogi};
///
/// let text = "#YANEURAOU-DB2016 1.00\nsfen lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1\n\
///     7g7f 3c3d 0 32 2\n2g2f none 0 32 1\n";
/// let lines = yaneuraou::read::<Shogi>(text, Rules::default())?;
/// assert_eq!(lines.iter().map(|line| line.moves.len()).collect::<Vec<_>>(), [1, 1]);
/// # Ok::<(), records::book::BookError>(())
/// ```
///
/// # Errors
/// The first line is not that of the format, or another is no position and no legal move of the position above it,
/// which is named; or the variant has no USI or SFEN.
pub fn read<V: Variant>(text: &str, rules: Rules<V>) -> Result<Vec<BookLine<V>>, BookError> {
    let mut lines = (1..).zip(text.trim_start_matches('\u{feff}').lines().map(str::trim));
    let first = lines.next().map_or("", |(_, first)| first);
    if first != HEADER {
        let why = format!("{:?} in place of {HEADER:?}, with which a DB2016 book begins", shown(first));
        return Err(BookError::Line { line: 1, why });
    }
    let book = Entries::read(lines, rules)?;
    if book.positions.is_empty() {
        return Err(BookError::Line { line: 1, why: "no position follows".to_owned() });
    }
    let own = Position::<V>::start().under(&rules);
    let is_start = |position: &Position<V>| !book.reached.contains(&position.key()) && position.key() != own.key();
    let mut starts: Vec<Position<V>> = book.positions.iter().filter(|position| is_start(position)).cloned().collect();
    if book.moves.contains_key(&own.key()) {
        starts.insert(0, own);
    }
    super::lines(starts, |position| Ok(book.moves.get(&position.key()).cloned().unwrap_or_default()))
}

/// What a book holds.
struct Entries<V: Variant> {
    /// The positions in their order, each once.
    positions: Vec<Position<V>>,
    /// Their moves.
    moves: HashMap<Key, Vec<Move>>,
    /// The positions after those.
    reached: HashSet<Key>,
}

impl<V: Variant> Entries<V> {
    /// The entries of the lines behind the first.
    fn read<'a>(lines: impl Iterator<Item = (usize, &'a str)>, rules: Rules<V>) -> Result<Self, BookError> {
        let (usi, sfen) = (Notation::<V>::named("usi")?, PositionFormat::<V>::named("sfen")?);
        let mut book = Entries { positions: Vec::new(), moves: HashMap::new(), reached: HashSet::new() };
        let mut here: Option<Position<V>> = None;
        for (line, text) in lines {
            let wrong = |why| BookError::Line { line, why };
            if text.is_empty() || text.starts_with('#') || text.starts_with("//") {
                continue;
            }
            if text.starts_with("sfen ") {
                let position = sfen.read(text).map_err(|error| wrong(error.to_string()))?.under(&rules);
                if !book.moves.contains_key(&position.key()) {
                    book.positions.push(position.clone());
                    book.moves.insert(position.key(), Vec::new());
                }
                here = Some(position);
                continue;
            }
            let Some(position) = &here else {
                return Err(wrong(format!("{:?} stands before the first position (a line `sfen …`)", shown(text))));
            };
            let word = text.split_whitespace().next().unwrap_or_default();
            if NO_MOVES.contains(&word) {
                continue;
            }
            let mv = usi.read(position, word).map_err(|error| wrong(error.to_string()))?;
            let moves = book.moves.entry(position.key()).or_default();
            if !moves.contains(&mv) {
                moves.push(mv);
                let mut next = position.clone();
                next.play(mv);
                book.reached.insert(next.key());
            }
        }
        Ok(book)
    }
}
