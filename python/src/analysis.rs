//! `kirin.search`: the analysis of one position, with a network or with a function of Python.

use crate::any_game::AnyGame;
use crate::callable::Callable;
use crate::network::Network;
use crate::position::Position;
use crate::refusal::{Refusal, within};
use crate::search_order::{Found, FoundLine, Order};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use rules::encode::Features;
use rules::{Notation, dispatch};
use search::UniformEvaluator;
use search::{AnalysisConfig, AnalysisError, AnalysisRequest, EvaluationError, Evaluator, Proof};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Visits where neither visits nor seconds are given.
const VISITS: u32 = 800;
/// Most visits of one search.
const MOST_VISITS: i64 = 1_000_000_000;
/// Most seconds of one search.
const MOST_SECONDS: f64 = 1e6;
/// Positions in a call of a function, which costs more than the search of a few leaves.
const CALLABLE_BATCH: usize = 16;
/// Most positions in a call.
const MOST_BATCH: i64 = 4096;
/// Most megabytes of a tree.
const MOST_MEMORY: i64 = 1_000_000;
/// Time between two looks at what Python has to do, such as Ctrl-C.
const LOOK: Duration = Duration::from_millis(100);

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
#[pyclass(module = "kirin", frozen)]
pub(crate) struct SearchResult(Found);

#[pymethods]
impl SearchResult {
    /// The best move.
    #[getter]
    fn best(&self) -> &str {
        self.0.lines.first().and_then(|line| line.moves.first()).map_or("", String::as_str)
    }

    /// The moves that were tried, best first, each with the line expected after it.
    #[getter]
    fn lines(&self) -> Vec<Line> {
        let line = |FoundLine { moves, figures }: &FoundLine| Line {
            moves: moves.clone(),
            visits: figures.visits,
            share: figures.share,
            prior: figures.prior,
            wdl: figures.wdl.into(),
            q: figures.q(),
            proven: proven(figures.proven),
        };
        self.0.lines.iter().map(line).collect()
    }

    /// The share of the visits of each move that was tried, best first.
    #[getter]
    fn policy<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let policy = PyDict::new(py);
        for line in &self.0.lines {
            policy.set_item(line.moves.first(), line.figures.share)?;
        }
        Ok(policy)
    }

    /// Chances of win, draw and loss.
    #[getter]
    fn wdl(&self) -> (f32, f32, f32) {
        self.0.wdl.into()
    }

    /// Win - loss, -1 to 1.
    #[getter]
    fn q(&self) -> f32 {
        self.0.q
    }

    /// 'win', 'draw' or 'loss' where that is certain, and the plies until the game then ends; else None.
    #[getter]
    fn proven(&self) -> Proven {
        proven(self.0.proven)
    }

    /// Visits.
    #[getter]
    fn visits(&self) -> u64 {
        self.0.visits
    }

    /// Positions that the network was asked about.
    #[getter]
    fn evaluations(&self) -> u64 {
        self.0.evaluations
    }

    /// Positions whose evaluation was known already.
    #[getter]
    fn cache_hits(&self) -> u64 {
        self.0.cache_hits
    }

    /// Mean length of the lines that were tried, plies.
    #[getter]
    fn depth(&self) -> f32 {
        self.0.depth
    }

    /// Length of the longest of them, plies.
    #[getter]
    fn longest(&self) -> usize {
        self.0.longest
    }

    /// Seconds that the search took.
    #[getter]
    fn seconds(&self) -> f64 {
        self.0.seconds
    }

    /// Why it ended: 'visits', 'time', 'proven' or 'memory'.
    #[getter]
    fn finish(&self) -> &'static str {
        self.0.finish.name()
    }

    fn __repr__(&self) -> String {
        format!("<SearchResult {}: {} visits, q {:+.3}>", self.best(), self.0.visits, self.0.q)
    }
}

/// Searches a position by PUCT with exact proofs, as `kirin analyse` does. It does not change the position, and other threads
/// run meanwhile.
///
/// `network` is a kirin.Network; 'builtin' for the one that comes with Kirin; None for a search that knows only the rules; or
/// a function that evaluates positions. Without `visits` and `seconds` the search ends after 800 visits. It ends earlier
/// where the result is certain or the tree has filled `memory` (megabytes). `batch` is how many positions are evaluated at
/// once: without it 1, and 16 for a function. `notation` is that of the moves of the result.
///
/// The function gets the input planes of some positions, float32 [batch, plane, rank, file] (Position.planes(), with
/// `attacks=True` those of attacked squares too). It returns two arrays of numpy or of another library: logits of the policy,
/// [batch, kirin.action_count(variant)] in the order of the table of actions; and values, [batch] (q, -1 to 1) or [batch, 3]
/// (chances of win, draw and loss), all from the point of view of the side to move. With `legal=True` the function gets the
/// legal moves as well, in two arrays like those of VectorEnv.legal(), and its logits may be one for each of those moves; in
/// Kō shogi, which has no table, they must be. An exception in the function ends the search and is raised.
///
/// >>> import kirin, numpy
/// >>> found = kirin.search(kirin.Position("xiangqi"), visits=100)
/// >>> found.visits, found.finish
/// (100, 'visits')
/// >>> def evaluate(planes):
/// ...     return numpy.zeros((len(planes), 2139)), numpy.zeros(len(planes))
/// >>> kirin.search(kirin.Position("xiangqi"), evaluate, visits=100).wdl
/// (0.5, 0.0, 0.5)
#[pyfunction]
#[pyo3(name = "search", signature = (
    position, network=Asked::Builtin, *, visits=None, seconds=None, batch=None, memory=1024, notation="uci", attacks=false,
    legal=false,
), text_signature = "(position, network='builtin', *, visits=None, seconds=None, batch=None, memory=1024, notation='uci', \
attacks=False, legal=False)")]
#[allow(clippy::too_many_arguments)] // the keyword arguments of Python
pub(crate) fn search_position(
    py: Python<'_>,
    position: &Bound<'_, Position>,
    network: Asked,
    visits: Option<i64>,
    seconds: Option<f64>,
    batch: Option<i64>,
    memory: i64,
    notation: &str,
    attacks: bool,
    legal: bool,
) -> PyResult<SearchResult> {
    let game = position.try_borrow()?.game.copied();
    let variant = game.variant();
    dispatch!(variant, V => Notation::<V>::named(notation).map(drop).map_err(Refusal::from))?;
    let visits = visits.map(|visits| within("visits", visits, MOST_VISITS)).transpose()?;
    let time = seconds.map(time).transpose()?;
    let given = batch.map(|batch| within("batch", batch, MOST_BATCH)).transpose()?;
    let tree_bytes = within("memory", memory, MOST_MEMORY)? << 20;
    network.check_inputs(attacks, legal)?;
    let mut evaluator: Box<dyn Evaluator> = match &network {
        Asked::Function(function) => {
            let batch = given.unwrap_or(CALLABLE_BATCH);
            let function = function.clone_ref(py);
            Box::new(Callable::new(variant, function, batch, Features { attacks }, legal)?)
        }
        Asked::Network(network) => network.get().evaluator_for(variant, given.unwrap_or(1))?,
        Asked::Builtin => Network::builtin(variant)?.evaluator_for(variant, given.unwrap_or(1))?,
        Asked::Nothing => Box::new(UniformEvaluator::new(given.unwrap_or(1))),
    };
    let config = AnalysisConfig { batch: evaluator.batch_size(), tree_bytes, ..AnalysisConfig::default() };
    let open = if time.is_some() { u32::MAX } else { VISITS };
    let order = Order {
        config: if matches!(network, Asked::Nothing) { config } else { config.of_network() },
        request: AnalysisRequest {
            simulations: visits.map_or(open, |visits| visits as u32),
            time,
            lines: 1,
            every: LOOK,
        },
        notation: notation.to_owned(),
        stop: AtomicBool::new(false),
    };
    let found = py.detach(|| searched(&*game, &order, &mut *evaluator));
    // What Python keeps is given back while the GIL is held.
    drop(evaluator);
    found.map(SearchResult)
}

/// Runs the search and raises what Python has to raise.
fn searched(game: &dyn AnyGame, order: &Order, evaluator: &mut dyn Evaluator) -> PyResult<Found> {
    let mut interrupt = None;
    let found = game.search(order, evaluator, &mut || {
        if let Err(error) = Python::attach(|py| py.check_signals()) {
            interrupt = Some(error);
            order.stop.store(true, Ordering::Relaxed);
        }
    });
    if let Some(interrupt) = interrupt {
        return Err(interrupt);
    }
    found.map_err(|error| match error {
        AnalysisError::Evaluation(EvaluationError::Network(source)) => raised(source),
        error => Refusal::from(error).into(),
    })
}

/// What a function has raised, or why another network failed.
pub(crate) fn raised(source: Box<dyn std::error::Error + Send + Sync>) -> PyErr {
    match source.downcast::<PyErr>() {
        Ok(raised) => *raised,
        Err(source) => Refusal::new(format!("the network failed: {source}")).into(),
    }
}

/// The argument `network`.
pub(crate) enum Asked {
    Builtin,
    Nothing,
    Network(Py<Network>),
    Function(Py<PyAny>),
}

impl Asked {
    /// Refuses `attacks` and `legal` for what is no function.
    pub(crate) fn check_inputs(&self, attacks: bool, legal: bool) -> Result<(), Refusal> {
        match (attacks || legal) && !matches!(self, Asked::Function(_)) {
            true => Err(Refusal::new("attacks and legal say what a function is given; a network has its own input")),
            false => Ok(()),
        }
    }
}

impl<'py> FromPyObject<'_, 'py> for Asked {
    type Error = PyErr;

    fn extract(given: Borrowed<'_, 'py, PyAny>) -> PyResult<Asked> {
        if given.is_none() {
            return Ok(Asked::Nothing);
        }
        if let Ok(name) = given.extract::<String>() {
            let wrong = || {
                Refusal::new(format!(
                    "network is {name:?}; expected 'builtin', None, a function, or kirin.Network({name:?})"
                ))
            };
            return if name == "builtin" { Ok(Asked::Builtin) } else { Err(wrong().into()) };
        }
        if let Ok(network) = given.cast::<Network>() {
            return Ok(Asked::Network(network.to_owned().unbind()));
        }
        if given.is_callable() {
            return Ok(Asked::Function(given.to_owned().unbind()));
        }
        Err(PyTypeError::new_err("network must be a kirin.Network, 'builtin', None, or a function"))
    }
}

fn time(seconds: f64) -> Result<Duration, Refusal> {
    if (0.0..=MOST_SECONDS).contains(&seconds) {
        return Ok(Duration::from_secs_f64(seconds));
    }
    Err(Refusal::new(format!("seconds is {seconds}; expected 0 to {MOST_SECONDS}")))
}
