//! `kirin.search`: the analysis of one position, with a network or with a function of Python.

use crate::any_game::AnyGame;
use crate::callable::Callable;
use crate::network::Network;
use crate::position::Position;
use crate::refusal::{Refusal, within};
use crate::search_order::{Order, SearchResult};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use rules::encode::Features;
use rules::{Notation, VariantId, dispatch};
use search::{AnalysisConfig, AnalysisError, AnalysisRequest, EvaluationError, Evaluator, UniformEvaluator};
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
pub(crate) const MOST_BATCH: i64 = 4096;
/// Most megabytes of a tree.
const MOST_MEMORY: i64 = 1_000_000;
/// Time between two looks at what Python has to do, such as Ctrl-C.
const LOOK: Duration = Duration::from_millis(100);

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
    position, network=NetworkArgument::Builtin, *, visits=None, seconds=None, batch=None, memory=1024, notation="uci",
    attacks=false, legal=false,
), text_signature = "(position, network='builtin', *, visits=None, seconds=None, batch=None, memory=1024, notation='uci', \
attacks=False, legal=False)")]
#[allow(clippy::too_many_arguments)] // the keyword arguments of Python
pub(crate) fn search_position(
    py: Python<'_>,
    position: &Bound<'_, Position>,
    network: NetworkArgument,
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
    let batch = given.unwrap_or(if matches!(network, NetworkArgument::Function(_)) { CALLABLE_BATCH } else { 1 });
    let mut evaluator = network.evaluator(variant, batch, attacks, legal)?;
    let config = AnalysisConfig { batch: evaluator.batch_size(), tree_bytes, ..AnalysisConfig::default() };
    let open = if time.is_some() { u32::MAX } else { VISITS };
    let order = Order {
        config: if matches!(network, NetworkArgument::Nothing) { config } else { config.of_network() },
        request: AnalysisRequest {
            simulations: visits.map_or(open, |visits| visits as u32),
            time,
            lines: 1,
            every: LOOK,
        },
        notation: notation.to_owned(),
        stop: AtomicBool::new(false),
    };
    py.detach(|| searched(&*game, &order, &mut *evaluator))
}

/// Runs the search and raises what Python has to raise.
fn searched(game: &dyn AnyGame, order: &Order, evaluator: &mut dyn Evaluator) -> PyResult<SearchResult> {
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
pub(crate) enum NetworkArgument {
    Builtin,
    Nothing,
    Network(Py<Network>),
    Function(Py<PyAny>),
}

impl NetworkArgument {
    /// An evaluator for batches of `batch` positions. `attacks` and `legal` say what a function is given.
    ///
    /// # Errors
    /// The network plays another variant, the function cannot play this one, or `attacks` or `legal` is set and there is
    /// no function.
    pub(crate) fn evaluator(
        &self,
        variant: VariantId,
        batch: usize,
        attacks: bool,
        legal: bool,
    ) -> Result<Box<dyn Evaluator>, Refusal> {
        match self {
            NetworkArgument::Function(function) => {
                let function = Python::attach(|py| function.clone_ref(py));
                Ok(Box::new(Callable::new(variant, function, batch, Features { attacks }, legal)?))
            }
            _ if attacks || legal => {
                Err(Refusal::new("attacks and legal say what a function is given; a network has its own input"))
            }
            NetworkArgument::Network(network) => network.get().evaluator_for(variant, batch),
            NetworkArgument::Builtin => Network::builtin(variant)?.evaluator_for(variant, batch),
            NetworkArgument::Nothing => Ok(Box::new(UniformEvaluator::new(batch))),
        }
    }
}

impl<'py> FromPyObject<'_, 'py> for NetworkArgument {
    type Error = PyErr;

    fn extract(given: Borrowed<'_, 'py, PyAny>) -> PyResult<NetworkArgument> {
        if given.is_none() {
            return Ok(NetworkArgument::Nothing);
        }
        if let Ok(name) = given.extract::<String>() {
            let wrong = || {
                Refusal::new(format!(
                    "network is {name:?}; expected 'builtin', None, a function, or kirin.Network({name:?})"
                ))
            };
            return if name == "builtin" { Ok(NetworkArgument::Builtin) } else { Err(wrong().into()) };
        }
        if let Ok(network) = given.cast::<Network>() {
            return Ok(NetworkArgument::Network(network.to_owned().unbind()));
        }
        if given.is_callable() {
            return Ok(NetworkArgument::Function(given.to_owned().unbind()));
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
