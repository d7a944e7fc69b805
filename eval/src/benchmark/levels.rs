//! Levels: the network that comes with Kirin, weakened in steps whose distances were measured on the ladder.

use super::ReferenceLadder;
use crate::players::{PlayerSpec, Temperature};
use crate::ratings::{Encounter, Estimate, RatingError, rate};
use rules::VariantId;
use search::SearchConfig;

/// A level of play.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Level {
    /// Its number, from 1, the weakest.
    pub number: u32,
    /// Visits a move.
    pub visits: u32,
    /// The temperature at which it draws its moves; `None` where it plays the best.
    pub temperature: Option<Temperature>,
    /// Elo above the random player, with the error of that difference.
    pub elo: Estimate,
    /// Elo above the level before, by the games of these two; `None` for the first. On the ladder the distance may be another,
    /// where games against other players say so.
    pub step: Option<Estimate>,
}

/// Why there is no such level.
#[derive(Debug, thiserror::Error)]
pub enum LevelError {
    /// The variant has none.
    #[error("{variant} has no levels, because none were measured; set the strength by the visits")]
    None {
        /// The variant.
        variant: VariantId,
    },
    /// It has others.
    #[error("{variant} has no level {number}; its levels are 1 to {last}")]
    Unknown {
        /// The variant.
        variant: VariantId,
        /// The level that was asked for.
        number: u32,
        /// The highest level.
        last: u32,
    },
    /// The table cannot be read, which is a defect of this program.
    #[error("the table of ladders is damaged")]
    Table(#[from] serde_json::Error),
    /// The ladder cannot be rated, which is a defect of this program.
    #[error(transparent)]
    Ratings(#[from] RatingError),
}

impl Level {
    /// The settings of its search.
    pub fn search(&self) -> SearchConfig {
        search(self.visits, self.temperature)
    }
}

/// The search of a network player of the ladder.
pub(super) fn search(visits: u32, temperature: Option<Temperature>) -> SearchConfig {
    let search = SearchConfig { visits, ..SearchConfig::of_network() }.for_matches();
    temperature.map_or(search.clone(), |temperature| temperature.weaken(&search))
}

impl ReferenceLadder {
    /// The levels of this ladder, weakest first.
    ///
    /// # Errors
    /// No meeting was played.
    pub fn levels(&self) -> Result<Vec<Level>, RatingError> {
        let ratings = self.ratings()?;
        let is_level = |name: &str| self.rungs.iter().any(|rung| rung.name == name && rung.level.is_some());
        let between: Vec<Encounter> =
            self.results().into_iter().filter(|it| is_level(&it.first) && is_level(&it.second)).collect();
        let own = rate(&between, None).ok();
        let mut levels = Vec::new();
        let mut before: Option<&str> = None;
        for rung in &self.rungs {
            let (Some(number), PlayerSpec::Builtin { visits, temperature }) = (rung.level, &rung.player) else {
                continue;
            };
            let Some(row) = ratings.rows.iter().find(|row| row.player == rung.name) else { continue };
            levels.push(Level {
                number,
                visits: *visits,
                temperature: *temperature,
                elo: Estimate { value: row.elo, error: row.error },
                step: before.and_then(|before| own.as_ref()?.difference(&rung.name, before)),
            });
            before = Some(&rung.name);
        }
        Ok(levels)
    }

    /// The levels of a variant, weakest first; none if none were measured.
    ///
    /// # Errors
    /// The table is damaged, which is a defect of this program.
    pub fn levels_of(variant: VariantId) -> Result<Vec<Level>, LevelError> {
        let ladder = ReferenceLadder::own()?.into_iter().find(|ladder| ladder.variant == variant.id());
        ladder.map_or(Ok(Vec::new()), |ladder| Ok(ladder.levels()?))
    }

    /// A level of a variant.
    ///
    /// # Errors
    /// The variant has no levels, or not this one.
    pub fn level(variant: VariantId, number: u32) -> Result<Level, LevelError> {
        let levels = ReferenceLadder::levels_of(variant)?;
        let last = levels.last().ok_or(LevelError::None { variant })?.number;
        levels.into_iter().find(|level| level.number == number).ok_or(LevelError::Unknown { variant, number, last })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Elo between neighbours, and how far a measured distance may be from it (`scripts/ladder`).
    const STEP: f64 = 150.0;
    const TOLERANCE: f64 = 40.0;

    #[test]
    fn levels_are_a_step_apart_and_the_first_loses_to_greedy() {
        for ladder in ReferenceLadder::own().unwrap() {
            let levels = ladder.levels().unwrap();
            if levels.is_empty() {
                continue; // `scripts/ladder` has not measured them yet
            }
            assert!((4..=10).contains(&levels.len()), "{}: {} levels", ladder.variant, levels.len());
            assert!(levels.iter().map(|level| level.number).eq(1..=levels.len() as u32), "{}", ladder.variant);
            for level in &levels[1..] {
                let step = level.step.unwrap();
                // Steps are measured with other games than those that chose the levels.
                let off = (step.value - STEP).abs() - step.error;
                assert!(off <= TOLERANCE, "{} level {}: {step:?}", ladder.variant, level.number);
            }
            let ratings = ladder.ratings().unwrap();
            let above = ratings.difference("greedy", "level 1").unwrap();
            assert!(above.value - above.error > 0.0, "{}: {above:?}", ladder.variant);
        }
    }

    #[test]
    fn a_level_that_there_is_not_is_told_with_those_there_are() {
        let variant = VariantId::Wangqi;
        let last = ReferenceLadder::levels_of(variant).unwrap().len() as u32;
        assert_eq!(ReferenceLadder::level(variant, last).unwrap().number, last);
        for number in [0, last + 1] {
            let error = ReferenceLadder::level(variant, number).unwrap_err().to_string();
            assert_eq!(error, format!("wangqi has no level {number}; its levels are 1 to {last}"));
        }
    }
}
