//! Every error leaves as the exception class the core names for it, and no panic leaves at all.

use std::panic::{AssertUnwindSafe, catch_unwind};

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyDict;
use standfast::{Code, Error};

/// The exception of a core error: its class by name from `standfast.errors`, with code, hint and details.
pub(crate) fn exception(py: Python<'_>, error: &Error) -> PyErr {
    instance(py, error).map_or_else(|failed| failed, PyErr::from_value)
}

/// The exception of `code`, for what the Python side finds wrong by itself.
pub(crate) fn of_code<'py>(py: Python<'py>, code: &str, message: &str) -> PyResult<Bound<'py, PyAny>> {
    let known = Code::ALL.iter().find(|known| known.as_str() == code).copied().unwrap_or(Code::InvalidArgument);
    instance(py, &Error::of(known, message))
}

fn instance<'py>(py: Python<'py>, error: &Error) -> PyResult<Bound<'py, PyAny>> {
    static MODULE: PyOnceLock<Py<PyModule>> = PyOnceLock::new();
    let module = MODULE.get_or_try_init(py, || py.import("standfast.errors").map(Bound::unbind))?.bind(py);
    let fields = PyDict::new(py);
    fields.set_item("code", error.code().as_str())?;
    fields.set_item("hint", error.hint())?;
    fields.set_item("details", pythonize::pythonize(py, error.details())?)?;
    module.getattr(error.class().name())?.call((error.message(),), Some(&fields))
}

/// Runs core code with the interpreter released. A panic is a defect of ours: it becomes an error, not an abort.
pub(crate) fn run<T: Send>(py: Python<'_>, work: impl FnOnce() -> standfast::Result<T> + Send) -> PyResult<T> {
    py.detach(|| catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|_| Err(uncertain()))).map_err(|error| exception(py, &error))
}

/// What is said of a guard in which a call did not come to its end.
pub(crate) fn uncertain() -> Error {
    Error::of(Code::GuardClosed, "a call ended in a defect of standfast; the state of this guard is not certain")
}
