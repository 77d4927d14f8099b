//! Statistical functions.

use crate::arguments::{ArrayArgument, AxesArgument};
use crate::array::Array;
use crate::dtype::DTypeArgument;
use crate::lock::run;
use belvedere::{Error, ScanOptions, Tensor};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

reductions! {
    /// The greatest element over axes; a NaN if there is one.
    ///
    /// >>> bv.max(bv.asarray([[1, 2], [3, 0]]), axis=1)
    /// array([2, 3])
    max => max;

    /// The mean over axes.
    ///
    /// >>> bv.mean(bv.asarray([1.0, 2.0]))
    /// array(1.5)
    mean => mean;

    /// The least element over axes; a NaN if there is one.
    ///
    /// >>> bv.min(bv.asarray([[1, 2], [3, 0]]), axis=1, keepdims=True)
    /// array([[1],
    ///        [0]])
    min => min;
}

/// Totals over axes, which may be made in another type.
macro_rules! totals {
    ($($(#[$doc:meta])* $name:ident => $method:ident, $method_as:ident;)+) => {$(
        $(#[$doc])*
        #[pyfunction]
        #[pyo3(signature = (x, /, *, axis=None, dtype=None, keepdims=false))]
        fn $name(
            py: Python<'_>,
            x: ArrayArgument<'_>,
            axis: Option<AxesArgument>,
            dtype: Option<DTypeArgument>,
            keepdims: bool,
        ) -> PyResult<Array> {
            let (x, axes) = (x.tensor(), AxesArgument::or_all(axis, keepdims));
            let operation = || match dtype {
                None => x.$method(axes.clone()),
                Some(DTypeArgument(dtype)) => x.$method_as(axes.clone(), dtype),
            };
            run(py, x.len(), operation).map(Array::from)
        }
    )+};
}

totals! {
    /// The product over axes; integers are multiplied in 64 bits, unless there is a type given.
    ///
    /// >>> bv.prod(bv.asarray([[1, 2], [3, 4]]), axis=0)
    /// array([3, 8])
    prod => prod, prod_as;

    /// The sum over axes; integers are summed in 64 bits, unless there is a type given.
    ///
    /// >>> bv.sum(bv.asarray([[1, 2], [3, 4]]), axis=0)
    /// array([4, 6])
    sum => sum, sum_as;
}

/// Functions of the distances from the mean.
macro_rules! spreads {
    ($($(#[$doc:meta])* $name:literal, $function:ident => $method:ident;)+) => {$(
        $(#[$doc])*
        #[pyfunction]
        #[pyo3(name = $name, signature = (x, /, *, axis=None, correction=0.0, keepdims=false))]
        fn $function(
            py: Python<'_>,
            x: ArrayArgument<'_>,
            axis: Option<AxesArgument>,
            correction: f64,
            keepdims: bool,
        ) -> PyResult<Array> {
            let (x, axes) = (x.tensor(), AxesArgument::or_all(axis, keepdims));
            run(py, x.len(), || x.$method(axes.clone(), correction)).map(Array::from)
        }
    )+};
}

spreads! {
    /// The standard deviation over axes.
    ///
    /// >>> bv.std(bv.asarray([1.0, 3.0]))
    /// array(1.)
    "std", deviation => std;

    /// The variance over axes: squares are divided by the number of elements less ``correction``.
    ///
    /// >>> bv.var(bv.asarray([1.0, 3.0]), correction=1)
    /// array(2.)
    "var", variance => var;
}

/// Running totals along an axis.
macro_rules! running {
    ($($(#[$doc:meta])* $name:ident => $method:ident;)+) => {$(
        $(#[$doc])*
        #[pyfunction]
        #[pyo3(signature = (x, /, *, axis=None, dtype=None, include_initial=false))]
        fn $name(
            py: Python<'_>,
            x: ArrayArgument<'_>,
            axis: Option<isize>,
            dtype: Option<DTypeArgument>,
            include_initial: bool,
        ) -> PyResult<Array> {
            let how = ScanOptions { dtype: dtype.map(|it| it.0), include_initial };
            running(py, x.tensor(), axis, |x, axis| x.$method(axis, how))
        }
    )+};
}

running! {
    /// The products of all elements up to each along an axis.
    ///
    /// >>> bv.cumulative_prod(bv.asarray([1, 2, 3]))
    /// array([1, 2, 6])
    cumulative_prod => cumulative_prod_with;

    /// The sums of all elements up to each along an axis.
    ///
    /// >>> bv.cumulative_sum(bv.asarray([1, 2, 3]), include_initial=True)
    /// array([0, 1, 3, 6])
    cumulative_sum => cumulative_sum_with;
}

/// Only where there is one axis need it not be named; a number has it as well.
fn running(
    py: Python<'_>,
    x: &Tensor,
    axis: Option<isize>,
    operation: impl Fn(&Tensor, isize) -> Result<Tensor, Error> + Send + Sync,
) -> PyResult<Array> {
    let rank = x.rank();
    if axis.is_none() && rank > 1 {
        let message = format!("axis is needed for an array of {rank} axes");
        return Err(PyValueError::new_err(message));
    }
    run(py, x.len(), || operation(&x.atleast_1d()?, axis.unwrap_or(0))).map(Array::from)
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    register_reductions(module)?;
    module.add_function(wrap_pyfunction!(cumulative_prod, module)?)?;
    module.add_function(wrap_pyfunction!(cumulative_sum, module)?)?;
    module.add_function(wrap_pyfunction!(prod, module)?)?;
    module.add_function(wrap_pyfunction!(deviation, module)?)?;
    module.add_function(wrap_pyfunction!(sum, module)?)?;
    module.add_function(wrap_pyfunction!(variance, module)?)
}
