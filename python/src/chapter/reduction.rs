//! What reductions and cumulative functions have in common.

use crate::arguments::{AxesArgument, Casting, OutArgument};
use crate::array::ArrayObject;
use crate::attach::{run, run_to_object, try_run};
use crate::dtype::DTypeArgument;
use crate::error::raise;
use belvedere::{Axes, DType, Error, ScanOptions, Tensor, can_cast, keep};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;

/// A reduction over axes, in the core.
pub(crate) type Reduce = fn(&Tensor, Axes) -> Result<Tensor, Error>;

/// A reduction over axes that writes to an existing tensor, in the core.
pub(crate) type ReduceInto = fn(&Tensor, Axes, &Tensor) -> Result<(), Error>;

/// The axes of a reduction, and where the result is written.
pub(crate) struct Reduction<'py> {
    pub axes: Axes,
    pub out: Option<OutArgument<'py>>,
    /// The casts to the dtype of the output. Most reductions of NumPy allow all.
    pub casting: Casting,
}

impl<'py> Reduction<'py> {
    pub(crate) fn new(
        axis: Option<AxesArgument>,
        keepdims: bool,
        out: Option<OutArgument<'py>>,
    ) -> Reduction<'py> {
        Reduction { axes: AxesArgument::or_all(axis, keepdims), out, casting: Casting::Unsafe }
    }

    /// A reduction over one axis, or over all of them, whose results are indices.
    ///
    /// # Errors
    /// If the output is not of integers.
    pub(crate) fn over_one(
        axis: Option<isize>,
        keepdims: bool,
        out: Option<OutArgument<'py>>,
    ) -> PyResult<Reduction<'py>> {
        if let Some(out) = &out
            && !can_cast(out.tensor().dtype(), DType::Int64)
        {
            let given = out.tensor().dtype();
            let message = format!("out must have an integer dtype, for indices, got {given}");
            return Err(PyTypeError::new_err(message));
        }
        let axes = axis.map_or(Axes::from(()), Axes::from);
        let axes = if keepdims { keep(axes) } else { axes };
        Ok(Reduction { axes, out, casting: Casting::SameKind })
    }

    /// The same, with `same_kind` casts of the result.
    pub(crate) fn casting_same_kind(self) -> Reduction<'py> {
        Reduction { casting: Casting::SameKind, ..self }
    }

    /// Computes with the two functions of the core.
    #[inline]
    pub(crate) fn compute(
        self,
        py: Python<'py>,
        x: &Tensor,
        new: impl Fn(&Tensor, Axes) -> Result<Tensor, Error> + Send + Sync,
        into: impl Fn(&Tensor, Axes, &Tensor) -> Result<(), Error> + Send + Sync,
    ) -> PyResult<Bound<'py, ArrayObject>> {
        let axes = self.axes;
        match self.out {
            None => run_to_object(py, x.len(), || new(x, axes.clone())),
            Some(out) => write_to(py, x, (axes, out, self.casting), new, into),
        }
    }

    /// Computes a new tensor and assigns it to the output, if there is one.
    pub(crate) fn assign(
        self,
        py: Python<'py>,
        x: &Tensor,
        new: impl Fn(&Tensor, Axes) -> Result<Tensor, Error> + Send + Sync,
    ) -> PyResult<Bound<'py, ArrayObject>> {
        let result = run(py, x.len(), || new(x, self.axes.clone()))?;
        self.casting.deliver(py, result, self.out)
    }
}

/// Reduces to an output, with the casts that are allowed.
#[cold]
fn write_to<'py>(
    py: Python<'py>,
    x: &Tensor,
    (axes, out, casting): (Axes, OutArgument<'py>, Casting),
    new: impl Fn(&Tensor, Axes) -> Result<Tensor, Error> + Send + Sync,
    into: impl Fn(&Tensor, Axes, &Tensor) -> Result<(), Error> + Send + Sync,
) -> PyResult<Bound<'py, ArrayObject>> {
    let target = out.tensor();
    match try_run(py, x.len(), || into(x, axes.clone(), target)) {
        Ok(()) => Ok(out.0),
        // The core casts within a kind; nothing was written yet.
        Err(Error::Cast { .. }) => {
            let result = run(py, x.len(), || new(x, axes.clone()))?;
            casting.deliver(py, result, Some(out))
        }
        Err(error) => Err(raise(error)),
    }
}

/// Reduces an array over axes, or over all of them.
pub(crate) fn reduce<'py>(
    py: Python<'py>,
    x: &Tensor,
    axis: Option<AxesArgument>,
    keepdims: bool,
    function: impl Fn(&Tensor, Axes) -> Result<Tensor, Error> + Send + Sync,
) -> PyResult<Bound<'py, ArrayObject>> {
    let axes = AxesArgument::or_all(axis, keepdims);
    run_to_object(py, x.len(), || function(x, axes.clone()))
}

/// Reduces an array over one axis, or over all of them.
pub(crate) fn reduce_one<'py>(
    py: Python<'py>,
    x: &Tensor,
    axis: Option<isize>,
    keepdims: bool,
    function: impl Fn(&Tensor, Axes) -> Result<Tensor, Error> + Send + Sync,
) -> PyResult<Bound<'py, ArrayObject>> {
    let axes = axis.map_or(Axes::from(()), Axes::from);
    let axes = if keepdims { keep(axes) } else { axes };
    run_to_object(py, x.len(), || function(x, axes.clone()))
}

/// Computes a cumulative function. The axis may be omitted for arrays of rank 0 and 1.
pub(crate) fn accumulate<'py>(
    py: Python<'py>,
    x: &Tensor,
    axis: Option<isize>,
    dtype: Option<DTypeArgument>,
    include_initial: bool,
    out: Option<OutArgument<'py>>,
    function: impl Fn(&Tensor, isize, ScanOptions) -> Result<Tensor, Error> + Send + Sync,
) -> PyResult<Bound<'py, ArrayObject>> {
    let rank = x.rank();
    if axis.is_none() && rank > 1 {
        let message = format!("axis must be given for an array of {rank} axes");
        return Err(PyValueError::new_err(message));
    }
    let dtype = dtype.map(|it| it.0);
    let operation =
        || scan(&x.atleast_1d()?, axis.unwrap_or(0), (dtype, include_initial), &function);
    let result = run(py, x.len(), operation)?;
    Casting::Unsafe.deliver(py, result, out)
}

/// Computes a cumulative function along an axis, or of the flattened array, as NumPy's `cumsum` does.
pub(crate) fn accumulate_flat<'py>(
    py: Python<'py>,
    x: &Tensor,
    axis: Option<isize>,
    dtype: Option<DTypeArgument>,
    out: Option<OutArgument<'py>>,
    function: impl Fn(&Tensor, isize, ScanOptions) -> Result<Tensor, Error> + Send + Sync,
) -> PyResult<Bound<'py, ArrayObject>> {
    let options = (dtype.map(|it| it.0), false);
    let result = run(py, x.len(), || match axis {
        Some(axis) => scan(x, axis, options, &function),
        None => scan(&x.atleast_1d()?.reshape([-1])?, 0, options, &function),
    })?;
    Casting::Unsafe.deliver(py, result, out)
}

/// Computes a cumulative sum or product. In bool, as NumPy's, the sum is the logical OR and the product the logical AND:
/// those of zeros and ones are nonzero where these are true.
fn scan(
    x: &Tensor,
    axis: isize,
    (dtype, include_initial): (Option<DType>, bool),
    function: &(impl Fn(&Tensor, isize, ScanOptions) -> Result<Tensor, Error> + Sync),
) -> Result<Tensor, Error> {
    if dtype != Some(DType::Bool) {
        return function(x, axis, ScanOptions { dtype, include_initial });
    }
    let options = ScanOptions { dtype: Some(DType::Int64), include_initial };
    function(&x.astype(DType::Bool)?, axis, options)?.not_equal(0)
}
