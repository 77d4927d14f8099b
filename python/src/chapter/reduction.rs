//! What reductions and cumulative functions have in common.

use crate::arguments::AxesArgument;
use crate::array::Array;
use crate::attach::run;
use crate::dtype::DTypeArgument;
use belvedere::{Axes, Error, ScanOptions, Tensor, keep};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// Reduces an array over axes, or over all of them.
pub(crate) fn reduce(
    py: Python<'_>,
    x: &Tensor,
    axis: Option<AxesArgument>,
    keepdims: bool,
    function: impl Fn(&Tensor, Axes) -> Result<Tensor, Error> + Send + Sync,
) -> PyResult<Array> {
    let axes = AxesArgument::or_all(axis, keepdims);
    run(py, x.len(), || function(x, axes.clone())).map(Array::from)
}

/// Reduces an array over one axis, or over all of them.
pub(crate) fn reduce_one(
    py: Python<'_>,
    x: &Tensor,
    axis: Option<isize>,
    keepdims: bool,
    function: impl Fn(&Tensor, Axes) -> Result<Tensor, Error> + Send + Sync,
) -> PyResult<Array> {
    let axes = axis.map_or(Axes::from(()), Axes::from);
    let axes = if keepdims { keep(axes) } else { axes };
    run(py, x.len(), || function(x, axes.clone())).map(Array::from)
}

/// Computes a cumulative function. The axis may be omitted for arrays of rank 0 and 1.
pub(crate) fn accumulate(
    py: Python<'_>,
    x: &Tensor,
    axis: Option<isize>,
    dtype: Option<DTypeArgument>,
    include_initial: bool,
    function: impl Fn(&Tensor, isize, ScanOptions) -> Result<Tensor, Error> + Send + Sync,
) -> PyResult<Array> {
    let rank = x.rank();
    if axis.is_none() && rank > 1 {
        let message = format!("axis must be given for an array of {rank} axes");
        return Err(PyValueError::new_err(message));
    }
    let options = ScanOptions { dtype: dtype.map(|it| it.0), include_initial };
    let operation = || function(&x.atleast_1d()?, axis.unwrap_or(0), options);
    run(py, x.len(), operation).map(Array::from)
}
