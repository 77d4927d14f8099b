//! The namespace `fft`: what Fourier transforms have in common.

use super::output::deliver;
use crate::arguments::{Count, Integers, OutArgument};
use crate::array::ArrayObject;
use crate::attach::run;
use crate::error::raise;
use belvedere::fft::Norm;
use belvedere::{Error, Tensor};
use pyo3::prelude::*;

/// A transform along one axis, in the core.
type Transform = fn(&Tensor, Option<usize>, isize, Norm) -> Result<Tensor, Error>;

/// A transform along several axes, in the core.
type TransformMany = fn(&Tensor, Option<&[usize]>, Option<&[isize]>, Norm) -> Result<Tensor, Error>;

/// Computes a transform along one axis.
pub(crate) fn transform<'py>(
    py: Python<'py>,
    x: &Tensor,
    (n, axis, norm): (Option<Count>, isize, Option<&str>),
    out: Option<OutArgument<'py>>,
    function: Transform,
) -> PyResult<Bound<'py, ArrayObject>> {
    let (n, norm) = (n.map(|it| it.0), read_norm(norm)?);
    let result = run(py, x.len().max(n.unwrap_or(0)), || function(x, n, axis, norm))?;
    deliver(py, result, out)
}

/// Reads the name of a normalization; NumPy's default is None.
fn read_norm(norm: Option<&str>) -> PyResult<Norm> {
    norm.unwrap_or("backward").parse().map_err(raise)
}

/// Computes a transform along several axes.
pub(crate) fn transform_many<'py>(
    py: Python<'py>,
    x: &Tensor,
    (s, axes, norm): (Option<Integers>, Option<Integers>, Option<&str>),
    out: Option<OutArgument<'py>>,
    function: TransformMany,
) -> PyResult<Bound<'py, ArrayObject>> {
    let norm = read_norm(norm)?;
    let s = s.as_ref().map(Count::list).transpose()?;
    let axes = axes.map(|it| it.0);
    let len = s.iter().flatten().fold(1, |len: usize, &n| len.saturating_mul(n));
    let operation = || function(x, s.as_deref(), axes.as_deref(), norm);
    let result = run(py, x.len().max(len), operation)?;
    deliver(py, result, out)
}
