//! Knowledge bases: work that asks for counts, and an index that can be asked.

use std::sync::Mutex;

use pyo3::prelude::*;
use standfast::Error;
use standfast::knowledge::Work;

use crate::convert::{self, to_py};
use crate::error;

type Any<'py> = Bound<'py, PyAny>;
type Out<'py> = PyResult<Bound<'py, PyAny>>;

/// A compaction or decomposition of a knowledge base: texts to be counted out, counts in, until none is asked.
#[pyclass(frozen, module = "standfast._core")]
pub(crate) struct KnowledgeWork {
    inner: Mutex<Option<Work>>,
}

impl KnowledgeWork {
    fn run<T: Send>(&self, py: Python<'_>, work: impl FnOnce(&mut Option<Work>) -> standfast::Result<T> + Send) -> PyResult<T> {
        error::run(py, || work(&mut *self.inner.lock().map_err(|_| error::uncertain())?))
    }
}

#[pymethods]
impl KnowledgeWork {
    #[new]
    #[pyo3(signature = (name, arguments, /))]
    fn new(name: &Any<'_>, arguments: &Any<'_>) -> PyResult<Self> {
        let (call, read) = (convert::text(name, "name")?, convert::json(arguments, "arguments")?.value);
        Ok(Self { inner: Mutex::new(Some(error::run(name.py(), || Work::begin(&call, read))?)) })
    }

    /// The texts that are to be counted.
    fn asks(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        self.run(py, |work| Ok(work.as_ref().map(|work| work.asks().to_vec()).unwrap_or_default()))
    }

    /// Takes their counts.
    #[pyo3(signature = (counts, /))]
    fn answer(&self, counts: &Any<'_>) -> PyResult<()> {
        let list = convert::counts(counts, "counts")?;
        self.run(counts.py(), |work| work.as_mut().map_or(Ok(()), |work| work.answer(&list)))
    }

    /// The result, once. What is still to be counted is counted by the estimator.
    fn finish<'py>(&self, py: Python<'py>) -> Out<'py> {
        let found = self.run(py, |work| {
            let work = work.take().ok_or_else(|| Error::argument("the result was taken"))?;
            convert::stored(&work.finish(false)?)
        });
        to_py(py, &found?)
    }
}

/// Rules and knowledge that can be asked.
#[pyclass(frozen, module = "standfast._core")]
pub(crate) struct KnowledgeIndex {
    inner: standfast::KnowledgeIndex,
}

#[pymethods]
impl KnowledgeIndex {
    #[new]
    #[pyo3(signature = (items, /))]
    fn new(items: &Any<'_>) -> PyResult<Self> {
        let read = convert::json(items, "items")?.value;
        Ok(Self { inner: error::run(items.py(), || standfast::KnowledgeIndex::new(read))? })
    }

    /// What a query finds, with its arguments by name.
    #[pyo3(signature = (arguments, /))]
    fn retrieve<'py>(&self, arguments: &Any<'py>) -> Out<'py> {
        let py = arguments.py();
        let read = convert::json(arguments, "arguments")?.value;
        to_py(py, &error::run(py, || convert::stored(&self.inner.call(read, false)?))?)
    }
}
