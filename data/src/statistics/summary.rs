//! How games went, generation by generation.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use polars::prelude::*;
use serde::Serialize;

use super::{numbers, outcomes};
use crate::column::{Text, Unsigned};
use crate::error::Result;
use crate::folders::GameFolders;
use crate::identity::{GameIdentity, SeenGames};
use crate::store::DataStore;
use crate::threads;

/// The games that one generation finished.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct GenerationSummary {
    /// Generation.
    pub generation: u32,
    /// Games.
    pub games: u64,
    /// Mean length in plies.
    pub mean_plies: f64,
    /// Games won by the first player.
    pub first_wins: u64,
    /// Drawn games.
    pub draws: u64,
    /// Games lost by the first player.
    pub first_losses: u64,
    /// Share of games with a winner, 0 to 1.
    pub decisive_share: f64,
    /// Score of the first player: wins plus half of the draws, 0 to 1.
    pub first_score: f64,
    /// Games by the reason they ended.
    pub terminations: BTreeMap<String, u64>,
}

impl DataStore {
    /// Sums up the games of a variant, one row a generation.
    ///
    /// # Errors
    /// A shard cannot be read or is not what its manifest says.
    pub fn summary(&self, variant: &str, generations: RangeInclusive<u32>) -> Result<Vec<GenerationSummary>> {
        GameFolders::from(self.clone()).summary(variant, generations)
    }
}

impl GameFolders {
    /// Sums up the games of a variant in all folders, one row a generation.
    ///
    /// # Errors
    /// A shard cannot be read or is not what its manifest says.
    pub fn summary(&self, variant: &str, generations: RangeInclusive<u32>) -> Result<Vec<GenerationSummary>> {
        threads::start_polars()?;
        let mut shards = self.shards(variant)?;
        shards.retain(|shard| generations.contains(&shard.entry.generation));
        let names = [&["generation", "plies", "result", "termination"], GameIdentity::COLUMNS].concat();
        let mut seen = SeenGames::default();
        let mut games: (Vec<u32>, Vec<u32>, Vec<i32>, Vec<String>) = Default::default();
        for shard in &shards {
            self.store_of(shard).read_columns(&shard.entry.games, &names, |columns| {
                let identities = GameIdentity::of_rows(columns)?;
                let (generation, plies) =
                    (columns.values::<Unsigned>("generation")?, columns.values::<Unsigned>("plies")?);
                let (results, termination) = (columns.results("result")?, columns.values::<Text>("termination")?);
                let new = (0..columns.rows()).filter(|&row| seen.is_new(shard.folder, identities[row]));
                games.extend(new.map(|row| (generation(row), plies(row), i32::from(results[row]), termination(row))));
                Ok(())
            })?;
        }
        let (generation, plies, result, termination) = games;
        let frame = df!("generation" => generation, "plies" => plies, "result" => result, "termination" => termination);
        self.statistics(frame.and_then(sums))
    }
}

/// One row a generation.
fn sums(games: DataFrame) -> PolarsResult<Vec<GenerationSummary>> {
    let mut sums = outcomes().to_vec();
    sums.push(col("plies").cast(DataType::UInt64).sum());
    let groups = games.lazy().group_by([col("generation"), col("termination")]).agg(sums).collect()?;
    let sums = numbers(&groups, ["generation", "games", "first_wins", "draws", "plies"])?;
    let of_groups = sums.into_iter().zip(groups.column("termination")?.str()?.iter().flatten());
    let mut rows: BTreeMap<u64, GenerationSummary> = BTreeMap::new();
    for ([generation, games, first_wins, draws, plies], termination) in of_groups {
        let row = rows.entry(generation).or_default();
        row.games += games;
        row.mean_plies += plies as f64;
        row.first_wins += first_wins;
        row.draws += draws;
        *row.terminations.entry(termination.to_owned()).or_default() += games;
    }
    let finished = |(generation, row): (u64, GenerationSummary)| {
        let games = row.games as f64;
        GenerationSummary {
            generation: generation as u32,
            mean_plies: row.mean_plies / games,
            first_losses: row.games - row.first_wins - row.draws,
            decisive_share: (row.games - row.draws) as f64 / games,
            first_score: (row.first_wins as f64 + row.draws as f64 / 2.0) / games,
            ..row
        }
    };
    Ok(rows.into_iter().map(finished).collect())
}
