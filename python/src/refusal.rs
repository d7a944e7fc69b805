//! What Python is told about input that is refused.

use pyo3::PyErr;
use pyo3::exceptions::PyValueError;

/// A message of Kirin about bad input: a `ValueError` in Python.
#[derive(Debug)]
pub(crate) struct Refusal(String);

impl Refusal {
    pub(crate) fn new(message: impl Into<String>) -> Refusal {
        Refusal(message.into())
    }
}

impl<E: std::error::Error> From<E> for Refusal {
    fn from(error: E) -> Refusal {
        Refusal(error.to_string())
    }
}

impl From<Refusal> for PyErr {
    fn from(refusal: Refusal) -> PyErr {
        PyValueError::new_err(refusal.0)
    }
}

/// A number of threads; all cores without one.
pub(crate) fn threads(given: Option<i64>) -> Result<usize, Refusal> {
    given.map_or(Ok(settings::threads(0)), |threads| within("threads", threads, 1024))
}

/// A number from 1 to `most`.
pub(crate) fn within(name: &str, number: i64, most: i64) -> Result<usize, Refusal> {
    if (1..=most).contains(&number) {
        return Ok(number as usize);
    }
    Err(Refusal::new(format!("{name} is {number}; expected 1 to {most}")))
}
