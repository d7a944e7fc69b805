//! Weaker play: levels with a measured strength, and a search that plays at one of them.

use super::deadline::TimedEvaluator;
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
