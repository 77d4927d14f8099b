//! Embeddings and one-hot vectors.

use crate::trace::{Call, Touched, composite};
use crate::{DType, Error, Shape, Tensor};

/// Returns a one-hot vector of length `n` for each index.
///
/// ```
/// use belvedere::{nn, prelude::*};
///
/// let x = nn::one_hot(&tensor![2, 0], 3, DType::Float32)?;
/// assert_eq!(x.to_vec::<f32>()?, [0.0, 0.0, 1.0, 1.0, 0.0, 0.0]);
/// # Ok::<(), belvedere::Error>(())
/// ```
///
/// # Errors
/// If an index is out of range for `n` (negative ones count from the end), the indices are not integers, or there is
/// not enough memory.
///
/// # Memory
/// Always allocates a new tensor.
#[track_caller]
pub fn one_hot(indices: &Tensor, n: usize, dtype: DType) -> Result<Tensor, Error> {
    let params = [("n", n.into()), ("dtype", dtype.into())];
    let call = Call::new("one_hot").with(&params);
    composite(call, &[indices.into()], || {
        let mut shape = indices.shape().to_vec();
        shape.push(n);
        let out = Tensor::zeros(shape, dtype)?;
        let one = Tensor::ones([0usize; 0], dtype)?;
        out.put_along_axis(&indices.unsqueeze(-1)?, -1, &one)?;
        Ok(out)
    })
}

/// Looks up rows of a table by index: [`Tensor::take`] along axis 0.
///
/// ```
/// use belvedere::{nn, prelude::*};
///
/// let table = tensor![[1, 2], [3, 4], [5, 6]];
/// assert_eq!(nn::embedding(&table, &tensor![2, 0])?.to_vec::<i32>()?, [5, 6, 1, 2]);
/// # Ok::<(), belvedere::Error>(())
/// ```
///
/// # Errors
/// If an index is out of range, the table has no axes, or the indices are not integers.
///
/// # Memory
/// Always allocates a new tensor.
#[track_caller]
pub fn embedding(table: &Tensor, indices: &Tensor) -> Result<Tensor, Error> {
    let call = Call::new("embedding").touching(Touched::Gathered);
    composite(call, &[table.into(), indices.into()], || table.take(indices, 0))
}

/// Computes the gradient of a table of `n` rows from the gradient of the result of [`embedding`].
///
/// Gradients of rows that were looked up several times are added, in the order of the indices.
///
/// ```
/// use belvedere::{nn, prelude::*};
///
/// let gradient = tensor![[1.0, 2.0], [3.0, 4.0]];
/// let table = nn::embedding_grad(&gradient, &tensor![2, 2], 3)?;
/// assert_eq!(table.to_vec::<f64>()?, [0.0, 0.0, 0.0, 0.0, 4.0, 6.0]);
/// # Ok::<(), belvedere::Error>(())
/// ```
///
/// # Errors
/// If an index is out of range, the shape of the gradient does not start with that of the indices, or there is not
/// enough memory.
///
/// # Memory
/// Always allocates a new tensor.
#[track_caller]
pub fn embedding_grad(gradient: &Tensor, indices: &Tensor, n: usize) -> Result<Tensor, Error> {
    let params = [("n", n.into())];
    let call = Call::new("embedding_grad").with(&params);
    composite(call, &[gradient.into(), indices.into()], || {
        let (shape, given) = (gradient.shape(), indices.shape());
        if !shape.starts_with(&given) {
            let (needed, given) = (given.into(), shape.into());
            return Err(Error::ShapeMismatch { op: call.op, needed, given });
        }
        let row: Shape = std::iter::once(n).chain(shape[given.len()..].iter().copied()).collect();
        let table = Tensor::zeros(&*row, gradient.dtype())?;
        table.put_add(indices, 0, gradient)?;
        Ok(table)
    })
}
