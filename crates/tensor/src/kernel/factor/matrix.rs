//! Pointers to the matrices of a stack.

use crate::sync_ptr::SyncPtr;
use crate::{Axis, DType, Element, Layout};
use faer::{MatMut, MatRef};
use std::ptr::NonNull;

/// A stack of matrices in memory.
pub(super) struct MatrixStack {
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
    pub(super) fn new(ptr: NonNull<u8>, layout: &Layout, dtype: DType) -> MatrixStack {
        let [ref batch @ .., rows, cols] = *layout.axes() else {
            unreachable!("a stack of matrices has at least two axes")
        };
        let (ptr, start, batch) = (SyncPtr::new(ptr.as_ptr()), layout.start(), batch.to_vec());
        MatrixStack { ptr, dtype, start, batch, rows, cols }
    }

    pub(super) fn batch_shape(&self) -> Vec<usize> {
        self.batch.iter().map(|axis| axis.len).collect()
    }

    pub(super) fn matrix_shape(&self) -> (usize, usize) {
        (self.rows.len, self.cols.len)
    }

    /// Matrix `i` in logical order. If `i` is out of range, the pointer must not be used.
    pub(super) fn matrix(&self, mut i: usize) -> MatrixPtr {
        let mut offset = self.start as isize;
        for axis in self.batch.iter().rev() {
            offset = offset.wrapping_add((i % axis.len.max(1)) as isize * axis.stride);
            i /= axis.len.max(1);
        }
        let at = self.ptr.element::<u8>(offset.wrapping_mul(self.dtype.size() as isize));
        MatrixPtr {
            at,
            dtype: self.dtype,
            rows: self.rows.len,
            cols: self.cols.len,
            row_stride: self.rows.stride,
            col_stride: self.cols.stride,
        }
    }
}

/// A pointer to the first element of a matrix, with its shape and its strides in elements.
#[derive(Clone, Copy)]
pub(super) struct MatrixPtr {
    at: *mut u8,
    dtype: DType,
    pub rows: usize,
    pub cols: usize,
    row_stride: isize,
    col_stride: isize,
}

impl MatrixPtr {
    /// The transposed matrix.
    pub(super) fn transposed(self) -> MatrixPtr {
        MatrixPtr {
            rows: self.cols,
            cols: self.rows,
            row_stride: self.col_stride,
            col_stride: self.row_stride,
            ..self
        }
    }

    /// Asserts the shape of a result that is written element by element.
    pub(super) fn assert_shape(&self, rows: usize, cols: usize) {
        assert_eq!((self.rows, self.cols), (rows, cols), "the shape of a result");
    }

    /// Writes zeros, whose bits are all zero in every dtype.
    ///
    /// # Safety
    /// All elements must be valid for writes.
    unsafe fn fill_with_zeros(&self) {
        for j in 0..self.cols {
            for i in 0..self.rows {
                // SAFETY: `i` and `j` are in range; the element is valid for writes (contract).
                unsafe { self.element(i, j).write_bytes(0, self.dtype.size()) };
            }
        }
    }

    /// # Safety
    /// `i < rows` and `j < cols`, and the matrix must be in one allocation.
    unsafe fn element(&self, i: usize, j: usize) -> *mut u8 {
        let offset = i as isize * self.row_stride + j as isize * self.col_stride;
        // SAFETY: the offset is that of an element of the matrix (contract).
        unsafe { self.at.offset(offset * self.dtype.size() as isize) }
    }

    /// Writes an element of type `T`, whose dtype is `dtype`.
    ///
    /// # Panics
    /// If the matrix is of another dtype, or `i` or `j` is out of range.
    ///
    /// # Safety
    /// - All elements must be valid for writes.
    /// - `dtype` must be the dtype of `T`.
    pub(super) unsafe fn put<T>(&self, i: usize, j: usize, value: T, dtype: DType) {
        assert_eq!((self.dtype, size_of::<T>()), (dtype, dtype.size()), "the dtype of a result");
        assert!(i < self.rows && j < self.cols, "an element of a result");
        // SAFETY: the element exists and is of type `T` (both asserted), is valid for writes (contract),
        // and is aligned, since the elements of views are.
        unsafe { self.element(i, j).cast::<T>().write(value) };
    }

    /// The matrix for reading.
    ///
    /// # Panics
    /// If it is of another dtype.
    ///
    /// # Safety
    /// All elements must be valid for reads, and not be written to for `'a`.
    pub(super) unsafe fn read<'a, T: Element>(&self) -> MatRef<'a, T> {
        assert_eq!(self.dtype, T::DTYPE, "the dtype of a matrix");
        let &MatrixPtr { at, rows, cols, row_stride, col_stride, .. } = self;
        // SAFETY: the elements are of type `T` (asserted) and valid for reads for `'a` (contract); shape
        // and strides are those of a layout, which reaches only elements.
        unsafe { MatRef::from_raw_parts(at.cast(), rows, cols, row_stride, col_stride) }
    }

    /// The matrix for writing, filled with zeros.
    ///
    /// # Panics
    /// If it is of another dtype.
    ///
    /// # Safety
    /// All elements must be valid for writes, and not be accessed otherwise for `'a`.
    pub(super) unsafe fn write<'a, T: Element>(&self) -> MatMut<'a, T> {
        assert_eq!(self.dtype, T::DTYPE, "the dtype of a matrix");
        let &MatrixPtr { at, rows, cols, row_stride, col_stride, .. } = self;
        // SAFETY: the elements are of type `T` (asserted) and exclusively borrowed for `'a` (contract);
        // zero bits are a value of every dtype, so all of them are initialised.
        unsafe {
            self.fill_with_zeros();
            MatMut::from_raw_parts_mut(at.cast(), rows, cols, row_stride, col_stride)
        }
    }
}
