//! Books of openings of other programs: positions, and the moves that are played in each.
//!
//! | module | format | written and read by |
//! |---|---|---|
//! | [`obk`] | `.obk`, an SQLite database | Chinese programs for Xiangqi |
//! | [`yaneuraou`] | YaneuraOu's text format DB2016 | programs for Shogi |
//!
//! Both have positions rather than lines. A reader gives the lines by which the book is left: from each position in
//! which it begins, along its moves, to the positions that it does not hold.

pub mod obk;
pub mod yaneuraou;

use rules::{Key, Move, Position, UnknownNotation, Variant};
use std::collections::{HashSet, VecDeque};

/// A position of a book to be written.
#[derive(Clone, Debug, PartialEq)]
pub struct BookPosition<V: Variant> {
    /// The position.
    pub position: Position<V>,
    /// Its moves, the best first.
    pub moves: Vec<BookMove>,
}

/// A move of a book to be written.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BookMove {
    /// The move.
    pub mv: Move,
    /// The best reply in the book, if it has one.
    pub reply: Option<Move>,
    /// Games with this move that the player who makes it won, that were drawn, and that it lost.
    pub results: [u64; 3],
    /// What the move is worth to the player who makes it, 0 to 1; `None` where moves are ordered by how often they were
    /// played.
    pub score: Option<f64>,
}

impl BookMove {
    /// Games with this move.
    pub fn games(&self) -> u64 {
        self.results.iter().sum()
    }
}

/// Moves from a position at which a book begins to one that it does not hold.
#[derive(Clone, Debug, PartialEq)]
pub struct BookLine<V: Variant> {
    /// Where it begins.
    pub start: Position<V>,
    /// At least one move, each found legal.
    pub moves: Vec<Move>,
}

/// Why a file is no book.
#[derive(Debug, thiserror::Error)]
pub enum BookError {
    /// A line of a text is wrong.
    #[error("line {line}: {why}")]
    Line {
        /// Counted from 1.
        line: usize,
        /// What is wrong.
        why: String,
    },
    /// A row of a database is wrong.
    #[error("table {table}, row {row}: {why}")]
    Row {
        /// The table.
        table: &'static str,
        /// The number of the row (SQLite's `rowid`).
        row: i64,
        /// What is wrong.
        why: String,
    },
    /// The database cannot be read, or lacks what a book has.
    #[error("{0}")]
    Database(String),
    /// Its moves cannot be followed to the end.
    #[error("more than {} positions follow from the start by its moves; cut the book down", MOST_POSITIONS)]
    TooLarge,
    /// The format is of another game.
    #[error(transparent)]
    OtherGame(#[from] UnknownNotation),
}

/// Positions that a book is followed through, at most.
const MOST_POSITIONS: usize = 2_000_000;

/// The lines from these positions, shortest first. `moves_of` gives the moves of a position, none for one that is not
/// in the book. A position that several lines reach belongs to the first of the shortest.
fn lines<V: Variant>(
    starts: Vec<Position<V>>,
    mut moves_of: impl FnMut(&Position<V>) -> Result<Vec<Move>, BookError>,
) -> Result<Vec<BookLine<V>>, BookError> {
    let mut seen: HashSet<Key> = starts.iter().map(Position::key).collect();
    // Each step with the one before it; a step without one is a start.
    let mut steps: Vec<(Option<usize>, Move)> = Vec::new();
    let mut ends = Vec::new();
    let mut waiting: VecDeque<(usize, usize, Position<V>)> = VecDeque::new();
    for (start, position) in starts.iter().enumerate() {
        steps.push((None, Move::from_raw(0)));
        waiting.push_back((start, start, position.clone()));
    }
    while let Some((start, step, position)) = waiting.pop_front() {
        let moves = moves_of(&position)?;
        if moves.is_empty() && steps[step].0.is_some() {
            ends.push((start, step));
        }
        for mv in moves {
            let mut next = position.clone();
            next.play(mv);
            if !seen.insert(next.key()) {
                continue;
            }
            if steps.len() >= MOST_POSITIONS {
                return Err(BookError::TooLarge);
            }
            waiting.push_back((start, steps.len(), next));
            steps.push((Some(step), mv));
        }
    }
    let line = |(start, end): (usize, usize)| {
        let mut moves = Vec::new();
        let mut at = end;
        while let (Some(before), mv) = steps[at] {
            moves.push(mv);
            at = before;
        }
        moves.reverse();
        BookLine { start: starts[start].clone(), moves }
    };
    Ok(ends.into_iter().map(line).collect())
}
