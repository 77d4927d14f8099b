//! Arrays in files.

use crate::arguments::ArrayArgument;
use crate::array::Array;
use crate::lock::release;
use belvedere::io::npy;
use pyo3::prelude::*;
use std::path::PathBuf;

/// Writes an array to a file of NumPy's format, which ``numpy.load`` reads as well.
///
/// The file has the name that is given. Elements are written as they lie if they are contiguous, by rows
/// or by columns.
///
/// >>> import tempfile, os
/// >>> path = os.path.join(tempfile.mkdtemp(), "x.npy")
/// >>> bv.save(path, bv.asarray([1, 2, 3]))
/// >>> bv.load(path)
/// array([1, 2, 3])
#[pyfunction]
#[pyo3(signature = (file, x, /))]
fn save(py: Python<'_>, file: PathBuf, x: ArrayArgument<'_>) -> PyResult<()> {
    let x = x.tensor();
    release(py, || npy::write(&file, x))
}

/// The array in a file of NumPy's format.
///
/// >>> import tempfile, os
/// >>> path = os.path.join(tempfile.mkdtemp(), "x.npy")
/// >>> bv.save(path, bv.asarray([[0.5], [1.5]]))
/// >>> bv.load(path)
/// array([[0.5],
///        [1.5]])
#[pyfunction]
#[pyo3(signature = (file, /))]
fn load(py: Python<'_>, file: PathBuf) -> PyResult<Array> {
    release(py, || npy::read(&file)).map(Array::from)
}

/// Puts the functions into the module.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(load, module)?)?;
    module.add_function(wrap_pyfunction!(save, module)?)
}
