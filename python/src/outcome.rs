//! `kirin.Outcome`.

use crate::refusal::Refusal;
use pyo3::prelude::*;
use rules::{GameResult, Termination};
use std::hash::{DefaultHasher, Hash, Hasher};

/// How a game has ended.
///
/// >>> import kirin
/// >>> game = kirin.Position("xiangqi", "3k5/1R7/9/9/9/9/9/9/9/R3K4 w - - 0 1", moves="a1a10")
/// >>> game.outcome()
/// Outcome(1, 'checkmate')
/// >>> game.outcome().winner, game.outcome().reason
/// ('first', 'checkmate')
#[pyclass(module = "kirin", frozen, eq)]
#[derive(PartialEq)]
pub(crate) struct Outcome(pub(crate) rules::Outcome);

#[pymethods]
impl Outcome {
    /// An outcome: the result as the first player sees it (1, 0 or -1), the reason, and the points of both players.
    #[new]
    #[pyo3(signature = (result, reason, points=None))]
    fn new(result: i32, reason: &str, points: Option<(f32, f32)>) -> Result<Outcome, Refusal> {
        let termination: Termination = reason.parse()?;
        let points = points.map(|(first, second)| [first, second]);
        Ok(Outcome(rules::Outcome { result: GameResult::try_from(result)?, termination, points }))
    }

    /// 1 if the first player has won, -1 if the second player has, 0 for a draw.
    #[getter]
    fn result(&self) -> i8 {
        self.0.result.number()
    }

    /// 'first', 'second', or None for a draw.
    #[getter]
    fn winner(&self) -> Option<&'static str> {
        self.0.winner().map(|side| side.name())
    }

    /// Why the game has ended, for example 'checkmate' or 'repetition'; kirin.REASONS has all of them.
    #[getter]
    fn reason(&self) -> &'static str {
        self.0.termination.name()
    }

    /// The points of the first and the second player where the rule set counts them, else None.
    #[getter]
    fn points(&self) -> Option<(f32, f32)> {
        self.0.points.map(|[first, second]| (first, second))
    }

    /// Whether the game was cut off at the ply limit without a winner. Such a draw does not say that the players stood
    /// equally well.
    #[getter]
    fn cut_off(&self) -> bool {
        self.0.is_cut_off()
    }

    fn __hash__(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        (self.0.result.number(), self.0.termination.name()).hash(&mut hasher);
        hasher.finish()
    }

    fn __repr__(&self) -> String {
        let points = self.points().map_or(String::new(), |points| format!(", {points:?}"));
        format!("Outcome({}, '{}'{points})", self.result(), self.reason())
    }

    fn __reduce__(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        let arguments = (self.result(), self.reason(), self.points());
        Ok((py.get_type::<Outcome>(), arguments).into_pyobject(py)?.into_any().unbind())
    }
}
