//! Quantiles, histograms and partial sorts.

use super::reduction::Reduction;
use super::result::named;
use crate::arguments::{
    ArrayArgument, AxesArgument, Count, IndicesArgument, Integers, OperandArgument, OutArgument,
    truth,
};
use crate::array::{Array, ArrayObject};
use crate::attach::run;
use crate::error::raise;
use belvedere::{Bins, Error, Histogram, Operand, Tensor, TopK};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;

/// Computes quantiles along axes; the function of `belvedere/_functions` adds weights and the dtypes of NumPy.
///
/// >>> bv.quantile(bv.asarray([1.0, 2.0, 3.0, 4.0]), bv.asarray([0.5, 1.0]))
/// array([2.5, 4. ])
#[pyfunction]
#[pyo3(signature = (x, /, q, axis=None, out=None, overwrite_input=false, method="linear", keepdims=false))]
#[expect(clippy::too_many_arguments, reason = "they are those of NumPy")]
pub(crate) fn quantile<'py>(
    py: Python<'py>,
    x: ArrayArgument<'py>,
    q: OperandArgument,
    axis: Option<AxesArgument>,
    out: Option<OutArgument<'py>>,
    #[expect(unused_variables, reason = "the input is never overwritten")] overwrite_input: bool,
    method: &str,
    #[pyo3(from_py_with = truth)] keepdims: bool,
) -> PyResult<Bound<'py, ArrayObject>> {
    let between = method.parse().map_err(raise)?;
    let reduction = Reduction::new(axis, keepdims, out);
    reduction.assign(py, x.tensor(), |x, axes| x.quantile_by(&q, axes, between))
}

/// Computes quantiles along axes, ignoring NaN.
///
/// >>> bv.nanquantile(bv.asarray([1.0, bv.nan, 2.0]), 0.5)
/// array(1.5)
#[pyfunction]
#[pyo3(signature = (x, /, q, axis=None, out=None, overwrite_input=false, method="linear", keepdims=false))]
#[expect(clippy::too_many_arguments, reason = "they are those of NumPy")]
pub(crate) fn nanquantile<'py>(
    py: Python<'py>,
    x: ArrayArgument<'py>,
    q: OperandArgument,
    axis: Option<AxesArgument>,
    out: Option<OutArgument<'py>>,
    #[expect(unused_variables, reason = "the input is never overwritten")] overwrite_input: bool,
    method: &str,
    #[pyo3(from_py_with = truth)] keepdims: bool,
) -> PyResult<Bound<'py, ArrayObject>> {
    let between = method.parse().map_err(raise)?;
    let reduction = Reduction::new(axis, keepdims, out);
    reduction.assign(py, x.tensor(), |x, axes| x.nanquantile_by(&q, axes, between))
}

/// Computes percentiles along axes.
///
/// If ``q`` is an array, its axes are the first axes of the result.
///
/// >>> bv.percentile(bv.asarray([1.0, 2.0, 3.0]), 50)
/// array(2.)
/// >>> bv.percentile([[1.0, 2.0], [3.0, 4.0]], [0, 100], 1)
/// array([[1., 3.],
///        [2., 4.]])
#[pyfunction]
#[pyo3(signature = (x, /, q, axis=None, out=None, overwrite_input=false, method="linear", keepdims=false))]
#[expect(clippy::too_many_arguments, reason = "they are those of NumPy")]
pub(crate) fn percentile<'py>(
    py: Python<'py>,
    x: ArrayArgument<'py>,
    q: OperandArgument,
    axis: Option<AxesArgument>,
    out: Option<OutArgument<'py>>,
    #[expect(unused_variables, reason = "the input is never overwritten")] overwrite_input: bool,
    method: &str,
    #[pyo3(from_py_with = truth)] keepdims: bool,
) -> PyResult<Bound<'py, ArrayObject>> {
    let reduction = Reduction::new(axis, keepdims, out);
    if method == "linear" {
        return reduction.assign(py, x.tensor(), |x, axes| x.percentile(&q, axes));
    }
    let between = method.parse().map_err(raise)?;
    let fractions = run(py, q.len(), || Operand::from(&q).div(100.0))?;
    reduction.assign(py, x.tensor(), |x, axes| x.quantile_by(&fractions, axes, between))
}

/// Moves elements to their places in the sorted order; several places by sorting.
pub(crate) fn partitioned(
    py: Python<'_>,
    x: &Tensor,
    kth: &Integers,
    axis: Option<isize>,
    name: &str,
    partition: fn(&Tensor, isize, isize) -> Result<Tensor, Error>,
) -> PyResult<Array> {
    let len = match axis {
        Some(axis) => match x.layout().resolve_axis(axis) {
            Ok(k) => x.shape()[k],
            Err(error) => return Err(raise(error.into())),
        },
        None => x.len(),
    };
    if let Some(kth) = kth.0.iter().find(|&&kth| !(-(len as isize)..len as isize).contains(&kth)) {
        let message = format!("kth must be a position in the {len} sorted elements, got {kth}");
        return Err(PyValueError::new_err(message));
    }
    let operation = || {
        let (x, axis) = match axis {
            Some(axis) => (x.clone(), axis),
            None => (x.atleast_1d()?.reshape([-1])?, 0),
        };
        match kth.0[..] {
            [kth] => partition(&x, kth, axis),
            _ if name == "argpartition" => x.argsort(axis),
            _ => x.sort(axis),
        }
    };
    run(py, x.len(), operation).map(Array::from)
}

/// Computes a histogram: counts and bin edges.
///
/// ``bins`` is the number of bins between the minimum and the maximum, or over ``range``; or the bin edges.
///
/// >>> bv.histogram(bv.asarray([1.0, 2.0, 2.5, 9.0]), bins=bv.asarray([0.0, 2.0, 4.0])).counts
/// array([1, 2])
#[pyfunction]
#[pyo3(signature = (x, /, bins=BinsArgument::TEN, range=None, density=false, weights=None),
       text_signature = "(x, /, bins=10, range=None, density=False, weights=None)")]
pub(crate) fn histogram<'py>(
    py: Python<'py>,
    x: ArrayArgument<'_>,
    bins: BinsArgument<'_>,
    range: Option<(f64, f64)>,
    density: bool,
    weights: Option<ArrayArgument<'_>>,
) -> PyResult<Bound<'py, PyAny>> {
    let (mut how, n_bins) = match &bins {
        BinsArgument::Count(n) => (Bins::new(*n), *n),
        BinsArgument::Edges(edges) => (Bins::from(edges.tensor()), edges.tensor().len()),
    };
    if let Some((from, to)) = range {
        how = how.range(from, to);
    }
    if let Some(weights) = &weights {
        how = how.weights(weights.tensor());
    }
    if density {
        how = how.density();
    }
    let x = x.tensor();
    let Histogram { counts, edges } = run(py, x.len().max(n_bins), || x.histogram(how.clone()))?;
    named(py, "HistogramResult", [counts, edges])
}

/// The number of bins, or their edges.
#[derive(FromPyObject)]
pub(crate) enum BinsArgument<'py> {
    #[pyo3(transparent)]
    Count(usize),
    #[pyo3(transparent)]
    Edges(ArrayArgument<'py>),
}

impl BinsArgument<'_> {
    const TEN: Self = BinsArgument::Count(10);
}

/// Counts the occurrences of each non-negative integer.
///
/// With ``weights``, their sums are returned instead of the counts.
///
/// >>> bv.bincount(bv.asarray([0, 2, 2]))
/// array([1, 0, 2])
#[pyfunction]
#[pyo3(signature = (x, /, weights=None, minlength=Count(0)),
       text_signature = "(x, /, weights=None, minlength=0)")]
pub(crate) fn bincount(
    py: Python<'_>,
    x: IndicesArgument<'_>,
    weights: Option<ArrayArgument<'_>>,
    minlength: Count,
) -> PyResult<Array> {
    if x.tensor().rank() != 1 {
        let message = format!("bincount takes one axis, got {}", x.tensor().rank());
        return Err(PyValueError::new_err(message));
    }
    let (x, weights) = (x.tensor(), weights.as_ref().map(ArrayArgument::tensor));
    run(py, x.len().max(minlength.0), || x.bincount(weights, minlength.0)).map(Array::from)
}

/// Returns the index of the bin that each element belongs to.
///
/// >>> bv.digitize(bv.asarray([0.5, 1.5]), bv.asarray([0.0, 1.0, 2.0]))
/// array([1, 2])
#[pyfunction]
#[pyo3(signature = (x, /, bins, right=false))]
pub(crate) fn digitize(
    py: Python<'_>,
    x: ArrayArgument<'_>,
    bins: ArrayArgument<'_>,
    right: bool,
) -> PyResult<Array> {
    let (x, bins) = (x.tensor(), bins.tensor());
    if let Some(it) = [x, bins].into_iter().find(|it| it.dtype().is_complex()) {
        let message = format!("digitize takes numbers that have an order, got {}", it.dtype());
        return Err(PyTypeError::new_err(message));
    }
    run(py, x.len(), || x.digitize(bins, right)).map(Array::from)
}

/// Returns the ``k`` largest or smallest elements along an axis and their indices.
///
/// The largest are in descending order, the smallest in ascending order.
///
/// >>> bv.topk(bv.asarray([3, 9, 1, 7]), 2).values
/// array([9, 7])
#[pyfunction]
#[pyo3(signature = (x, k, /, axis=-1, largest=true),
       text_signature = "(x, k, /, axis=-1, largest=True)")]
pub(crate) fn topk<'py>(
    py: Python<'py>,
    x: ArrayArgument<'_>,
    k: Count,
    axis: isize,
    largest: bool,
) -> PyResult<Bound<'py, PyAny>> {
    let x = x.tensor();
    let operation = || match largest {
        true => x.topk(k.0, axis),
        false => x.topk_least(k.0, axis),
    };
    let TopK { values, indices } = run(py, x.len(), operation)?;
    named(py, "TopKResult", [values, indices])
}
