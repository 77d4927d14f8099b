//! Where the matrices of a stack lie.

use super::Fault;
use super::number::{Number, Real};
use crate::{Axis, DType, Element, Layout, MatrixProblem};
use faer::dyn_stack::{MemBuffer, StackReq};
use faer::traits::ComplexField;
use faer::{MatMut, MatRef};
use std::ptr::NonNull;

/// A stack of matrices in memory.
pub(super) struct Stack {
    ptr: *mut u8,
    dtype: DType,
    start: usize,
    /// The axes before the last two.
    batch: Vec<Axis>,
    rows: Axis,
    cols: Axis,
}

// SAFETY: it is only where something lies. `factor` gives the matrices of stacks to threads that work on
// different ones, while it holds the borrows of all views.
unsafe impl Sync for Stack {}

impl Stack {
    /// The last two axes of a view are rows and columns; it must have them.
    pub fn new(ptr: NonNull<u8>, layout: &Layout, dtype: DType) -> Stack {
        let [ref batch @ .., rows, cols] = *layout.axes() else {
            unreachable!("a stack is of matrices")
        };
        Stack { ptr: ptr.as_ptr(), dtype, start: layout.start(), batch: batch.to_vec(), rows, cols }
    }

    pub fn batch_shape(&self) -> Vec<usize> {
        self.batch.iter().map(|axis| axis.len).collect()
    }

    pub fn matrix_shape(&self) -> (usize, usize) {
        (self.rows.len, self.cols.len)
    }

    /// The matrix with a number, in logical order. If there are not so many, it is some place.
    pub fn place(&self, mut number: usize) -> Place {
        let mut offset = self.start as isize;
        for axis in self.batch.iter().rev() {
            offset = offset.wrapping_add((number % axis.len.max(1)) as isize * axis.stride);
            number /= axis.len.max(1);
        }
        let at = self.ptr.wrapping_offset(offset.wrapping_mul(self.dtype.size() as isize));
        Place {
            at,
            dtype: self.dtype,
            rows: self.rows.len,
            cols: self.cols.len,
            row: self.rows.stride,
            col: self.cols.stride,
        }
    }
}

/// Where a matrix lies: its first element, and how many elements it is from row to row and from column to
/// column.
#[derive(Clone, Copy)]
pub(super) struct Place {
    at: *mut u8,
    dtype: DType,
    pub rows: usize,
    pub cols: usize,
    row: isize,
    col: isize,
}

impl Place {
    /// The same with rows and columns exchanged.
    pub fn transposed(self) -> Place {
        let Place { at, dtype, rows, cols, row, col } = self;
        Place { at, dtype, rows: cols, cols: rows, row: col, col: row }
    }

    /// Panics if there are other rows and columns than those that will be written one by one.
    pub fn assert_shape(&self, rows: usize, cols: usize) {
        assert_eq!((self.rows, self.cols), (rows, cols), "the shape of a result");
    }

    /// Zeros, which are a row of zero bits in every type.
    ///
    /// # Safety
    /// All elements must be valid for writes.
    unsafe fn fill_with_zeros(&self) {
        for j in 0..self.cols {
            for i in 0..self.rows {
                // SAFETY: the caller's promise.
                unsafe { self.element(i, j).write_bytes(0, self.dtype.size()) };
            }
        }
    }

    /// # Safety
    /// The place must have such an element.
    unsafe fn element(&self, i: usize, j: usize) -> *mut u8 {
        let offset = i as isize * self.row + j as isize * self.col;
        // SAFETY: the caller's promise.
        unsafe { self.at.offset(offset * self.dtype.size() as isize) }
    }

    /// Writes an element of type `T`, which has the tag `dtype`. If the place is of another type, or has no such
    /// element, this panics.
    ///
    /// # Safety
    /// The place must be valid for writes, and the tag be that of the type.
    pub unsafe fn put<T>(&self, i: usize, j: usize, value: T, dtype: DType) {
        assert_eq!((self.dtype, size_of::<T>()), (dtype, dtype.size()), "the type of a result");
        assert!(i < self.rows && j < self.cols, "an element of a result");
        // SAFETY: the caller's promises; elements are aligned, since views are.
        unsafe { self.element(i, j).cast::<T>().write(value) };
    }

    /// The matrix for reading. If it is of another type, this panics.
    ///
    /// # Safety
    /// All elements must be valid for reads and not written to while it is used.
    pub unsafe fn read<'a, T: Element>(&self) -> MatRef<'a, T> {
        assert_eq!(self.dtype, T::DTYPE, "the type of a matrix");
        // SAFETY: the caller's promises; strides are those of a layout.
        unsafe { MatRef::from_raw_parts(self.at.cast(), self.rows, self.cols, self.row, self.col) }
    }

    /// The matrix for writing, filled with zeros. If it is of another type, this panics.
    ///
    /// # Safety
    /// All elements must be valid for writes, and nobody else's while it is used.
    pub unsafe fn write<'a, T: Element>(&self) -> MatMut<'a, T> {
        assert_eq!(self.dtype, T::DTYPE, "the type of a matrix");
        // SAFETY: the caller's promises; strides are those of a layout, and zeros are elements.
        unsafe {
            self.fill_with_zeros();
            MatMut::from_raw_parts_mut(self.at.cast(), self.rows, self.cols, self.row, self.col)
        }
    }
}

/// So many equal values.
pub(super) fn filled<T: Copy>(value: T, rows: usize, cols: usize) -> Result<Vec<T>, Fault> {
    let mut values = room(rows, cols)?;
    values.resize(rows * cols, value);
    Ok(values)
}

/// The elements of a matrix, column by column: what is factored is overwritten.
pub(super) fn by_columns<T: Copy>(a: MatRef<'_, T>) -> Result<Vec<T>, Fault> {
    let mut values = room(a.nrows(), a.ncols())?;
    for j in 0..a.ncols() {
        values.extend((0..a.nrows()).map(|i| a[(i, j)]));
    }
    Ok(values)
}

fn room<T>(rows: usize, cols: usize) -> Result<Vec<T>, Fault> {
    let mut values = Vec::new();
    let n = rows.checked_mul(cols).ok_or(Fault::Memory(usize::MAX))?;
    values.try_reserve_exact(n).map_err(|_| Fault::Memory(n.saturating_mul(size_of::<T>())))?;
    Ok(values)
}

/// Memory for a calculation.
pub(super) fn scratch(needed: StackReq) -> Result<MemBuffer, Fault> {
    MemBuffer::try_new(needed).map_err(|_| Fault::Memory(needed.size_bytes()))
}

/// A copy of a matrix, times a factor, if it needs one, so that its elements are neither so great nor so small
/// that their squares are lost.
///
/// It is always a copy: others may write to memory that we share with them, and an iteration that comes
/// upon something else than was looked at has no end.
pub(super) struct Scaled<T: Number> {
    rows: usize,
    cols: usize,
    /// The elements, column by column.
    elements: Vec<T>,
    /// What undoes the factor.
    back: Option<T::Real>,
}

impl<T: Number> Scaled<T> {
    /// Of a matrix that is its own adjoint only the lower triangle counts, and the real part of the diagonal.
    ///
    /// # Errors
    /// If an element is infinite or no number, for which iterations have no end.
    pub fn of(matrix: MatRef<'_, T>, is_lower: bool) -> Result<Scaled<T>, Fault> {
        let (rows, cols) = matrix.shape();
        let mut elements = by_columns(matrix)?;
        let matrix = MatRef::from_column_major_slice(&elements, rows, cols);
        if !is_finite(matrix, is_lower) {
            return Err(Fault::Matrix(MatrixProblem::NotFinite));
        }
        let mut greatest = T::Real::zero_impl();
        for j in 0..cols {
            for i in if is_lower { j } else { 0 }..rows {
                // The parts, because the size of both together may be infinite.
                let x = &matrix[(i, j)];
                for part in [T::real_part_impl(x), T::imag_part_impl(x)] {
                    let size = T::Real::abs_impl(&part);
                    greatest = if size > greatest { size } else { greatest };
                }
            }
        }
        let factor = T::Real::factor(greatest);
        if let Some(factor) = &factor {
            elements.iter_mut().for_each(|it| *it = T::mul_real_impl(it, factor));
        }
        if is_lower {
            let diagonal = elements.iter_mut().step_by(rows + 1);
            diagonal.for_each(|it| *it = T::from_real_impl(&T::real_part_impl(it)));
        }
        let back = factor.map(|factor| Real::over(T::Real::one_impl(), factor));
        Ok(Scaled { rows, cols, elements, back })
    }

    pub fn matrix(&self) -> MatRef<'_, T> {
        MatRef::from_column_major_slice(&self.elements, self.rows, self.cols)
    }

    /// What a value of the scaled matrix is of the matrix itself.
    pub fn back(&self, value: T::Real) -> T::Real {
        match self.back {
            Some(factor) => value * factor,
            None => value,
        }
    }
}

/// Whether no element is infinite or no number. Of a matrix that is its own adjoint only the lower
/// triangle counts.
pub(super) fn is_finite<T: ComplexField>(a: MatRef<'_, T>, is_lower: bool) -> bool {
    let first = |j: usize| if is_lower { j } else { 0 };
    (0..a.ncols()).all(|j| (first(j)..a.nrows()).all(|i| T::is_finite_impl(&a[(i, j)])))
}
