//! What Python is told where Kirin panics.

use pyo3::panic::PanicException;
use pyo3::prelude::*;

/// The text of the exception into which PyO3 turns a panic: the message, and what to report. The type belongs to this
/// module alone; other modules with PyO3 have their own.
const TEXT: &std::ffi::CStr = cr#"lambda error: BaseException.__str__(error) + (
    "\nThis is a bug in Kirin. Please report it with this traceback, the line 'panicked at' on standard error, "
    "and the version: " + __import__("kirin").__version__
)"#;

/// Gives the exception that text.
pub(crate) fn explain(py: Python<'_>) -> PyResult<()> {
    py.get_type::<PanicException>().setattr("__str__", py.eval(TEXT, None, None)?)
}

/// Panics, for a test.
#[pyfunction]
pub(crate) fn _panic() {
    panic!("a test of panics");
}
