//! How elements are distributed: quantiles, histograms, the greatest few.

use super::result::named;
use crate::arguments::{ArrayArgument, AxesArgument, Count, OperandArgument};
use crate::array::Array;
use crate::lock::run;
use belvedere::{Bins, Histogram, Interpolation, TopK};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// Quantiles over axes, with or without NaNs.
macro_rules! quantiles {
    ($($(#[$doc:meta])* $name:ident => $method:ident;)+) => {$(
        $(#[$doc])*
        #[pyfunction]
        #[pyo3(signature = (x, q, /, *, axis=None, method="linear", keepdims=false))]
        fn $name(
            py: Python<'_>,
            x: ArrayArgument<'_>,
            q: OperandArgument<'_>,
            axis: Option<AxesArgument>,
            method: &str,
            keepdims: bool,
        ) -> PyResult<Array> {
            let (x, q, between) = (x.tensor(), q.given(), interpolation(method)?);
            let axes = AxesArgument::or_all(axis, keepdims);
            run(py, x.len(), || x.$method(q, axes.clone(), between)).map(Array::from)
        }
    )+};
}

quantiles! {
    /// Quantiles over axes of the elements that are no NaNs.
    ///
    /// >>> bv.nanquantile(bv.asarray([1.0, bv.nan, 2.0]), 0.5)
    /// array(1.5)
    nanquantile => nanquantile_by;

    /// Quantiles over axes: below which so much of the elements is. Those of several ``q`` are along new
    /// axes in front.
    ///
    /// >>> bv.quantile(bv.asarray([1.0, 2.0, 3.0, 4.0]), bv.asarray([0.5, 1.0]))
    /// array([2.5, 4. ])
    quantile => quantile_by;
}

/// Quantiles over axes, in hundredths.
///
/// >>> bv.percentile(bv.asarray([1.0, 2.0, 3.0]), 50)
/// array(2.)
#[pyfunction]
#[pyo3(signature = (x, q, /, *, axis=None, keepdims=false))]
fn percentile(
    py: Python<'_>,
    x: ArrayArgument<'_>,
    q: OperandArgument<'_>,
    axis: Option<AxesArgument>,
    keepdims: bool,
) -> PyResult<Array> {
    let (x, q, axes) = (x.tensor(), q.given(), AxesArgument::or_all(axis, keepdims));
    run(py, x.len(), || x.percentile(q, axes.clone())).map(Array::from)
}

/// The value between two elements, under NumPy's names.
fn interpolation(method: &str) -> PyResult<Interpolation> {
    Ok(match method {
        "linear" => Interpolation::Linear,
        "lower" => Interpolation::Lower,
        "higher" => Interpolation::Higher,
        "nearest" => Interpolation::Nearest,
        "midpoint" => Interpolation::Midpoint,
        "inverted_cdf" => Interpolation::InvertedCdf,
        "averaged_inverted_cdf" => Interpolation::AveragedInvertedCdf,
        "closest_observation" => Interpolation::ClosestObservation,
        "interpolated_inverted_cdf" => Interpolation::InterpolatedInvertedCdf,
        "hazen" => Interpolation::Hazen,
        "weibull" => Interpolation::Weibull,
        "median_unbiased" => Interpolation::MedianUnbiased,
        "normal_unbiased" => Interpolation::NormalUnbiased,
        _ => return Err(PyValueError::new_err(format!("there is no method {method:?}"))),
    })
}

/// The number of elements in each bin, and the edges of the bins.
///
/// ``bins`` is how many there are from the least element to the greatest, or over ``range``; or the
/// edges.
///
/// >>> bv.histogram(bv.asarray([1.0, 2.0, 2.5, 9.0]), bins=bv.asarray([0.0, 2.0, 4.0])).counts
/// array([1, 2])
#[pyfunction]
#[pyo3(signature = (x, /, bins=BinsArgument::TEN, *, range=None, density=false, weights=None),
       text_signature = "(x, /, bins=10, *, range=None, density=False, weights=None)")]
fn histogram<'py>(
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

/// How many bins, or their edges.
#[derive(FromPyObject)]
enum BinsArgument<'py> {
    #[pyo3(transparent)]
    Count(usize),
    #[pyo3(transparent)]
    Edges(ArrayArgument<'py>),
}

impl BinsArgument<'_> {
    const TEN: Self = BinsArgument::Count(10);
}

/// How often each integer from 0 on is there, or the sums of its weights.
///
/// >>> bv.bincount(bv.asarray([0, 2, 2]))
/// array([1, 0, 2])
#[pyfunction]
#[pyo3(signature = (x, /, weights=None, minlength=Count(0)),
       text_signature = "(x, /, weights=None, minlength=0)")]
fn bincount(
    py: Python<'_>,
    x: ArrayArgument<'_>,
    weights: Option<ArrayArgument<'_>>,
    minlength: Count,
) -> PyResult<Array> {
    let (x, weights) = (x.tensor(), weights.as_ref().map(ArrayArgument::tensor));
    run(py, x.len().max(minlength.0), || x.bincount(weights, minlength.0)).map(Array::from)
}

/// The numbers of the bins that elements are in.
///
/// >>> bv.digitize(bv.asarray([0.5, 1.5]), bv.asarray([0.0, 1.0, 2.0]))
/// array([1, 2])
#[pyfunction]
#[pyo3(signature = (x, bins, /, *, right=false))]
fn digitize(
    py: Python<'_>,
    x: ArrayArgument<'_>,
    bins: ArrayArgument<'_>,
    right: bool,
) -> PyResult<Array> {
    let (x, bins) = (x.tensor(), bins.tensor());
    run(py, x.len(), || x.digitize(bins, right)).map(Array::from)
}

/// The ``k`` greatest elements along an axis in descending order, or the least in ascending order, and where
/// they are.
///
/// >>> bv.topk(bv.asarray([3, 9, 1, 7]), 2).values
/// array([9, 7])
#[pyfunction]
#[pyo3(signature = (x, k, /, *, axis=-1, largest=true),
       text_signature = "(x, k, /, *, axis=-1, largest=True)")]
fn topk<'py>(
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

/// The elements along an axis, with the one in its place that is there when they are sorted, no greater
/// ones before it and no lesser ones behind it.
///
/// >>> bv.partition(bv.asarray([3, 1, 2]), 0)[0]
/// array(1)
#[pyfunction]
#[pyo3(signature = (x, kth, /, *, axis=-1), text_signature = "(x, kth, /, *, axis=-1)")]
fn partition(py: Python<'_>, x: ArrayArgument<'_>, kth: isize, axis: isize) -> PyResult<Array> {
    let x = x.tensor();
    run(py, x.len(), || x.partition(kth, axis)).map(Array::from)
}

/// Where the elements of ``partition`` come from.
///
/// >>> bv.argpartition(bv.asarray([3, 1, 2]), 0)[0]
/// array(1)
#[pyfunction]
#[pyo3(signature = (x, kth, /, *, axis=-1), text_signature = "(x, kth, /, *, axis=-1)")]
fn argpartition(py: Python<'_>, x: ArrayArgument<'_>, kth: isize, axis: isize) -> PyResult<Array> {
    let x = x.tensor();
    run(py, x.len(), || x.argpartition(kth, axis)).map(Array::from)
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(argpartition, module)?)?;
    module.add_function(wrap_pyfunction!(bincount, module)?)?;
    module.add_function(wrap_pyfunction!(digitize, module)?)?;
    module.add_function(wrap_pyfunction!(histogram, module)?)?;
    module.add_function(wrap_pyfunction!(nanquantile, module)?)?;
    module.add_function(wrap_pyfunction!(partition, module)?)?;
    module.add_function(wrap_pyfunction!(percentile, module)?)?;
    module.add_function(wrap_pyfunction!(quantile, module)?)?;
    module.add_function(wrap_pyfunction!(topk, module)?)
}
