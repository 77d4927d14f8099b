//! Conversions to tensors: iterators, vectors, slices and nested arrays.

use super::Tensor;
use crate::trace::{Call, composite};
use crate::{Error, Layout, Nested, Value};

/// Collects values to a tensor of rank 1.
///
/// ```
/// use belvedere::prelude::*;
///
/// let x = (0..12).map(|i| i as f32).collect::<Tensor>().reshape([3, 4])?;
/// assert_eq!(x.get::<f32>(&[2, 3])?, 11.0);
/// # Ok::<(), belvedere::Error>(())
/// ```
impl<T: Value> FromIterator<T> for Tensor {
    fn from_iter<I: IntoIterator<Item = T>>(values: I) -> Tensor {
        let values = values.into_iter().collect::<Vec<T>>();
        let len = values.len();
        flat(composite(Call::new("collect"), &[], || Tensor::from_vec(values, [len])))
    }
}

/// Takes over a vector as a tensor of rank 1, without a copy.
///
/// ```
/// use belvedere::prelude::*;
///
/// assert_eq!(Tensor::from(vec![1.5, 2.5]).shape(), [2]);
/// ```
impl<T: Value> From<Vec<T>> for Tensor {
    #[track_caller]
    fn from(values: Vec<T>) -> Tensor {
        let len = values.len();
        flat(Tensor::from_vec(values, [len]))
    }
}

/// Takes over a vector of rows as a tensor of rank 2, without a copy.
///
/// ```
/// use belvedere::prelude::*;
///
/// let points = vec![[0.0f32, 1.0, 2.0], [3.0, 4.0, 5.0]];
/// assert_eq!(Tensor::from(points).shape(), [2, 3]);
/// ```
///
/// # Panics
/// If the rows have length 0 and there are more than `isize::MAX` of them.
impl<T: Value, const N: usize> From<Vec<[T; N]>> for Tensor {
    #[track_caller]
    fn from(rows: Vec<[T; N]>) -> Tensor {
        let len = rows.len();
        flat(Tensor::from_vec(rows.into_flattened(), [len, N]))
    }
}

/// Copies a slice to a tensor of rank 1.
///
/// ```
/// use belvedere::prelude::*;
///
/// let values = [1, 2, 3, 4];
/// assert_eq!(Tensor::from(&values[1..]).to_vec::<i32>()?, [2, 3, 4]);
/// # Ok::<(), belvedere::Error>(())
/// ```
///
/// # Panics
/// If there is not enough memory.
impl<T: Value> From<&[T]> for Tensor {
    #[track_caller]
    fn from(values: &[T]) -> Tensor {
        flat(Tensor::from_slice(values, [values.len()]))
    }
}

/// Creates a tensor from an array, whose items may be arrays themselves, of any depth.
///
/// ```
/// use belvedere::prelude::*;
///
/// assert_eq!(Tensor::from([1, 2, 3]).shape(), [3]);
/// assert_eq!(Tensor::from([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]).shape(), [3, 2]);
/// assert_eq!(Tensor::from([[[true; 4]; 3]; 2]).shape(), [2, 3, 4]);
/// ```
impl<N: Nested, const LEN: usize> From<[N; LEN]> for Tensor {
    #[track_caller]
    fn from(values: [N; LEN]) -> Tensor {
        Tensor::from_nested(values)
    }
}

/// Returns a tensor whose number of elements is right by construction; what is left is an allocation that failed.
#[track_caller]
fn flat(tensor: Result<Tensor, Error>) -> Tensor {
    match tensor {
        Ok(tensor) => tensor,
        Err(error) => panic!("{error}"),
    }
}

/// Returns the tensor itself, for functions that take `impl AsRef<Tensor>`.
///
/// ```
/// use belvedere::prelude::*;
///
/// fn n_rows(x: impl AsRef<Tensor>) -> usize {
///     x.as_ref().shape()[0]
/// }
///
/// let x = tensor![[1, 2], [3, 4], [5, 6]];
/// assert_eq!((n_rows(&x), n_rows(x)), (3, 3));
/// ```
///
/// The elements of a tensor or a view are not an `AsRef<[T]>`: they need not be contiguous
/// ([`View::as_slice`](crate::View::as_slice) returns an `Option`), and those of a tensor have to be borrowed first
/// ([`Tensor::read`]).
impl AsRef<Tensor> for Tensor {
    fn as_ref(&self) -> &Tensor {
        self
    }
}

/// Returns the layout.
///
/// ```
/// use belvedere::prelude::*;
///
/// let x = tensor![[1, 2], [3, 4]];
/// let layout: &Layout = x.as_ref();
/// assert_eq!(layout.strides(), [2, 1]);
/// ```
impl AsRef<Layout> for Tensor {
    fn as_ref(&self) -> &Layout {
        self.layout()
    }
}
