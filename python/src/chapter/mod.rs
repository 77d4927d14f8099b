//! The functions of the package, one file for each category of `operations/`.

pub(crate) mod activation;
mod constant;
pub(crate) mod creation;
pub(crate) mod data_type;
pub(crate) mod distribution;
pub(crate) mod einsum;
pub(crate) mod elementwise;
pub(crate) mod fft;
pub(crate) mod indexing;
pub(crate) mod inspection;
pub(crate) mod joining;
pub(crate) mod linalg;
pub(crate) mod manipulation;
pub(crate) mod memory;
pub(crate) mod nn;
pub(crate) mod output;
pub(crate) mod product;
pub(crate) mod random;
pub(crate) mod reduction;
pub(crate) mod result;
pub(crate) mod searching;
pub(crate) mod set;
pub(crate) mod sorting;
pub(crate) mod statistical;
pub(crate) mod ufunc;
pub(crate) mod utility;

use crate::array::Array;
use crate::attach::run;
use crate::generated::registration;
use belvedere::{Error, Tensor};
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// Adds all functions and constants to the module.
pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    constant::register(module)?;
    registration::main(module)?;
    add_namespace(module, "fft", registration::fft)?;
    add_namespace(module, "linalg", registration::linalg)?;
    add_namespace(module, "nn", registration::nn)?;
    add_namespace(module, "random", |module| {
        random::register(module)?;
        registration::random(module)
    })
}

/// Adds a namespace to the module, so that `import belvedere._native.linalg` finds it.
fn add_namespace(
    parent: &Bound<'_, PyModule>,
    name: &str,
    register: impl FnOnce(&Bound<'_, PyModule>) -> PyResult<()>,
) -> PyResult<()> {
    let module = PyModule::new(parent.py(), &format!("{}.{name}", parent.name()?))?;
    register(&module)?;
    let modules = parent.py().import("sys")?.getattr("modules")?;
    modules.cast::<PyDict>()?.set_item(module.name()?, &module)?;
    // An attribute that is not in `__all__`: `import *` does not bring it, because each namespace has a file.
    parent.setattr(name, &module)
}

/// Computes a function of one array.
pub(crate) fn compute(
    py: Python<'_>,
    x: &Tensor,
    function: impl Fn(&Tensor) -> Result<Tensor, Error> + Send + Sync,
) -> PyResult<Array> {
    run(py, x.len(), || function(x)).map(Array::from)
}

/// A 1-D array as the rows of a square matrix; others as they are. NumPy's `tril` and `triu` take them so.
pub(crate) fn with_rows(x: &Tensor) -> Result<Tensor, Error> {
    match x.shape()[..] {
        [n] => x.broadcast_to([n, n]),
        _ => Ok(x.clone()),
    }
}

/// Estimates the work of a matrix product or factorization, in elements.
pub(crate) fn work(x: &Tensor) -> usize {
    match x.shape()[..] {
        [.., _, len] => x.len().saturating_mul(len),
        _ => x.len(),
    }
}
