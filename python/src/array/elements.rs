//! New elements from old ones, as methods.

use super::{Array, ArrayObject};
use crate::arguments::{ArrayArgument, OperandArgument};
use crate::dtype::DTypeArgument;
use crate::lock::run;
use pyo3::prelude::*;

#[pymethods]
impl ArrayObject {
    /// Writes a number to every element.
    ///
    /// >>> x = bv.zeros(3)
    /// >>> x[1:].fill(7)
    /// >>> x
    /// array([0., 7., 7.])
    fn fill(&self, py: Python<'_>, value: OperandArgument<'_>) -> PyResult<()> {
        let (x, value) = (&self.tensor, value.given());
        run(py, x.len(), || x.fill(value))
    }

    /// The elements as another type; with ``copy=False`` the array itself if it is of that type.
    ///
    /// >>> bv.asarray([1.9, -1.9]).astype(bv.int8)
    /// array([ 1, -1], dtype=int8)
    #[pyo3(signature = (dtype, /, *, copy=true))]
    fn astype(&self, py: Python<'_>, dtype: DTypeArgument, copy: bool) -> PyResult<Array> {
        let (x, DTypeArgument(dtype)) = (&self.tensor, dtype);
        let operation = || match copy && dtype == x.dtype() {
            true => x.copy(),
            false => x.astype(dtype),
        };
        run(py, x.len(), operation).map(Array::from)
    }

    /// The elements brought between two limits, of which either may be left out.
    ///
    /// >>> bv.asarray([1, 5, 9]).clip(2, 8)
    /// array([2, 5, 8])
    #[pyo3(signature = (min=None, max=None))]
    fn clip(
        &self,
        py: Python<'_>,
        min: Option<OperandArgument<'_>>,
        max: Option<OperandArgument<'_>>,
    ) -> PyResult<Array> {
        let x = &self.tensor;
        let [min, max] = [&min, &max].map(|limit| limit.as_ref().map(OperandArgument::given));
        let operation = || match (min, max) {
            (None, None) => x.clip((), ()),
            (Some(min), None) => x.clip(min, ()),
            (None, Some(max)) => x.clip((), max),
            (Some(min), Some(max)) => x.clip(min, max),
        };
        run(py, x.len(), operation).map(Array::from)
    }

    /// The nearest whole numbers, the even one of two.
    ///
    /// >>> bv.asarray([0.5, 1.6]).round()
    /// array([0., 2.])
    fn round(&self, py: Python<'_>) -> PyResult<Array> {
        let x = &self.tensor;
        run(py, x.len(), || x.round()).map(Array::from)
    }

    /// The complex conjugates.
    ///
    /// >>> bv.asarray([1+2j]).conj()
    /// array([1.-2.j])
    fn conj(&self, py: Python<'_>) -> PyResult<Array> {
        let x = &self.tensor;
        run(py, x.len(), || x.conj()).map(Array::from)
    }

    /// The product of matrices: the operator ``@``.
    ///
    /// >>> bv.asarray([[1, 2], [3, 4]]).matmul(bv.asarray([1, 1]))
    /// array([3, 7])
    fn matmul(&self, py: Python<'_>, other: ArrayArgument<'_>) -> PyResult<Array> {
        let (x, other) = (&self.tensor, other.tensor());
        run(py, x.len().saturating_mul(other.len()), || x.matmul(other)).map(Array::from)
    }

    /// The sum of products over the last axis here and the last but one there, as NumPy's ``dot``.
    ///
    /// >>> bv.asarray([1, 2]).dot(bv.asarray([3, 4]))
    /// array(11)
    fn dot(&self, py: Python<'_>, other: ArrayArgument<'_>) -> PyResult<Array> {
        let (x, other) = (&self.tensor, other.tensor());
        run(py, x.len().saturating_mul(other.len()), || x.dot(other)).map(Array::from)
    }
}
