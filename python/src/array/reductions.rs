//! Reductions as methods. They call what the functions of `chapter/` call.

use super::{Array, ArrayObject};
use crate::arguments::AxesArgument;
use crate::attach::run;
use crate::chapter::reduction::{reduce, reduce_one};
use crate::dtype::DTypeArgument;
use belvedere::{Axes, ScanOptions};
use pyo3::prelude::*;

/// Defines reductions that have no parameters but axes.
macro_rules! reduction_methods {
    ($($(#[$doc:meta])* $name:ident;)+) => {
        #[pymethods]
        impl ArrayObject {
            $($(#[$doc])*
            #[pyo3(signature = (axis=None, *, keepdims=false))]
            fn $name(
                &self,
                py: Python<'_>,
                axis: Option<AxesArgument>,
                keepdims: bool,
            ) -> PyResult<Array> {
                reduce(py, &self.tensor, axis, keepdims, |x, axes| x.$name(axes))
            })+
        }
    };
}

reduction_methods! {
    /// Tests whether all elements over axes are nonzero; true for an empty array.
    ///
    /// >>> bv.asarray([[1, 2], [3, 4]]).all()
    /// array(True)
    all;
    /// Tests whether any element over axes is nonzero.
    ///
    /// >>> bv.asarray([[1, 2], [3, 4]]).any(axis=0)
    /// array([ True,  True])
    any;
    /// Computes the maximum over axes; NaN if an element is NaN.
    ///
    /// >>> bv.asarray([[1, 2], [3, 4]]).max(axis=0)
    /// array([3, 4])
    max;
    /// Computes the arithmetic mean over axes.
    ///
    /// >>> bv.asarray([[1, 2], [3, 4]]).mean()
    /// array(2.5)
    mean;
    /// Computes the minimum over axes; NaN if an element is NaN.
    ///
    /// >>> bv.asarray([[1, 2], [3, 4]]).min(axis=1, keepdims=True)
    /// array([[1],
    ///        [3]])
    min;
}

/// Defines reductions that accumulate in a dtype that may be given.
macro_rules! total_methods {
    ($($(#[$doc:meta])* $name:ident, $name_as:ident;)+) => {
        #[pymethods]
        impl ArrayObject {
            $($(#[$doc])*
            #[pyo3(signature = (axis=None, dtype=None, *, keepdims=false))]
            pub(crate) fn $name(
                &self,
                py: Python<'_>,
                axis: Option<AxesArgument>,
                dtype: Option<DTypeArgument>,
                keepdims: bool,
            ) -> PyResult<Array> {
                reduce(py, &self.tensor, axis, keepdims, |x, axes| match dtype {
                    None => x.$name(axes),
                    Some(DTypeArgument(dtype)) => x.$name_as(axes, dtype),
                })
            })+
        }
    };
}

total_methods! {
    /// Computes the product over axes; integers are accumulated in 64 bits unless ``dtype`` is given.
    ///
    /// >>> bv.asarray([[1, 2], [3, 4]]).prod()
    /// array(24)
    prod, prod_as;
    /// Computes the sum over axes; integers are accumulated in 64 bits unless ``dtype`` is given.
    ///
    /// >>> bv.asarray([[1, 2], [3, 4]]).sum(0)
    /// array([4, 6])
    sum, sum_as;
}

#[pymethods]
impl ArrayObject {
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
