//! Owned matrices of `nalgebra` as tensors, and tensors as matrices; `view/nalgebra.rs` has the conversions of views.

use crate::trace::{Call, EventKind, announce_tensor};
use crate::{Error, Layout, Storage, Tensor, Value};
use nalgebra::{DMatrix, DVector, Dyn, U1, VecStorage};

/// Takes over a matrix of `nalgebra`, which is column-major.
///
/// ```
/// use belvedere::prelude::*;
/// use nalgebra::DMatrix;
///
/// let x = Tensor::from(DMatrix::from_row_slice(2, 3, &[1, 2, 3, 4, 5, 6]));
/// assert_eq!(x.strides(), [1, 2]);
/// assert_eq!(x, tensor![[1, 2, 3], [4, 5, 6]]);
/// ```
///
/// # Memory
/// Never copies.
impl<T: Value> From<DMatrix<T>> for Tensor {
    #[track_caller]
    fn from(matrix: DMatrix<T>) -> Tensor {
        let (rows, cols) = matrix.shape();
        from_columns(Call::new("from_nalgebra"), matrix.data.into(), &[rows, cols])
    }
}

/// Takes over a column vector of `nalgebra` as a tensor of rank 1.
///
/// ```
/// use belvedere::prelude::*;
/// use nalgebra::DVector;
///
/// assert_eq!(Tensor::from(DVector::from_vec(vec![1.0, 2.0])), tensor![1.0, 2.0]);
/// ```
///
/// # Memory
/// Never copies.
impl<T: Value> From<DVector<T>> for Tensor {
    #[track_caller]
    fn from(vector: DVector<T>) -> Tensor {
        let len = vector.nrows();
        from_columns(Call::new("from_nalgebra"), vector.data.into(), &[len])
    }
}

/// Returns values in column-major order as a tensor.
fn from_columns<T: Value>(call: Call<'_>, values: Vec<T>, shape: &[usize]) -> Tensor {
    let layout = Layout::col_major(shape).expect("a matrix in memory has a layout");
    let tensor = Tensor::from_storage(Storage::from_vec(values), layout, T::DTYPE);
    let tensor = tensor.expect("the elements of a matrix are in its vector");
    announce_tensor(call, EventKind::Import, &tensor);
    tensor
}

/// Converts a tensor of rank 2 to a matrix of `nalgebra`.
///
/// ```
/// use belvedere::prelude::*;
/// use nalgebra::DMatrix;
///
/// let m = DMatrix::<i32>::try_from(tensor![[1, 2, 3], [4, 5, 6]])?;
/// assert_eq!(m, DMatrix::from_row_slice(2, 3, &[1, 2, 3, 4, 5, 6]));
/// # Ok::<(), belvedere::Error>(())
/// ```
///
/// # Errors
/// If the rank or the dtype differs, a guard holds elements for writing, or there is not enough memory.
///
/// # Memory
/// Does not copy if the elements are contiguous in column-major order in a `Vec<T>`, from its first one on, and no other
/// tensor or guard shares it. Otherwise copies.
impl<T: Value> TryFrom<Tensor> for DMatrix<T> {
    type Error = Error;

    #[track_caller]
    fn try_from(tensor: Tensor) -> Result<DMatrix<T>, Error> {
        let call = Call::new("into_nalgebra");
        let &[rows, cols] = &*tensor.shape() else {
            return Err(rank_error("DMatrix::try_from", "2 axes", &tensor));
        };
        // The rows of the transpose are the columns.
        let transposed = tensor.with_layout(tensor.layout().t()?);
        drop(tensor);
        let values = transposed.into_vec_by(call)?;
        Ok(DMatrix::from_data(VecStorage::new(Dyn(rows), Dyn(cols), values)))
    }
}

/// Converts a tensor of rank 1 to a column vector of `nalgebra`.
///
/// ```
/// use belvedere::prelude::*;
/// use nalgebra::DVector;
///
/// let v = DVector::<f64>::try_from(tensor![1.5, 2.5])?;
/// assert_eq!(v, DVector::from_vec(vec![1.5, 2.5]));
/// # Ok::<(), belvedere::Error>(())
/// ```
///
/// # Errors
/// If the rank or the dtype differs, a guard holds elements for writing, or there is not enough memory.
///
/// # Memory
/// As [`Tensor::into_vec`].
impl<T: Value> TryFrom<Tensor> for DVector<T> {
    type Error = Error;

    #[track_caller]
    fn try_from(tensor: Tensor) -> Result<DVector<T>, Error> {
        let call = Call::new("into_nalgebra");
        let &[len] = &*tensor.shape() else {
            return Err(rank_error("DVector::try_from", "1 axis", &tensor));
        };
        Ok(DVector::from_data(VecStorage::new(Dyn(len), U1, tensor.into_vec_by(call)?)))
    }
}

fn rank_error(op: &'static str, needs: &'static str, tensor: &Tensor) -> Error {
    Error::Form { op, needs, given: tensor.shape().into() }
}
