//! Which openings are played, how often, and with what success.

use std::ops::RangeInclusive;

use polars::prelude::*;
use serde::Serialize;

use super::{count, u64s};
use crate::error::Result;
use crate::store::DataStore;

mod lines;
mod transpositions;

/// Which openings to count.
#[derive(Clone, Debug)]
pub struct OpeningQuery {
    /// Variant id.
    pub variant: String,
    /// Longest line, in plies.
    pub depth: u32,
    /// Lines with fewer games are left out.
    pub min_games: u64,
    /// Generations that finished the games.
    pub generations: RangeInclusive<u32>,
}

impl OpeningQuery {
    /// All generations, six plies, every line.
    pub fn new(variant: &str) -> Self {
        OpeningQuery { variant: variant.to_owned(), depth: 6, min_games: 1, generations: 0..=u32::MAX }
    }
}

/// The openings of a variant.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct OpeningTable {
    /// Games counted: those from the variant's own start position or from a chosen set-up.
    pub games: u64,
    /// Games left out because they began from some other position.
    pub other_starts: u64,
    /// By length of the line, then by games (most first), then by moves.
    pub rows: Vec<OpeningRow>,
}

/// One line of moves from the start.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct OpeningRow {
    /// Length of the line in plies.
    pub ply: u32,
    /// The moves in UCI, separated by spaces.
    pub moves: String,
    /// Set-up of the first player, where the variant has the choice.
    pub setup_first: Option<String>,
    /// Set-up of the second player.
    pub setup_second: Option<String>,
    /// Games that came by exactly these moves.
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
    /// Games that reached the resulting position, from whatever start, by whatever moves, at whatever ply; at least `games`.
    /// `None` where nobody searched that position, so its key is not known (the game ended there, for one).
    pub position_games: Option<u64>,
}

impl DataStore {
    /// Counts the openings of a variant.
    ///
    /// # Examples
    /// ```
    /// # use data::{DataStore, GameRecord, OpeningQuery, Provenance};
    /// # let folder = tempfile::tempdir().unwrap();
    /// # let (store, _) = DataStore::open(folder.path())?;
    /// let game = |game_id, moves_text: &str, moves: &[u32], result| GameRecord {
    ///     game_id,
    ///     variant: "wangqi".into(),
    ///     moves: moves.into(),
    ///     moves_text: moves_text.into(),
    ///     result,
    ///     termination: "checkmate".into(),
    ///     ..GameRecord::default()
    /// };
    /// let games = [game(1, "c2c3 e7e6", &[1, 2], 1), game(2, "c2c3", &[1], 0), game(3, "d2d3", &[3], -1)];
    /// store.commit_shard("wangqi", 0, "local", &games, &Provenance::default())?;
    ///
    /// let table = store.openings(&OpeningQuery::new("wangqi"))?;
    /// assert_eq!(table.rows[0].moves, "c2c3");
    /// assert_eq!((table.rows[0].games, table.rows[0].score), (2, 0.75));
    /// # Ok::<(), data::DataError>(())
    /// ```
    pub fn openings(&self, query: &OpeningQuery) -> Result<OpeningTable> {
        let mut shards = self.shards(&query.variant)?;
        shards.retain(|shard| query.generations.contains(&shard.generation));
        if shards.is_empty() {
            return Ok(OpeningTable::default());
        }
        let games = self.scan(&shards, |shard| &shard.games)?;
        let positions = self.scan(&shards, |shard| &shard.positions)?;
        self.compute(|| count_openings(&games, &positions, query))
    }
}

fn count_openings(games: &LazyFrame, positions: &LazyFrame, query: &OpeningQuery) -> PolarsResult<OpeningTable> {
    let counted = || col("start_fen").is_null().or(col("setup_first").is_not_null());
    let starts = [count().alias("all"), counted().sum().cast(DataType::UInt64).alias("counted")];
    let starts = games.clone().select(starts).collect()?;
    let (all, counted_games) = (u64s(&starts, "all")?[0], u64s(&starts, "counted")?[0]);
    let lines = lines::frequent(games.clone().filter(counted()), query.depth, query.min_games)?;
    let position_games = transpositions::position_games(positions, &lines)?;
    let rows = lines::rows(games, &lines, &position_games, counted_games)?;
    Ok(OpeningTable { games: counted_games, other_starts: all - counted_games, rows })
}
