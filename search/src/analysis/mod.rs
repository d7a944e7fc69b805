//! Analysis of one position for any length of time: one tree, many leaves in flight.
//!
//! [`Analysis::run`] searches with PUCT and without noise. Simulations that wait for the network count as virtual
//! losses for the others, so that a batch holds different leaves. The tree is updated exactly as if one simulation had
//! followed another; with a batch of one it is the same search as [`Search`](crate::Search). It stops between two
//! batches: when the request is met, when a flag is set (by Ctrl-C, by `stop` of an engine protocol), when the
//! game-theoretic value is proven, or when its memory limit is reached. The tree is kept, so an analysis of the same
//! position, or of a later one of the same game, reuses earlier results.
//!
//! During the search and at its end, it makes an [`AnalysisReport`]: the best lines with visits, shares and WDL, and depth,
//! speed and memory. An engine answers `go nodes N` by `simulations: N`, `go movetime T` by `time: Some(T)`,
//! `go infinite` by neither, and MultiPV by `lines`; `bestmove` is the first move of the first line.
//!
//! ```
//! use rules::{Game, Rules, Xiangqi};
//! use search::{Analysis, AnalysisConfig, Finish, AnalysisRequest, UniformEvaluator};
//! use std::sync::atomic::AtomicBool;
//!
//! let game = Game::<Xiangqi>::start(Rules::default());
//! let mut analysis = Analysis::new(AnalysisConfig { batch: 8, ..AnalysisConfig::default() });
//! let request = AnalysisRequest { simulations: 500, lines: 3, ..AnalysisRequest::default() };
//! let (mut network, stop) = (UniformEvaluator::new(8), AtomicBool::new(false));
//! let (finish, report) = analysis.run(&game, &mut network, &request, &stop, |_| {})?;
//! assert_eq!((finish, report.simulations, report.lines.len()), (Finish::Simulations, 500, 3));
//! println!("best move: {}", game.position().format_move(report.lines[0].moves[0]));
//! # Ok::<(), search::AnalysisError>(())
//! ```

mod report;
#[cfg(test)]
mod tests;

pub use report::{AnalysisReport, Variation};

use crate::config::{Algorithm, Reuse, SearchConfig};
use crate::evaluator::{EvaluationError, Evaluations, Evaluator, LeafBatch};
use crate::state::GameState;
use crate::tree_search::{SearchRequest, TreeSearch};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rules::MoveList;
use rules::encode::Features;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Settings of an analysis.
#[derive(Clone, Debug, PartialEq)]
pub struct AnalysisConfig {
    /// Settings of the search. Only those of PUCT count, without exploration for training
    /// ([`SearchConfig::for_matches`]): Gumbel search must know its number of visits beforehand.
    pub search: SearchConfig,
    /// Most leaves in flight, 1 to 4,096, and not more than the evaluator's batch size. More of them keep a network
    /// busier, but each is chosen with less knowledge.
    pub batch: usize,
    /// Most bytes of nodes and edges; the vectors that hold them may take up to twice as much.
    pub tree_bytes: usize,
    /// Bytes for network outputs of positions that have left the tree or are reached in several ways.
    pub cache_bytes: usize,
}

impl Default for AnalysisConfig {
    fn default() -> Self {
        AnalysisConfig {
            search: SearchConfig { cpuct_log: 0.28, ..SearchConfig::default() },
            batch: 16,
            tree_bytes: 1 << 30,
            cache_bytes: 64 << 20,
        }
    }
}

/// How long to search, and what to report meanwhile.
#[derive(Clone, Debug, PartialEq)]
pub struct AnalysisRequest {
    /// Most visits of this run, in addition to those of a kept tree; `u32::MAX` is no limit.
    pub simulations: u32,
    /// Most time of this run; a batch begun before is finished.
    pub time: Option<Duration>,
    /// Lines of a report (MultiPV).
    pub lines: usize,
    /// Time between two reports.
    pub every: Duration,
}

impl Default for AnalysisRequest {
    fn default() -> Self {
        AnalysisRequest { simulations: u32::MAX, time: None, lines: 1, every: Duration::from_secs(1) }
    }
}

/// Why an analysis ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Finish {
    /// All visits asked for were made.
    Simulations,
    /// The time was up.
    Time,
    /// The flag was raised.
    Stopped,
    /// The position is proven to be won, drawn or lost.
    Proven,
    /// The tree has taken the memory it may take.
    Memory,
}

impl Finish {
    /// The name in answers to programs, for example `visits`.
    pub fn name(self) -> &'static str {
        match self {
            Finish::Simulations => "visits",
            Finish::Time => "time",
            Finish::Stopped => "stopped",
            Finish::Proven => "proven",
            Finish::Memory => "memory",
        }
    }
}

/// Why a position could not be analysed.
#[derive(Debug, thiserror::Error)]
pub enum AnalysisError {
    /// No move can be made.
    #[error("the game is over in this position")]
    GameOver,
    /// The network failed. The kept results for the position are discarded.
    #[error(transparent)]
    Evaluation(#[from] EvaluationError),
}

/// Most simulations between two looks at the clock. Where most of them end at known results, such as a drawn repetition, a
/// batch would be filled only after millions.
const SIMULATIONS_AT_ONCE: u32 = 1_000;

/// Most visits that a tree counts: visits are 32 bits, and those of earlier runs are included.
const MOST_SIMULATIONS: u32 = 1 << 31;

/// A tree that is kept from run to run. For another network or rule set see [`Analysis::forget`].
#[derive(Debug)]
pub struct Analysis<S> {
    config: AnalysisConfig,
    search: TreeSearch<S>,
    batch: LeafBatch,
    answers: Evaluations,
    begun: Instant,
}

impl AnalysisConfig {
    /// These settings for a network ([`crate::DEVIATION_SHARE`]). The defaults are for a search without one.
    #[must_use]
    pub fn of_network(self) -> AnalysisConfig {
        let search = SearchConfig { cpuct_deviation_share: crate::DEVIATION_SHARE, ..self.search };
        AnalysisConfig { search, ..self }
    }
}

impl<S: GameState> Analysis<S> {
    /// An analysis with an empty tree.
    pub fn new(config: AnalysisConfig) -> Self {
        let search = SearchConfig { algorithm: Algorithm::Puct, ..config.search.clone() }.for_matches();
        Analysis {
            search: TreeSearch::new(SearchConfig { reuse: Reuse::Subtree, ..search }),
            batch: LeafBatch::with_cache(Features::default(), config.cache_bytes),
            config,
            answers: Evaluations::default(),
            begun: Instant::now(),
        }
    }

    /// Forgets all network outputs. Must be called when the network or the rule set changes.
    pub fn forget(&mut self) {
        self.search.forget();
        self.batch.forget();
    }

    /// Searches the present position of `game` until the request is met or `stop` is set, and calls `on_report` at
    /// intervals. The root is always evaluated, so there is a best move even after an early stop.
    ///
    /// # Errors
    /// See [`AnalysisError`].
    pub fn run<E: Evaluator + ?Sized>(
        &mut self,
        game: &S,
        evaluator: &mut E,
        request: &AnalysisRequest,
        stop: &AtomicBool,
        mut on_report: impl FnMut(&AnalysisReport),
    ) -> Result<(Finish, AnalysisReport), AnalysisError> {
        self.batch.set_features(evaluator.features());
        self.begin(game, request.simulations)?;
        let mut reported = self.begun;
        let finish = loop {
            self.search_batch(evaluator)?;
            if let Some(finish) = self.finish(request, stop) {
                break finish;
            }
            if reported.elapsed() >= request.every {
                reported = Instant::now();
                on_report(&self.report(request.lines));
            }
        };
        Ok((finish, self.report(request.lines)))
    }

    fn begin(&mut self, game: &S, simulations: u32) -> Result<(), AnalysisError> {
        let mut legal = MoveList::new();
        game.legal_moves(&mut legal);
        if legal.is_empty() || game.final_score(&legal).is_some() {
            return Err(AnalysisError::GameOver);
        }
        let order =
            SearchRequest { visits: simulations.min(MOST_SIMULATIONS), algorithm: Algorithm::Puct, noise: false };
        // There is no noise, so the seed has no effect.
        self.search.begin_as(game, order, &mut ChaCha8Rng::from_seed([0; 32]));
        self.begun = Instant::now();
        Ok(())
    }

    /// Gathers a batch of leaves, has it evaluated, and processes the answers.
    fn search_batch<E: Evaluator + ?Sized>(&mut self, evaluator: &mut E) -> Result<(), EvaluationError> {
        let wanted = self.config.batch.min(evaluator.batch_size()).max(1);
        self.batch.clear();
        let leaves = self.search.next_leaves(wanted, SIMULATIONS_AT_ONCE, &mut self.batch);
        if leaves == 0 {
            return Ok(());
        }
        let answered =
            evaluator.evaluate(&self.batch, &mut self.answers).and_then(|()| self.answers.check(&self.batch));
        if let Err(error) = answered {
            // The pending leaves would never get their values.
            self.search.forget();
            return Err(error);
        }
        (0..leaves).try_for_each(|leaf| self.search.supply(&mut self.batch, leaf, &self.answers))
    }

    fn finish(&self, request: &AnalysisRequest, stop: &AtomicBool) -> Option<Finish> {
        if self.search.is_proven() {
            Some(Finish::Proven)
        } else if self.search.is_complete() {
            Some(Finish::Simulations)
        } else if stop.load(Ordering::Relaxed) {
            Some(Finish::Stopped)
        } else if request.time.is_some_and(|time| self.begun.elapsed() >= time) {
            Some(Finish::Time)
        } else {
            (self.search.tree().bytes_used() >= self.config.tree_bytes).then_some(Finish::Memory)
        }
    }
}
