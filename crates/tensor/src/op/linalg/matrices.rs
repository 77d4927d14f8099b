//! Stacks of matrices that can be taken apart.

use super::product::no_matrices;
use crate::dtype::Kind;
use crate::kernel::factor::{Factor, Failure, Fault, factor};
use crate::op::settled::as_type;
use crate::view::{Call, Input, fresh_all};
use crate::{DType, Error, Layout, Shape, Tensor, result_type};

/// A tensor whose last two axes are rows and columns, of a type that can be calculated with.
pub(super) struct Matrices {
    pub tensor: Tensor,
    pub call: Call,
}

impl Matrices {
    /// # Errors
    /// If there are fewer than two axes, or numbers of sixteen bits.
    pub fn new(x: &Tensor, call: Call) -> Result<Matrices, Error> {
        if x.rank() < 2 {
            return Err(no_matrices(call.op, x));
        }
        let tensor = as_type(x, calculated(call.op, x.dtype())?, call)?;
        Ok(Matrices { tensor, call })
    }

    /// # Errors
    /// As above; and if there are more rows than columns or fewer.
    pub fn square(x: &Tensor, call: Call) -> Result<Matrices, Error> {
        if let [.., rows, cols] = x.shape()[..]
            && rows != cols
        {
            let given = x.shape().into();
            return Err(Error::Form { op: call.op, needs: "square matrices", given });
        }
        Matrices::new(x, call)
    }

    pub fn dtype(&self) -> DType {
        self.tensor.dtype()
    }

    /// The type of lengths and of values that are real.
    pub fn real(&self) -> DType {
        self.dtype().real()
    }

    /// The type of values that may be complex.
    pub fn complex(&self) -> DType {
        result_type(self.dtype(), DType::Complex64)
    }

    pub fn rows(&self) -> usize {
        self.tensor.shape()[self.tensor.rank() - 2]
    }

    pub fn cols(&self) -> usize {
        self.tensor.shape()[self.tensor.rank() - 1]
    }

    /// The shape of a stack of as many matrices with other rows and columns.
    pub fn stack(&self, [rows, cols]: [usize; 2]) -> Shape {
        let shape = self.tensor.shape();
        shape[..shape.len() - 2].iter().copied().chain([rows, cols]).collect()
    }

    /// A result whose matrices lie row by row.
    pub fn by_rows(&self, dtype: DType, shape: [usize; 2]) -> Result<(Layout, DType), Error> {
        Ok((Layout::row_major(&self.stack(shape))?, dtype))
    }

    /// A result whose matrices lie column by column, as they are calculated when columns are vectors.
    pub fn by_columns(&self, dtype: DType, [m, n]: [usize; 2]) -> Result<(Layout, DType), Error> {
        Ok((Layout::row_major(&self.stack([n, m]))?.mt()?, dtype))
    }

    /// Calculates each of them.
    pub fn factor<const N: usize>(
        &self,
        what: Factor,
        results: [(Layout, DType); N],
    ) -> Result<[Tensor; N], Error> {
        fresh_all(results, [Input::Tensor(&self.tensor)], |outs, inputs| {
            factor(what, outs, inputs).map_err(|failure| self.failed(failure))
        })
    }

    /// What went wrong, with the index of the matrix.
    pub fn failed(&self, Failure { matrix, fault }: Failure) -> Error {
        let problem = match fault {
            Fault::Matrix(problem) => problem,
            Fault::Memory(bytes) => return Error::OutOfMemory { bytes },
        };
        let shape = self.tensor.shape();
        let batch = &shape[..shape.len() - 2];
        let mut index = vec![0; batch.len()];
        let mut rest = matrix;
        for (place, &len) in index.iter_mut().zip(batch).rev() {
            *place = rest % len.max(1);
            rest /= len.max(1);
        }
        Error::Matrix { op: self.call.op, matrix: index.into(), problem }
    }
}

/// The type in which matrices of a type are calculated.
///
/// # Errors
/// If it has sixteen bits.
pub(super) fn calculated(op: &'static str, dtype: DType) -> Result<DType, Error> {
    match dtype.kind() {
        Kind::Bool | Kind::Signed(_) | Kind::Unsigned(_) => Ok(DType::Float64),
        Kind::Float(2) | Kind::Brain(_) => Err(Error::Unsupported { op, dtype }),
        Kind::Float(_) | Kind::Complex(_) => Ok(dtype),
    }
}
