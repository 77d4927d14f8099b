//! The form of reductions.

use crate::arguments::AxesArgument;
use crate::array::Array;
use crate::attach::run;
use belvedere::{Axes, Error, Tensor, keep};
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

/// Defines functions of an array and axes. An entry is its docstring, its name and the method of `Tensor`.
macro_rules! reductions {
    ($($(#[$doc:meta])* $name:ident => $method:ident;)+) => {$(
        $(#[$doc])*
        #[pyo3::pyfunction]
        #[pyo3(signature = (x, /, *, axis=None, keepdims=false))]
        pub(crate) fn $name(
            py: pyo3::Python<'_>,
            x: $crate::arguments::ArrayArgument<'_>,
            axis: Option<$crate::arguments::AxesArgument>,
            keepdims: bool,
        ) -> pyo3::PyResult<$crate::array::Array> {
            $crate::chapter::reduction::reduce(py, x.tensor(), axis, keepdims, |x, axes| {
                x.$method(axes)
            })
        }
    )+};
}

pub(crate) use reductions;
