//! The namespace `fft`: what Fourier transforms have in common.

use crate::arguments::{Count, Integers};
use crate::array::Array;
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
pub(crate) fn transform(
    py: Python<'_>,
    x: &Tensor,
    n: Option<Count>,
    axis: isize,
    norm: &str,
    function: Transform,
) -> PyResult<Array> {
    let (n, norm) = (n.map(|it| it.0), norm.parse().map_err(raise)?);
    run(py, x.len().max(n.unwrap_or(0)), || function(x, n, axis, norm)).map(Array::from)
}

/// Computes a transform along several axes.
pub(crate) fn transform_many(
    py: Python<'_>,
    x: &Tensor,
    s: Option<Integers>,
    axes: Option<Integers>,
    norm: &str,
    function: TransformMany,
) -> PyResult<Array> {
    let norm = norm.parse().map_err(raise)?;
    let s = s.as_ref().map(Count::list).transpose()?;
    let axes = axes.map(|it| it.0);
    let len = s.iter().flatten().fold(1, |len: usize, &n| len.saturating_mul(n));
    run(py, x.len().max(len), || function(x, s.as_deref(), axes.as_deref(), norm)).map(Array::from)
}
