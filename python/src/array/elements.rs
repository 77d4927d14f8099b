//! Elementwise functions and products as methods. They call what the functions of `chapter/` call.

use super::{Array, ArrayObject};
use crate::arguments::{ArrayArgument, OperandArgument};
use crate::attach::run;
use crate::chapter::data_type::cast;
use crate::chapter::elementwise::{clip_to, unary};
use crate::chapter::product::{dot_product, multiply_matrices};
use crate::dtype::DTypeArgument;
use pyo3::prelude::*;

#[pymethods]
impl ArrayObject {
    /// Writes one value to every element.
    ///
    /// >>> x = bv.zeros(3)
    /// >>> x[1:].fill(7)
    /// >>> x
    /// array([0., 7., 7.])
    fn fill(&self, py: Python<'_>, value: OperandArgument) -> PyResult<()> {
        let (x, value) = (&self.tensor, &value);
        run(py, x.len(), || x.fill(value))
    }

    /// Casts an array to another dtype; with ``copy=False``, the array itself if it already has it.
    ///
    /// >>> bv.asarray([1.9, -1.9]).astype(bv.int8)
    /// array([ 1, -1], dtype=int8)
    #[pyo3(signature = (dtype, /, *, copy=true))]
    fn astype<'py>(
        slf: &Bound<'py, Self>,
        dtype: DTypeArgument,
        copy: bool,
    ) -> PyResult<Bound<'py, ArrayObject>> {
        cast(slf, dtype, copy)
    }

    /// Limits the elements to the interval from ``min`` to ``max``; either bound may be omitted.
    ///
    /// >>> bv.asarray([1, 5, 9]).clip(2, 8)
    /// array([2, 5, 8])
    #[pyo3(signature = (min=None, max=None))]
    fn clip(
        &self,
        py: Python<'_>,
        min: Option<OperandArgument>,
        max: Option<OperandArgument>,
    ) -> PyResult<Array> {
        clip_to(py, &self.tensor, min.as_ref(), max.as_ref())
    }

    /// Rounds to the nearest integer, halfway cases to even; integers are returned unchanged.
    ///
    /// >>> bv.asarray([0.5, 1.6]).round()
    /// array([0., 2.])
    fn round<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, ArrayObject>> {
        unary(py, &self.tensor, |x| x.round())
    }

    /// Computes the complex conjugate; a real array is returned as it is.
    ///
    /// >>> bv.asarray([1+2j]).conj()
    /// array([1.-2.j])
    fn conj<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, ArrayObject>> {
        unary(py, &self.tensor, |x| x.conj())
    }

    /// Computes the matrix product; leading axes are broadcast.
    ///
    /// >>> bv.asarray([[1, 2], [3, 4]]).matmul(bv.asarray([1, 1]))
    /// array([3, 7])
    fn matmul(&self, py: Python<'_>, other: ArrayArgument<'_>) -> PyResult<Array> {
        multiply_matrices(py, &self.tensor, other.tensor())
    }

    /// Computes the dot product over the last axis of the array and the second-to-last axis of ``other``.
    ///
    /// >>> bv.asarray([1, 2]).dot(bv.asarray([3, 4]))
    /// array(11)
    fn dot(&self, py: Python<'_>, other: ArrayArgument<'_>) -> PyResult<Array> {
        dot_product(py, &self.tensor, other.tensor())
    }
}
