//! Which openings are played, how often, and with what success.

use serde::Serialize;

use crate::error::Result;
use crate::filter::{Excluded, GameFilter};
use crate::folders::GameFolders;
use crate::store::DataStore;
use crate::threads;
use games::{Fate, OpeningGames};

mod counted;
pub(super) mod games;
mod lines;
mod origin;
mod positions;
mod setups;

pub use counted::CountedGame;
pub use origin::OpeningOrigin;

/// Which openings to count.
#[derive(Clone, Debug)]
pub struct OpeningQuery {
    /// Variant id.
    pub variant: String,
    /// Longest line, in plies.
    pub depth: u32,
    /// Lines with fewer games are left out.
    pub min_games: u64,
    /// Whether a line is left out only if the same moves have fewer games from all setups together, as
    /// [`OpeningTable::sum_setups`] sums them.
    pub over_setups: bool,
    /// The setups of the first and of the second player that games are counted from, where the variant has the choice; `None`
    /// is any.
    pub setups: [Option<String>; 2],
    /// The games to count.
    pub filter: GameFilter,
    /// The position from which the lines are counted, in games that reached it by chosen moves, from any start; `None`
    /// for the start of the games.
    pub origin: Option<OpeningOrigin>,
}

impl OpeningQuery {
    /// All games, six plies, every line.
    pub fn new(variant: &str) -> Self {
        OpeningQuery {
            variant: variant.to_owned(),
            depth: 6,
            min_games: 1,
            over_setups: false,
            setups: [None, None],
            filter: GameFilter::default(),
            origin: None,
        }
    }

    /// Whether games from these setups are counted.
    pub fn allows(&self, setups: [Option<&str>; 2]) -> bool {
        self.setups.iter().zip(setups).all(|(wanted, setup)| wanted.is_none() || wanted.as_deref() == setup)
    }
}

/// The openings of a variant.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct OpeningTable {
    /// Games counted: those from the variant's own start position or from a chosen setup, whose first move was chosen;
    /// with an origin those that reached it, where the next move was chosen.
    pub games: u64,
    /// Games left out because they began from some other position, or with random moves or those of an earlier game:
    /// their first searched position is not the start. With an origin: because they did not reach it, or not by chosen
    /// moves.
    pub other_starts: u64,
    /// Games of `other_starts` that began with random moves or those of an earlier game.
    pub unchosen: u64,
    /// Games left out because they began from other setups than those asked for.
    pub other_setups: u64,
    /// Games left out by the filter, under the first of its conditions that they do not meet.
    pub excluded: Excluded,
    /// Lines left out because they have fewer games than asked for, though the lines that they continue have enough. The
    /// same moves from several setups are one such line if the lines are summed over setups.
    pub rare_lines: u64,
    /// Games that occur twice, in one folder or in two; each counts once.
    pub doubled: u64,
    /// The start positions of the games counted, most games first: one, or one for each choice of setups. With an
    /// origin it is the only one.
    pub starts: Vec<OpeningStart>,
    /// By length of the line, then by games (most first), then by moves.
    pub rows: Vec<OpeningRow>,
}

/// A start position and the games from it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct OpeningStart {
    /// Setup of the first player, where the variant has the choice.
    pub setup_first: Option<String>,
    /// Setup of the second player.
    pub setup_second: Option<String>,
    /// Games from it.
    pub games: u64,
    /// Games of `games` that the first player won.
    pub first_wins: u64,
    /// Games of `games` that were drawn.
    pub draws: u64,
    /// Games of `games` that the first player lost.
    pub first_losses: u64,
}

/// One line of moves from the start.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct OpeningRow {
    /// Length of the line in plies.
    pub ply: u32,
    /// The moves in UCI, separated by spaces.
    pub moves: String,
    /// Setup of the first player, where the variant has the choice.
    pub setup_first: Option<String>,
    /// Setup of the second player.
    pub setup_second: Option<String>,
    /// Games that began with exactly these moves.
    pub games: u64,
    /// `games` ÷ games of the table, 0 to 1.
    pub share: f64,
    /// Games of `games` that the first player won.
    pub first_wins: u64,
    /// Games of `games` that were drawn.
    pub draws: u64,
    /// Games of `games` that the first player lost.
    pub first_losses: u64,
    /// Score of the player who made the last move of the line: wins plus half of the draws, 0 to 1.
    pub score: f64,
    /// Lower end of the 95 % interval of `score` (Wilson).
    pub score_low: f64,
    /// Upper end.
    pub score_high: f64,
    /// Games that reached the resulting position, from any start, by any moves, at any ply; at least `games`. `None`
    /// where no game has a search of that position, so its key is not known (for example because the game ended there). A
    /// game without searches, such as an imported one, counts where it follows a line of the table.
    pub position_games: Option<u64>,
}

impl DataStore {
    /// Counts the openings of a variant.
    ///
    /// # Errors
    /// A shard cannot be read or is not what its manifest says.
    ///
    /// # Examples
    /// ```
    /// use data::{DataStore, GameRecord, OpeningQuery, Provenance};
    /// use rules::{Game, GameResult, Outcome, Position, Rules, Termination, Wangqi};
    ///
    /// # let folder = tempfile::tempdir().unwrap();
    /// # let (store, _) = DataStore::open(folder.path())?;
    /// let record = |game_id, moves: &str, result| -> Result<GameRecord<Wangqi>, rules::MovesTextError> {
    ///     let game = Game::from_moves_text(Rules::default(), Position::start(), moves)?;
    ///     let outcome = Outcome { result, termination: Termination::Adjudicated, points: None };
    ///     Ok(GameRecord { game_id, ..GameRecord::of(&game, outcome) })
    /// };
    /// let games = [
    ///     record(1, "c3c4 e6e5", GameResult::FirstWins)?,
    ///     record(2, "c3c4", GameResult::Draw)?,
    ///     record(3, "d3d4", GameResult::SecondWins)?,
    /// ];
    /// store.commit_shard(0, "local", &games, &Provenance::default())?;
    ///
    /// let table = store.openings(&OpeningQuery::new("wangqi"))?;
    /// assert_eq!(table.rows[0].moves, "c3c4");
    /// assert_eq!((table.rows[0].games, table.rows[0].score), (2, 0.75));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn openings(&self, query: &OpeningQuery) -> Result<OpeningTable> {
        GameFolders::from(self.clone()).openings(query)
    }
}

impl GameFolders {
    /// Counts the openings of a variant in all folders.
    ///
    /// # Errors
    /// A shard cannot be read or is not what its manifest says.
    pub fn openings(&self, query: &OpeningQuery) -> Result<OpeningTable> {
        Ok(self.openings_with_games(query, 0)?.0)
    }

    /// Counts the openings of a variant in all folders, and gives at most `most` of the games counted. If there are
    /// more, every n-th is given: folder by folder, in each by generation, shard and id.
    ///
    /// # Errors
    /// A shard cannot be read or is not what its manifest says.
    pub fn openings_with_games(&self, query: &OpeningQuery, most: usize) -> Result<(OpeningTable, Vec<CountedGame>)> {
        threads::start_polars()?;
        let mut table = OpeningTable::default();
        let shards = self.shards_for(&query.variant, &query.filter, &mut table.excluded)?;
        let games = OpeningGames::read(self, &shards, query)?;
        for fate in games.shards.iter().flat_map(|of_shard| &of_shard.fate) {
            match fate {
                Fate::Counted => table.games += 1,
                Fate::OtherStart => table.other_starts += 1,
                Fate::OtherSetups => table.other_setups += 1,
                Fate::Unchosen => (table.other_starts, table.unchosen) = (table.other_starts + 1, table.unchosen + 1),
                Fate::Excluded(criterion) => *table.excluded.entry(*criterion).or_default() += 1,
                Fate::Doubled => table.doubled += 1,
            }
        }
        let counted = counted::read(self, &shards, &games, most)?;
        self.statistics(lines::fill(&mut table, games, query))?;
        Ok((table, counted))
    }
}
