//! `kirin.Network`: a network that evaluates positions on the CPU, without libtorch.

use crate::any_game::AnyGame;
use crate::position::Position;
use crate::refusal::{Refusal, threads};
use lab::RunFolder;
use numpy::PyArray1;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use rules::{Rulebook, VariantId, dispatch};
use search::{Evaluations, Evaluator, LeafBatch};
use settings::Complaints;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use train::{Backend, EvaluatorConfig, NetworkEvaluator, NetworkFile, Precision, Workload};

/// What the source of a network that comes with Kirin begins with.
const BUILTIN: &str = "builtin:";
/// Positions that one thread evaluates at a time.
pub(crate) const BATCH: usize = 64;

/// A network, evaluated on the CPU without libtorch and without the GIL.
///
/// `source` is 'builtin:VARIANT' for the network that comes with Kirin, a network file, or a run folder for the newest
/// network of that run. `precision` is 'int8', 'fp32', or 'auto': int8 where its evaluations agree with those of fp32.
///
/// >>> import kirin
/// >>> network = kirin.Network("builtin:xiangqi")
/// >>> network.variant, network.precision
/// ('xiangqi', 'int8')
/// >>> evaluation, = network.evaluate([kirin.Position("xiangqi")])
/// >>> len(evaluation.moves), round(float(evaluation.policy.sum()), 3)
/// (44, 1.0)
/// >>> kirin.Network("builtin:chess")
/// Traceback (most recent call last):
///   ...
/// ValueError: no variant is called "chess"; there are: janggi, xiangqi, shogi, wangqi, koshogi
/// >>> kirin.Network("builtin")
/// Traceback (most recent call last):
///   ...
/// ValueError: the variant is missing; write 'builtin:VARIANT'
#[pyclass(module = "kirin", frozen)]
pub(crate) struct Network {
    source: String,
    variant: VariantId,
    file: NetworkFile,
    config: EvaluatorConfig,
}

impl Network {
    /// The network of a variant that comes with Kirin.
    ///
    /// # Errors
    /// There is none.
    pub(crate) fn builtin(variant: VariantId) -> Result<&'static Network, Refusal> {
        static KNOWN: [OnceLock<Network>; VariantId::ALL.len()] = [const { OnceLock::new() }; VariantId::ALL.len()];
        let cell = &KNOWN[variant as usize];
        match cell.get() {
            Some(network) => Ok(network),
            // Two threads that come at the same time both make it, and one is kept.
            None => {
                let made = Network::of(format!("{BUILTIN}{variant}"), builtin(variant)?, Precision::Auto)?;
                Ok(cell.get_or_init(|| made))
            }
        }
    }

    fn of(source: String, file: NetworkFile, precision: Precision) -> Result<Network, Refusal> {
        let variant: VariantId = file.blueprint().variant.parse()?;
        dispatch!(variant, V => file.require::<V>(Path::new(&source)))?;
        let open = EvaluatorConfig { backend: Backend::Native, batch: BATCH, precision, ..EvaluatorConfig::default() };
        let mut complaints = Complaints::default();
        open.check(&mut complaints);
        complaints.into_result()?;
        let (config, _) = open.for_network(&file, Workload::default())?;
        Ok(Network { source, variant, file, config })
    }

    /// An evaluator for positions of this variant.
    ///
    /// # Errors
    /// The network plays another variant.
    pub(crate) fn evaluator_for(&self, variant: VariantId, batch: usize) -> Result<Box<dyn Evaluator>, Refusal> {
        if variant != self.variant {
            let (own, source) = (self.variant, &self.source);
            return Err(Refusal::new(format!(
                "the network {source} plays {own}, and the position is one of {variant}"
            )));
        }
        Ok(Box::new(self.new_evaluator(batch)?))
    }

    fn new_evaluator(&self, batch: usize) -> Result<NetworkEvaluator, Refusal> {
        Ok(NetworkEvaluator::new(&self.file, &EvaluatorConfig { batch, ..self.config.clone() })?)
    }

    /// Evaluates games, each with its legal moves, on so many threads.
    fn evaluated(&self, games: &[Box<dyn AnyGame>], threads: usize) -> Result<Vec<Answer>, Refusal> {
        let share = games.len().div_ceil(threads).max(1);
        std::thread::scope(|scope| {
            let parts: Vec<_> =
                games.chunks(share).map(|part| scope.spawn(move || self.evaluated_here(part))).collect();
            let mut answers = Vec::with_capacity(games.len());
            for part in parts {
                answers.extend(part.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))?);
            }
            Ok(answers)
        })
    }

    fn evaluated_here(&self, games: &[Box<dyn AnyGame>]) -> Result<Vec<Answer>, Refusal> {
        let mut evaluator = self.new_evaluator(BATCH)?;
        let (mut leaves, mut out) = (LeafBatch::new(evaluator.features()), Evaluations::default());
        let mut answers = Vec::with_capacity(games.len());
        for games in games.chunks(BATCH) {
            leaves.clear();
            games.iter().for_each(|game| game.leaf(&mut leaves));
            evaluator.evaluate(&leaves, &mut out)?;
            for (leaf, game) in games.iter().enumerate() {
                let (logits, wdl) = out.of(&leaves, leaf);
                answers.push(Answer {
                    moves: game.legal("uci")?,
                    policy: softmax(logits),
                    wdl,
                    points: out.points.get(leaf).copied(),
                });
            }
        }
        Ok(answers)
    }
}

/// What a network says of a position.
struct Answer {
    moves: Vec<String>,
    policy: Vec<f32>,
    wdl: [f32; 3],
    /// In units of the variant.
    points: Option<f32>,
}

fn softmax(logits: &[f32]) -> Vec<f32> {
    let most = logits.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let shares: Vec<f32> = logits.iter().map(|&logit| (logit - most).exp()).collect();
    let sum: f32 = shares.iter().sum();
    shares.into_iter().map(|share| share / sum).collect()
}

fn builtin(variant: VariantId) -> Result<NetworkFile, Refusal> {
    train::builtin(variant)?.ok_or_else(|| Refusal::new(format!("no network of {variant} comes with Kirin")))
}

/// The network that a path stands for: that of the file, or the newest of a run folder.
fn read(path: &Path) -> PyResult<NetworkFile> {
    let mut file = path.to_owned();
    if path.is_dir() {
        let nets = RunFolder::new(path).networks();
        let nets = if nets.is_dir() { nets } else { path.to_owned() };
        let none = || Refusal::new(format!("{} holds no network (nets/gen-NNNN.safetensors)", path.display()));
        file = lab::newest_network(&nets)?.ok_or_else(none)?.1;
    } else if let Err(error) = std::fs::metadata(path) {
        // As Python itself says it: FileNotFoundError, PermissionError.
        return Err(error.into());
    }
    Ok(NetworkFile::read(&file).map_err(Refusal::from)?)
}

#[pymethods]
impl Network {
    #[new]
    #[pyo3(signature = (source, *, precision="auto"))]
    fn new(py: Python<'_>, source: PathBuf, precision: &str) -> PyResult<Network> {
        let precision: Precision = precision.parse().map_err(Refusal::from)?;
        let name = source.display().to_string();
        py.detach(|| {
            let file = match name.strip_prefix(BUILTIN) {
                Some(variant) => builtin(variant.parse().map_err(Refusal::from)?)?,
                None if name == "builtin" && !source.exists() => {
                    return Err(Refusal::new("the variant is missing; write 'builtin:VARIANT'").into());
                }
                None => read(&source)?,
            };
            Ok(Network::of(name, file, precision)?)
        })
    }

    /// Evaluates positions, on `threads` threads (all cores without it). Returns an Evaluation for each.
    ///
    /// >>> import kirin
    /// >>> network = kirin.Network("builtin:wangqi")
    /// >>> start = kirin.Position("wangqi")
    /// >>> [evaluation.wdl == network.evaluate([start])[0].wdl for evaluation in network.evaluate([start, start])]
    /// [True, True]
    #[pyo3(signature = (positions, *, threads=None))]
    fn evaluate(
        &self,
        py: Python<'_>,
        positions: &Bound<'_, PyAny>,
        threads: Option<i64>,
    ) -> PyResult<Vec<Evaluation>> {
        let threads = self::threads(threads)?;
        let wrong = || PyTypeError::new_err("positions must be a list of kirin.Position");
        let mut games = Vec::new();
        for position in positions.try_iter().map_err(|_| wrong())? {
            let position = position?;
            let game = position.cast::<Position>().map_err(|_| wrong())?.try_borrow()?.game.copied();
            if game.variant() != self.variant {
                let (own, other, at) = (self.variant, game.variant(), games.len());
                return Err(
                    Refusal::new(format!("the network plays {own}, and position {at} is one of {other}")).into()
                );
            }
            games.push(game);
        }
        let unit = dispatch!(self.variant, V => V::POINTS_UNIT);
        let answers = py.detach(|| self.evaluated(&games, threads))?;
        let evaluation = |answer: Answer| Evaluation {
            moves: answer.moves,
            policy: PyArray1::from_vec(py, answer.policy).unbind(),
            wdl: answer.wdl.into(),
            points: answer.points.map(|points| points * unit),
        };
        Ok(answers.into_iter().map(evaluation).collect())
    }

    /// The variant that it plays.
    #[getter]
    fn variant(&self) -> &'static str {
        self.variant.id()
    }

    /// 16 hex digits of a hash of its contents: its name in game records.
    #[getter]
    pub(crate) fn id(&self) -> &str {
        self.file.id()
    }

    /// The generation of self-play that plays with it; 0 for an untrained network.
    #[getter]
    fn generation(&self) -> u32 {
        self.file.generation()
    }

    /// Steps of training that made it.
    #[getter]
    fn training_step(&self) -> u64 {
        self.file.training_step()
    }

    /// Residual blocks.
    #[getter]
    fn blocks(&self) -> usize {
        self.file.blueprint().config.blocks
    }

    /// Channels of a block.
    #[getter]
    fn channels(&self) -> usize {
        self.file.blueprint().config.channels
    }

    /// Whether its input has the planes of attacked squares.
    #[getter]
    fn attacks(&self) -> bool {
        self.file.blueprint().config.features.attacks
    }

    /// The numbers in which it is evaluated: 'int8' or 'fp32'.
    #[getter]
    fn precision(&self) -> String {
        self.config.precision.to_string()
    }

    fn __repr__(&self) -> String {
        format!("Network({:?})", self.source)
    }
}

/// What a network says of a position, from the point of view of the side to move.
///
/// >>> import kirin
/// >>> evaluation, = kirin.Network("builtin:xiangqi").evaluate([kirin.Position("xiangqi")])
/// >>> evaluation.best in evaluation.moves, evaluation.policy.dtype.name
/// (True, 'float32')
/// >>> win, draw, loss = evaluation.wdl
/// >>> abs(evaluation.q - (win - loss)) < 1e-6, evaluation.points
/// (True, None)
#[pyclass(module = "kirin", frozen)]
pub(crate) struct Evaluation {
    /// The legal moves in UCI, in the order of Position.legal_moves().
    #[pyo3(get)]
    moves: Vec<String>,
    /// The policy: the share of each of the moves, float32.
    #[pyo3(get)]
    policy: Py<PyArray1<f32>>,
    /// Chances of win, draw and loss.
    #[pyo3(get)]
    wdl: (f32, f32, f32),
    /// Points by which the side to move is expected to be ahead at the end; None in a network that does not say them.
    #[pyo3(get)]
    points: Option<f32>,
}

#[pymethods]
impl Evaluation {
    /// Win - loss, -1 to 1.
    #[getter]
    fn q(&self) -> f32 {
        self.wdl.0 - self.wdl.2
    }

    /// The move with the largest share of the policy; None where there is no legal move.
    #[getter]
    fn best(&self, py: Python<'_>) -> PyResult<Option<&str>> {
        if self.moves.is_empty() {
            return Ok(None);
        }
        let place: usize = self.policy.bind(py).call_method0("argmax")?.extract()?;
        Ok(self.moves.get(place).map(String::as_str))
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        Ok(format!("<Evaluation {}: q {:+.3}>", self.best(py)?.unwrap_or("without a move"), self.q()))
    }
}
