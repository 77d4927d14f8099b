//! Views of `nalgebra`: those of its matrices as ours, and ours as its own, without a copy.

use super::{View, ViewMut};
use crate::{Axis, Error, Layout};
use nalgebra::{
    DMatrixView, DMatrixViewMut, DVectorView, DVectorViewMut, Dim, Dyn, Matrix, RawStorage,
    RawStorageMut, U1, ViewStorage, ViewStorageMut,
};
use std::ptr::NonNull;

/// Views the elements of a matrix of `nalgebra`, with its strides: of rank 1 for a column vector, else of rank 2.
///
/// ```
/// use belvedere::View;
/// use nalgebra::{Matrix2x3, Vector3};
///
/// let m = Matrix2x3::new(1, 2, 3, 4, 5, 6);
/// let view = View::from(&m);
/// assert_eq!((view.strides(), view.to_vec()?), ([1, 2].into(), vec![1, 2, 3, 4, 5, 6]));
/// assert_eq!(View::from(&m.columns(1, 2)).to_vec()?, [2, 3, 5, 6]);
/// assert_eq!(View::from(&Vector3::new(7, 8, 9)).shape(), [3]);
/// # Ok::<(), belvedere::Error>(())
/// ```
impl<'a, T: Copy, R: Dim, C: Dim, S: RawStorage<T, R, C>> From<&'a Matrix<T, R, C, S>>
    for View<'a, T>
{
    fn from(matrix: &'a Matrix<T, R, C, S>) -> View<'a, T> {
        let first = NonNull::new(matrix.data.ptr().cast_mut()).expect("a matrix has a pointer");
        // SAFETY: a storage's strides lead from its pointer to its elements, which are initialised and borrowed for
        // reading for `'a` (the contract of `RawStorage`).
        unsafe { View::from_parts(first, layout_of(matrix)) }
    }
}

/// Views the elements of a matrix of `nalgebra` for writing, with its strides: of rank 1 for a column vector, else of
/// rank 2.
///
/// ```
/// use belvedere::ViewMut;
/// use nalgebra::DMatrix;
///
/// let mut m = DMatrix::from_element(2, 2, 0);
/// ViewMut::from(&mut m).set(&[1, 0], 7)?;
/// assert_eq!(m[(1, 0)], 7);
/// # Ok::<(), belvedere::Error>(())
/// ```
impl<'a, T: Copy, R: Dim, C: Dim, S: RawStorageMut<T, R, C>> From<&'a mut Matrix<T, R, C, S>>
    for ViewMut<'a, T>
{
    fn from(matrix: &'a mut Matrix<T, R, C, S>) -> ViewMut<'a, T> {
        let layout = layout_of(matrix);
        let first = NonNull::new(matrix.data.ptr_mut()).expect("a matrix has a pointer");
        // SAFETY: as for a view for reading; the matrix is borrowed for writing for `'a`, and the storage of a matrix for
        // writing has a place for each element (the contract of `RawStorageMut`).
        unsafe { ViewMut::from_parts(first, layout) }
    }
}

/// Returns the layout of a matrix, relative to its first element, which is the lowest.
fn layout_of<T, R: Dim, C: Dim, S: RawStorage<T, R, C>>(matrix: &Matrix<T, R, C, S>) -> Layout {
    let ((rows, cols), (row_stride, col_stride)) = (matrix.shape(), matrix.strides());
    let axes = [Axis::new(rows, row_stride as isize), Axis::new(cols, col_stride as isize)];
    let rank = if C::try_to_usize() == Some(1) { 1 } else { 2 };
    Layout::new(0, &axes[..rank]).expect("a matrix in memory has a layout")
}

/// Implements the conversions of views to those of `nalgebra`.
macro_rules! matrix_views {
    ($($(#[$doc:meta])* $view:ident $target:ident $storage:ident $cols:ty;)*) => {$(
        $(#[$doc])*
        ///
        /// # Errors
        /// If the rank differs, or an axis is flipped or broadcast: `nalgebra` has positive strides only.
        impl<'a, T: Copy> TryFrom<$view<'a, T>> for $target<'a, T, Dyn, Dyn> {
            type Error = Error;

            fn try_from(view: $view<'a, T>) -> Result<Self, Error> {
                let op = concat!(stringify!($target), "::try_from");
                let [rows, cols] = rows_and_columns::<$cols>(op, view.layout())?;
                let shape = (Dyn(rows.len), <$cols>::from_usize(cols.len));
                let strides = (Dyn(rows.stride as usize), Dyn(cols.stride as usize));
                // SAFETY: the strides lead from the first element to all of the view's, which are initialised and
                // borrowed for `'a`; of a view for writing, which is consumed, each has one index.
                let storage = unsafe {
                    let first = view.ptr().add(view.layout().start());
                    $storage::from_raw_parts(first.as_ptr(), shape, strides)
                };
                Ok(Matrix::from_data(storage))
            }
        }
    )*};
}

matrix_views! {
    /// Views the elements as a matrix of `nalgebra`, with the same strides; those of a tensor by a guard.
    ///
    /// ```
    /// use belvedere::prelude::*;
    /// use nalgebra::{DMatrixView, Dyn};
    ///
    /// let x = tensor![[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]];
    /// let guard = x.read::<f64>()?;
    /// let m: DMatrixView<f64, Dyn, Dyn> = guard.view().try_into()?;
    /// assert_eq!((m.nrows(), m[(1, 2)], m.sum()), (2, 6.0, 21.0));
    /// let flipped = x.flip(&[0])?.read::<f64>()?;
    /// let error = DMatrixView::<f64, Dyn, Dyn>::try_from(flipped.view()).unwrap_err();
    /// assert_eq!(error.to_string(), "DMatrixView::try_from needs positive strides, got -3");
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    View DMatrixView ViewStorage Dyn;

    /// Views the elements as a column vector of `nalgebra`, with the same stride.
    ///
    /// ```
    /// use belvedere::prelude::*;
    /// use nalgebra::{DVectorView, Dyn};
    ///
    /// let x = tensor![[1, 2], [3, 4]].select(1, 0)?;
    /// let guard = x.read::<i32>()?;
    /// let v: DVectorView<i32, Dyn, Dyn> = guard.view().try_into()?;
    /// assert_eq!((v.len(), v[1]), (2, 3));
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    View DVectorView ViewStorage U1;

    /// Views the elements as a matrix of `nalgebra` for writing, with the same strides.
    ///
    /// ```
    /// use belvedere::prelude::*;
    /// use nalgebra::{DMatrixViewMut, Dyn};
    ///
    /// let x = Tensor::zeros([2, 2], DType::Float32)?;
    /// let mut guard = x.write::<f32>()?;
    /// let mut m: DMatrixViewMut<f32, Dyn, Dyn> = guard.view_mut().try_into()?;
    /// m.fill_diagonal(1.0);
    /// drop(guard);
    /// assert_eq!(x, tensor![[1.0f32, 0.0], [0.0, 1.0]]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ViewMut DMatrixViewMut ViewStorageMut Dyn;

    /// Views the elements as a column vector of `nalgebra` for writing, with the same stride.
    ///
    /// ```
    /// use belvedere::prelude::*;
    /// use nalgebra::{DVectorViewMut, Dyn};
    ///
    /// let x = Tensor::zeros([2, 2], DType::Int32)?;
    /// let column = x.select(1, 1)?;
    /// let mut guard = column.write::<i32>()?;
    /// let mut v: DVectorViewMut<i32, Dyn, Dyn> = guard.view_mut().try_into()?;
    /// v.fill(7);
    /// drop(guard);
    /// assert_eq!(x, tensor![[0, 7], [0, 7]]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ViewMut DVectorViewMut ViewStorageMut U1;
}

/// Returns the rows and columns of a matrix, or of a column vector if `C` is 1. The stride of an axis of length 1 is that
/// of a dense matrix, by which `nalgebra` recognizes contiguous ones.
///
/// # Errors
/// If the rank differs, or a stride is not positive: the iterators of `nalgebra` end where the last address of a column is
/// reached, which for a stride of 0 is the first.
fn rows_and_columns<C: Dim>(op: &'static str, layout: &Layout) -> Result<[Axis; 2], Error> {
    let (mut rows, mut cols) = match (layout.axes(), C::try_to_usize()) {
        (&[rows, cols], None) => (rows, cols),
        (&[rows], Some(_)) => (rows, Axis::new(1, 0)),
        (_, columns) => {
            let needs = if columns.is_none() { "2 axes" } else { "1 axis" };
            return Err(Error::Form { op, needs, given: layout.shape().into() });
        }
    };
    if rows.len <= 1 {
        rows.stride = 1;
    }
    if cols.len <= 1 {
        cols.stride = rows.len as isize * rows.stride;
    }
    match [rows.stride, cols.stride].into_iter().find(|&stride| stride <= 0) {
        Some(stride) if !layout.is_empty() => {
            let needs = "positive strides";
            Err(Error::Argument { op, needs, given: stride.into() })
        }
        _ => Ok([rows, cols]),
    }
}
