//! A search of one position that can be asked for whatever the variant is, and what it found.

use rules::{Game, Move, Notation, Variant};
use search::analysis::Variation;
use search::{Analysis, AnalysisConfig, AnalysisError, AnalysisRequest, Evaluator, Finish, Proof};
use std::sync::atomic::AtomicBool;

/// What to search and how.
pub(crate) struct Order {
    pub config: AnalysisConfig,
    pub request: AnalysisRequest,
    pub notation: String,
    /// Ends the search.
    pub stop: AtomicBool,
}

/// What a search found.
pub(crate) struct Found {
    pub finish: Finish,
    pub wdl: [f32; 3],
    pub q: f32,
    pub proven: Option<(Proof, u16)>,
    pub visits: u64,
    pub evaluations: u64,
    pub cache_hits: u64,
    pub depth: f32,
    pub longest: usize,
    pub seconds: f64,
    pub lines: Vec<FoundLine>,
}

/// A line, with its moves as text.
pub(crate) struct FoundLine {
    pub moves: Vec<String>,
    pub figures: Variation,
}

impl Order {
    /// Searches the present position of a game.
    ///
    /// # Errors
    /// The game is over, or the evaluator fails.
    pub fn run<V: Variant>(
        &self,
        game: &Game<V>,
        evaluator: &mut dyn Evaluator,
        look: &mut dyn FnMut(),
    ) -> Result<Found, AnalysisError> {
        let mut analysis = Analysis::new(self.config.clone());
        let (finish, _) = analysis.run(game, evaluator, &self.request, &self.stop, |_| look())?;
        let report = analysis.report(usize::MAX);
        let notation = Notation::named(&self.notation).expect("checked before the search");
        let line = |figures: Variation| {
            let mut position = game.position().clone();
            let write = |mv: &Move| {
                let text = notation.write(&position, *mv);
                position.play(*mv);
                text
            };
            FoundLine { moves: figures.moves.iter().map(write).collect(), figures }
        };
        Ok(Found {
            finish,
            wdl: report.wdl,
            q: report.q,
            proven: report.proven,
            visits: report.simulations,
            evaluations: report.evaluations,
            cache_hits: report.cache_hits,
            depth: report.depth,
            longest: report.seldepth,
            seconds: report.elapsed.as_secs_f64(),
            lines: report.lines.into_iter().map(line).collect(),
        })
    }
}
