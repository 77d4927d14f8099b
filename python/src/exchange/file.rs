//! The functions `save` and `load`.

use crate::arguments::ArrayArgument;
use crate::array::Array;
use crate::attach::run_detached;
use belvedere::io::npy;
use pyo3::prelude::*;
use std::path::PathBuf;

/// Writes an array to a file in NumPy's ``.npy`` format.
///
/// The file name is used as given. Elements that are contiguous in row-major or column-major order
/// are written without a copy.
///
/// >>> import tempfile, os
/// >>> path = os.path.join(tempfile.mkdtemp(), "x.npy")
/// >>> bv.save(path, bv.asarray([1, 2, 3]))
/// >>> bv.load(path)
/// array([1, 2, 3])
#[pyfunction]
#[pyo3(signature = (file, x, /))]
pub(crate) fn save(py: Python<'_>, file: PathBuf, x: ArrayArgument<'_>) -> PyResult<()> {
    let x = x.tensor();
    run_detached(py, || npy::write(&file, x))
}

/// Reads an array from a file in NumPy's ``.npy`` format.
///
/// >>> import tempfile, os
/// >>> path = os.path.join(tempfile.mkdtemp(), "x.npy")
/// >>> bv.save(path, bv.asarray([[0.5], [1.5]]))
/// >>> bv.load(path)
/// array([[0.5],
///        [1.5]])
#[pyfunction]
#[pyo3(signature = (file, /))]
pub(crate) fn load(py: Python<'_>, file: PathBuf) -> PyResult<Array> {
    run_detached(py, || npy::read(&file)).map(Array::from)
}
