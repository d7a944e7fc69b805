//! What else is known of the games that openings count, so that some of them can be counted again.

use rules::GameResult;

use super::games::{OpeningGames, Setups};
use crate::column::{Float, Maybe, Milliseconds, Text, Unsigned};
use crate::error::Result;
use crate::filter::GameSource;
use crate::folders::{FolderShard, GameFolders};

/// A game that opening statistics count.
#[derive(Clone, Debug, PartialEq)]
pub struct CountedGame {
    /// Number of its folder in [`GameFolders::stores`].
    pub folder: usize,
    /// The generation that finished it.
    pub generation: u32,
    /// Where it comes from.
    pub source: GameSource,
    /// The first and the second player: in self-play the ids of their networks, elsewhere their names.
    pub players: [String; 2],
    /// How it ended.
    pub result: GameResult,
    /// Its length.
    pub plies: u32,
    /// When it began, in milliseconds since 1970, UTC; 0 where that is not known.
    pub started_at: i64,
    /// The tournament or match that an imported record names.
    pub event: Option<String>,
    /// Its rule set: the name, with any deviations from it.
    pub ruleset: String,
    /// Ratings of the first and of the second player that an imported record names.
    pub ratings: [Option<f32>; 2],
    /// The setups of the first and the second player, where the variant has the choice.
    pub setups: Setups,
    /// Its first moves in UCI, separated by spaces: as many as lines have.
    pub moves: String,
}

const EVENT: &str = "event";
const RATINGS: [&str; 2] = ["rating_first", "rating_second"];
const COLUMNS: [&str; 11] = [
    "generation",
    "run_id",
    "ruleset",
    "net_first",
    "net_second",
    "result",
    "plies",
    "started_at",
    EVENT,
    RATINGS[0],
    RATINGS[1],
];

/// Reads at most `most` of the games that count, evenly chosen.
///
/// # Errors
/// A file cannot be read, is not what was written, or lacks a column.
pub(super) fn read(
    folders: &GameFolders,
    shards: &[FolderShard],
    games: &OpeningGames,
    most: usize,
) -> Result<Vec<CountedGame>> {
    let all = games.counted().count();
    let most = most.min(all);
    let mut chosen = vec![Vec::new(); shards.len()];
    for (number, (shard, row)) in games.counted().enumerate() {
        if number * most / all != (number + 1) * most / all {
            chosen[shard].push(row);
        }
    }
    let mut counted = Vec::with_capacity(most);
    for ((shard, of_shard), rows) in shards.iter().zip(&games.shards).zip(chosen) {
        if rows.is_empty() {
            continue;
        }
        let (mut rows, mut before) = (rows.into_iter().peekable(), 0);
        folders.store_of(shard).read_columns(&shard.entry.games, &COLUMNS, |columns| {
            let generation = columns.values::<Unsigned>("generation")?;
            let run_id = columns.borrowed::<Text>("run_id")?;
            let (first, second) = (columns.borrowed::<Text>("net_first")?, columns.borrowed::<Text>("net_second")?);
            let ruleset = columns.borrowed::<Text>("ruleset")?;
            let results = columns.results("result")?;
            let plies = columns.values::<Unsigned>("plies")?;
            let started_at = columns.values::<Milliseconds>("started_at")?;
            // Files of earlier versions do not have these.
            let rating = |name| columns.has(name).then(|| columns.values::<Maybe<Float>>(name)).transpose();
            let (first_rating, second_rating) = (rating(RATINGS[0])?, rating(RATINGS[1])?);
            let event = columns.has(EVENT).then(|| columns.borrowed::<Maybe<Text>>(EVENT)).transpose()?;
            while let Some(row) = rows.next_if(|&row| row < before + columns.rows()) {
                let here = row - before;
                counted.push(CountedGame {
                    folder: shard.folder,
                    generation: generation(here),
                    source: GameSource::of_run(run_id(here)),
                    players: [first(here), second(here)].map(str::to_owned),
                    result: results[here],
                    plies: plies(here),
                    started_at: started_at(here),
                    event: event.as_ref().and_then(|event| event(here)).map(str::to_owned),
                    ruleset: ruleset(here).to_owned(),
                    ratings: [
                        first_rating.as_ref().and_then(|rating| rating(here)),
                        second_rating.as_ref().and_then(|rating| rating(here)),
                    ],
                    setups: games.starts[of_shard.start[row] as usize].clone(),
                    moves: of_shard.text_of(row).split_ascii_whitespace().collect::<Vec<_>>().join(" "),
                });
            }
            before += columns.rows();
            Ok(())
        })?;
    }
    Ok(counted)
}
