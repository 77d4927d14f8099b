//! Elementwise functions and products as methods. They call what the functions of `chapter/` call.

use super::out::write_to;
use super::{Array, ArrayObject};
use crate::arguments::{ArrayArgument, Casting, OperandArgument, Order, OutArgument};
use crate::attach::run;
use crate::chapter::data_type::cast;
use crate::chapter::elementwise::{clip_to, round_to, unary};
use crate::chapter::product::{dot_product, multiply_matrices};
use crate::dtype::DTypeArgument;
use crate::exchange;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;

#[pymethods]
impl ArrayObject {
    /// Writes one value to every element.
    ///
    /// >>> x = bv.zeros(3)
    /// >>> x[1:].fill(7)
    /// >>> x
    /// array([0., 7., 7.])
    fn fill(&self, value: &Bound<'_, PyAny>) -> PyResult<()> {
        let x = &self.tensor;
        let given = &exchange::assigned(value, x.dtype())?;
        run(value.py(), x.len(), || match given {
            OperandArgument::Array(array) => belvedere::astype_into(array.get().tensor(), x),
            number => x.fill(number),
        })
    }

    /// Casts an array to another dtype; with ``copy=False``, the array itself if it already has it.
    ///
    /// Complex arrays are not cast to real dtypes: use ``real`` first. ``casting`` limits which casts are allowed.
    ///
    /// >>> bv.asarray([1.9, -1.9]).astype(bv.int8)
    /// array([ 1, -1], dtype=int8)
    #[pyo3(
        signature = (dtype, order=Order::Keep, casting=Casting::Unsafe, subok=true, copy=true),
        text_signature = "($self, dtype, order='K', casting='unsafe', subok=True, copy=True)"
    )]
    fn astype<'py>(
        slf: &Bound<'py, Self>,
        dtype: DTypeArgument,
        order: Order,
        casting: Casting,
        #[expect(unused_variables, reason = "there are no subclasses")] subok: bool,
        copy: bool,
    ) -> PyResult<Bound<'py, ArrayObject>> {
        let from = slf.get().tensor.dtype();
        if casting.check(from, dtype.0).is_err() {
            let to = dtype.0;
            return Err(PyTypeError::new_err(format!(
                "cannot cast {from} to {to} by the given rule for casting"
            )));
        }
        let cast = cast(slf, dtype, copy)?;
        match order.is_order_of(&cast.get().tensor) {
            true => Ok(cast),
            false => order.copy(slf.py(), &cast.get().tensor),
        }
    }

    /// Limits the elements to the interval from ``min`` to ``max``; either bound may be omitted.
    ///
    /// >>> bv.asarray([1, 5, 9]).clip(2, 8)
    /// array([2, 5, 8])
    #[pyo3(signature = (min=None, max=None, out=None))]
    fn clip<'py>(
        &self,
        py: Python<'py>,
        min: Option<OperandArgument>,
        max: Option<OperandArgument>,
        out: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let clipped = clip_to(py, &self.tensor, min.as_ref(), max.as_ref())?;
        write_to(clipped.object(py)?, out)
    }

    /// Rounds to a number of decimals, halfway cases to even; integers are returned unchanged.
    ///
    /// >>> bv.asarray([0.5, 1.6]).round()
    /// array([0., 2.])
    /// >>> bv.asarray([1.234, 5.678]).round(1)
    /// array([1.2, 5.7])
    #[pyo3(signature = (decimals=0, out=None))]
    fn round<'py>(
        slf: &Bound<'py, Self>,
        decimals: i32,
        out: Option<OutArgument<'py>>,
    ) -> PyResult<Bound<'py, ArrayObject>> {
        round_to(slf.py(), ArrayArgument(slf.clone()), decimals, out)
    }

    /// Computes the complex conjugate; a real array is returned as it is.
    ///
    /// >>> bv.asarray([1+2j]).conj()
    /// array([1.-2.j])
    fn conj<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, ArrayObject>> {
        unary(py, &self.tensor, |x| x.conj())
    }

    /// Computes the complex conjugate: the same as ``conj``.
    ///
    /// >>> bv.asarray([1+2j]).conjugate()
    /// array([1.-2.j])
    fn conjugate<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, ArrayObject>> {
        self.conj(py)
    }

    /// Computes the matrix product; leading axes are broadcast.
    ///
    /// >>> bv.asarray([[1, 2], [3, 4]]).matmul(bv.asarray([1, 1]))
    /// array([3, 7])
    fn matmul(&self, py: Python<'_>, other: ArrayArgument<'_>) -> PyResult<Array> {
        multiply_matrices(py, &self.tensor, other.tensor())
    }

    /// Computes the dot product over the last axis of the array and the second-to-last axis of ``b``.
    ///
    /// >>> bv.asarray([1, 2]).dot(bv.asarray([3, 4]))
    /// array(11)
    #[pyo3(signature = (b, out=None))]
    fn dot<'py>(
        &self,
        py: Python<'py>,
        b: ArrayArgument<'_>,
        out: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        write_to(dot_product(py, &self.tensor, b.tensor())?.object(py)?, out)
    }
}
