//! A search of one position of any variant, and its result: `kirin.SearchResult`.

use pyo3::prelude::*;
use pyo3::types::PyDict;
use rules::{Game, Move, Notation, Variant};
use search::analysis::Variation;
use search::{Analysis, AnalysisConfig, AnalysisError, AnalysisRequest, Evaluator, Proof};
use std::sync::atomic::AtomicBool;

/// What to search and how.
pub(crate) struct Order {
    pub config: AnalysisConfig,
    pub request: AnalysisRequest,
    pub notation: String,
    /// Ends the search.
    pub stop: AtomicBool,
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
    ) -> Result<SearchResult, AnalysisError> {
        let mut analysis = Analysis::new(self.config.clone());
        let (finish, _) = analysis.run(game, evaluator, &self.request, &self.stop, |_| look())?;
        let report = analysis.report(usize::MAX);
        let notation = Notation::named(&self.notation).expect("checked before the search");
        let line = |line: Variation| {
            let mut position = game.position().clone();
            let write = |mv: &Move| {
                let text = notation.write(&position, *mv);
                position.play(*mv);
                text
            };
            Line {
                moves: line.moves.iter().map(write).collect(),
                visits: line.visits,
                share: line.share,
                prior: line.prior,
                wdl: line.wdl.into(),
                q: line.q(),
                proven: proven(line.proven),
            }
        };
        Ok(SearchResult {
            lines: report.lines.into_iter().map(line).collect(),
            wdl: report.wdl.into(),
            q: report.q,
            proven: proven(report.proven),
            visits: report.simulations,
            evaluations: report.evaluations,
            cache_hits: report.cache_hits,
            depth: report.depth,
            longest: report.seldepth,
            seconds: report.elapsed.as_secs_f64(),
            finish: finish.name(),
        })
    }
}

/// 'win', 'draw' or 'loss', and the plies until the game then ends.
type Proven = Option<(&'static str, u16)>;

fn proven(proven: Option<(Proof, u16)>) -> Proven {
    proven.map(|(proof, plies)| (proof.name(), plies))
}

/// One of the moves of a search, with the line expected after it. Values are those of the side to move at the root.
///
/// >>> import kirin
/// >>> line = kirin.search(kirin.Position("xiangqi"), visits=50).lines[0]
/// >>> len(line.wdl), 0 < line.share <= 1
/// (3, True)
#[pyclass(module = "kirin", frozen, get_all)]
#[derive(Clone)]
pub(crate) struct Line {
    /// The move, then the most visited replies.
    moves: Vec<String>,
    /// Visits of the move.
    visits: u32,
    /// Its share of the visits of all moves, 0 to 1.
    share: f32,
    /// The network's policy for it, 0 to 1.
    prior: f32,
    /// Chances of win, draw and loss after the move.
    wdl: (f32, f32, f32),
    /// Win - loss, -1 to 1.
    q: f32,
    /// 'win', 'draw' or 'loss' where that is certain, and the plies until the game then ends; else None.
    proven: Proven,
}

#[pymethods]
impl Line {
    fn __repr__(&self) -> String {
        let first = self.moves.first().map_or("", String::as_str);
        format!("<Line {first}: {} visits, q {:+.3}>", self.visits, self.q)
    }
}

/// What a search found. Values are those of the side to move.
///
/// >>> import kirin
/// >>> mate = kirin.Position("xiangqi", "5k3/4a4/3a5/5N1N1/9/4p4/6R2/9/p3A4/4KAB2 w - - 11 132")
/// >>> found = kirin.search(mate)
/// >>> found.best, found.proven, found.finish
/// ('g4g10', ('win', 3), 'proven')
/// >>> found.policy["g4g10"] > 0
/// True
#[pyclass(module = "kirin", frozen, get_all)]
pub(crate) struct SearchResult {
    /// The moves that were tried, best first, each with the line expected after it.
    lines: Vec<Line>,
    /// Chances of win, draw and loss.
    wdl: (f32, f32, f32),
    /// Win - loss, -1 to 1.
    q: f32,
    /// 'win', 'draw' or 'loss' where that is certain, and the plies until the game then ends; else None.
    proven: Proven,
    /// Visits.
    visits: u64,
    /// Positions that the network was asked about.
    evaluations: u64,
    /// Positions whose evaluation was known already.
    cache_hits: u64,
    /// Mean length of the lines that were tried, plies.
    depth: f32,
    /// Length of the longest of them, plies.
    longest: usize,
    /// Seconds that the search took.
    seconds: f64,
    /// Why it ended: 'visits', 'time', 'proven' or 'memory'.
    finish: &'static str,
}

#[pymethods]
impl SearchResult {
    /// The best move.
    #[getter]
    fn best(&self) -> &str {
        self.lines.first().and_then(|line| line.moves.first()).map_or("", String::as_str)
    }

    /// The share of the visits of each move that was tried, best first.
    #[getter]
    fn policy<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let policy = PyDict::new(py);
        self.lines.iter().try_for_each(|line| policy.set_item(line.moves.first(), line.share))?;
        Ok(policy)
    }

    fn __repr__(&self) -> String {
        format!("<SearchResult {}: {} visits, q {:+.3}>", self.best(), self.visits, self.q)
    }
}
