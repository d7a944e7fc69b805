//! `kirin.VectorEnv`: many games at once, in numpy arrays.

use crate::any_game;
use crate::batch::{AnyBatch, Batch, MOVE_COLUMNS, Rows};
use crate::outcome::Outcome;
use crate::position::Position;
use crate::refusal::{Refusal, threads, within};
use numpy::{Element, PyArray, PyArray1, PyArray2, PyArray4, PyArrayMethods};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use rules::encode::Features;
use rules::{VariantId, dispatch};

/// Most games of a batch.
const MOST_GAMES: i64 = 1 << 20;

/// `n` games of a variant at once. step() plays an action in each of them in Rust, on `threads` threads (all cores without
/// it) and without holding the GIL; a game that ends starts again.
///
/// The arrays (`planes`, `mask`, `sides`, `counts`, and the results of step()) belong to the environment and are
/// overwritten by the next step or reset: copy what must last, and do not write to them.
///
/// An action is a number of the variant's table, from the point of view of the side to move; `mask` says which are legal.
/// In a variant without a table `mask` is None and an action is the place of a move among the `counts[i]` legal moves of
/// game i, which legal() lists.
///
/// The planes are float32 because pieces in hand and counters are fractions, which bytes cannot hold.
///
/// Each game starts from one of `starts` (FENs), chosen at random. The same seed gives the same games for any number of
/// threads. `planes=False` leaves out the planes, `attacks=True` adds those of attacked squares.
///
/// >>> import kirin
/// >>> env = kirin.VectorEnv("xiangqi", 8, seed=1)
/// >>> env.reset().shape, env.mask.shape
/// ((8, 22, 10, 9), (8, 2139))
/// >>> for _ in range(100):
/// ...     planes, rewards, terminated, truncated = env.step(env.sample())
/// >>> rewards.shape, env.sides.tolist()
/// ((8,), [0, 0, 0, 0, 0, 0, 0, 0])
#[pyclass(module = "kirin")]
pub(crate) struct VectorEnv {
    variant: VariantId,
    games: usize,
    batch: Box<dyn AnyBatch>,
    widths: [usize; 2],
    planes: Option<Py<PyArray4<f32>>>,
    mask: Option<Py<PyArray2<bool>>>,
    rewards: Py<PyArray1<f32>>,
    terminated: Py<PyArray1<bool>>,
    truncated: Py<PyArray1<bool>>,
    sides: Py<PyArray1<u8>>,
    counts: Py<PyArray1<i32>>,
}

/// What step() returns: planes, rewards, terminated, truncated.
type Stepped = (Option<Py<PyArray4<f32>>>, Py<PyArray1<f32>>, Py<PyArray1<bool>>, Py<PyArray1<bool>>);

/// What legal() returns: the moves, and where those of each game begin.
pub(crate) type Legal<'py> = (Bound<'py, PyArray2<u16>>, Bound<'py, PyArray1<i64>>);

/// The arrays of legal moves, of their columns and of where those of each position begin.
pub(crate) fn legal_arrays(py: Python<'_>, columns: Vec<u16>, begin: Vec<i64>) -> PyResult<Legal<'_>> {
    let moves = PyArray1::from_vec(py, columns);
    let rows = moves.len()? / MOVE_COLUMNS;
    Ok((moves.reshape([rows, MOVE_COLUMNS])?, PyArray1::from_vec(py, begin)))
}

/// A new array of zeros, made by numpy itself, which raises MemoryError where there is no room.
fn zeros<T: Element, D: numpy::ndarray::Dimension>(py: Python<'_>, shape: &[usize]) -> PyResult<Py<PyArray<T, D>>> {
    let array = py.import("numpy")?.call_method1("zeros", (shape, numpy::dtype::<T>(py)))?;
    Ok(array.cast_into::<PyArray<T, D>>()?.unbind())
}

/// Runs `$work` without the GIL, with the batch and the rows of the arrays, each of which is as long as it was made.
macro_rules! with_rows {
    ($env:expr, $py:expr, |$batch:ident, $rows:ident| $work:expr) => {{
        let (env, py) = ($env, $py);
        let (games, [planes_width, mask_width]) = (env.games, env.widths);
        let mut planes =
            env.planes.as_ref().map(|array| array.bind(py).try_readwrite()).transpose().map_err(changed)?;
        let mut mask = env.mask.as_ref().map(|array| array.bind(py).try_readwrite()).transpose().map_err(changed)?;
        let mut rewards = env.rewards.bind(py).try_readwrite().map_err(changed)?;
        let mut terminated = env.terminated.bind(py).try_readwrite().map_err(changed)?;
        let mut truncated = env.truncated.bind(py).try_readwrite().map_err(changed)?;
        let mut sides = env.sides.bind(py).try_readwrite().map_err(changed)?;
        let mut counts = env.counts.bind(py).try_readwrite().map_err(changed)?;
        let $rows = Rows {
            planes: planes.as_mut().map_or(Ok(&mut [][..]), |array| array.as_slice_mut()).map_err(changed)?,
            mask: mask.as_mut().map_or(Ok(&mut [][..]), |array| array.as_slice_mut()).map_err(changed)?,
            rewards: rewards.as_slice_mut().map_err(changed)?,
            terminated: terminated.as_slice_mut().map_err(changed)?,
            truncated: truncated.as_slice_mut().map_err(changed)?,
            sides: sides.as_slice_mut().map_err(changed)?,
            counts: counts.as_slice_mut().map_err(changed)?,
        };
        let found = [
            $rows.planes.len(),
            $rows.mask.len(),
            $rows.rewards.len(),
            $rows.terminated.len(),
            $rows.truncated.len(),
            $rows.sides.len(),
            $rows.counts.len(),
        ];
        if found != [games * planes_width, games * mask_width, games, games, games, games, games] {
            return Err(changed("another size").into());
        }
        let $batch = &mut env.batch;
        py.detach(move || $work)
    }};
}

/// An array of the environment is not as it was made.
fn changed(how: impl std::fmt::Display) -> Refusal {
    Refusal::new(format!("an array of the environment was changed from outside: {how}"))
}

#[pymethods]
impl VectorEnv {
    #[new]
    #[pyo3(signature = (variant, n, *, ruleset=None, starts=None, planes=true, attacks=false, seed=0, threads=None))]
    #[allow(clippy::too_many_arguments)] // the keyword arguments of Python
    fn new(
        py: Python<'_>,
        variant: &str,
        n: i64,
        ruleset: Option<&str>,
        starts: Option<Vec<String>>,
        planes: bool,
        attacks: bool,
        seed: u64,
        threads: Option<i64>,
    ) -> PyResult<VectorEnv> {
        let variant: VariantId = variant.parse().map_err(Refusal::from)?;
        let games = within("n", n, MOST_GAMES)?;
        let threads = self::threads(threads)?;
        let features = planes.then_some(Features { attacks });
        let [depth, ranks, files] = any_game::shape(variant, Features { attacks });
        let batch = dispatch!(variant, V => batch::<V>(games, ruleset, starts.as_deref(), features, threads))?;
        let widths = batch.widths();
        let mut env = VectorEnv {
            variant,
            games,
            batch,
            widths,
            planes: planes.then(|| zeros(py, &[games, depth, ranks, files])).transpose()?,
            mask: (widths[1] > 0).then(|| zeros(py, &[games, widths[1]])).transpose()?,
            rewards: zeros(py, &[games])?,
            terminated: zeros(py, &[games])?,
            truncated: zeros(py, &[games])?,
            sides: zeros(py, &[games])?,
            counts: zeros(py, &[games])?,
        };
        env.reset(py, Some(seed))?;
        Ok(env)
    }

    /// Starts every game again and returns the planes. With a seed the random numbers start again too.
    ///
    /// >>> import kirin
    /// >>> kirin.VectorEnv("wangqi", 4).reset(seed=1).dtype.name
    /// 'float32'
    #[pyo3(signature = (seed=None))]
    fn reset(&mut self, py: Python<'_>, seed: Option<u64>) -> PyResult<Option<Py<PyArray4<f32>>>> {
        with_rows!(&mut *self, py, |batch, rows| batch.reset(seed, rows));
        Ok(self.planes(py))
    }

    /// Plays an action in each game and returns planes, rewards, terminated, truncated.
    ///
    /// A reward is for the side that made the move: 1 for a win, -1 for a loss, otherwise 0. A game is truncated
    /// where it reaches the ply limit without a winner. Games that end have started again: their planes, masks and sides
    /// are those of the new game, and finished() says how they ended. If an action is not legal nothing is played.
    ///
    /// >>> import kirin
    /// >>> env = kirin.VectorEnv("xiangqi", 2)
    /// >>> planes, rewards, terminated, truncated = env.step(env.sample())
    /// >>> rewards.tolist(), terminated.tolist()
    /// ([0.0, 0.0], [False, False])
    fn step(&mut self, py: Python<'_>, actions: &Bound<'_, PyAny>) -> PyResult<Stepped> {
        let actions = integers(actions, self.games)?;
        let actions = actions.try_readonly().map_err(changed)?;
        let actions = actions.as_array();
        let actions: std::borrow::Cow<'_, [i64]> = match actions.as_slice() {
            Some(actions) => actions.into(),
            None => actions.to_vec().into(),
        };
        with_rows!(&mut *self, py, |batch, rows| batch.step(&actions, rows))?;
        let (rewards, terminated) = (self.rewards.clone_ref(py), self.terminated.clone_ref(py));
        Ok((self.planes(py), rewards, terminated, self.truncated.clone_ref(py)))
    }

    /// A random legal action of each game, all equally likely, int64 [n].
    ///
    /// >>> import kirin
    /// >>> env = kirin.VectorEnv("xiangqi", 2)
    /// >>> bool(env.mask[[0, 1], env.sample()].all())
    /// True
    fn sample<'py>(&mut self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<i64>>> {
        let array = zeros::<i64, _>(py, &[self.games])?.into_bound(py);
        self.batch.sample(array.try_readwrite()?.as_slice_mut()?);
        Ok(array)
    }

    /// The legal moves of all games and where those of each game begin: uint16 [moves, 9] and int64 [n + 1].
    ///
    /// The columns are the tokens of a factorised policy: source (a square, a hand slot behind the squares, or the pass
    /// behind those), target, whether the piece promotes, the number of further squares, and those squares. Squares are
    /// rank * files + file from the point of view of the side to move.
    ///
    /// >>> import kirin
    /// >>> env = kirin.VectorEnv("koshogi", 2)
    /// >>> moves, begin = env.legal()
    /// >>> bool((begin[1:] - begin[:-1] == env.counts).all())
    /// True
    fn legal<'py>(&self, py: Python<'py>) -> PyResult<Legal<'py>> {
        let (columns, begin) = self.batch.legal();
        legal_arrays(py, columns, begin)
    }

    /// The games that ended with the last step: a list of index, outcome and plies.
    ///
    /// >>> import kirin
    /// >>> env = kirin.VectorEnv("xiangqi", 1, ruleset="full max-plies=1")
    /// >>> planes, rewards, terminated, truncated = env.step(env.sample())
    /// >>> env.finished()
    /// [(0, Outcome(0, 'max_plies'), 1)]
    fn finished(&self) -> Vec<(usize, Outcome, u32)> {
        self.batch.finished().into_iter().map(|(index, outcome, plies)| (index, Outcome(outcome), plies)).collect()
    }

    /// A copy of the game with this index.
    ///
    /// >>> import kirin
    /// >>> env = kirin.VectorEnv("xiangqi", 2)
    /// >>> planes, rewards, terminated, truncated = env.step(env.sample())
    /// >>> env.position(1).ply
    /// 1
    fn position(&self, index: i64) -> Result<Position, Refusal> {
        let games = self.games;
        let found = usize::try_from(index).ok().filter(|&index| index < games);
        let index =
            found.ok_or_else(|| Refusal::new(format!("there is no game {index}; there are 0 to {}", games - 1)))?;
        Ok(Position::of(self.batch.game(index)))
    }

    /// The variant.
    #[getter]
    fn variant(&self) -> &'static str {
        self.variant.id()
    }

    /// How many numbers the variant's table of actions has; None if it has no table.
    #[getter]
    fn action_count(&self) -> Option<usize> {
        Some(self.widths[1]).filter(|&count| count > 0)
    }

    /// The input planes of a network, float32 [n, plane, rank, file] (Position.planes()); None with planes=False.
    #[getter]
    fn planes(&self, py: Python<'_>) -> Option<Py<PyArray4<f32>>> {
        self.planes.as_ref().map(|array| array.clone_ref(py))
    }

    /// Which actions are legal, bool [n, action_count]; None in a variant without a table of actions.
    #[getter]
    fn mask(&self, py: Python<'_>) -> Option<Py<PyArray2<bool>>> {
        self.mask.as_ref().map(|array| array.clone_ref(py))
    }

    /// The side to move, uint8 [n]: 0 the first player, 1 the second.
    #[getter]
    fn sides(&self, py: Python<'_>) -> Py<PyArray1<u8>> {
        self.sides.clone_ref(py)
    }

    /// The number of legal moves, int32 [n].
    #[getter]
    fn counts(&self, py: Python<'_>) -> Py<PyArray1<i32>> {
        self.counts.clone_ref(py)
    }

    fn __len__(&self) -> usize {
        self.games
    }

    fn __repr__(&self) -> String {
        format!("VectorEnv('{}', {})", self.variant, self.games)
    }
}

fn batch<V: rules::Variant>(
    games: usize,
    ruleset: Option<&str>,
    starts: Option<&[String]>,
    features: Option<Features>,
    threads: usize,
) -> Result<Box<dyn AnyBatch>, Refusal> {
    let rules = any_game::rules::<V>(ruleset)?;
    let starts = match starts {
        None => vec![any_game::start::<V>(None)?],
        Some([]) => return Err(Refusal::new("starts is empty; leave it out for the start position of the variant")),
        Some(fens) => fens.iter().map(|fen| any_game::start::<V>(Some(fen))).collect::<Result<_, Refusal>>()?,
    };
    Ok(Box::new(Batch::<V>::new(games, rules, starts, features, threads)?))
}

/// One integer for each game.
fn integers<'py>(actions: &Bound<'py, PyAny>, games: usize) -> PyResult<Bound<'py, PyArray1<i64>>> {
    if let Ok(array) = actions.cast::<PyArray1<i64>>()
        && array.len()? == games
    {
        return Ok(array.clone());
    }
    let array = actions.py().import("numpy")?.call_method1("asarray", (actions,))?;
    let kind: String = array.getattr("dtype")?.getattr("kind")?.extract()?;
    if !["i", "u"].contains(&kind.as_str()) {
        let dtype = array.getattr("dtype")?;
        return Err(PyTypeError::new_err(format!("actions are {dtype}; expected integers")));
    }
    let shape: Vec<usize> = array.getattr("shape")?.extract()?;
    if shape != [games] {
        return Err(Refusal::new(format!("actions have the shape {shape:?}; expected [{games}]")).into());
    }
    Ok(array.call_method1("astype", ("int64",))?.cast_into::<PyArray1<i64>>()?)
}
