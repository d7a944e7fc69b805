//! Weaker play: levels with a measured strength, and a search that plays at one of them.

use super::deadline::TimedEvaluator;
use super::settings::Settings;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rules::{Game, Variant};
use search::analysis::{AnalysisReport, Variation};
use search::{EvaluationError, Evaluations, Evaluator, LeafBatch, Search, SearchConfig};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// Longest line shown, plies.
const LINE: usize = 32;

/// A level that an evaluator can play at.
#[derive(Clone, Debug, PartialEq)]
pub struct EngineLevel {
    /// Its strength, as `UCI_Elo` counts it.
    pub elo: u32,
    /// Settings of the search, for matches, with the number of visits.
    pub search: SearchConfig,
}

/// The level that the settings ask for, of those there are, weakest first; `None` is full strength. A number above the
/// highest level means that level.
pub(super) fn chosen<'a>(settings: &Settings, levels: &'a [EngineLevel]) -> Option<&'a EngineLevel> {
    if settings.level > 0 {
        return levels.get((settings.level as usize).min(levels.len()).checked_sub(1)?);
    }
    let highest = levels.last()?;
    let wanted = settings.elo.unwrap_or(highest.elo);
    settings.limit_strength.then(|| levels.iter().min_by_key(|level| level.elo.abs_diff(wanted)))?
}

/// The search of a level. It makes one evaluation at a time, so that it plays as in the matches that measured it.
pub(super) struct LevelSearch<V: Variant> {
    search: Search<V>,
    batch: LeafBatch,
    answers: Evaluations,
    rng: ChaCha8Rng,
}

impl<V: Variant> LevelSearch<V> {
    pub fn new(seed: u64) -> LevelSearch<V> {
        LevelSearch {
            search: Search::new(SearchConfig::default()),
            batch: LeafBatch::default(),
            answers: Evaluations::default(),
            rng: ChaCha8Rng::seed_from_u64(seed),
        }
    }

    /// Forgets the last game.
    pub fn forget(&mut self) {
        self.search.forget();
    }

    /// Searches with the visits of the level, or fewer if so many are allowed or `interrupt` is set. At least one position
    /// is evaluated.
    ///
    /// # Errors
    /// The network fails.
    pub fn run(
        &mut self,
        game: &Game<V>,
        level: &SearchConfig,
        most: u32,
        evaluator: &mut TimedEvaluator,
        interrupt: &AtomicBool,
    ) -> Result<AnalysisReport, EvaluationError> {
        if self.search.config() != level {
            self.search = Search::new(level.clone());
        }
        let begun = Instant::now();
        self.batch.set_features(evaluator.features());
        self.search.begin(game, level.visits.min(most).max(1), &mut self.rng);
        let goes_on = || !interrupt.load(Ordering::Relaxed);
        match self.search.run_alone(evaluator, &mut self.batch, &mut self.answers, goes_on) {
            Ok(evaluations) => Ok(self.report(evaluations, begun)),
            Err(error) => {
                self.search.forget();
                Err(error)
            }
        }
    }

    fn report(&mut self, evaluations: u64, begun: Instant) -> AnalysisReport {
        let moves = self.search.principal_variation(LINE);
        let result = self.search.result().clone();
        let chosen = result.moves.iter().find(|tried| tried.mv == result.best);
        let line = Variation {
            moves,
            visits: chosen.map_or(0, |tried| tried.visits),
            share: chosen.map_or(0.0, |tried| tried.share),
            prior: chosen.map_or(0.0, |tried| tried.prior),
            wdl: result.root_wdl,
            proven: result.proven,
        };
        AnalysisReport {
            depth: line.moves.len() as f32,
            seldepth: line.moves.len(),
            lines: vec![line],
            wdl: result.root_wdl,
            q: result.root_q,
            proven: result.proven,
            simulations: result.visits.into(),
            visits: result.visits,
            evaluations,
            cache_hits: 0,
            tree_bytes: self.search.tree().bytes_used(),
            elapsed: begun.elapsed(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_number_of_a_level_comes_before_its_elo() {
        let level = |elo: u32| EngineLevel { elo, search: SearchConfig { visits: elo, ..SearchConfig::default() } };
        let levels = [level(1_000), level(1_150), level(1_300)];
        let elo = |number: u32, limit_strength: bool, elo: Option<u32>| {
            let settings = Settings { level: number, limit_strength, elo, ..Settings::default() };
            chosen(&settings, &levels).map(|level| level.elo)
        };
        assert_eq!(elo(0, false, Some(1_000)), None, "full strength");
        assert_eq!(elo(1, true, Some(1_300)), Some(1_000));
        assert_eq!(elo(9, false, None), Some(1_300), "the highest there is");
        assert_eq!(
            [elo(0, true, None), elo(0, true, Some(1_200)), elo(0, true, Some(5))],
            [1_300, 1_150, 1_000].map(Some)
        );
        assert_eq!(chosen(&Settings { level: 1, ..Settings::default() }, &[]), None);
    }
}
