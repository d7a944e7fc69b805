//! How games went, generation by generation.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use polars::prelude::*;
use serde::Serialize;

use super::{count, count_of, texts, u64s};
use crate::error::Result;
use crate::store::DataStore;

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
    pub fn summary(&self, variant: &str, generations: RangeInclusive<u32>) -> Result<Vec<GenerationSummary>> {
        let mut shards = self.shards(variant)?;
        shards.retain(|shard| generations.contains(&shard.generation));
        if shards.is_empty() {
            return Ok(Vec::new());
        }
        let games = self.scan(&shards, |shard| &shard.games)?;
        self.compute(|| summarize(&games))
    }
}

fn summarize(games: &LazyFrame) -> PolarsResult<Vec<GenerationSummary>> {
    let sums = [
        count().alias("games"),
        col("plies").cast(DataType::Float64).mean(),
        count_of(1).alias("wins"),
        count_of(0).alias("draws"),
    ];
    let totals = games.clone().group_by([generation()]).agg(sums).collect()?;
    let reasons = games.clone().group_by([generation(), col("termination")]).agg([count().alias("games")]).collect()?;

    let mut rows = BTreeMap::new();
    let plies = totals.column("plies")?.f64()?.into_no_null_iter();
    let (wins, draws) = (u64s(&totals, "wins")?, u64s(&totals, "draws")?);
    let counts = u64s(&totals, "generation")?.into_iter().zip(u64s(&totals, "games")?).zip(plies);
    for (((number, games), mean_plies), (first_wins, draws)) in counts.zip(wins.into_iter().zip(draws)) {
        let row = GenerationSummary {
            // Widened for the query, so it fits.
            generation: number as u32,
            games,
            mean_plies,
            first_wins,
            draws,
            first_losses: games - first_wins - draws,
            decisive_share: (games - draws) as f64 / games as f64,
            first_score: (first_wins as f64 + draws as f64 / 2.0) / games as f64,
            terminations: BTreeMap::new(),
        };
        rows.insert(number, row);
    }
    let reason_counts = texts(&reasons, "termination")?.into_iter().zip(u64s(&reasons, "games")?);
    for (number, (reason, games)) in u64s(&reasons, "generation")?.into_iter().zip(reason_counts) {
        if let (Some(row), Some(reason)) = (rows.get_mut(&number), reason) {
            row.terminations.insert(reason, games);
        }
    }
    Ok(rows.into_values().collect())
}

fn generation() -> Expr {
    col("generation").cast(DataType::UInt64)
}
