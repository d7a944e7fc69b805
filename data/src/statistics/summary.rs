//! How games went, generation by generation.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use rules::GameResult;
use serde::Serialize;

use super::groups;
use crate::column::{Columns, Text, Unsigned};
use crate::error::{FileFault, Result};
use crate::identity::{GameIdentity, SeenGames};
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
    ///
    /// # Errors
    /// A shard cannot be read or is not what its manifest says.
    pub fn summary(&self, variant: &str, generations: RangeInclusive<u32>) -> Result<Vec<GenerationSummary>> {
        let mut games = Games::default();
        let mut shards = self.shards(variant)?;
        shards.retain(|shard| generations.contains(&shard.generation));
        let names = [COLUMNS, GameIdentity::COLUMNS].concat();
        let mut seen = SeenGames::default();
        for shard in &shards {
            self.read_columns(&shard.games, &names, |columns| games.read(columns, &mut seen))?;
        }
        let generations = self.statistics(groups("generation", &games.generation))?;
        let mut rows: Vec<GenerationSummary> = generations.iter().map(|group| games.sum_up(group)).collect();
        rows.sort_by_key(|row| row.generation);
        Ok(rows)
    }
}

const COLUMNS: &[&str] = &["generation", "plies", "result", "termination"];

/// The columns needed of each game.
#[derive(Default)]
struct Games {
    generation: Vec<u32>,
    plies: Vec<u32>,
    result: Vec<GameResult>,
    termination: Vec<String>,
}

impl Games {
    /// Adds the games that are new.
    fn read(&mut self, columns: &Columns<'_>, seen: &mut SeenGames) -> Result<(), FileFault> {
        let identities = GameIdentity::of_rows(columns)?;
        let generation = columns.values::<Unsigned>("generation")?;
        let plies = columns.values::<Unsigned>("plies")?;
        let results = columns.results("result")?;
        let termination = columns.values::<Text>("termination")?;
        for (row, result) in results.into_iter().enumerate() {
            if !seen.is_new(0, identities[row]) {
                continue;
            }
            self.generation.push(generation(row));
            self.plies.push(plies(row));
            self.result.push(result);
            self.termination.push(termination(row));
        }
        Ok(())
    }

    /// The row of a generation, whose games are never none.
    fn sum_up(&self, group: &[u32]) -> GenerationSummary {
        let rows = || group.iter().map(|&row| row as usize);
        let with = |result| rows().filter(|&row| self.result[row] == result).count() as u64;
        let (games, first_wins, draws) = (group.len() as u64, with(GameResult::FirstWins), with(GameResult::Draw));
        let mut terminations = BTreeMap::new();
        for row in rows() {
            match terminations.get_mut(&self.termination[row]) {
                Some(games) => *games += 1,
                None => drop(terminations.insert(self.termination[row].clone(), 1)),
            }
        }
        GenerationSummary {
            generation: self.generation[group[0] as usize],
            games,
            mean_plies: rows().map(|row| f64::from(self.plies[row])).sum::<f64>() / games as f64,
            first_wins,
            draws,
            first_losses: games - first_wins - draws,
            decisive_share: (games - draws) as f64 / games as f64,
            first_score: (first_wins as f64 + draws as f64 / 2.0) / games as f64,
            terminations,
        }
    }
}
