//! Reductions as methods.
//!
//! The parameters are NumPy's. With `out`, `initial` or `where` the functions of the package are called.

use super::out::write_to;
use super::{Array, ArrayObject};
use crate::arguments::AxesArgument;
use crate::attach::run;
use crate::chapter::reduction::{reduce, reduce_one};
use crate::dtype::DTypeArgument;
use belvedere::{Axes, ScanOptions};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBool, PyDict};

/// An argument that is passed on as it is.
type Given<'a, 'py> = Option<&'a Bound<'py, PyAny>>;

/// The arguments of a reduction, by their names.
struct Arguments<'a, 'py, const N: usize>([(&'static str, Given<'a, 'py>); N]);

impl<'py, const N: usize> Arguments<'_, 'py, N> {
    /// Calls the function of the package with the arguments that are given.
    fn call(
        &self,
        array: &Bound<'py, ArrayObject>,
        name: &str,
        keepdims: bool,
    ) -> PyResult<Bound<'py, PyAny>> {
        static PACKAGE: PyOnceLock<Py<PyModule>> = PyOnceLock::new();
        let py = array.py();
        let package =
            PACKAGE.get_or_try_init(py, || py.import("belvedere").map(Bound::unbind))?.bind(py);
        let options = PyDict::new(py);
        for (name, value) in self.0 {
            if let Some(value) = value {
                options.set_item(name, value)?;
            }
        }
        if keepdims {
            options.set_item("keepdims", true)?;
        }
        let result = package.getattr(name)?.call((array,), Some(&options))?;
        let out = self.0.into_iter().find(|it| it.0 == "out").and_then(|it| it.1);
        Ok(out.cloned().unwrap_or(result))
    }
}

/// The argument `where`, if it selects elements: ``True`` selects all.
fn selection<'a, 'py>(given: Given<'a, 'py>) -> Given<'a, 'py> {
    given.filter(|it| !it.cast_exact::<PyBool>().is_ok_and(|it| it.is_true()))
}

fn axes(axis: Given<'_, '_>) -> PyResult<Option<AxesArgument>> {
    axis.map(|it| it.extract()).transpose()
}

/// The argument `ddof` or `correction` of a variance, of which one may be given.
fn correction(ddof: f64, correction: Option<f64>) -> PyResult<f64> {
    match correction {
        Some(_) if ddof != 0.0 => {
            Err(PyTypeError::new_err("ddof and correction are the same: give one of them"))
        }
        other => Ok(other.unwrap_or(ddof)),
    }
}

#[pymethods]
impl ArrayObject {
    /// Tests whether all elements over axes are nonzero; true for an empty array.
    ///
    /// >>> bv.asarray([[1, 2], [3, 4]]).all()
    /// array(True)
    #[pyo3(name = "all", signature = (axis=None, out=None, keepdims=false, r#where=None))]
    fn all_method<'py>(
        slf: &Bound<'py, Self>,
        axis: Given<'_, 'py>,
        out: Given<'_, 'py>,
        keepdims: bool,
        r#where: Given<'_, 'py>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let r#where = selection(r#where);
        if out.is_some() || r#where.is_some() {
            let given = [("axis", axis), ("out", out), ("where", r#where)];
            return Arguments(given).call(slf, "all", keepdims);
        }
        let result = slf.get().all(slf.py(), axes(axis)?, keepdims)?;
        Ok(result.into_any())
    }

    /// Tests whether any element over axes is nonzero.
    ///
    /// >>> bv.asarray([[1, 2], [3, 4]]).any(axis=0)
    /// array([ True,  True])
    #[pyo3(name = "any", signature = (axis=None, out=None, keepdims=false, r#where=None))]
    fn any_method<'py>(
        slf: &Bound<'py, Self>,
        axis: Given<'_, 'py>,
        out: Given<'_, 'py>,
        keepdims: bool,
        r#where: Given<'_, 'py>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let r#where = selection(r#where);
        if out.is_some() || r#where.is_some() {
            let given = [("axis", axis), ("out", out), ("where", r#where)];
            return Arguments(given).call(slf, "any", keepdims);
        }
        let result = slf.get().any(slf.py(), axes(axis)?, keepdims)?;
        Ok(result.into_any())
    }

    /// Computes the maximum over axes; NaN if an element is NaN.
    ///
    /// >>> bv.asarray([[1, 2], [3, 4]]).max(axis=0)
    /// array([3, 4])
    #[pyo3(name = "max", signature = (axis=None, out=None, keepdims=false, initial=None, r#where=None))]
    fn max_method<'py>(
        slf: &Bound<'py, Self>,
        axis: Given<'_, 'py>,
        out: Given<'_, 'py>,
        keepdims: bool,
        initial: Given<'_, 'py>,
        r#where: Given<'_, 'py>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let r#where = selection(r#where);
        if out.is_some() || initial.is_some() || r#where.is_some() {
            let given = [("axis", axis), ("out", out), ("initial", initial), ("where", r#where)];
            return Arguments(given).call(slf, "max", keepdims);
        }
        let result = slf.get().max(slf.py(), axes(axis)?, keepdims)?;
        Ok(result.into_any())
    }

    /// Computes the arithmetic mean over axes.
    ///
    /// >>> bv.asarray([[1, 2], [3, 4]]).mean()
    /// array(2.5)
    #[pyo3(name = "mean", signature = (axis=None, dtype=None, out=None, keepdims=false, *, r#where=None))]
    fn mean_method<'py>(
        slf: &Bound<'py, Self>,
        axis: Given<'_, 'py>,
        dtype: Given<'_, 'py>,
        out: Given<'_, 'py>,
        keepdims: bool,
        r#where: Given<'_, 'py>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let r#where = selection(r#where);
        if dtype.is_some() || out.is_some() || r#where.is_some() {
            let given = [("axis", axis), ("dtype", dtype), ("out", out), ("where", r#where)];
            return Arguments(given).call(slf, "mean", keepdims);
        }
        let result = slf.get().mean(slf.py(), axes(axis)?, keepdims)?;
        Ok(result.into_any())
    }

    /// Computes the minimum over axes; NaN if an element is NaN.
    ///
    /// >>> bv.asarray([[1, 2], [3, 4]]).min(axis=1, keepdims=True)
    /// array([[1],
    ///        [3]])
    #[pyo3(name = "min", signature = (axis=None, out=None, keepdims=false, initial=None, r#where=None))]
    fn min_method<'py>(
        slf: &Bound<'py, Self>,
        axis: Given<'_, 'py>,
        out: Given<'_, 'py>,
        keepdims: bool,
        initial: Given<'_, 'py>,
        r#where: Given<'_, 'py>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let r#where = selection(r#where);
        if out.is_some() || initial.is_some() || r#where.is_some() {
            let given = [("axis", axis), ("out", out), ("initial", initial), ("where", r#where)];
            return Arguments(given).call(slf, "min", keepdims);
        }
        let result = slf.get().min(slf.py(), axes(axis)?, keepdims)?;
        Ok(result.into_any())
    }

    /// Computes the product over axes; integers are accumulated in 64 bits unless ``dtype`` is given.
    ///
    /// >>> bv.asarray([[1, 2], [3, 4]]).prod()
    /// array(24)
    #[pyo3(
        name = "prod",
        signature = (axis=None, dtype=None, out=None, keepdims=false, initial=None, r#where=None)
    )]
    fn prod_method<'py>(
        slf: &Bound<'py, Self>,
        axis: Given<'_, 'py>,
        dtype: Given<'_, 'py>,
        out: Given<'_, 'py>,
        keepdims: bool,
        initial: Given<'_, 'py>,
        r#where: Given<'_, 'py>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let r#where = selection(r#where);
        if out.is_some() || initial.is_some() || r#where.is_some() {
            let given = [("axis", axis), ("dtype", dtype), ("out", out), ("initial", initial)];
            let [axis, dtype, out, initial] = given;
            return Arguments([axis, dtype, out, initial, ("where", r#where)])
                .call(slf, "prod", keepdims);
        }
        let dtype = dtype.map(|it| it.extract()).transpose()?;
        let result = slf.get().prod(slf.py(), axes(axis)?, dtype, keepdims)?;
        Ok(result.into_any())
    }

    /// Computes the sum over axes; integers are accumulated in 64 bits unless ``dtype`` is given.
    ///
    /// >>> bv.asarray([[1, 2], [3, 4]]).sum(0)
    /// array([4, 6])
    #[pyo3(
        name = "sum",
        signature = (axis=None, dtype=None, out=None, keepdims=false, initial=None, r#where=None)
    )]
    fn sum_method<'py>(
        slf: &Bound<'py, Self>,
        axis: Given<'_, 'py>,
        dtype: Given<'_, 'py>,
        out: Given<'_, 'py>,
        keepdims: bool,
        initial: Given<'_, 'py>,
        r#where: Given<'_, 'py>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let r#where = selection(r#where);
        if out.is_some() || initial.is_some() || r#where.is_some() {
            let given = [("axis", axis), ("dtype", dtype), ("out", out), ("initial", initial)];
            let [axis, dtype, out, initial] = given;
            return Arguments([axis, dtype, out, initial, ("where", r#where)])
                .call(slf, "sum", keepdims);
        }
        let dtype = dtype.map(|it| it.extract()).transpose()?;
        let result = slf.get().sum(slf.py(), axes(axis)?, dtype, keepdims)?;
        Ok(result.into_any())
    }

    /// Computes the standard deviation over axes: squared deviations divided by ``n - correction``.
    ///
    /// >>> bv.asarray([1.0, 3.0]).std()
    /// array(1.)
    #[pyo3(
        name = "std",
        signature = (
            axis=None, dtype=None, out=None, ddof=0.0, keepdims=false, *, r#where=None, correction=None
        )
    )]
    #[expect(clippy::too_many_arguments, reason = "NumPy's parameters")]
    fn std_method<'py>(
        slf: &Bound<'py, Self>,
        axis: Given<'_, 'py>,
        dtype: Given<'_, 'py>,
        out: Given<'_, 'py>,
        ddof: f64,
        keepdims: bool,
        r#where: Given<'_, 'py>,
        correction: Option<f64>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (py, r#where) = (slf.py(), selection(r#where));
        let correction = self::correction(ddof, correction)?;
        if dtype.is_some() || out.is_some() || r#where.is_some() {
            let number = correction.into_pyobject(py)?.into_any();
            let given = [("axis", axis), ("dtype", dtype), ("out", out), ("where", r#where)];
            let [axis, dtype, out, r#where] = given;
            return Arguments([axis, dtype, out, r#where, ("correction", Some(&number))])
                .call(slf, "std", keepdims);
        }
        let result = slf.get().std(py, axes(axis)?, correction, keepdims)?;
        Ok(result.into_any())
    }

    /// Computes the variance over axes: squared deviations divided by ``n - correction``.
    ///
    /// >>> bv.asarray([1.0, 3.0]).var(correction=1)
    /// array(2.)
    #[pyo3(
        name = "var",
        signature = (
            axis=None, dtype=None, out=None, ddof=0.0, keepdims=false, *, r#where=None, correction=None
        )
    )]
    #[expect(clippy::too_many_arguments, reason = "NumPy's parameters")]
    fn var_method<'py>(
        slf: &Bound<'py, Self>,
        axis: Given<'_, 'py>,
        dtype: Given<'_, 'py>,
        out: Given<'_, 'py>,
        ddof: f64,
        keepdims: bool,
        r#where: Given<'_, 'py>,
        correction: Option<f64>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (py, r#where) = (slf.py(), selection(r#where));
        let correction = self::correction(ddof, correction)?;
        if dtype.is_some() || out.is_some() || r#where.is_some() {
            let number = correction.into_pyobject(py)?.into_any();
            let given = [("axis", axis), ("dtype", dtype), ("out", out), ("where", r#where)];
            let [axis, dtype, out, r#where] = given;
            return Arguments([axis, dtype, out, r#where, ("correction", Some(&number))])
                .call(slf, "var", keepdims);
        }
        let result = slf.get().var(py, axes(axis)?, correction, keepdims)?;
        Ok(result.into_any())
    }

    /// Returns the index of the first maximum along an axis, or in the flattened array.
    ///
    /// >>> bv.asarray([[1, 2], [3, 4]]).argmax(1)
    /// array([1, 1])
    #[pyo3(name = "argmax", signature = (axis=None, out=None, *, keepdims=false))]
    fn argmax_method<'py>(
        &self,
        py: Python<'py>,
        axis: Option<isize>,
        out: Given<'_, 'py>,
        keepdims: bool,
    ) -> PyResult<Bound<'py, PyAny>> {
        write_to(self.argmax(py, axis, keepdims)?, out)
    }

    /// Returns the index of the first minimum along an axis, or in the flattened array.
    ///
    /// >>> bv.asarray([[1, 2], [3, 4]]).argmin()
    /// array(0)
    #[pyo3(name = "argmin", signature = (axis=None, out=None, *, keepdims=false))]
    fn argmin_method<'py>(
        &self,
        py: Python<'py>,
        axis: Option<isize>,
        out: Given<'_, 'py>,
        keepdims: bool,
    ) -> PyResult<Bound<'py, PyAny>> {
        write_to(self.argmin(py, axis, keepdims)?, out)
    }

    /// Computes the cumulative sum along an axis, or of the flattened array.
    ///
    /// >>> bv.asarray([1, 2, 3]).cumsum()
    /// array([1, 3, 6])
    #[pyo3(signature = (axis=None, dtype=None, out=None))]
    fn cumsum<'py>(
        slf: &Bound<'py, Self>,
        axis: Given<'_, 'py>,
        dtype: Given<'_, 'py>,
        out: Given<'_, 'py>,
    ) -> PyResult<Bound<'py, PyAny>> {
        if out.is_some() {
            let given = [("axis", axis), ("dtype", dtype), ("out", out)];
            return Arguments(given).call(slf, "cumsum", false);
        }
        let axis = axis.map(|it| it.extract::<isize>()).transpose()?;
        let dtype = dtype.map(|it| it.extract::<DTypeArgument>()).transpose()?;
        let scan = ScanOptions { dtype: dtype.map(|it| it.0), include_initial: false };
        let (py, x) = (slf.py(), &slf.get().tensor);
        let operation = || match axis {
            Some(axis) => x.cumulative_sum_with(axis, scan),
            None => x.atleast_1d()?.flatten(0, -1)?.cumulative_sum_with(0, scan),
        };
        let sums = run(py, x.len(), operation)?;
        Ok(Array::from(sums).object(py)?.into_any())
    }
}

impl ArrayObject {
    pub(crate) fn all<'py>(
        &self,
        py: Python<'py>,
        axis: Option<AxesArgument>,
        keepdims: bool,
    ) -> PyResult<Bound<'py, ArrayObject>> {
        reduce(py, &self.tensor, axis, keepdims, |x, axes| x.all(axes))
    }

    pub(crate) fn any<'py>(
        &self,
        py: Python<'py>,
        axis: Option<AxesArgument>,
        keepdims: bool,
    ) -> PyResult<Bound<'py, ArrayObject>> {
        reduce(py, &self.tensor, axis, keepdims, |x, axes| x.any(axes))
    }

    pub(crate) fn max<'py>(
        &self,
        py: Python<'py>,
        axis: Option<AxesArgument>,
        keepdims: bool,
    ) -> PyResult<Bound<'py, ArrayObject>> {
        reduce(py, &self.tensor, axis, keepdims, |x, axes| x.max(axes))
    }

    pub(crate) fn mean<'py>(
        &self,
        py: Python<'py>,
        axis: Option<AxesArgument>,
        keepdims: bool,
    ) -> PyResult<Bound<'py, ArrayObject>> {
        reduce(py, &self.tensor, axis, keepdims, |x, axes| x.mean(axes))
    }

    pub(crate) fn min<'py>(
        &self,
        py: Python<'py>,
        axis: Option<AxesArgument>,
        keepdims: bool,
    ) -> PyResult<Bound<'py, ArrayObject>> {
        reduce(py, &self.tensor, axis, keepdims, |x, axes| x.min(axes))
    }

    pub(crate) fn prod<'py>(
        &self,
        py: Python<'py>,
        axis: Option<AxesArgument>,
        dtype: Option<DTypeArgument>,
        keepdims: bool,
    ) -> PyResult<Bound<'py, ArrayObject>> {
        reduce(py, &self.tensor, axis, keepdims, |x, axes| match dtype {
            None => x.prod(axes),
            Some(DTypeArgument(dtype)) => x.prod_as(axes, dtype),
        })
    }

    pub(crate) fn sum<'py>(
        &self,
        py: Python<'py>,
        axis: Option<AxesArgument>,
        dtype: Option<DTypeArgument>,
        keepdims: bool,
    ) -> PyResult<Bound<'py, ArrayObject>> {
        reduce(py, &self.tensor, axis, keepdims, |x, axes| match dtype {
            None => x.sum(axes),
            Some(DTypeArgument(dtype)) => x.sum_as(axes, dtype),
        })
    }

    pub(crate) fn std<'py>(
        &self,
        py: Python<'py>,
        axis: Option<AxesArgument>,
        correction: f64,
        keepdims: bool,
    ) -> PyResult<Bound<'py, ArrayObject>> {
        reduce(py, &self.tensor, axis, keepdims, |x, axes| x.std_with(axes, correction))
    }

    pub(crate) fn var<'py>(
        &self,
        py: Python<'py>,
        axis: Option<AxesArgument>,
        correction: f64,
        keepdims: bool,
    ) -> PyResult<Bound<'py, ArrayObject>> {
        reduce(py, &self.tensor, axis, keepdims, |x, axes| x.var_with(axes, correction))
    }

    pub(crate) fn argmax<'py>(
        &self,
        py: Python<'py>,
        axis: Option<isize>,
        keepdims: bool,
    ) -> PyResult<Bound<'py, ArrayObject>> {
        reduce_one(py, &self.tensor, axis, keepdims, |x, axes: Axes| x.argmax(axes))
    }

    pub(crate) fn argmin<'py>(
        &self,
        py: Python<'py>,
        axis: Option<isize>,
        keepdims: bool,
    ) -> PyResult<Bound<'py, ArrayObject>> {
        reduce_one(py, &self.tensor, axis, keepdims, |x, axes: Axes| x.argmin(axes))
    }
}
