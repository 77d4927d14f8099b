//! Reductions of a part of the elements, with a first value or in a given dtype.
//!
//! The parameters `where`, `initial`, `dtype`, `mean` and `ddof` are NumPy's. Without them a reduction is one call of the
//! core; with them it is composed of several.

use super::reduction::{Reduce, ReduceInto, Reduction};
use crate::arguments::{ArrayArgument, Number, OperandArgument};
use crate::array::ArrayObject;
use crate::attach::{run, run_to_object};
use crate::dtype::DTypeArgument;
use belvedere::{Axes, DType, Error, Operand, Tensor, keep, where_};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// A function of two operands that continues a reduction with a first value.
type Combine = for<'a> fn(Operand<'a>, Operand<'a>) -> Result<Tensor, Error>;

/// The parts of a reduction that has an identity, by the name of the function.
fn parts_of(name: &str) -> (Combine, Option<Number>) {
    match name {
        "max" => (|x, y| x.maximum(y), None),
        "min" => (|x, y| x.minimum(y), None),
        "nanmax" => (|x, y| x.fmax(y), None),
        "nanmin" => (|x, y| x.fmin(y), None),
        "prod" | "nanprod" => (|x, y| x.mul(y), Some(Number::Int(1))),
        "all" => (|x, y| x.logical_and(y), Some(Number::Bool(true))),
        "any" => (|x, y| x.logical_or(y), Some(Number::Bool(false))),
        _ => (|x, y| x.add(y), Some(Number::Int(0))),
    }
}

/// Which elements are reduced, and the value that the reduction begins with.
#[derive(Default)]
pub(crate) struct Selection<'py> {
    pub mask: Option<ArrayArgument<'py>>,
    pub initial: Option<OperandArgument>,
}

impl Selection<'_> {
    /// Whether it is a reduction of all elements that begins with the first of them.
    fn is_all(&self) -> bool {
        self.mask.is_none() && self.initial.is_none()
    }
}

/// Computes an extremum, or tests all or any elements.
#[inline]
pub(crate) fn reduce_selected<'py>(
    py: Python<'py>,
    x: &Tensor,
    reduction: Reduction<'py>,
    selection: Selection<'py>,
    name: &str,
    (new, into): (Reduce, ReduceInto),
) -> PyResult<Bound<'py, ArrayObject>> {
    match selection.is_all() && reduction.out.is_none() {
        true => run_to_object(py, x.len(), || new(x, reduction.axes.clone())),
        false => reduce_part_to(py, x, reduction, selection, name, (new, into)),
    }
}

/// Reduces a part of the elements, or writes to an output.
#[cold]
#[inline(never)]
fn reduce_part_to<'py>(
    py: Python<'py>,
    x: &Tensor,
    reduction: Reduction<'py>,
    selection: Selection<'py>,
    name: &str,
    (new, into): (Reduce, ReduceInto),
) -> PyResult<Bound<'py, ArrayObject>> {
    if selection.is_all() {
        return reduction.compute(py, x, new, into);
    }
    let Selection { mask, initial } = selection;
    let (mask, initial) = (mask.as_ref().map(ArrayArgument::tensor), initial.as_ref());
    let result = reduce_part(py, x, &reduction.axes, (mask, initial), name, &new)?;
    reduction.casting.deliver(py, result, reduction.out)
}

/// Reduces the elements that a mask selects, beginning with a first value.
fn reduce_part(
    py: Python<'_>,
    x: &Tensor,
    axes: &Axes,
    (mask, initial): (Option<&Tensor>, Option<&OperandArgument>),
    name: &str,
    reduce: &(dyn Fn(&Tensor, Axes) -> Result<Tensor, Error> + Sync),
) -> PyResult<Tensor> {
    let (combine, identity) = parts_of(name);
    if mask.is_some() && identity.is_none() && initial.is_none() {
        let message = format!("{name} of a part has no first value: where requires initial");
        return Err(PyValueError::new_err(message));
    }
    run(py, x.len(), || {
        let mut part = x.clone();
        if let Some(mask) = mask {
            let other = match (identity, initial) {
                (Some(identity), _) => Operand::from(identity),
                (None, Some(initial)) => initial.into(),
                (None, None) => unreachable!("checked above"),
            };
            let is_test = matches!(name, "all" | "any");
            let x = if is_test { x.astype(DType::Bool)? } else { x.clone() };
            part = where_(mask.broadcast_to(x.shape())?, &x, other)?;
            if part.dtype() != x.dtype() {
                part = part.astype(x.dtype())?;
            }
        }
        let Some(initial) = initial else { return reduce(&part, axes.clone()) };
        if part.is_empty() && identity.is_none() {
            // There is no extremum of zero elements but the first value.
            let shape = part.any(axes.clone())?.shape();
            let own = match initial {
                OperandArgument::Array(array) => array.get().tensor().dtype(),
                OperandArgument::Number(number) => number.dtype(),
            };
            return Tensor::full_as(&shape[..], initial, own)?.astype(part.dtype());
        }
        let reduced = reduce(&part, axes.clone())?;
        combine((&reduced).into(), initial.into())?.astype(reduced.dtype())
    })
}

/// Computes a sum or a product, also in a given dtype.
#[inline]
pub(crate) fn reduce_total<'py>(
    py: Python<'py>,
    x: &Tensor,
    reduction: Reduction<'py>,
    dtype: Option<DTypeArgument>,
    selection: Selection<'py>,
    name: &str,
    (new, into): (Reduce, ReduceInto),
) -> PyResult<Bound<'py, ArrayObject>> {
    match dtype {
        None => reduce_selected(py, x, reduction, selection, name, (new, into)),
        Some(dtype) => reduce_total_in(py, x, reduction, dtype, selection, name),
    }
}

/// Computes a sum or a product in a dtype.
#[cold]
#[inline(never)]
fn reduce_total_in<'py>(
    py: Python<'py>,
    x: &Tensor,
    reduction: Reduction<'py>,
    DTypeArgument(dtype): DTypeArgument,
    selection: Selection<'py>,
    name: &str,
) -> PyResult<Bound<'py, ArrayObject>> {
    let ignores_nan = name.starts_with("nan") && is_inexact(x.dtype());
    let is_product = name.ends_with("prod");
    let reduce = |x: &Tensor, axes: Axes| {
        let numbers = match ignores_nan {
            true => where_(x.isnan()?, if is_product { 1 } else { 0 }, x)?,
            false => x.clone(),
        };
        if is_product { numbers.prod_as(axes, dtype) } else { numbers.sum_as(axes, dtype) }
    };
    let Selection { mask, initial } = selection;
    let (mask, initial) = (mask.as_ref().map(ArrayArgument::tensor), initial.as_ref());
    let result = reduce_part(py, x, &reduction.axes, (mask, initial), name, &reduce)?;
    reduction.casting.deliver(py, result, reduction.out)
}

/// Computes a mean, also in a given dtype or of a part of the elements.
pub(crate) fn reduce_mean<'py>(
    py: Python<'py>,
    x: &Tensor,
    reduction: Reduction<'py>,
    dtype: Option<DTypeArgument>,
    mask: Option<ArrayArgument<'py>>,
    ignores_nan: bool,
    (new, into): (Reduce, ReduceInto),
) -> PyResult<Bound<'py, ArrayObject>> {
    let checks = ignores_nan && is_inexact(x.dtype());
    let reduction = if checks { reduction.casting_same_kind() } else { reduction };
    if dtype.is_none() && mask.is_none() {
        return reduction.compute(py, x, new, into);
    }
    let (mask, axes) = (mask.as_ref().map(ArrayArgument::tensor), &reduction.axes);
    let result = run(py, x.len(), || {
        let (x, mask) = (in_dtype(x, dtype)?, with_numbers(x, mask, ignores_nan)?);
        let mean = match &mask {
            None => new(&x, axes.clone())?,
            Some(mask) => Part { x: &x, mask, axes }.mean()?,
        };
        dtype.map_or(Ok(mean.clone()), |dtype| mean.astype(dtype.0))
    })?;
    reduction.casting.deliver(py, result, reduction.out)
}

/// The parameters of standard deviations and variances.
pub(crate) struct Deviation<'py> {
    pub dtype: Option<DTypeArgument>,
    pub mask: Option<ArrayArgument<'py>>,
    pub mean: Option<ArrayArgument<'py>>,
    pub correction: f64,
    pub ignores_nan: bool,
    pub is_root: bool,
}

/// Returns the correction that is given under NumPy's name or the standard's.
///
/// # Errors
/// If both are given and differ from 0.
pub(crate) fn correction(ddof: Option<f64>, correction: Option<f64>) -> PyResult<f64> {
    match (ddof, correction) {
        (Some(ddof), Some(correction)) if ddof != 0.0 => Err(PyValueError::new_err(format!(
            "ddof and correction are the same parameter: got both {ddof} and {correction}"
        ))),
        (ddof, correction) => Ok(correction.or(ddof).unwrap_or(0.0)),
    }
}

/// Computes a standard deviation or a variance, also in a given dtype or of a part of the elements.
pub(crate) fn reduce_deviation<'py>(
    py: Python<'py>,
    x: &Tensor,
    reduction: Reduction<'py>,
    how: Deviation<'py>,
    new: fn(&Tensor, Axes, f64) -> Result<Tensor, Error>,
    into: fn(&Tensor, Axes, f64, &Tensor) -> Result<(), Error>,
) -> PyResult<Bound<'py, ArrayObject>> {
    let Deviation { dtype, mask, mean, correction, ignores_nan, is_root } = how;
    let checks = is_root || (ignores_nan && is_inexact(x.dtype()));
    let reduction = if checks { reduction.casting_same_kind() } else { reduction };
    if dtype.is_none() && mask.is_none() && mean.is_none() {
        return reduction.compute(
            py,
            x,
            |x, axes| new(x, axes, correction),
            |x, axes, out| into(x, axes, correction, out),
        );
    }
    let [mask, mean] = [&mask, &mean].map(|it| it.as_ref().map(ArrayArgument::tensor));
    let axes = &reduction.axes;
    let result = run(py, x.len(), || {
        let x = in_dtype(x, dtype)?;
        let mask = with_numbers(&x, mask, ignores_nan)?;
        let deviation = match (&mask, mean) {
            (None, None) => new(&x, axes.clone(), correction)?,
            (mask, mean) => {
                let all = Tensor::full(x.shape(), true)?;
                let part = Part { x: &x, mask: mask.as_ref().unwrap_or(&all), axes };
                let variance = part.variance(mean, correction)?;
                if is_root { variance.sqrt()? } else { variance }
            }
        };
        dtype.map_or(Ok(deviation.clone()), |dtype| deviation.astype(dtype.0))
    })?;
    reduction.casting.deliver(py, result, reduction.out)
}

/// Whether a dtype has NaN: it is a real or complex float.
fn is_inexact(dtype: DType) -> bool {
    dtype.is_floating() || dtype.is_complex()
}

/// Casts to the dtype that is computed in: the given one if it is a float, else the array's.
fn in_dtype(x: &Tensor, dtype: Option<DTypeArgument>) -> Result<Tensor, Error> {
    match dtype {
        Some(DTypeArgument(dtype)) if is_inexact(dtype) => x.astype(dtype),
        _ => Ok(x.clone()),
    }
}

/// The mask, without the positions of NaN if these are ignored.
fn with_numbers(
    x: &Tensor,
    mask: Option<&Tensor>,
    ignores_nan: bool,
) -> Result<Option<Tensor>, Error> {
    let Some(mask) = mask else { return Ok(None) };
    let mask = mask.broadcast_to(x.shape())?;
    match ignores_nan && is_inexact(x.dtype()) {
        true => mask.logical_and(&x.isnan()?.logical_not()?).map(Some),
        false => Ok(Some(mask)),
    }
}

/// The elements that a mask of the same shape selects, reduced over axes.
struct Part<'a> {
    x: &'a Tensor,
    mask: &'a Tensor,
    axes: &'a Axes,
}

impl Part<'_> {
    fn sum_of(&self, x: &Tensor, axes: Axes) -> Result<Tensor, Error> {
        where_(self.mask, x, 0)?.sum(axes)
    }

    fn mean(&self) -> Result<Tensor, Error> {
        let sum = self.sum_of(self.x, self.axes.clone())?;
        self.divided(&sum, &self.mask.count_nonzero(self.axes.clone())?)
    }

    /// Divides in the dtype of the sum, if that is a real or complex float.
    fn divided(&self, sum: &Tensor, n: &Tensor) -> Result<Tensor, Error> {
        match sum.dtype() {
            dtype if is_inexact(dtype) => sum.divide(&n.astype(dtype)?),
            _ => sum.divide(n),
        }
    }

    fn variance(&self, mean: Option<&Tensor>, correction: f64) -> Result<Tensor, Error> {
        let own = match mean {
            Some(mean) => mean.clone(),
            None => Part { axes: &keep(self.axes.clone()), ..*self }.mean()?,
        };
        let squares = self.x.subtract(&own)?.abs()?.square()?;
        let sum = self.sum_of(&squares, self.axes.clone())?;
        let n = self.mask.count_nonzero(self.axes.clone())?.subtract(correction)?.maximum(0.0)?;
        self.divided(&sum, &n)
    }
}
