//! Splitting, joining and padding beyond the standard.

use super::result::tuple;
use crate::arguments::{ArrayArgument, Count, Integers, collect, collect_exact, items};
use crate::array::Array;
use crate::attach::run_detached;
use crate::error::raise;
use crate::exchange;
use belvedere::{Error, Tensor};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyList, PyTuple};

/// Splits an array into parts of equal length, or at indices, along an axis; the parts are views.
///
/// The method of arrays is PyTorch's and takes the lengths of the parts.
///
/// >>> bv.split(bv.asarray([1, 2, 3, 4]), 2)
/// [array([1, 2]), array([3, 4])]
/// >>> bv.split([1, 2, 3, 4], [1, 3])
/// [array([1]), array([2, 3]), array([4])]
#[pyfunction]
#[pyo3(signature = (x, /, indices_or_sections, axis=0))]
pub(crate) fn split<'py>(
    py: Python<'py>,
    x: ArrayArgument<'_>,
    indices_or_sections: &Bound<'py, PyAny>,
    axis: isize,
) -> PyResult<Bound<'py, PyList>> {
    let x = x.tensor();
    let k = x.layout().resolve_axis(axis).map_err(|error| raise(error.into()))?;
    let len = x.layout().axes()[k].len;
    let ends: Vec<(usize, usize)> = match indices_or_sections.extract::<isize>() {
        Ok(n) => {
            let n = usize::try_from(n).ok().filter(|&n| n > 0).ok_or_else(|| {
                PyValueError::new_err(format!("expected a positive number of parts, got {n}"))
            })?;
            if !len.is_multiple_of(n) {
                return Err(PyValueError::new_err(format!(
                    "axis {k} of length {len} cannot be split into {n} parts of equal length"
                )));
            }
            collect_exact((0..n).map(|i| (i * (len / n), (i + 1) * (len / n))))?
        }
        Err(_) => {
            let indices = indices_or_sections.extract::<Integers>()?.0;
            let place = |&i: &isize| match i < 0 {
                true => len.saturating_sub(i.unsigned_abs()),
                false => len.min(i as usize),
            };
            let bound = |i: usize| indices.get(i).map_or(len, place);
            let start = |i: usize| if i == 0 { 0 } else { bound(i - 1) };
            collect_exact((0..indices.len() + 1).map(|i| (start(i), bound(i).max(start(i)))))?
        }
    };
    let sizes = collect_exact(ends.iter().map(|(start, stop)| stop - start))?;
    let parts = match sizes.iter().sum::<usize>() == len {
        true => x.split_sizes(axis, &sizes).map_err(raise)?,
        // Indices that do not increase give parts that overlap.
        false => {
            let parts = ends.iter().zip(&sizes).map(|(it, &size)| x.narrow(axis, it.0, size));
            collect(parts.map(|part| part.map_err(raise)))?
        }
    };
    let list = PyList::empty(py);
    parts.into_iter().try_for_each(|part| list.append(Array::from(part)))?;
    Ok(list)
}

/// Splits an array into at most ``n`` parts of equal length along an axis; the parts are views.
///
/// >>> bv.chunk(bv.asarray([1, 2, 3, 4]), 2)
/// (array([1, 2]), array([3, 4]))
#[pyfunction]
#[pyo3(signature = (x, n, /, axis=0))]
pub(crate) fn chunk<'py>(
    py: Python<'py>,
    x: ArrayArgument<'_>,
    n: Count,
    axis: isize,
) -> PyResult<Bound<'py, PyTuple>> {
    x.0.get().chunk(py, n, axis)
}

/// Pads every axis before and after: with a constant, or by edge, reflect, symmetric or wrap.
///
/// ``pad_width`` is one number for all sides, a pair ``(before, after)`` for all axes, or a pair for each axis.
/// ``mode`` is ``"constant"``, ``"edge"``, ``"reflect"``, ``"symmetric"`` or ``"wrap"``.
///
/// >>> bv.pad(bv.asarray([1, 2]), (1, 2), constant_values=7)
/// array([7, 1, 2, 7, 7])
/// >>> bv.pad(bv.asarray([1, 2, 3]), 2, mode="reflect")
/// array([3, 2, 1, 2, 3, 2, 1])
#[pyfunction]
#[pyo3(signature = (x, /, pad_width, mode="constant", *, constant_values=None),
       text_signature = "(x, /, pad_width, mode='constant', *, constant_values=0)")]
pub(crate) fn pad(
    py: Python<'_>,
    x: ArrayArgument<'_>,
    pad_width: WidthsArgument,
    mode: &str,
    constant_values: Option<Bound<'_, PyAny>>,
) -> PyResult<Array> {
    let (x, widths) = (x.tensor(), pad_width.widths(x.tensor().rank()));
    if mode == "constant" {
        let value = constant_values.map(|it| exchange::assigned(&it, x.dtype())).transpose()?;
        let value = value.as_ref();
        let operation = || match value {
            // The default is zero in every dtype, also where an integer is not cast implicitly, as to bool.
            None => x.pad(&widths),
            Some(value) => x.pad_with(&widths, value),
        };
        return run_detached(py, operation).map(Array::from);
    }
    let mode = mode.parse().map_err(raise)?;
    run_detached(py, || x.pad_mode(&widths, mode)).map(Array::from)
}

/// Returns the view of one array, or a tuple of those of several.
pub(crate) fn views<'py>(
    py: Python<'py>,
    arrays: &[Tensor],
    view: fn(&Tensor) -> Result<Tensor, Error>,
) -> PyResult<Bound<'py, PyAny>> {
    match arrays {
        [x] => Ok(Array::from(view(x).map_err(raise)?).object(py)?.into_any()),
        _ => {
            let views = collect(arrays.iter().map(|it| view(it).map_err(raise)))?;
            Ok(tuple(py, views)?.into_any())
        }
    }
}

/// The widths of padding: a pair for each axis, or one for all.
pub(crate) struct WidthsArgument(Vec<(usize, usize)>);

impl WidthsArgument {
    fn widths(&self, rank: usize) -> Vec<(usize, usize)> {
        match &self.0[..] {
            [pair] => vec![*pair; rank],
            pairs => pairs.to_vec(),
        }
    }
}

impl<'a, 'py> FromPyObject<'a, 'py> for WidthsArgument {
    type Error = PyErr;

    fn extract(object: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        if let Ok(numbers) = object.extract::<Integers>() {
            return Ok(WidthsArgument(vec![pair(&numbers)?]));
        }
        let pairs = items(&object)?.map(|item| pair(&item?.extract()?));
        collect(pairs).map(WidthsArgument)
    }
}

/// Reads a pair of widths; one number is used for both.
fn pair(numbers: &Integers) -> PyResult<(usize, usize)> {
    match Count::list(numbers)?[..] {
        [both] => Ok((both, both)),
        [before, after] => Ok((before, after)),
        ref other => {
            let message = format!("a padding width must be one number or a pair, got {other:?}");
            Err(PyValueError::new_err(message))
        }
    }
}
