//! Elementwise functions as objects: they are called like functions, and have the methods of NumPy's ufuncs.
//!
//! The methods are composed of array functions, in `belvedere/_ufunc.py`.

use crate::arguments::{OutArgument, compared_operand};
use crate::array::ArrayObject;
use crate::chapter::elementwise::{Binary, Unary};
use crate::chapter::ufunc::{BinaryInto, Keywords, UnaryInto, binary_ufunc, unary_ufunc};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString, PyTuple};

/// What a ufunc computes: a new array, or into one that exists.
pub(crate) enum Function {
    Unary(Unary, UnaryInto),
    Binary(Binary, BinaryInto),
    /// The operands may be Python integers of any size.
    Comparison(Binary, BinaryInto),
}

/// A row of the table of elementwise functions.
pub(crate) struct Ufunc {
    pub name: &'static str,
    pub doc: &'static str,
    pub function: Function,
}

/// An elementwise function, with the methods of NumPy's ufuncs.
///
/// Called with operands, which broadcast, it computes a new array; with ``out``, it writes the result there. Where the
/// mask ``where`` is false, ``out`` keeps its elements; without ``out`` they are 0. ``dtype`` is the dtype to compute in.
///
/// >>> bv.add([1, 2], 10)
/// array([11, 12])
/// >>> bv.add.reduce([[1, 2], [3, 4]])
/// array([4, 6])
#[pyclass(frozen, name = "ufunc", module = "belvedere")]
pub(crate) struct UfuncObject(&'static Ufunc);

/// Adds the object of a function to a module.
pub(crate) fn add(module: &Bound<'_, PyModule>, ufunc: &'static Ufunc) -> PyResult<()> {
    module.add(ufunc.name, UfuncObject(ufunc))
}

#[pymethods]
impl UfuncObject {
    #[pyo3(signature = (*args, **kwargs))]
    fn __call__<'py>(
        &self,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        match kwargs {
            None if args.len() == self.nin() => {
                self.compute(args, None, [None, None, None]).map(Bound::into_any)
            }
            _ => self.compute_with(args, kwargs),
        }
    }

    /// Reduces an array along axes by applying the function between its elements.
    ///
    /// >>> bv.maximum.reduce([[1, 5], [4, 2]], axis=1)
    /// array([5, 4])
    #[pyo3(signature = (*args, **kwargs), text_signature = "($self, array, axis=0, dtype=None, out=None, keepdims=False, initial=None, where=True)")]
    fn reduce<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        call_method(slf, "reduce", args, kwargs)
    }

    /// Applies the function between the elements along an axis, and returns all intermediate results.
    ///
    /// >>> bv.maximum.accumulate([1, 3, 2, 4])
    /// array([1, 3, 3, 4])
    #[pyo3(signature = (*args, **kwargs), text_signature = "($self, array, axis=0, dtype=None, out=None)")]
    fn accumulate<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        call_method(slf, "accumulate", args, kwargs)
    }

    /// Reduces the slices between consecutive indices along an axis.
    ///
    /// >>> bv.add.reduceat([1, 2, 3, 4], [0, 2])
    /// array([3, 7])
    #[pyo3(signature = (*args, **kwargs), text_signature = "($self, array, indices, axis=0, dtype=None, out=None)")]
    fn reduceat<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        call_method(slf, "reduceat", args, kwargs)
    }

    /// Applies the function to all pairs of elements of two arrays.
    ///
    /// >>> bv.subtract.outer([10, 20], [1, 2])
    /// array([[ 9,  8],
    ///        [19, 18]])
    #[pyo3(signature = (*args, **kwargs), text_signature = "($self, A, B, /, **kwargs)")]
    fn outer<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        call_method(slf, "outer", args, kwargs)
    }

    /// Applies the function in place to the elements at indices, once for each occurrence of an index.
    ///
    /// >>> x = bv.zeros(3)
    /// >>> bv.add.at(x, [0, 0, 2], 1)
    /// >>> x
    /// array([2., 0., 1.])
    #[pyo3(signature = (*args, **kwargs), text_signature = "($self, a, indices, b=None, /)")]
    fn at<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        call_method(slf, "at", args, kwargs)
    }

    /// Returns the number of operands.
    #[getter]
    fn nin(&self) -> usize {
        match self.0.function {
            Function::Unary(..) => 1,
            Function::Binary(..) | Function::Comparison(..) => 2,
        }
    }

    /// Returns the number of results.
    #[getter]
    fn nout(&self) -> usize {
        1
    }

    /// Returns the number of operands and results.
    #[getter]
    fn nargs(&self) -> usize {
        self.nin() + 1
    }

    /// Returns the number that the reduction of no elements gives, or None.
    #[getter]
    fn identity<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        call_method(slf, "identity", &PyTuple::empty(slf.py()), None)
    }

    #[getter]
    fn __name__(&self) -> &'static str {
        self.0.name
    }

    #[getter]
    fn __qualname__(&self) -> &'static str {
        self.0.name
    }

    /// The documentation of the function; `__doc__` is a descriptor of `belvedere/_ufunc.py`.
    #[getter]
    fn _doc(&self) -> &'static str {
        self.0.doc
    }

    #[getter]
    fn __signature__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        call_method(slf, "signature", &PyTuple::empty(slf.py()), None)
    }

    fn __repr__(&self) -> String {
        format!("<ufunc '{}'>", self.0.name)
    }

    fn __reduce__(&self) -> &'static str {
        self.0.name
    }
}

/// Calls a function of `belvedere/_ufunc.py` with the ufunc as its first argument.
fn call_method<'py>(
    slf: &Bound<'py, UfuncObject>,
    name: &'static str,
    args: &Bound<'py, PyTuple>,
    kwargs: Option<&Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyAny>> {
    let py = slf.py();
    let mut all = vec![slf.as_any().clone()];
    all.extend(args.iter());
    let method = py.import("belvedere._ufunc")?.getattr(name)?;
    method.call(PyTuple::new(py, all)?, kwargs)
}

impl UfuncObject {
    /// Computes a new array, or writes to `out`.
    #[inline]
    fn compute<'py>(
        &self,
        args: &Bound<'py, PyTuple>,
        out: Option<OutArgument<'py>>,
        keywords: Keywords<'py>,
    ) -> PyResult<Bound<'py, ArrayObject>> {
        let py = args.py();
        let at = |n| args.get_borrowed_item(n);
        match self.0.function {
            Function::Unary(new, into) => {
                unary_ufunc(py, &at(0)?.extract()?, out, keywords, new, into)
            }
            Function::Binary(new, into) => {
                let (x, y) = (at(0)?.extract()?, at(1)?.extract()?);
                binary_ufunc(py, (&x, &y), out, keywords, new, into)
            }
            Function::Comparison(new, into) => {
                let (x, y) =
                    (compared_operand(&args.get_item(0)?)?, compared_operand(&args.get_item(1)?)?);
                binary_ufunc(py, (&x, &y), out, keywords, new, into)
            }
        }
    }

    /// Computes with an output or keywords. The output that was given is returned, also if it is another library's.
    #[cold]
    fn compute_with<'py>(
        &self,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (n, n_in) = (args.len(), self.nin());
        if n < n_in || n > n_in + 1 {
            let message = format!(
                "{}() takes {n_in} or {} positional arguments, got {n}",
                self.0.name,
                n_in + 1
            );
            return Err(PyTypeError::new_err(message));
        }
        let mut out = if n > n_in { Some(args.get_item(n_in)?) } else { None };
        let [mut mask, mut casting, mut dtype]: Keywords<'_> = [None, None, None];
        for (key, value) in kwargs.into_iter().flatten() {
            match key.cast::<PyString>()?.to_str()? {
                "out" if out.is_some() => {
                    return Err(PyTypeError::new_err("out is given by position and by name"));
                }
                "out" => out = Some(value),
                "where" => mask = Some(value),
                "casting" => casting = Some(value),
                "dtype" => dtype = Some(value).filter(|it| !it.is_none()),
                // The order of the result follows the operands, and there are no subclasses.
                "order" | "subok" => {}
                other => {
                    let name = self.0.name;
                    let message = format!("{name}() got an unexpected keyword argument '{other}'");
                    return Err(PyTypeError::new_err(message));
                }
            }
        }
        let out = out.filter(|it| !it.is_none());
        let target = out.as_ref().map(|it| it.extract::<OutArgument<'_>>()).transpose()?;
        let result = self.compute(args, target, [mask, casting, dtype])?;
        Ok(match out {
            // NumPy's dispatch passes a tuple with one array.
            Some(given) => match given.cast::<PyTuple>() {
                Ok(tuple) => tuple.get_item(0)?,
                Err(_) => given,
            },
            None => result.into_any(),
        })
    }
}
