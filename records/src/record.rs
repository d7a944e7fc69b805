//! A game of a record, proven by the rules.

use rules::{Game, Outcome, Variant};

use crate::tags::Tags;

/// A game whose moves are legal, and the other data of its record.
///
/// Its rule set, start position (setups are read from that: [`rules::Position::setups`]) and moves are in `game`.
#[derive(Clone, Debug, PartialEq)]
pub struct TaggedGame<V: Variant> {
    /// The line of the file in which it begins, counted from 1. In a file of a binary format: the number of the game.
    pub line: usize,
    /// Names, date, event and result as written.
    pub tags: Tags,
    /// The game.
    pub game: Game<V>,
    /// How it ended: as the rules say, or else as the record says. `None` if neither does: it was broken off, or the
    /// format has no place for a result.
    pub outcome: Option<Outcome>,
}
