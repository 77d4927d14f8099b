//! Comparison, logic, and questions about one element: results are ``bool``.

use super::{of_one, of_two};
use crate::arguments::{ArrayArgument, OperandArgument};
use crate::array::Array;
use crate::lock::run;
use belvedere::{Error, Tensor};
use pyo3::prelude::*;

of_two! {
    compared

    /// Whether the two are equal. Integers of all types are compared as they are.
    ///
    /// >>> bv.equal(bv.asarray([1, 2]), bv.asarray([1, 3]))
    /// array([ True, False])
    equal => equal;

    /// Whether the two differ; a NaN differs from itself.
    ///
    /// >>> bv.not_equal(bv.asarray([1, 2]), bv.asarray([1, 3]))
    /// array([False,  True])
    not_equal => not_equal;

    /// Whether the first is less.
    ///
    /// >>> bv.less(bv.asarray([1, 2, 3]), 2)
    /// array([ True, False, False])
    less => less;

    /// Whether the first is less, or both are equal.
    ///
    /// >>> bv.less_equal(bv.asarray([1, 2, 3]), 2)
    /// array([ True,  True, False])
    less_equal => less_equal;

    /// Whether the first is greater.
    ///
    /// >>> bv.greater(bv.asarray([1, 2, 3]), 2)
    /// array([False, False,  True])
    greater => greater;

    /// Whether the first is greater, or both are equal.
    ///
    /// >>> bv.greater_equal(bv.asarray([1, 2, 3]), 2)
    /// array([False,  True,  True])
    greater_equal => greater_equal;

    /// Whether both are true; all numbers but zero are.
    ///
    /// >>> bv.logical_and(bv.asarray([True, False]), True)
    /// array([ True, False])
    logical_and => logical_and;

    /// Whether at least one is true; all numbers but zero are.
    ///
    /// >>> bv.logical_or(bv.asarray([True, False]), False)
    /// array([ True, False])
    logical_or => logical_or;

    /// Whether just one is true; all numbers but zero are.
    ///
    /// >>> bv.logical_xor(bv.asarray([True, False]), True)
    /// array([False,  True])
    logical_xor => logical_xor;
}

of_one! {
    /// Whether each is false, or zero.
    ///
    /// >>> bv.logical_not(bv.asarray([True, False]))
    /// array([False,  True])
    logical_not => logical_not;

    /// Whether each is a NaN; a complex number, if one of its parts is.
    ///
    /// >>> bv.isnan(bv.asarray([1.0, bv.nan]))
    /// array([False,  True])
    isnan => isnan;

    /// Whether each is infinite; a complex number, if one of its parts is.
    ///
    /// >>> bv.isinf(bv.asarray([1.0, -bv.inf]))
    /// array([False,  True])
    isinf => isinf;

    /// Whether each is neither infinite nor a NaN.
    ///
    /// >>> bv.isfinite(bv.asarray([1.0, bv.inf, bv.nan]))
    /// array([ True, False, False])
    isfinite => isfinite;

    /// Whether each has a minus sign, as also -0.0 and some NaNs have.
    ///
    /// >>> bv.signbit(bv.asarray([-0.0, 0.0, -1.0]))
    /// array([ True, False,  True])
    signbit => signbit;
}

/// Whether ``x1`` is no farther from ``x2`` than ``atol + rtol * abs(x2)``.
///
/// >>> bv.isclose(bv.asarray([1.0, 1.1]), bv.asarray([1.0 + 1e-9, 1.2]))
/// array([ True, False])
#[pyfunction]
#[pyo3(signature = (x1, x2, /, *, rtol = 1e-5, atol = 1e-8, equal_nan = false))]
fn isclose(
    py: Python<'_>,
    x1: ArrayArgument<'_>,
    x2: OperandArgument<'_>,
    rtol: f64,
    atol: f64,
    equal_nan: bool,
) -> PyResult<Array> {
    let (x, y) = (x1.tensor(), x2.given());
    let len = x.len().max(x2.len());
    run(py, len, || x.isclose(y, rtol, atol, equal_nan)).map(Array::from)
}

/// Whether all elements are close, as ``isclose`` says.
///
/// >>> bv.allclose(bv.asarray([1.0, 2.0]), bv.asarray([1.0, 2.0 + 1e-9]))
/// True
#[pyfunction]
#[pyo3(signature = (x1, x2, /, *, rtol = 1e-5, atol = 1e-8, equal_nan = false))]
fn allclose(
    py: Python<'_>,
    x1: ArrayArgument<'_>,
    x2: OperandArgument<'_>,
    rtol: f64,
    atol: f64,
    equal_nan: bool,
) -> PyResult<bool> {
    let (x, y) = (x1.tensor(), x2.given());
    let holds = || -> Result<bool, Error> {
        let close: Tensor = x.isclose(y, rtol, atol, equal_nan)?;
        close.all(())?.item::<bool>()
    };
    run(py, x.len().max(x2.len()), holds)
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    register_of_one(module)?;
    register_of_two(module)?;
    module.add_function(wrap_pyfunction!(isclose, module)?)?;
    module.add_function(wrap_pyfunction!(allclose, module)?)
}
