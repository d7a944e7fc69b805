//! A function of Python as the evaluator of a search.

use crate::any_game;
use crate::batch::columns_of;
use crate::refusal::Refusal;
use crate::vector_env::legal_arrays;
use numpy::{PyArray1, PyArrayDyn, PyArrayMethods, PyReadonlyArrayDyn, PyUntypedArrayMethods};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use rules::encode::{Features, MoveTokens};
use rules::{VariantId, dispatch};
use search::{EvaluationError, Evaluations, Evaluator, LeafBatch};

/// A function that evaluates batches of positions. `kirin.search` says what it gets and returns.
pub(crate) struct Callable {
    variant: VariantId,
    function: Py<PyAny>,
    batch: usize,
    features: Features,
    /// Whether it gets the legal moves as well.
    legal: bool,
}

impl Callable {
    /// # Errors
    /// The variant has no table of actions, and the function does not get the legal moves.
    pub(crate) fn new(
        variant: VariantId,
        function: Py<PyAny>,
        batch: usize,
        features: Features,
        legal: bool,
    ) -> Result<Callable, Refusal> {
        if !legal && any_game::action_count(variant).is_none() {
            return Err(Refusal::new(format!(
                "{variant} has no fixed table of actions; with legal=True the function gets the legal moves and returns a \
                 logit for each"
            )));
        }
        Ok(Callable { variant, function, batch, features, legal })
    }

    fn call(&self, py: Python<'_>, leaves: &LeafBatch, out: &mut Evaluations) -> PyResult<()> {
        let [planes, ranks, files] = any_game::shape(self.variant, self.features);
        let input = PyArray1::from_slice(py, &leaves.planes).reshape([leaves.len(), planes, ranks, files])?;
        let answer = if self.legal {
            let columns = leaves.tokens.iter().flat_map(columns_of).collect();
            let (moves, begin) =
                legal_arrays(py, columns, leaves.first_move.iter().map(|&at| i64::from(at)).collect())?;
            self.function.bind(py).call1((input, moves, begin))?
        } else {
            self.function.bind(py).call1((input,))?
        };
        let wrong = || PyTypeError::new_err("the function must return a tuple: logits of the policy, and values");
        let answer = answer.cast::<PyTuple>().map_err(|_| wrong())?;
        let (policy, values) = answer.extract::<(Bound<'_, PyAny>, Bound<'_, PyAny>)>().map_err(|_| wrong())?;
        self.policy(&floats(&policy)?, leaves, out)?;
        wdl(&floats(&values)?, leaves.len(), out)
    }

    /// Takes the logits of the legal moves.
    fn policy(&self, policy: &PyReadonlyArrayDyn<'_, f32>, leaves: &LeafBatch, out: &mut Evaluations) -> PyResult<()> {
        let (shape, logits) = (policy.shape(), policy.as_slice()?);
        let count = any_game::action_count(self.variant);
        if self.legal && shape == [leaves.tokens.len()] {
            out.logits.extend_from_slice(logits);
            return Ok(());
        }
        if let Some(count) = count
            && shape == [leaves.len(), count]
        {
            for (leaf, row) in logits.chunks_exact(count).enumerate() {
                self.numbers(leaves.moves_of(leaf), |number| out.logits.push(row[number]));
            }
            return Ok(());
        }
        let by_action = count.map(|count| format!("{:?}, a logit for each action", [leaves.len(), count]));
        let by_move = self.legal.then(|| format!("{:?}, one for each legal move", [leaves.tokens.len()]));
        let wanted = by_action.into_iter().chain(by_move).collect::<Vec<_>>().join("; or ");
        Err(Refusal::new(format!("the policy has the shape {shape:?}; expected {wanted}")).into())
    }

    /// The numbers of moves in the variant's table, which there is.
    fn numbers(&self, moves: &[MoveTokens], each: impl FnMut(usize)) {
        dispatch!(self.variant, V => {
            if let Some(table) = any_game::table::<V>() {
                moves.iter().map(|mv| any_game::number(table, mv)).for_each(each);
            }
        });
    }
}

impl Evaluator for Callable {
    fn batch_size(&self) -> usize {
        self.batch
    }

    fn features(&self) -> Features {
        self.features
    }

    fn evaluate(&mut self, batch: &LeafBatch, out: &mut Evaluations) -> Result<(), EvaluationError> {
        out.clear();
        Python::attach(|py| self.call(py, batch, out)).map_err(EvaluationError::network)
    }
}

/// An array of any library as one of numpy, in fp32. PyTorch wants to be asked first to leave its gradients and its device.
fn floats<'py>(given: &Bound<'py, PyAny>) -> PyResult<PyReadonlyArrayDyn<'py, f32>> {
    let given = match given.hasattr("detach")? {
        true => given.call_method0("detach")?.call_method0("cpu")?.call_method0("float")?,
        false => given.clone(),
    };
    let array = given.py().import("numpy")?.call_method1("ascontiguousarray", (given, "float32"))?;
    Ok(array.cast_into::<PyArrayDyn<f32>>()?.try_readonly()?)
}

/// Takes the values, as chances of win, draw and loss.
fn wdl(values: &PyReadonlyArrayDyn<'_, f32>, leaves: usize, out: &mut Evaluations) -> PyResult<()> {
    let numbers = values.as_slice()?;
    match *values.shape() {
        [rows, 3] if rows == leaves => {
            out.wdl.extend(numbers.as_chunks().0);
            Ok(())
        }
        [rows] | [rows, 1] if rows == leaves => {
            if let Some(value) = numbers.iter().find(|value| value.abs() > 1.0) {
                return Err(Refusal::new(format!("the function returned the value {value}; expected -1 to 1")).into());
            }
            out.wdl.extend(numbers.iter().map(|&q| [0.5 + 0.5 * q, 0.0, 0.5 - 0.5 * q]));
            Ok(())
        }
        ref shape => {
            let message = format!("the values have the shape {shape:?}; expected {:?} or {:?}", [leaves], [leaves, 3]);
            Err(Refusal::new(message).into())
        }
    }
}
