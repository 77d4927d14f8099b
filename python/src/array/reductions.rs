//! Reductions as methods. As functions they are in `chapter/statistical.rs` and beside it.

use super::{Array, ArrayObject};
use crate::arguments::AxesArgument;
use crate::dtype::DTypeArgument;
use crate::lock::run;
use belvedere::{Axes, ScanOptions, keep};
use pyo3::prelude::*;

/// Reductions that have no arguments but axes.
macro_rules! plain {
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
                let (x, axes) = (&self.tensor, AxesArgument::or_all(axis, keepdims));
                run(py, x.len(), || x.$name(axes.clone())).map(Array::from)
            })+
        }
    };
}

plain! {
    /// Whether all elements are true.
    ///
    /// >>> bv.asarray([[1, 2], [3, 4]]).all()
    /// array(True)
    all;
    /// Whether an element is true.
    ///
    /// >>> bv.asarray([[1, 2], [3, 4]]).any(axis=0)
    /// array([ True,  True])
    any;
    /// The greatest element; a NaN if there is one.
    ///
    /// >>> bv.asarray([[1, 2], [3, 4]]).max(axis=0)
    /// array([3, 4])
    max;
    /// The mean.
    ///
    /// >>> bv.asarray([[1, 2], [3, 4]]).mean()
    /// array(2.5)
    mean;
    /// The least element; a NaN if there is one.
    ///
    /// >>> bv.asarray([[1, 2], [3, 4]]).min(axis=1, keepdims=True)
    /// array([[1],
    ///        [3]])
    min;
}

/// Totals, which may be made in another type.
macro_rules! totals {
    ($($(#[$doc:meta])* $name:ident, $name_as:ident;)+) => {
        #[pymethods]
        impl ArrayObject {
            $($(#[$doc])*
            #[pyo3(signature = (axis=None, dtype=None, *, keepdims=false))]
            fn $name(
                &self,
                py: Python<'_>,
                axis: Option<AxesArgument>,
                dtype: Option<DTypeArgument>,
                keepdims: bool,
            ) -> PyResult<Array> {
                let (x, axes) = (&self.tensor, AxesArgument::or_all(axis, keepdims));
                let operation = || match dtype {
                    None => x.$name(axes.clone()),
                    Some(DTypeArgument(dtype)) => x.$name_as(axes.clone(), dtype),
                };
                run(py, x.len(), operation).map(Array::from)
            })+
        }
    };
}

totals! {
    /// The product; integers are multiplied in 64 bits, unless there is a type given.
    ///
    /// >>> bv.asarray([[1, 2], [3, 4]]).prod()
    /// array(24)
    prod, prod_as;
    /// The sum; integers are summed in 64 bits, unless there is a type given.
    ///
    /// >>> bv.asarray([[1, 2], [3, 4]]).sum(0)
    /// array([4, 6])
    sum, sum_as;
}

#[pymethods]
impl ArrayObject {
    /// The standard deviation: squares are divided by the number of elements less ``correction``.
    ///
    /// >>> bv.asarray([1.0, 3.0]).std()
    /// array(1.)
    #[pyo3(signature = (axis=None, *, correction=0.0, keepdims=false))]
    fn std(
        &self,
        py: Python<'_>,
        axis: Option<AxesArgument>,
        correction: f64,
        keepdims: bool,
    ) -> PyResult<Array> {
        let (x, axes) = (&self.tensor, AxesArgument::or_all(axis, keepdims));
        run(py, x.len(), || x.std(axes.clone(), correction)).map(Array::from)
    }

    /// The variance: squares are divided by the number of elements less ``correction``.
    ///
    /// >>> bv.asarray([1.0, 3.0]).var(correction=1)
    /// array(2.)
    #[pyo3(signature = (axis=None, *, correction=0.0, keepdims=false))]
    fn var(
        &self,
        py: Python<'_>,
        axis: Option<AxesArgument>,
        correction: f64,
        keepdims: bool,
    ) -> PyResult<Array> {
        let (x, axes) = (&self.tensor, AxesArgument::or_all(axis, keepdims));
        run(py, x.len(), || x.var(axes.clone(), correction)).map(Array::from)
    }

    /// Where the first greatest element is along an axis, or in the order of the indices.
    ///
    /// >>> bv.asarray([[1, 2], [3, 4]]).argmax(1)
    /// array([1, 1])
    #[pyo3(signature = (axis=None, *, keepdims=false))]
    fn argmax(&self, py: Python<'_>, axis: Option<isize>, keepdims: bool) -> PyResult<Array> {
        let (x, axes) = (&self.tensor, one_or_all(axis, keepdims));
        run(py, x.len(), || x.argmax(axes.clone())).map(Array::from)
    }

    /// Where the first least element is along an axis, or in the order of the indices.
    ///
    /// >>> bv.asarray([[1, 2], [3, 4]]).argmin()
    /// array(0)
    #[pyo3(signature = (axis=None, *, keepdims=false))]
    fn argmin(&self, py: Python<'_>, axis: Option<isize>, keepdims: bool) -> PyResult<Array> {
        let (x, axes) = (&self.tensor, one_or_all(axis, keepdims));
        run(py, x.len(), || x.argmin(axes.clone())).map(Array::from)
    }

    /// The sums of all elements up to each, along an axis or in the order of the indices.
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
        let how = ScanOptions { dtype: dtype.map(|it| it.0), include_initial: false };
        let x = &self.tensor;
        let operation = || match axis {
            Some(axis) => x.cumulative_sum_with(axis, how),
            None => x.atleast_1d()?.flatten(0, -1)?.cumulative_sum_with(0, how),
        };
        run(py, x.len(), operation).map(Array::from)
    }
}

fn one_or_all(axis: Option<isize>, keepdims: bool) -> Axes {
    let axes = axis.map_or(Axes::from(()), Axes::from);
    if keepdims { keep(axes) } else { axes }
}
