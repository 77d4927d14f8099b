//! Reductions as methods. The functions of the same names call them.

use super::{Array, ArrayObject};
use crate::arguments::AxesArgument;
use crate::attach::run;
use crate::chapter::reduction::{reduce, reduce_one};
use crate::dtype::DTypeArgument;
use belvedere::{Axes, ScanOptions};
use pyo3::prelude::*;

#[pymethods]
impl ArrayObject {
    /// Tests whether all elements over axes are nonzero; true for an empty array.
    ///
    /// >>> bv.asarray([[1, 2], [3, 4]]).all()
    /// array(True)
    #[pyo3(signature = (axis=None, *, keepdims=false))]
    pub(crate) fn all(
        &self,
        py: Python<'_>,
        axis: Option<AxesArgument>,
        keepdims: bool,
    ) -> PyResult<Array> {
        reduce(py, &self.tensor, axis, keepdims, |x, axes| x.all(axes))
    }

    /// Tests whether any element over axes is nonzero.
    ///
    /// >>> bv.asarray([[1, 2], [3, 4]]).any(axis=0)
    /// array([ True,  True])
    #[pyo3(signature = (axis=None, *, keepdims=false))]
    pub(crate) fn any(
        &self,
        py: Python<'_>,
        axis: Option<AxesArgument>,
        keepdims: bool,
    ) -> PyResult<Array> {
        reduce(py, &self.tensor, axis, keepdims, |x, axes| x.any(axes))
    }

    /// Computes the maximum over axes; NaN if an element is NaN.
    ///
    /// >>> bv.asarray([[1, 2], [3, 4]]).max(axis=0)
    /// array([3, 4])
    #[pyo3(signature = (axis=None, *, keepdims=false))]
    pub(crate) fn max(
        &self,
        py: Python<'_>,
        axis: Option<AxesArgument>,
        keepdims: bool,
    ) -> PyResult<Array> {
        reduce(py, &self.tensor, axis, keepdims, |x, axes| x.max(axes))
    }

    /// Computes the arithmetic mean over axes.
    ///
    /// >>> bv.asarray([[1, 2], [3, 4]]).mean()
    /// array(2.5)
    #[pyo3(signature = (axis=None, *, keepdims=false))]
    pub(crate) fn mean(
        &self,
        py: Python<'_>,
        axis: Option<AxesArgument>,
        keepdims: bool,
    ) -> PyResult<Array> {
        reduce(py, &self.tensor, axis, keepdims, |x, axes| x.mean(axes))
    }

    /// Computes the minimum over axes; NaN if an element is NaN.
    ///
    /// >>> bv.asarray([[1, 2], [3, 4]]).min(axis=1, keepdims=True)
    /// array([[1],
    ///        [3]])
    #[pyo3(signature = (axis=None, *, keepdims=false))]
    pub(crate) fn min(
        &self,
        py: Python<'_>,
        axis: Option<AxesArgument>,
        keepdims: bool,
    ) -> PyResult<Array> {
        reduce(py, &self.tensor, axis, keepdims, |x, axes| x.min(axes))
    }

    /// Computes the product over axes; integers are accumulated in 64 bits unless ``dtype`` is given.
    ///
    /// >>> bv.asarray([[1, 2], [3, 4]]).prod()
    /// array(24)
    #[pyo3(signature = (axis=None, dtype=None, *, keepdims=false))]
    pub(crate) fn prod(
        &self,
        py: Python<'_>,
        axis: Option<AxesArgument>,
        dtype: Option<DTypeArgument>,
        keepdims: bool,
    ) -> PyResult<Array> {
        reduce(py, &self.tensor, axis, keepdims, |x, axes| match dtype {
            None => x.prod(axes),
            Some(DTypeArgument(dtype)) => x.prod_as(axes, dtype),
        })
    }

    /// Computes the sum over axes; integers are accumulated in 64 bits unless ``dtype`` is given.
    ///
    /// >>> bv.asarray([[1, 2], [3, 4]]).sum(0)
    /// array([4, 6])
    #[pyo3(signature = (axis=None, dtype=None, *, keepdims=false))]
    pub(crate) fn sum(
        &self,
        py: Python<'_>,
        axis: Option<AxesArgument>,
        dtype: Option<DTypeArgument>,
        keepdims: bool,
    ) -> PyResult<Array> {
        reduce(py, &self.tensor, axis, keepdims, |x, axes| match dtype {
            None => x.sum(axes),
            Some(DTypeArgument(dtype)) => x.sum_as(axes, dtype),
        })
    }

    /// Computes the standard deviation over axes: squared deviations divided by ``n - correction``.
    ///
    /// >>> bv.asarray([1.0, 3.0]).std()
    /// array(1.)
    #[pyo3(signature = (axis=None, *, correction=0.0, keepdims=false))]
    pub(crate) fn std(
        &self,
        py: Python<'_>,
        axis: Option<AxesArgument>,
        correction: f64,
        keepdims: bool,
    ) -> PyResult<Array> {
        reduce(py, &self.tensor, axis, keepdims, |x, axes| x.std(axes, correction))
    }

    /// Computes the variance over axes: squared deviations divided by ``n - correction``.
    ///
    /// >>> bv.asarray([1.0, 3.0]).var(correction=1)
    /// array(2.)
    #[pyo3(signature = (axis=None, *, correction=0.0, keepdims=false))]
    pub(crate) fn var(
        &self,
        py: Python<'_>,
        axis: Option<AxesArgument>,
        correction: f64,
        keepdims: bool,
    ) -> PyResult<Array> {
        reduce(py, &self.tensor, axis, keepdims, |x, axes| x.var(axes, correction))
    }

    /// Returns the index of the first maximum along an axis, or in the flattened array.
    ///
    /// >>> bv.asarray([[1, 2], [3, 4]]).argmax(1)
    /// array([1, 1])
    #[pyo3(signature = (axis=None, *, keepdims=false))]
    pub(crate) fn argmax(
        &self,
        py: Python<'_>,
        axis: Option<isize>,
        keepdims: bool,
    ) -> PyResult<Array> {
        reduce_one(py, &self.tensor, axis, keepdims, |x, axes: Axes| x.argmax(axes))
    }

    /// Returns the index of the first minimum along an axis, or in the flattened array.
    ///
    /// >>> bv.asarray([[1, 2], [3, 4]]).argmin()
    /// array(0)
    #[pyo3(signature = (axis=None, *, keepdims=false))]
    pub(crate) fn argmin(
        &self,
        py: Python<'_>,
        axis: Option<isize>,
        keepdims: bool,
    ) -> PyResult<Array> {
        reduce_one(py, &self.tensor, axis, keepdims, |x, axes: Axes| x.argmin(axes))
    }

    /// Computes the cumulative sum along an axis, or of the flattened array.
    ///
    /// >>> bv.asarray([1, 2, 3]).cumsum()
    /// array([1, 3, 6])
    #[pyo3(signature = (axis=None, dtype=None))]
    fn cumsum(
        &self,
        py: Python<'_>,
        axis: Option<isize>,
        dtype: Option<DTypeArgument>,
    ) -> PyResult<Array> {
        let scan = ScanOptions { dtype: dtype.map(|it| it.0), include_initial: false };
        let x = &self.tensor;
        let operation = || match axis {
            Some(axis) => x.cumulative_sum_with(axis, scan),
            None => x.atleast_1d()?.flatten(0, -1)?.cumulative_sum_with(0, scan),
        };
        run(py, x.len(), operation).map(Array::from)
    }
}
