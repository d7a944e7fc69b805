//! A position other than the start from which lines are counted.

use rules::{Key, Move, Position, Rules, Side, Variant};

/// A position that games reach by any moves and at any ply, from which lines of moves are counted.
///
/// # Examples
/// ```
/// use data::{DataStore, GameRecord, OpeningOrigin, OpeningQuery, Provenance};
/// use rules::{Game, GameResult, Outcome, Position, Rules, Termination, Wangqi};
///
/// # let folder = tempfile::tempdir().unwrap();
/// # let (store, _) = DataStore::open(folder.path())?;
/// // The same position after three plies in another order.
/// let games: Vec<_> = ["c3c4 e6e5 d3d4 f6f5", "d3d4 e6e5 c3c4 g6g5"].iter().zip(1..).map(|(moves, game_id)| {
///     let game = Game::<Wangqi>::from_moves_text(Rules::default(), Position::start(), moves).unwrap();
///     let outcome = Outcome { result: GameResult::FirstWins, termination: Termination::Adjudicated, points: None };
///     GameRecord { game_id, ..GameRecord::of(&game, outcome) }
/// }).collect();
/// store.commit_shard(0, "local", &games, &Provenance::default())?;
///
/// let after = Game::<Wangqi>::from_moves_text(Rules::default(), Position::start(), "c3c4 e6e5 d3d4")?;
/// let origin = Some(OpeningOrigin::of(after.position()));
/// let table = store.openings(&OpeningQuery { origin, ..OpeningQuery::new("wangqi") })?;
/// let lines: Vec<&str> = table.rows.iter().map(|row| row.moves.as_str()).collect();
/// assert_eq!((table.games, lines), (2, vec!["f6f5", "g6g5"]));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct OpeningOrigin {
    key: Key,
    side: Side,
    find: fn(Key, &OpeningGame<'_>) -> Option<usize>,
}

impl OpeningOrigin {
    /// This position. The counters of its FEN do not matter.
    pub fn of<V: Variant>(position: &Position<V>) -> OpeningOrigin {
        OpeningOrigin { key: position.key(), side: position.side(), find: find::<V> }
    }

    /// The side to move.
    pub(super) fn side(&self) -> Side {
        self.side
    }

    /// After how many of its moves a game first stands in the position. A game that cannot be replayed does not reach
    /// it.
    pub(super) fn find(&self, game: &OpeningGame<'_>) -> Option<usize> {
        (self.find)(self.key, game)
    }
}

/// What a game in the table `games` is replayed from.
pub(super) struct OpeningGame<'a> {
    pub ruleset: &'a str,
    pub start_fen: Option<&'a str>,
    pub moves: &'a [u32],
}

fn find<V: Variant>(key: Key, game: &OpeningGame<'_>) -> Option<usize> {
    let rules: Rules<V> = game.ruleset.parse().ok()?;
    let mut position = Position::<V>::from_start_fen(game.start_fen).ok()?.under(&rules);
    for (ply, &code) in game.moves.iter().enumerate() {
        if position.key() == key {
            return Some(ply);
        }
        let mv = Move::from_raw(code);
        if !position.is_legal(mv) {
            return None;
        }
        position.play(mv);
    }
    (position.key() == key).then_some(game.moves.len())
}
