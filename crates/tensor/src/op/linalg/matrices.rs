//! Stacks of matrices to be factorized.

use super::product::no_matrices;
use crate::dtype::NumberKind;
use crate::feature::Feature;
use crate::kernel::factor::{FactorFailure, Factorization, Fault, factorize};
use crate::op::convert::as_type;
use crate::op::execute::compute_several;
use crate::trace::Call;
use crate::{DType, Error, Layout, Shape, Tensor, result_type};

/// A tensor whose last two axes are rows and columns, in a dtype that has factorizations.
pub(super) struct Matrices<'c> {
    pub tensor: Tensor,
    /// The composite operation that factorizes them.
    pub call: Call<'c>,
}

impl<'c> Matrices<'c> {
    /// Casts integers to `float64`.
    ///
    /// # Errors
    /// If there are fewer than two axes, or the dtype has 16 bits.
    pub(super) fn new(x: &Tensor, call: Call<'c>) -> Result<Matrices<'c>, Error> {
        if x.rank() < 2 {
            return Err(no_matrices(call.op, x));
        }
        let tensor = as_type(x, factor_dtype(call.op, x.dtype())?, call)?;
        Ok(Matrices { tensor, call })
    }

    /// Returns [`Matrices::new`] of square matrices.
    ///
    /// # Errors
    /// As for [`Matrices::new`]; and if the matrices are not square.
    pub(super) fn square(x: &Tensor, call: Call<'c>) -> Result<Matrices<'c>, Error> {
        if let [.., rows, cols] = x.shape()[..]
            && rows != cols
        {
            let given = x.shape().into();
            return Err(Error::Form { op: call.op, needs: "square matrices", given });
        }
        Matrices::new(x, call)
    }

    pub(super) fn dtype(&self) -> DType {
        self.tensor.dtype()
    }

    /// Returns the dtype of norms, singular values and other real results.
    pub(super) fn real(&self) -> DType {
        self.dtype().real()
    }

    /// Returns the dtype of results that may be complex.
    pub(super) fn complex(&self) -> DType {
        result_type(self.dtype(), DType::Complex64)
    }

    pub(super) fn rows(&self) -> usize {
        self.tensor.shape()[self.tensor.rank() - 2]
    }

    pub(super) fn cols(&self) -> usize {
        self.tensor.shape()[self.tensor.rank() - 1]
    }

    /// Returns the shape of a stack of as many matrices of another shape.
    pub(super) fn stack(&self, [rows, cols]: [usize; 2]) -> Shape {
        let shape = self.tensor.shape();
        shape[..shape.len() - 2].iter().copied().chain([rows, cols]).collect()
    }

    /// Returns the layout and dtype of a result of row-major matrices.
    pub(super) fn row_major(
        &self,
        dtype: DType,
        shape: [usize; 2],
    ) -> Result<(Layout, DType), Error> {
        Ok((Layout::row_major(&self.stack(shape))?, dtype))
    }

    /// Returns the layout and dtype of a result of column-major matrices, for columns that are computed as
    /// vectors.
    pub(super) fn column_major(
        &self,
        dtype: DType,
        [m, n]: [usize; 2],
    ) -> Result<(Layout, DType), Error> {
        Ok((Layout::row_major(&self.stack([n, m]))?.mt()?, dtype))
    }

    /// Factorizes every matrix of the stack into new tensors.
    pub(super) fn factorize<const N: usize>(
        &self,
        what: Factorization,
        results: [(Layout, DType); N],
    ) -> Result<[Tensor; N], Error> {
        Feature::FACTORIZATIONS.require(self.call.op)?;
        compute_several(self.call.part(), results, &[(&self.tensor).into()], |outs, inputs| {
            factorize(what, outs, inputs).map_err(|failure| self.error(failure))
        })
    }

    /// Returns the error for a matrix of the stack that could not be factorized, with its index.
    pub(super) fn error(&self, FactorFailure { matrix, fault }: FactorFailure) -> Error {
        let problem = match fault {
            Fault::Matrix(problem) => problem,
            Fault::Memory(bytes) => return Error::OutOfMemory { bytes },
        };
        let shape = self.tensor.shape();
        let batch = &shape[..shape.len() - 2];
        let mut index = vec![0; batch.len()];
        let mut rest = matrix;
        for (at, &len) in index.iter_mut().zip(batch).rev() {
            *at = rest % len.max(1);
            rest /= len.max(1);
        }
        Error::Matrix { op: self.call.op, matrix: index.into(), problem }
    }
}

/// Returns the dtype in which matrices of a dtype are factorized.
///
/// # Errors
/// If it has 16 bits.
pub(super) fn factor_dtype(op: &'static str, dtype: DType) -> Result<DType, Error> {
    match dtype.kind() {
        NumberKind::Bool | NumberKind::Signed(_) | NumberKind::Unsigned(_) => Ok(DType::Float64),
        NumberKind::Float(2) | NumberKind::Brain(_) => Err(Error::Unsupported { op, dtype }),
        NumberKind::Float(_) | NumberKind::Complex(_) => Ok(dtype),
    }
}
