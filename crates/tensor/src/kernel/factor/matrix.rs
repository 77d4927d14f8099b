//! The matrices of a stack: inputs for reading, outputs for writing.

use crate::sync_ptr::SyncPtr;
use crate::view::{AnyView, AnyViewMut};
use crate::{Axis, DType, Element, Layout};
use faer::{MatMut, MatRef};
use std::marker::PhantomData;
use std::ptr::NonNull;

/// The rows and columns of a tile of a copy, whose cache lines stay in the L1 cache if source and destination are of
/// different orders.
const TILE: usize = 16;

/// The address of every matrix of a stack.
struct MatrixStack {
    /// Offset 0 of the layout. The offsets of the axes lead to elements of `dtype`.
    ptr: SyncPtr<u8>,
    dtype: DType,
    start: usize,
    /// The axes before the last two.
    batch: Vec<Axis>,
    rows: Axis,
    cols: Axis,
}

impl MatrixStack {
    /// The last two axes of the layout are rows and columns.
    ///
    /// # Panics
    /// If it has fewer than two axes.
    fn new(ptr: NonNull<u8>, layout: &Layout, dtype: DType) -> MatrixStack {
        let [ref batch @ .., rows, cols] = *layout.axes() else {
            unreachable!("a stack of matrices has at least two axes")
        };
        let (ptr, start, batch) = (SyncPtr::new(ptr.as_ptr()), layout.start(), batch.to_vec());
        MatrixStack { ptr, dtype, start, batch, rows, cols }
    }

    fn batch_shape(&self) -> Vec<usize> {
        self.batch.iter().map(|axis| axis.len).collect()
    }

    /// Returns matrix `i` in row-major order of the batch axes.
    ///
    /// # Panics
    /// If there is no such matrix.
    fn matrix(&self, i: usize) -> MatrixPtr {
        let (mut offset, mut rest) = (self.start as isize, i);
        for axis in self.batch.iter().rev() {
            assert!(axis.len > 0, "matrix {i} of an empty stack");
            offset = offset.wrapping_add((rest % axis.len) as isize * axis.stride);
            rest /= axis.len;
        }
        assert_eq!(rest, 0, "matrix {i} of {:?}", self.batch_shape());
        let at = self.ptr.element::<u8>(offset.wrapping_mul(self.dtype.size() as isize));
        MatrixPtr { at, dtype: self.dtype, rows: self.rows, cols: self.cols }
    }
}

/// A pointer to the first element of a matrix, with its shape and its strides in elements.
#[derive(Clone, Copy)]
struct MatrixPtr {
    at: *mut u8,
    dtype: DType,
    rows: Axis,
    cols: Axis,
}

impl MatrixPtr {
    /// Returns the pointer with an element type.
    ///
    /// # Panics
    /// If the elements are of another dtype.
    fn typed<T: Element>(&self) -> *mut T {
        assert_eq!(self.dtype, T::DTYPE, "the dtype of a matrix");
        self.at.cast()
    }
}

/// The matrices of an input: the last two axes of a view.
pub(super) struct InputStack<'a>(MatrixStack, PhantomData<&'a u8>);

impl<'a> InputStack<'a> {
    /// # Panics
    /// If the view has fewer than two axes.
    pub(super) fn new(view: &'a AnyView<'_>) -> InputStack<'a> {
        InputStack(MatrixStack::new(view.ptr(), view.layout(), view.dtype()), PhantomData)
    }

    pub(super) fn batch_shape(&self) -> Vec<usize> {
        self.0.batch_shape()
    }

    /// Returns the number of rows and columns of each matrix.
    pub(super) fn matrix_shape(&self) -> [usize; 2] {
        [self.0.rows.len, self.0.cols.len]
    }

    /// Returns matrix `i` in row-major order of the batch axes.
    ///
    /// # Panics
    /// If there is no such matrix.
    pub(super) fn matrix(&self, i: usize) -> InputMatrix<'a> {
        InputMatrix(self.0.matrix(i), PhantomData)
    }
}

/// The matrices of an output: the last two axes of a view, which may be uninitialised.
pub(super) struct OutputStack<'a>(MatrixStack, PhantomData<&'a mut u8>);

impl<'a> OutputStack<'a> {
    /// # Panics
    /// If the view has fewer than two axes.
    pub(super) fn new(view: &'a mut AnyViewMut<'_>) -> OutputStack<'a> {
        OutputStack(MatrixStack::new(view.ptr(), view.layout(), view.dtype()), PhantomData)
    }

    pub(super) fn batch_shape(&self) -> Vec<usize> {
        self.0.batch_shape()
    }

    /// Returns matrix `i` in row-major order of the batch axes.
    ///
    /// # Panics
    /// If there is no such matrix.
    ///
    /// # Safety
    /// No two `OutputMatrix` of the same `i` may exist at a time.
    pub(super) unsafe fn matrix(&self, i: usize) -> OutputMatrix<'a> {
        OutputMatrix(self.0.matrix(i), PhantomData)
    }
}

/// A matrix that is read.
///
/// Invariant: it is a part of a view that is borrowed for reading for `'a`.
pub(super) struct InputMatrix<'a>(MatrixPtr, PhantomData<&'a u8>);

impl<'a> InputMatrix<'a> {
    /// Returns the matrix with an element type.
    ///
    /// # Panics
    /// If it is of another dtype.
    pub(super) fn read<T: Element>(&self) -> RawMatrix<'a, T> {
        let (first, MatrixPtr { rows, cols, .. }) = (self.0.typed::<T>(), self.0);
        RawMatrix { first, rows, cols, memory: PhantomData }
    }
}

/// A matrix whose elements are read by value: a `MatRef` would promise the compiler that they do not change, but another
/// library may write to memory that it shares with us.
///
/// Invariant: the positions of both axes from `first` on are elements of type `T` that are readable for `'a`.
#[derive(Clone, Copy)]
pub(super) struct RawMatrix<'a, T> {
    first: *const T,
    rows: Axis,
    cols: Axis,
    memory: PhantomData<&'a T>,
}

impl<T: Copy> RawMatrix<'_, T> {
    /// Returns the transpose if a condition holds.
    pub(super) fn transposed_if(self, condition: bool) -> Self {
        let (rows, cols) = if condition { (self.cols, self.rows) } else { (self.rows, self.cols) };
        RawMatrix { rows, cols, ..self }
    }

    pub(super) fn n_rows(&self) -> usize {
        self.rows.len
    }

    pub(super) fn n_cols(&self) -> usize {
        self.cols.len
    }

    /// Returns the element in row `i` and column `j`.
    ///
    /// # Panics
    /// If there is no such element.
    #[inline(always)]
    pub(super) fn get(&self, i: usize, j: usize) -> T {
        assert!(i < self.rows.len && j < self.cols.len, "a position in the matrix");
        // SAFETY: the position is one of the matrix (asserted), so an element that is readable (invariant).
        unsafe {
            self.first.offset(i as isize * self.rows.stride + j as isize * self.cols.stride).read()
        }
    }
}

/// A matrix that is written, and may be uninitialised.
///
/// Invariant: it is a part of a view that is borrowed for writing for `'a`, and nothing else refers to this part.
pub(super) struct OutputMatrix<'a>(MatrixPtr, PhantomData<&'a mut u8>);

impl OutputMatrix<'_> {
    /// Returns the number of rows and columns.
    pub(super) fn shape(&self) -> [usize; 2] {
        [self.0.rows.len, self.0.cols.len]
    }

    /// Asserts the shape of a result that is written element by element.
    pub(super) fn assert_shape(&self, rows: usize, cols: usize) {
        assert_eq!(self.shape(), [rows, cols], "the shape of a result");
    }

    /// Fills the matrix with zeros and returns it with an element type.
    ///
    /// # Panics
    /// If it is of another dtype.
    pub(super) fn zeroed<T: Element>(&mut self) -> MatMut<'_, T> {
        let (at, MatrixPtr { rows, cols, .. }) = (self.0.typed::<T>(), self.0);
        for j in 0..cols.len as isize {
            for i in 0..rows.len as isize {
                // SAFETY: the element is in the matrix, which is valid for writes (invariant), and of type `T`
                // (`typed`).
                unsafe { at.offset(i * rows.stride + j * cols.stride).write(T::default()) };
            }
        }
        // SAFETY: the elements are of type `T` (`typed`), have just been initialised, and are exclusively
        // borrowed with `self` (invariant); shape and strides are those of an injective layout.
        unsafe { MatMut::from_raw_parts_mut(at, rows.len, cols.len, rows.stride, cols.stride) }
    }

    /// Overwrites the matrix with another one of its shape.
    ///
    /// # Panics
    /// If it is of another dtype or shape.
    pub(super) fn copy_from<T: Element>(&mut self, source: MatRef<'_, T>) {
        let (at, MatrixPtr { rows, cols, .. }) = (self.0.typed::<T>(), self.0);
        self.assert_shape(source.nrows(), source.ncols());
        for first_row in (0..rows.len).step_by(TILE) {
            for first_col in (0..cols.len).step_by(TILE) {
                for i in first_row..rows.len.min(first_row + TILE) {
                    for j in first_col..cols.len.min(first_col + TILE) {
                        let offset = i as isize * rows.stride + j as isize * cols.stride;
                        // SAFETY: the element is in the matrix, which is valid for writes (invariant), and of type `T`
                        // (`typed`).
                        unsafe { at.offset(offset).write(source[(i, j)]) };
                    }
                }
            }
        }
    }
}
