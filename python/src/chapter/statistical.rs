//! Reductions and cumulative functions of the standard.

use crate::arguments::{ArrayArgument, AxesArgument};
use crate::array::Array;
use crate::attach::run;
use crate::dtype::DTypeArgument;
use belvedere::{Error, ScanOptions, Tensor};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// Defines reductions that accumulate in a dtype that may be given.
macro_rules! totals {
    ($($(#[$doc:meta])* $name:ident;)+) => {$(
        $(#[$doc])*
        #[pyfunction]
        #[pyo3(signature = (x, /, *, axis=None, dtype=None, keepdims=false))]
        pub(crate) fn $name(
            py: Python<'_>,
            x: ArrayArgument<'_>,
            axis: Option<AxesArgument>,
            dtype: Option<DTypeArgument>,
            keepdims: bool,
        ) -> PyResult<Array> {
            x.0.get().$name(py, axis, dtype, keepdims)
        }
    )+};
}

totals! {
    /// Computes the product over axes; integers are accumulated in 64 bits unless ``dtype`` is given.
    ///
    /// >>> bv.prod(bv.asarray([[1, 2], [3, 4]]), axis=0)
    /// array([3, 8])
    prod;

    /// Computes the sum over axes; integers are accumulated in 64 bits unless ``dtype`` is given.
    ///
    /// >>> bv.sum(bv.asarray([[1, 2], [3, 4]]), axis=0)
    /// array([4, 6])
    sum;
}

/// Defines functions of the deviations from the mean.
macro_rules! spreads {
    ($($(#[$doc:meta])* $name:literal, $function:ident => $method:ident;)+) => {$(
        $(#[$doc])*
        #[pyfunction]
        #[pyo3(name = $name, signature = (x, /, *, axis=None, correction=0.0, keepdims=false))]
        pub(crate) fn $function(
            py: Python<'_>,
            x: ArrayArgument<'_>,
            axis: Option<AxesArgument>,
            correction: f64,
            keepdims: bool,
        ) -> PyResult<Array> {
            x.0.get().$method(py, axis, correction, keepdims)
        }
    )+};
}

spreads! {
    /// Computes the standard deviation over axes.
    ///
    /// >>> bv.std(bv.asarray([1.0, 3.0]))
    /// array(1.)
    "std", deviation => std;

    /// Computes the variance over axes: squared deviations divided by ``n - correction``.
    ///
    /// >>> bv.var(bv.asarray([1.0, 3.0]), correction=1)
    /// array(2.)
    "var", variance => var;
}

/// Defines cumulative functions along an axis.
macro_rules! cumulative {
    ($($(#[$doc:meta])* $name:ident => $method:ident;)+) => {$(
        $(#[$doc])*
        #[pyfunction]
        #[pyo3(signature = (x, /, *, axis=None, dtype=None, include_initial=false))]
        pub(crate) fn $name(
            py: Python<'_>,
            x: ArrayArgument<'_>,
            axis: Option<isize>,
            dtype: Option<DTypeArgument>,
            include_initial: bool,
        ) -> PyResult<Array> {
            let scan = ScanOptions { dtype: dtype.map(|it| it.0), include_initial };
            accumulate(py, x.tensor(), axis, |x, axis| x.$method(axis, scan))
        }
    )+};
}

cumulative! {
    /// Computes the cumulative product along an axis.
    ///
    /// >>> bv.cumulative_prod(bv.asarray([1, 2, 3]))
    /// array([1, 2, 6])
    cumulative_prod => cumulative_prod_with;

    /// Computes the cumulative sum along an axis.
    ///
    /// >>> bv.cumulative_sum(bv.asarray([1, 2, 3]), include_initial=True)
    /// array([0, 1, 3, 6])
    cumulative_sum => cumulative_sum_with;
}

/// Computes a cumulative function. The axis may be omitted for arrays of rank 0 and 1.
fn accumulate(
    py: Python<'_>,
    x: &Tensor,
    axis: Option<isize>,
    operation: impl Fn(&Tensor, isize) -> Result<Tensor, Error> + Send + Sync,
) -> PyResult<Array> {
    let rank = x.rank();
    if axis.is_none() && rank > 1 {
        let message = format!("axis must be given for an array of {rank} axes");
        return Err(PyValueError::new_err(message));
    }
    run(py, x.len(), || operation(&x.atleast_1d()?, axis.unwrap_or(0))).map(Array::from)
}
