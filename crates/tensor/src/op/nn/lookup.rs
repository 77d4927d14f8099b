//! Rows of a table, by number.

use crate::{DType, Error, Shape, Tensor};

/// For each index a vector of zeros, with a one at its place.
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
/// If an index does not exist among `n` (negative ones count from the end), the indices are no
/// integers, or there is not enough memory.
///
/// # Memory
/// The result is new.
pub fn one_hot(indices: &Tensor, n: usize, dtype: DType) -> Result<Tensor, Error> {
    let mut shape = indices.shape().to_vec();
    shape.push(n);
    let out = Tensor::zeros(shape, dtype)?;
    let one = Tensor::ones([0usize; 0], dtype)?;
    out.put_along_axis(&indices.unsqueeze(-1)?, -1, &one)?;
    Ok(out)
}

/// The rows of a table that indices name: [`Tensor::take`] along axis 0.
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
/// If a row does not exist, the table has no axes, or the indices are no integers.
///
/// # Memory
/// The result is new.
pub fn embedding(table: &Tensor, indices: &Tensor) -> Result<Tensor, Error> {
    table.take(indices, 0)
}

/// The gradient of a table of `n` rows, given that of the rows that [`embedding`] took: those that were
/// taken several times add up, in the order of the indices.
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
/// If a row does not exist, the shape of the gradient does not begin with that of the indices, or there
/// is not enough memory.
///
/// # Memory
/// The result is new.
pub fn embedding_grad(gradient: &Tensor, indices: &Tensor, n: usize) -> Result<Tensor, Error> {
    let (shape, given) = (gradient.shape(), indices.shape());
    if !shape.starts_with(&given) {
        let (needed, given) = (given.into(), shape.into());
        return Err(Error::ShapeMismatch { op: "embedding_grad", needed, given });
    }
    let row: Shape = std::iter::once(n).chain(shape[given.len()..].iter().copied()).collect();
    let table = Tensor::zeros(&*row, gradient.dtype())?;
    table.put_add(indices, 0, gradient)?;
    Ok(table)
}
